//! The oracle's limits: how long things may take, and which defects of agents it excuses.

use std::fmt;

use super::rule::Rule;
use crate::chaos::record::{Proposal, Record};

/// How long an agent's stream may be gone before its views close, in milliseconds.
pub(super) const VIEWS_CLOSE: u64 = 10_000;

/// How long a companion stays after its editor has gone, in milliseconds. Then it rejects the proposals that
/// arrived meanwhile.
pub(in crate::chaos) const GRACE: u64 = 30_000;

/// How long things may take, in milliseconds.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// From a decision, or from the end of the trouble in its way, to the agent's return. Clients reopen a
    /// broken stream after 1 s, and once more 1.5 s later; the companion holds waiting outcomes for 100 ms.
    pub delivery: u64,
    /// From an outcome to its receipt, and to the end of a draft that the agent has written.
    pub receipt: u64,
    /// How long the harness waits at the end until everything has arrived.
    pub calm: u64,
    /// The error of the times that the harness notes.
    pub grain: u64,
}

/// A known defect of some agent releases, which is no fault of the companion.
#[derive(Clone, Copy)]
pub struct Excuse {
    /// The rule that these agents break.
    pub rule: Rule,
    /// The reason, with the releases.
    pub why: &'static str,
    /// Whether it applies to this proposal.
    pub holds: fn(&Proposal, &Record) -> bool,
}

impl fmt::Debug for Excuse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.rule, self.why)
    }
}
