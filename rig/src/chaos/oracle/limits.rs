//! The oracle's time limits, and the defects of agents that it excuses.

use std::fmt;

use super::rule::Rule;
use crate::chaos::record::{Proposal, Record};

/// The time after the loss of an agent's stream at which its reviews close, in milliseconds.
pub(super) const CLOSE_DELAY: u64 = 10_000;

/// The time after the end of its editor for which a companion stays, in milliseconds. It then rejects the
/// proposals that arrived meanwhile.
pub(in crate::chaos) const GRACE: u64 = 30_000;

/// The time limits of a harness, in milliseconds.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// The longest time from a decision, or from the end of troubles after it, until the agent's client
    /// returns. Clients try to reopen a broken stream after 1 s, and again 1.5 s later; the companion delays
    /// waiting outcomes for 100 ms.
    pub delivery: u64,
    /// The longest time from an outcome to its receipt, and to the removal of the draft that the agent has
    /// written.
    pub receipt: u64,
    /// The time at the end of a round for which the harness waits, so that every outcome arrives.
    pub settle: u64,
    /// The largest error of the times in the record.
    pub clock_error: u64,
}

/// A known defect of some agent releases, which is no fault of the companion.
#[derive(Clone, Copy)]
pub struct Excuse {
    /// The rule that these agents break.
    pub rule: Rule,
    /// The description of the defect, with the releases.
    pub why: &'static str,
    /// Whether the excuse applies to a proposal.
    pub applies: fn(&Proposal, &Record) -> bool,
}

impl fmt::Debug for Excuse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.rule, self.why)
    }
}
