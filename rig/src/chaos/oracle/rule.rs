//! The rules that every round must keep, and their violations.

use std::fmt;

/// A rule that must hold in every round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
    /// An agent received an outcome that nobody decided, of another proposal, or with another text than the
    /// person saw.
    Invented,
    /// The companion took a decision that did not reach the agent.
    Lost,
    /// The companion took two decisions on one proposal.
    Twice,
    /// An agent waits for ever, or longer than its bound.
    Wedged,
    /// The last word of a review was false, or no desk heard it.
    LastWord,
    /// Text that a person typed is gone.
    Typed,
    /// `closeDiff` returned the wrong text.
    Closed,
    /// A call failed without any trouble near it.
    Failed,
    /// A program other than the script and the agents wrote a project file.
    Target,
    /// Something lies on disk that should not.
    Stray,
    /// A squatter on a companion's port knows a valid token.
    Token,
    /// A hook let a change of a served file pass that nobody reviewed, and the agent's rule for dead hooks
    /// did not.
    Unreviewed,
    /// An agent that obeys its hooks writes another text than the person accepted.
    Altered,
    /// An agent that obeys its hooks writes although the person rejected.
    Overruled,
    /// A comment that was kept is gone, or an agent got it twice without being told so.
    Comment,
    /// A change since the baseline of a turn review is in no list.
    Escaped,
}

/// A broken rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The rule.
    pub rule: Rule,
    /// The event, in words.
    pub details: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.rule, self.details)
    }
}
