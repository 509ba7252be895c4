//! The rules that every round must keep, each named after its violation.

use std::fmt;

/// A rule that every round must keep. The name and the comment of a variant describe the violation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
    /// An agent received an outcome that no person decided, that belongs to another proposal, or that has
    /// another text than the desk showed.
    Invented,
    /// The companion accepted a decision that did not reach the agent.
    Lost,
    /// The companion accepted two decisions on one proposal.
    Twice,
    /// An agent waits for ever, or longer than its time limit.
    Wedged,
    /// The last word of a review was false, or a desk did not receive it.
    LastWord,
    /// Text that a person typed is gone.
    Typed,
    /// `closeDiff` returned the wrong text.
    Closed,
    /// A call or a hook failed without a trouble.
    Failed,
    /// A project file has a text that neither the script nor an agent wrote.
    Target,
    /// A file or a process is left at the end that must not be.
    Stray,
    /// A squatter on a companion's port received a valid token.
    Token,
    /// A hook allowed a change of a served file without a review, and the agent's rule for dead hooks does
    /// not explain it.
    Unreviewed,
    /// An agent that obeys its hooks writes another text than the person accepted.
    Altered,
    /// An agent that obeys its hooks writes a text that the person rejected.
    Overruled,
    /// A confirmed comment is gone, or an agent received it twice without a notice of that.
    Comment,
    /// A list of changed files lacks a change since the baseline of the turn review.
    Escaped,
}

/// A violation of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The rule.
    pub rule: Rule,
    /// The description of the event.
    pub details: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.rule, self.details)
    }
}
