//! The decisions of the last moments. One edit may come to a person by two ways: some agents run a hook and
//! open a diff for it, in either order, and some agents run their hook again. The second proposal gets the
//! same answer.
//!
//! A decision counts once, for the same agent only, and while the file is unchanged. It covers the content
//! that the person saw: the same operation on the same file, with the same bytes. It covers a link to the
//! file only if the decision was on that link. An acceptance by a rule covers the same path only, because
//! rules may ask about another path. A hook sends the bytes that the tool writes. The bytes of a diff are
//! computed, because the agent restores the line endings and the byte-order mark of the file.

use std::borrow::Cow;
use std::hash::{BuildHasher as _, RandomState};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use alongside_desk::{HookProposal, Operation, Verdict};
use tokio::time::Instant;
use twox_hash::XxHash3_64;

use super::destination::Place;
use super::line_endings::BOM;
use super::proposal::PreparedProposal;
use super::review::PendingReview;
use super::target::Fingerprint;

/// The longest time between the two ways of an edit: the agent does nothing in between.
const SECOND_WAY_TIMEOUT: Duration = Duration::from_secs(10);
/// The longest time from an answer in the agent's own prompt, which may have been a no, to the second way.
const AGENT_PROMPT_TIMEOUT: Duration = Duration::from_secs(3);
/// The longest time between two calls of a tool by an agent: its model works in between.
pub(crate) const REPEATED_CALL_TIMEOUT: Duration = Duration::from_secs(600);
/// The largest number of remembered decisions.
const MAX_DECISIONS: usize = 64;
/// The largest number of remembered decisions with a text.
const MAX_TEXTS: usize = 8;

/// The way by which a proposal comes, and its agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Way {
    /// The agent's name for people.
    agent: String,
    /// The hook that brings the proposal; `None` for `openDiff`.
    hook: Option<HookWay>,
}

/// A tool call that a hook brings.
#[derive(Debug, Clone, PartialEq, Eq)]
struct HookWay {
    /// The agent's own name of its session.
    session: String,
    /// The tool's operation.
    operation: Operation,
}

/// The remembered decisions.
#[derive(Debug)]
pub(crate) struct Decisions {
    past: Vec<PastDecision>,
    /// The seed of the hashes. No agent knows the seed, so none can make another text with the same hash.
    seed: u64,
}

impl Default for Decisions {
    fn default() -> Self {
        Self { past: Vec::new(), seed: RandomState::new().hash_one(0) }
    }
}

/// The person or the rule that has accepted a proposal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AcceptedBy {
    Person,
    /// A rule or a grant, without the person.
    Rule,
}

/// A decision that still counts for a second proposal.
#[derive(Debug)]
struct PastDecision {
    way: Way,
    by: AcceptedBy,
    real_path: PathBuf,
    /// The places of the decided proposal.
    places: Vec<Place>,
    /// The file as the person saw it.
    original: Fingerprint,
    /// The hash of each text that the agent would write for a covered proposal, and the answer; `None`
    /// accepts the proposal as it is. Hashes save the memory of texts of megabytes.
    answers: Vec<(u64, Option<Verdict>)>,
    until: Instant,
}

impl Decisions {
    /// Remembers that a text was accepted, so that a proposal of this text is accepted, too.
    pub(crate) fn remember_accepted(&mut self, ended: &PendingReview, by: AcceptedBy) {
        let timeout = match ended.hook() {
            Some(hook) if !hook.comes_twice => return,
            // The agent's model is asked to propose this text, which takes longer.
            Some(hook) if !hook.takes_text && ended.text.has_edits() => REPEATED_CALL_TIMEOUT,
            _ => SECOND_WAY_TIMEOUT,
        };
        self.remember((ended, by), &[ended.text.current()], None, timeout);
    }

    /// Remembers an answer in the agent's own prompt, after which the agent may write its own text or the
    /// text of the desks.
    pub(crate) fn remember_answered_in_agent(&mut self, ended: &PendingReview) {
        let texts = [ended.text.current(), ended.text.proposed()];
        self.remember((ended, AcceptedBy::Person), &texts, None, AGENT_PROMPT_TIMEOUT);
    }

    /// Remembers a verdict for which no hook waits any longer, for the repeated call.
    pub(crate) fn remember_uncollected(&mut self, ended: &PendingReview, verdict: Verdict) {
        let has_text = |past: &PastDecision| past.answers.iter().any(|(_, verdict)| verdict.is_some());
        if self.past.iter().filter(|past| has_text(past)).count() == MAX_TEXTS
            && let Some(oldest) = self.past.iter().position(has_text)
        {
            self.past.remove(oldest);
        }
        let ended = (ended, AcceptedBy::Person);
        self.remember(ended, &[ended.0.text.proposed()], Some(&verdict), REPEATED_CALL_TIMEOUT);
    }

    /// Remembers the answer to proposals of these texts.
    fn remember(
        &mut self,
        (ended, by): (&PendingReview, AcceptedBy),
        texts: &[&Arc<str>],
        answer: Option<&Verdict>,
        timeout: Duration,
    ) {
        let now = Instant::now();
        self.past.retain(|past| past.until > now);
        if self.past.len() == MAX_DECISIONS {
            self.past.remove(0);
        }
        let way = Way::of(&ended.agent.name, ended.hook());
        let proposal = &ended.text.proposal;
        let hashes = texts.iter().flat_map(|text| self.hashes(proposal, text, &way));
        let answers = hashes.map(|hash| (hash, answer.cloned())).collect();
        let (real_path, original) = (proposal.real_path().to_owned(), proposal.fingerprint.clone());
        let (places, until) = (proposal.places().to_vec(), now + timeout);
        self.past.push(PastDecision { way, by, real_path, places, original, answers, until });
    }

    /// Takes the answer to a proposal on which the person has decided already. For an agent that opens a
    /// diff, only the acceptance of its own text counts.
    pub(crate) fn take(&mut self, proposal: &PreparedProposal, way: &Way) -> Option<Verdict> {
        let (proposed, now) = (proposal.composition.proposed(), Instant::now());
        let counts =
            |past: &PastDecision| past.until > now && past.way.leads_to(way) && past.is_about(proposal);
        if !self.past.iter().any(counts) {
            // Hashing a text of megabytes would delay the main loop, and so every other agent.
            return None;
        }
        let hashes = self.hashes(proposal, proposed, way);
        let answer = |past: &PastDecision| {
            let mut answers = past.answers.iter().filter(|_| counts(past));
            let answer = answers
                .find(|(hash, verdict)| hashes.contains(hash) && (verdict.is_none() || way.hook.is_some()));
            let (_, verdict) = answer.filter(|_| !past.original.differs_from(&proposal.fingerprint))?;
            let as_proposed = || Verdict::Accepted { text: proposed.clone(), message: None };
            Some(verdict.clone().unwrap_or_else(as_proposed))
        };
        let mut newest_first = self.past.iter().enumerate().rev();
        let found = newest_first.find_map(|(index, past)| Some((index, answer(past)?)));
        let (index, verdict) = found?;
        self.past.remove(index);
        Some(verdict)
    }

    /// Returns the hashes of the texts that the agent may write for a proposal of this text. Some tools
    /// restore a byte-order mark that a diff lacks, and others do not.
    fn hashes(&self, proposal: &PreparedProposal, text: &str, way: &Way) -> Vec<u64> {
        if way.hook.is_some() {
            return vec![self.hash(text)];
        }
        let normalized = &proposal.normalized;
        let in_crlf = || text.replace("\r\n", "\n").replace('\n', "\r\n");
        let text = if normalized.file_has_crlf { Cow::Owned(in_crlf()) } else { Cow::Borrowed(text) };
        let with_bom = (normalized.file_has_bom == Some(true)).then(|| self.hash(&format!("{BOM}{text}")));
        with_bom.into_iter().chain([self.hash(&text)]).collect()
    }

    fn hash(&self, text: &str) -> u64 {
        XxHash3_64::oneshot_with_seed(self.seed, text.as_bytes())
    }
}

impl PastDecision {
    /// Whether the proposal changes the same files.
    fn is_about(&self, proposal: &PreparedProposal) -> bool {
        let (own, others) = (&self.places, proposal.places());
        let are_same = match self.by {
            AcceptedBy::Person => {
                own.len() == others.len() && own.iter().zip(others).all(|(one, other)| one.is_at(other))
            }
            AcceptedBy::Rule => own == others,
        };
        are_same && self.real_path == proposal.real_path()
    }
}

impl Way {
    /// Returns the way of a proposal by the agent of this name: of a hook, or by `openDiff`.
    pub(crate) fn of(agent: &str, hook: Option<&HookProposal>) -> Self {
        let of_hook = |hook: &HookProposal| HookWay {
            session: hook.session.clone(),
            operation: hook.operation.clone(),
        };
        Self { agent: agent.to_owned(), hook: hook.map(of_hook) }
    }

    /// Whether an edit that came by this way may also come by the other way. A second diff is a new question,
    /// and a diff can only write a text.
    fn leads_to(&self, other: &Self) -> bool {
        let is_second = match (&self.hook, &other.hook) {
            (None, None) => false,
            (Some(hook), Some(again)) => hook == again,
            (Some(hook), None) | (None, Some(hook)) => hook.operation == Operation::Write,
        };
        is_second && self.agent == other.agent
    }
}

#[cfg(test)]
mod tests;
