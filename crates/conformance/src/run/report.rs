//! The report of a run: a verdict and evidence for each check.

use std::time::Duration;

use crate::check::{Check, Group};
use crate::companion::Companion;

/// All verdicts.
#[derive(Debug)]
pub struct Report {
    /// The companion.
    pub companion: Companion,
    /// A result for each selected check, in the order of the table.
    pub results: Vec<CheckResult>,
    /// The duration.
    pub took: Duration,
    /// Whether the run was interrupted; the checks that were not made are skipped.
    pub interrupted: bool,
    /// Each failure of the [`Driver`](crate::driver::Driver). Its action was not observed.
    pub driver_failures: Vec<String>,
}

/// The result of one check.
#[derive(Debug)]
pub struct CheckResult {
    /// Which one.
    pub check: &'static Check,
    /// The verdict.
    pub verdict: Verdict,
    /// Messages sent (`→`) and received (`←`), without the token; of a long exchange, first and last lines.
    pub evidence: Vec<String>,
    /// The duration.
    pub took: Duration,
}

/// The verdict of a check. Only [`Pass`](Self::Pass) says that a rule is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The rule is kept.
    Pass,
    /// The rule is broken: the observation, in a sentence.
    Fail(String),
    /// The rule could not be observed here: the reason.
    NotObservable(String),
    /// The check was not made: the reason.
    Skipped(String),
}

impl Verdict {
    /// Returns `pass`, `fail`, `not observable` or `skipped`.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail(_) => "fail",
            Self::NotObservable(_) => "not observable",
            Self::Skipped(_) => "skipped",
        }
    }

    /// Returns the reason, unless the check passed.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Pass => None,
            Self::Fail(why) | Self::NotObservable(why) | Self::Skipped(why) => Some(why),
        }
    }
}

impl Report {
    /// Returns the results of the checks that failed.
    pub fn failed(&self) -> impl Iterator<Item = &CheckResult> {
        self.results.iter().filter(|result| matches!(result.verdict, Verdict::Fail(_)))
    }

    /// Whether no MUST is broken.
    pub fn conforms(&self) -> bool {
        !self.failed().any(|result| result.check.clause.is_must())
    }

    /// Whether the companion breaks no rule that shipped agents need, either.
    pub fn serves_shipped_agents(&self) -> bool {
        !self.failed().any(|result| result.check.clause.is_must() || result.check.clause.breaks().is_some())
    }

    /// Returns the results of a group.
    pub fn of(&self, group: Group) -> impl Iterator<Item = &CheckResult> {
        self.results.iter().filter(move |result| result.check.group == group)
    }
}
