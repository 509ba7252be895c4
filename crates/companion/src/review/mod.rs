//! The review journey: what agents propose waits here until somebody decides.

pub(crate) mod alignment;
pub(crate) mod composition;
mod git;
pub(crate) mod lines;
pub(crate) mod place;
mod segments;
mod stretches;
pub(crate) mod target;
pub(crate) mod words;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use alongside_desk::{Agent, Change, Changed, Decision, Refusal, Review, ReviewId};

use alignment::Aligned;
use composition::Composition;
use place::Leads;
use target::{BadTarget, Fingerprint};

/// A proposal, read and compared, before anybody is shown it. Made outside the loop: comparing takes time.
#[derive(Debug)]
pub(crate) struct Proposal {
    /// As the agent spells it.
    pub(crate) file_path: String,
    composition: Composition,
    aligned: Aligned,
    fingerprint: Fingerprint,
    /// The target without links.
    real: PathBuf,
    /// Where a write to it would end up.
    leads: Leads,
}

impl Proposal {
    /// What the target is really called.
    pub(crate) fn real_path(&self) -> &Path {
        &self.real
    }

    /// Reads the target and compares. Blocks.
    ///
    /// # Errors
    /// When it cannot be shown.
    pub(crate) fn prepare(file_path: String, proposed: String) -> Result<Self, BadTarget> {
        let (mut aligned, fingerprint) = target::read(&file_path, &proposed)?;
        // Without a readable original there is nothing to compare with: the whole file is the change.
        let original = aligned.original.take().map_or_else(|| Arc::from(""), Arc::<str>::from);
        let composition = Composition::new(original, proposed);
        let real = crate::context::real(Path::new(&file_path));
        let leads = Leads::of(Path::new(&file_path));
        Ok(Self { file_path, composition, aligned, fingerprint, real, leads })
    }
}

/// A review that waits.
#[derive(Debug)]
pub(crate) struct Pending {
    pub(crate) id: ReviewId,
    /// The session that asked, and the only one that hears the outcome.
    pub(crate) session: String,
    pub(crate) agent: Agent,
    pub(crate) revision: u64,
    pub(crate) stale: bool,
    pub(crate) dirty: bool,
    outside: Option<String>,
    in_git: Option<String>,
    is_new_file: bool,
    /// What desks know: the revision and the text.
    told: (u64, Arc<str>),
    /// The target as it was last read.
    seen: Fingerprint,
    /// It is being read again.
    is_read: bool,
    proposal: Proposal,
}

impl Pending {
    /// The path, byte for byte as the agent spells it.
    pub(crate) fn file_path(&self) -> &str {
        &self.proposal.file_path
    }

    /// What the target is really called.
    pub(crate) fn real_path(&self) -> &Path {
        &self.proposal.real
    }

    pub(crate) fn current(&self) -> &Arc<str> {
        self.proposal.composition.current()
    }

    pub(crate) fn has_edits(&self) -> bool {
        self.proposal.composition.has_edits()
    }

    /// As desks see it.
    pub(crate) fn review(&self) -> Review {
        let Proposal { file_path, composition, aligned, .. } = &self.proposal;
        let comparable = !self.is_new_file && aligned.whole_file_only.is_none();
        Review {
            id: self.id,
            agent: self.agent.clone(),
            file: file_path.clone(),
            original: comparable.then(|| composition.original().clone()),
            proposed: composition.proposed().clone(),
            current: composition.current().clone(),
            revision: self.revision,
            hunks: composition.hunks(),
            whole_file_only: aligned.whole_file_only.clone(),
            file_line_ending: aligned.file_line_ending,
            file_has_bom: aligned.file_has_bom,
            stale: self.stale,
            dirty: self.dirty,
            outside: self.outside.clone(),
            in_git: self.in_git.clone(),
        }
    }

    /// What desks do not know yet. They know it from now on.
    pub(crate) fn changed_since_told(&mut self) -> Changed {
        let current = self.current().clone();
        let (from, text) = std::mem::replace(&mut self.told, (self.revision, current.clone()));
        Changed {
            id: self.id,
            from,
            revision: self.revision,
            changes: alongside_desk::replacement(&text, &current).into_iter().collect(),
            hunks: self.proposal.composition.hunks(),
            stale: self.stale,
            dirty: self.dirty,
        }
    }

    /// Whether the target has to be read again, which is for somebody else to do. Not while that is being
    /// done.
    pub(crate) fn wants_reading(&mut self) -> bool {
        let wants = !self.is_read && self.seen.is_outdated(self.file_path());
        self.is_read |= wants;
        wants
    }

    /// Whether the target is being read again.
    pub(crate) fn is_read(&self) -> bool {
        self.is_read
    }

    /// The target was read again. True if the person has to be told something new.
    pub(crate) fn has_read(&mut self, seen: Fingerprint) -> bool {
        let stale = seen.differs_from(&self.proposal.fingerprint);
        self.is_read = false;
        self.seen = seen;
        let news = stale != self.stale;
        self.stale = stale;
        self.revision += u64::from(news);
        news
    }

    /// Takes in whether an editor holds unsaved changes to the target. True if that is news.
    pub(crate) fn set_dirty(&mut self, dirty: bool) -> bool {
        let news = dirty != self.dirty;
        self.dirty = dirty;
        self.revision += u64::from(news);
        news
    }

    fn on(&self, revision: u64) -> Result<(), Refusal> {
        if revision == self.revision { Ok(()) } else { Err(Refusal::Stale { revision: self.revision }) }
    }

    fn changed(&mut self, done: Result<(), Refusal>) -> Result<u64, Refusal> {
        done.map(|()| {
            self.revision += 1;
            self.revision
        })
    }

    fn only_whole(&self) -> Result<(), Refusal> {
        match &self.proposal.aligned.whole_file_only {
            Some(reason) => Err(Refusal::WholeFileOnly { reason: reason.clone() }),
            None => Ok(()),
        }
    }

    pub(crate) fn edit(&mut self, revision: u64, changes: &[Change]) -> Result<u64, Refusal> {
        self.on(revision)?;
        let done = self.proposal.composition.edit(changes);
        self.changed(done)
    }

    pub(crate) fn keep(&mut self, revision: u64, hunks: &[usize], keep: bool) -> Result<u64, Refusal> {
        self.on(revision)?;
        self.only_whole()?;
        let done = self.proposal.composition.keep(hunks, keep);
        self.changed(done)
    }

    pub(crate) fn split(&mut self, revision: u64, hunk: usize) -> Result<u64, Refusal> {
        self.on(revision)?;
        self.only_whole()?;
        let done = self.proposal.composition.split(hunk);
        self.changed(done)
    }

    pub(crate) fn undo(&mut self, revision: u64) -> Result<u64, Refusal> {
        self.on(revision)?;
        let done = self.proposal.composition.undo();
        self.changed(done)
    }

    /// Whether this decision may be taken on this revision.
    ///
    /// # Errors
    /// Shipped agents write their whole proposal when given an empty text, and fail when given what the file
    /// already holds: neither can be accepted.
    pub(crate) fn may_decide(&self, revision: u64, decision: Decision) -> Result<(), Refusal> {
        self.on(revision)?;
        let composition = &self.proposal.composition;
        let (original, proposed, current) =
            (composition.original(), composition.proposed(), composition.current());
        if decision == Decision::Reject {
            return Ok(());
        }
        if current.is_empty() && !proposed.is_empty() {
            return Err(Refusal::Empty);
        }
        let comparable = !self.is_new_file && self.proposal.aligned.whole_file_only.is_none();
        let only_the_convention_changes = current == proposed
            && (self.proposal.aligned.file_line_ending.is_some()
                || self.proposal.aligned.file_has_bom.is_some());
        if comparable && current == original && !only_the_convention_changes {
            return Err(Refusal::Unchanged);
        }
        Ok(())
    }
}

/// All reviews that wait.
#[derive(Debug, Default)]
pub(crate) struct Reviews {
    last: u64,
    pending: BTreeMap<ReviewId, Pending>,
}

impl Reviews {
    /// The id of the newest review; 0 if there was none.
    pub(crate) fn last(&self) -> u64 {
        self.last
    }

    /// Ids go on after this one.
    pub(crate) fn go_on_after(&mut self, last: u64) {
        self.last = self.last.max(last);
    }

    /// Opens a review for a session. The caller has ended the one it replaces.
    pub(crate) fn open(
        &mut self,
        session: &str,
        agent: Agent,
        proposal: Proposal,
        dirty: bool,
        roots: &[PathBuf],
    ) -> &mut Pending {
        self.last += 1;
        let id = ReviewId(self.last);
        let outside = proposal.leads.outside(roots);
        let in_git = proposal.leads.in_git(roots);
        let is_new_file = proposal.fingerprint.is_absent();
        let told = (1, proposal.composition.current().clone());
        let seen = proposal.fingerprint.clone();
        self.pending.entry(id).or_insert_with(|| Pending {
            id,
            told,
            session: session.to_owned(),
            agent,
            revision: 1,
            stale: false,
            dirty,
            outside,
            in_git,
            is_new_file,
            seen,
            is_read: false,
            proposal,
        })
    }

    pub(crate) fn get(&mut self, id: ReviewId) -> Result<&mut Pending, Refusal> {
        self.pending.get_mut(&id).ok_or(Refusal::NoSuchReview)
    }

    /// The review of this file by this session: paths are compared byte for byte.
    pub(crate) fn find(&self, session: &str, file_path: &str) -> Option<ReviewId> {
        self.iter()
            .find(|review| review.session == session && review.file_path() == file_path)
            .map(|review| review.id)
    }

    /// The reviews of one session.
    pub(crate) fn of(&self, session: &str) -> Vec<ReviewId> {
        self.iter().filter(|review| review.session == session).map(|review| review.id).collect()
    }

    pub(crate) fn take(&mut self, id: ReviewId) -> Option<Pending> {
        self.pending.remove(&id)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Pending> {
        self.pending.values()
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Pending> {
        self.pending.values_mut()
    }

    pub(crate) fn len(&self) -> usize {
        self.pending.len()
    }
}

#[cfg(test)]
mod tests;
