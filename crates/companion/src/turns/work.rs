//! The work that turn reviews wait for, the desks that wait for its results, and all effects of turn reviews
//! until the main loop carries them out.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use alongside_desk::{CallAnswer, Event, Refusal, TurnId};

use super::effect::TurnEffect;
use super::job::{LookKey, TurnJob, Work};
use super::single_runs::SingleRuns;
use super::source::TurnSource;
use super::turn_review::TurnReview;
use crate::ids::DeskId;

/// All work that is under way, and the effects that are not carried out yet.
#[derive(Debug)]
pub(super) struct TurnWork {
    source: Option<Arc<dyn TurnSource>>,
    /// The roots without links.
    roots: Arc<[PathBuf]>,
    /// The number of the newest look.
    last_look: u64,
    looks: SingleRuns<LookKey, LookAsker>,
    reads: SingleRuns<FileKey, TurnCall>,
    effects: Vec<TurnEffect>,
}

/// A file of a turn review, by its path below the root.
pub(super) type FileKey = (TurnId, PathBuf);

/// A request of a desk that waits for its answer.
#[derive(Debug)]
pub(super) struct TurnCall {
    pub(super) desk: DeskId,
    pub(super) answer: CallAnswer,
}

/// A desk that waits for a look.
#[derive(Debug)]
pub(super) enum LookAsker {
    Desk(TurnCall),
    /// A desk whose finish ends with the look.
    Finish {
        turn: TurnId,
        answer: CallAnswer,
    },
}

impl TurnWork {
    pub(super) fn new(source: Option<Arc<dyn TurnSource>>, roots: Arc<[PathBuf]>) -> Self {
        let (last_look, looks, reads, effects) = Default::default();
        Self { source, roots, last_look, looks, reads, effects }
    }

    pub(super) fn roots(&self) -> &Arc<[PathBuf]> {
        &self.roots
    }

    pub(super) fn set_roots(&mut self, roots: Arc<[PathBuf]>) {
        self.roots = roots;
    }

    pub(super) fn has_source(&self) -> bool {
        self.source.is_some()
    }

    // Effects.

    pub(super) fn take_effects(&mut self) -> Vec<TurnEffect> {
        std::mem::take(&mut self.effects)
    }

    pub(super) fn begin(&mut self, work: Work) {
        if let Some(source) = self.source.clone() {
            self.effects.push(TurnEffect::Work(Box::new(TurnJob { source, work })));
        }
    }

    pub(super) fn watch_agent(&mut self, pid: u32) {
        self.effects.push(TurnEffect::WatchAgent(pid));
    }

    pub(super) fn tell(&mut self, desks: BTreeSet<DeskId>, event: Event) {
        if !desks.is_empty() {
            self.effects.push(TurnEffect::Tell(desks, Box::new(event)));
        }
    }

    pub(super) fn answer(&mut self, answer: CallAnswer, revision: Result<u64, Refusal>) {
        self.effects.push(TurnEffect::Answer(answer, revision));
    }

    /// Refuses the desks that wait for a file to open.
    pub(super) fn refuse(&mut self, openings: Vec<TurnCall>, refusal: &Refusal) {
        for call in openings {
            self.answer(call.answer, Err(refusal.clone()));
        }
    }

    // Looks.

    /// The directory and revision of the look that a desk asks for; without a directory, the first root.
    ///
    /// # Errors
    /// Why there is nothing to look at.
    pub(super) fn look_key(
        &self,
        directory: Option<String>,
        since: Option<String>,
    ) -> Result<LookKey, Refusal> {
        let unknown = |reason: &str| Refusal::TurnUnknown { reason: reason.to_owned() };
        if !self.has_source() {
            return Err(unknown("this companion keeps no turns"));
        }
        let directory = directory.map(PathBuf::from).or_else(|| self.roots.first().cloned());
        let directory = directory.ok_or_else(|| unknown("this companion serves no project"))?;
        Ok(LookKey { directory, since })
    }

    /// The number of the next look that begins.
    pub(super) fn next_look(&self) -> u64 {
        self.last_look + 1
    }

    /// Has these desks wait for a look that begins now, or when the look under way has ended.
    pub(super) fn ask_for_look(&mut self, key: &LookKey, askers: Vec<LookAsker>) {
        if self.looks.ask(key, askers) {
            self.begin_look(key);
        }
    }

    fn begin_look(&mut self, key: &LookKey) {
        self.last_look += 1;
        let (number, roots) = (self.last_look, self.roots.clone());
        self.begin(Work::Look { key: key.clone(), number, roots });
    }

    /// Notes that a look has ended. Returns the desks that have waited for it, and begins another look for
    /// those that came later.
    pub(super) fn end_look(&mut self, key: &LookKey) -> Vec<LookAsker> {
        let (askers, again) = self.looks.end(key);
        if again {
            self.begin_look(key);
        }
        askers
    }

    // Texts.

    /// Has the texts of a file read: these desks open it, or it has changed while desks have it open. They
    /// are refused if there is no such file.
    pub(super) fn ask_for_texts(
        &mut self,
        key: &FileKey,
        openings: Vec<TurnCall>,
        review: Option<&TurnReview>,
    ) {
        if self.reads.ask(key, openings) {
            self.begin_read(key, review);
        }
    }

    /// Notes that the texts of a file were read. Returns the desks that open it, and has it read again for
    /// those that came later.
    pub(super) fn end_read(&mut self, key: &FileKey, review: Option<&TurnReview>) -> Vec<TurnCall> {
        let (openings, again) = self.reads.end(key);
        if again {
            self.begin_read(key, review);
        }
        openings
    }

    fn begin_read(&mut self, key: &FileKey, review: Option<&TurnReview>) {
        let (turn, path) = key;
        if let Some(review) = review
            && let Some(file) = review.found(path).cloned()
        {
            let known = review.known_texts(path);
            self.begin(Work::Read { turn: *turn, look: review.look().clone(), file, known });
        } else {
            // No desk can have asked since the read began.
            let (openings, _) = self.reads.end(key);
            self.refuse(openings, &Refusal::NoSuchTurn);
        }
    }
}
