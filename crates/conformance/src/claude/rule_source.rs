//! The source of the rules of this dialect: the released agent.

use crate::check::Clause;

/// The releases that a companion without a token endangers, although they work with it.
pub(super) const ANYBODY: &str = "every release: any program can pose as the agent";

/// Returns a rule that the released agent was seen to need.
pub(super) const fn measured(says: &'static str) -> Clause {
    Clause::Shipped { says, breaks: "Claude Code, measured with 2.1.330" }
}
