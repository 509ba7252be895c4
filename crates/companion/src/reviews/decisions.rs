//! The decisions of a moment ago. One edit may come to a person by two ways: some agents run a hook and open
//! a diff for it, in either order, and some run their hook again. The second one gets the same answer.
//!
//! A decision counts only for the same agent, while the file is as it was then, and once.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use alongside_desk::Verdict;
use tokio::time::Instant;

use super::proposal::Proposal;
use super::review::PendingReview;
use super::target::Fingerprint;

/// How long the second way of an edit may take: the agent does nothing in between.
const SECOND_WAY_WITHIN: Duration = Duration::from_secs(10);
/// The same after an answer in the agent's own prompt, which may have been a no.
const AFTER_ITS_PROMPT: Duration = Duration::from_secs(3);
/// How long an agent may take to call a tool again: its model is asked in between.
pub(crate) const REPEATED_WITHIN: Duration = Duration::from_secs(600);
/// The most decisions that are remembered.
const MAX_DECISIONS: usize = 64;

/// The way by which a proposal comes, and its agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Way {
    /// The agent's name for people.
    pub(crate) agent: String,
    /// The agent's own name of its session, if a hook brings the proposal; `None` for `openDiff`.
    pub(crate) hook: Option<String>,
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
    /// The person accepted a text: a proposal of that text is accepted.
    pub(crate) fn remember_accepted(&mut self, ended: &PendingReview) {
        let within = match ended.hook() {
            Some(hook) if !hook.comes_twice => return,
            // Its model is asked to propose this text.
            Some(hook) if !hook.takes_text && ended.has_edits() => REPEATED_WITHIN,
            _ => SECOND_WAY_WITHIN,
        };
        self.remember(ended, vec![accepted(ended.current())], within);
    }

    /// The person answered in the agent's prompt: the agent may write its own text, or that of the desks.
    pub(crate) fn remember_answered_in_agent(&mut self, ended: &PendingReview) {
        let answers = [ended.current(), ended.proposed()].map(accepted);
        self.remember(ended, answers.into(), AFTER_ITS_PROMPT);
    }

    /// Nobody waits for this verdict any longer: the repeated call gets it.
    pub(crate) fn remember_uncollected(&mut self, ended: &PendingReview, verdict: Verdict) {
        self.remember(ended, vec![(ended.proposed().clone(), verdict)], REPEATED_WITHIN);
    }

    fn remember(&mut self, ended: &PendingReview, answers: Vec<(Arc<str>, Verdict)>, within: Duration) {
        let now = Instant::now();
        self.0.retain(|decided| decided.until > now);
        if self.0.len() == MAX_DECISIONS {
            self.0.remove(0);
        }
        let hook = ended.hook().map(|hook| hook.session.clone());
        let way = Way { agent: ended.agent.name.clone(), hook };
        let (real, original) = (ended.real_path().to_owned(), ended.fingerprint().clone());
        self.0.push(Decided { way, real, original, answers, until: now + within });
    }

    /// The answer to a proposal on which the person has decided already. An agent that opens a diff gets its
    /// own text by it, and nothing else.
    pub(crate) fn take(&mut self, proposal: &Proposal, way: &Way) -> Option<Verdict> {
        let proposed = proposal.composition.proposed();
        let fits = |verdict: &Verdict| match verdict {
            Verdict::Accepted { text, .. } => way.hook.is_some() || are_alike(text, proposed),
            _ => way.hook.is_some(),
        };
        let (now, real): (_, &Path) = (Instant::now(), proposal.real_path());
        let answer = |decided: &Decided| {
            let counts = decided.until > now && decided.way.leads_to(way) && decided.real == real;
            let answers = decided.answers.iter().filter(|_| counts);
            let mut answers = answers.filter(|_| !decided.original.differs_from(&proposal.fingerprint));
            let (text, verdict) =
                answers.find(|(text, verdict)| are_alike(text, proposed) && fits(verdict))?;
            Some(match verdict {
                // In the line endings of this way.
                Verdict::Accepted { text: accepted, message } if accepted == text => {
                    Verdict::Accepted { text: proposed.clone(), message: message.clone() }
                }
                other => other.clone(),
            })
        };
        let (at, verdict) = self.0.iter().enumerate().rev().find_map(|(at, one)| Some((at, answer(one)?)))?;
        self.0.remove(at);
        Some(verdict)
    }
}

fn accepted(text: &Arc<str>) -> (Arc<str>, Verdict) {
    (text.clone(), Verdict::Accepted { text: text.clone(), message: None })
}

/// Whether two texts differ at most in line endings: agents write those of the file.
fn are_alike(one: &str, other: &str) -> bool {
    one == other || one.replace("\r\n", "\n") == other.replace("\r\n", "\n")
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
