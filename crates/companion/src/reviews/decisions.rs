//! The decisions of a moment ago. One edit may come to a person by two ways: some agents run a hook and open
//! a diff for it, in either order, and some run their hook again. The second one gets the same answer.
//!
//! A decision counts only for the same agent, while the file is as it was then, and once.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::path::{Path, PathBuf};
use std::time::Duration;

use alongside_desk::Verdict;
use tokio::time::Instant;
use twox_hash::XxHash3_64;

use super::proposal::PreparedProposal;
use super::review::PendingReview;
use super::target::Fingerprint;

/// How long the second way of an edit may take: the agent does nothing in between.
const SECOND_WAY_WITHIN: Duration = Duration::from_secs(10);
/// The same after an answer in the agent's own prompt, which may have been a no.
const AFTER_ITS_PROMPT: Duration = Duration::from_secs(3);
/// How long an agent may take to call a tool again: its model is asked in between.
pub(crate) const REPEATED_WITHIN: Duration = Duration::from_secs(600);
/// The most decisions that are remembered, and of those the most with a text.
const MAX_DECISIONS: usize = 64;
const MAX_TEXTS: usize = 8;

/// The way by which a proposal comes, and its agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Way {
    /// The agent's name for people.
    pub(crate) agent: String,
    /// The agent's own name of its session, if a hook brings the proposal; `None` for `openDiff`.
    pub(crate) hook: Option<String>,
}

#[derive(Debug)]
pub(crate) struct Decisions {
    decided: Vec<Decided>,
    /// The key of the hashes, which no agent knows: it cannot make another text of the same hash.
    seed: u64,
}

impl Default for Decisions {
    fn default() -> Self {
        Self { decided: Vec::new(), seed: RandomState::new().hash_one(0) }
    }
}

#[derive(Debug)]
struct Decided {
    way: Way,
    real: PathBuf,
    /// The file as the person saw it.
    original: Fingerprint,
    /// The hash of each proposed text that it decides, and the answer: a text of megabytes would cost as much
    /// memory. `None`: accepted as it is proposed.
    answers: Vec<(u64, Option<Verdict>)>,
    until: Instant,
}

impl Decisions {
    /// The person accepted a text: a proposal of that text is accepted.
    pub(crate) fn remember_accepted(&mut self, ended: &PendingReview) {
        let within = match ended.hook() {
            Some(hook) if !hook.comes_twice => return,
            // Its model is asked to propose this text.
            Some(hook) if !hook.takes_text && ended.text.has_edits() => REPEATED_WITHIN,
            _ => SECOND_WAY_WITHIN,
        };
        let accepted = (self.hash(ended.text.current()), None);
        self.remember(ended, vec![accepted], within);
    }

    /// The person answered in the agent's prompt: the agent may write its own text, or that of the desks.
    pub(crate) fn remember_answered_in_agent(&mut self, ended: &PendingReview) {
        let answers = [ended.text.current(), ended.text.proposed()].map(|text| (self.hash(text), None));
        self.remember(ended, answers.into(), AFTER_ITS_PROMPT);
    }

    /// Nobody waits for this verdict any longer: the repeated call gets it.
    pub(crate) fn remember_uncollected(&mut self, ended: &PendingReview, verdict: Verdict) {
        let has_text = |decided: &Decided| decided.answers.iter().any(|(_, verdict)| verdict.is_some());
        if self.decided.iter().filter(|decided| has_text(decided)).count() == MAX_TEXTS
            && let Some(oldest) = self.decided.iter().position(has_text)
        {
            self.decided.remove(oldest);
        }
        let answer = (self.hash(ended.text.proposed()), Some(verdict));
        self.remember(ended, vec![answer], REPEATED_WITHIN);
    }

    fn remember(&mut self, ended: &PendingReview, answers: Vec<(u64, Option<Verdict>)>, within: Duration) {
        let now = Instant::now();
        self.decided.retain(|decided| decided.until > now);
        if self.decided.len() == MAX_DECISIONS {
            self.decided.remove(0);
        }
        let hook = ended.hook().map(|hook| hook.session.clone());
        let way = Way { agent: ended.agent.name.clone(), hook };
        let (real, original) =
            (ended.text.proposal.real_path().to_owned(), ended.text.proposal.fingerprint.clone());
        self.decided.push(Decided { way, real, original, answers, until: now + within });
    }

    /// The answer to a proposal on which the person has decided already. An agent that opens a diff gets its
    /// own text by it, and nothing else.
    pub(crate) fn take(&mut self, proposal: &PreparedProposal, way: &Way) -> Option<Verdict> {
        let (proposed, now) = (proposal.composition.proposed(), Instant::now());
        let real: &Path = proposal.real_path();
        let counts =
            |decided: &Decided| decided.until > now && decided.way.leads_to(way) && decided.real == real;
        if !self.decided.iter().any(counts) {
            // A hash of megabytes would hold up every other agent.
            return None;
        }
        let hash = self.hash(proposed);
        let answer = |decided: &Decided| {
            let mut answers = decided.answers.iter().filter(|_| counts(decided));
            let answer =
                answers.find(|(of, verdict)| *of == hash && (verdict.is_none() || way.hook.is_some()));
            let (_, verdict) = answer.filter(|_| !decided.original.differs_from(&proposal.fingerprint))?;
            let as_proposed = || Verdict::Accepted { text: proposed.clone(), message: None };
            Some(verdict.clone().unwrap_or_else(as_proposed))
        };
        let mut decided = self.decided.iter().enumerate().rev();
        let (at, verdict) = decided.find_map(|(at, one)| Some((at, answer(one)?)))?;
        self.decided.remove(at);
        Some(verdict)
    }

    /// The hash of a text in any line endings: agents write those of the file.
    fn hash(&self, text: &str) -> u64 {
        let mut hash = XxHash3_64::with_seed(self.seed);
        for (at, part) in text.split("\r\n").enumerate() {
            hash.write(if at == 0 { b"" } else { b"\n" });
            hash.write(part.as_bytes());
        }
        hash.finish()
    }
}

impl Way {
    /// Whether an edit that came by this way may come by the other one as well. An agent that opens a diff
    /// again asks anew.
    fn leads_to(&self, other: &Self) -> bool {
        let is_second = match (&self.hook, &other.hook) {
            (None, None) => false,
            (Some(session), Some(again)) => session == again,
            _ => true,
        };
        is_second && self.agent == other.agent
    }
}

#[cfg(test)]
mod tests;
