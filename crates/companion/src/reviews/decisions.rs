//! The decisions of a moment ago. One edit may come to a person by two ways: some agents run a hook and open a
//! diff for it, in either order, and some call their hook again. The second one gets the same answer.
//!
//! A decision counts only while the file is as it was then, and once.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use alongside_desk::Verdict;
use tokio::time::Instant;

use super::proposal::Proposal;
use super::review::PendingReview;
use super::target::Fingerprint;

/// How long the second way of an edit may take: the agent does nothing in between.
const SECOND_WAY_WITHIN: Duration = Duration::from_secs(60);
/// How long an agent may take to call a hook again: its model is asked in between.
pub(crate) const REPEATED_WITHIN: Duration = Duration::from_secs(600);
/// The most decisions that are remembered.
const MAX_DECISIONS: usize = 64;

/// The way by which a proposal comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// `openDiff` of a session.
    Diff,
    Hook,
}

#[derive(Debug, Default)]
pub(crate) struct Decisions(Vec<Decided>);

#[derive(Debug)]
struct Decided {
    way: Way,
    real: PathBuf,
    /// The file as the person saw it.
    original: Fingerprint,
    answers: Vec<(Arc<str>, Verdict)>,
    until: Instant,
}

impl Decisions {
    /// The person accepted a text, or answered in the agent's prompt: a proposal of that text is accepted. In
    /// its prompt, an agent may write its own text.
    pub(crate) fn remember_accepted(&mut self, ended: &PendingReview, in_agent: bool) {
        let accepted = |text: &Arc<str>| {
            let answer = Verdict::Accepted { text: text.clone(), message: None };
            (text.clone(), answer)
        };
        let mut answers = vec![accepted(ended.current())];
        answers.extend(in_agent.then(|| accepted(ended.proposed())));
        self.remember(ended, answers);
    }

    /// Nobody waits for this verdict any longer: the repeated call gets it.
    pub(crate) fn remember_uncollected(&mut self, ended: &PendingReview, verdict: Verdict) {
        self.remember(ended, vec![(ended.proposed().clone(), verdict)]);
    }

    fn remember(&mut self, ended: &PendingReview, answers: Vec<(Arc<str>, Verdict)>) {
        let way = if ended.hook().is_some() { Way::Hook } else { Way::Diff };
        let calls_again = ended.hook().is_some_and(|hook| hook.calls_again);
        let within = if calls_again { REPEATED_WITHIN } else { SECOND_WAY_WITHIN };
        let now = Instant::now();
        self.0.retain(|decided| decided.until > now);
        if self.0.len() == MAX_DECISIONS {
            self.0.remove(0);
        }
        let (real, original) = (ended.real_path().to_owned(), ended.fingerprint().clone());
        self.0.push(Decided { way, real, original, answers, until: now + within });
    }

    /// The answer to a proposal on which the person has decided already.
    pub(crate) fn take(&mut self, proposal: &Proposal, way: Way) -> Option<Verdict> {
        let (now, real): (_, &Path) = (Instant::now(), proposal.real_path());
        let answer = |decided: &Decided| {
            let counts = decided.until > now && decided.way.leads_to(way) && decided.real == real;
            let answers = decided.answers.iter().filter(|_| counts);
            let mut answers = answers.filter(|_| !decided.original.differs_from(&proposal.fingerprint));
            answers
                .find(|(text, _)| text == proposal.composition.proposed())
                .map(|(_, verdict)| verdict.clone())
        };
        let (at, verdict) = self.0.iter().enumerate().rev().find_map(|(at, one)| Some((at, answer(one)?)))?;
        self.0.remove(at);
        Some(verdict)
    }
}

impl Way {
    /// Whether an edit that came by this way may come by the other one as well. An agent that opens a diff again
    /// asks anew.
    fn leads_to(self, other: Self) -> bool {
        (self, other) != (Self::Diff, Self::Diff)
    }
}
