//! A row of the table of checks: its id, the rule, the source of the rule, and the harm of a companion that
//! breaks the rule.

use std::fmt;

use futures_util::future::BoxFuture;

use crate::check_ending::Checked;
use crate::harness::case::Case;

/// One check.
pub struct Check {
    /// The id, such as `access.wrong-token`: the group's name, a dot, and the subject.
    pub id: &'static str,
    /// The group.
    pub group: Group,
    /// The rule, as a sentence about a companion that keeps it.
    pub title: &'static str,
    /// Where the rule comes from.
    pub clause: Clause,
    /// The harm to a user whose companion breaks the rule.
    pub harm: &'static str,
    /// [Names of the actions](crate::action::Action::name) that a person or a driver has to do in the editor.
    pub needs: &'static [&'static str],
    pub(crate) when: When,
    pub(crate) judge: Judge,
}

impl Check {
    /// Returns a check that needs nothing of the editor, with empty texts that its row of the table fills in.
    pub(crate) const fn of(group: Group, when: When, judge: Judge) -> Self {
        Self { id: "", group, title: "", clause: Clause::Advice(""), harm: "", needs: &[], when, judge }
    }
}

/// Makes a check.
pub(crate) type Judge = for<'a, 'b> fn(&'a Case<'b>) -> BoxFuture<'a, Checked>;

/// When a check is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum When {
    /// Before the others: these checks show how several agents affect each other.
    First,
    /// Several checks at a time, if agents do not affect each other: the checks need nothing of the editor,
    /// and wait for no effect of another check.
    AtOnce,
    /// In the order of the table.
    InTurn,
    /// In parallel with the others, because the check takes long.
    Beside,
    /// After the others, because the check judges every event that came meanwhile.
    Afterwards,
    /// Last of all, because the check ends the editor.
    Last,
}

/// A group of checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Group {
    /// The files by which agents find a companion.
    Discovery,
    /// Access by token, `Host` and `Origin`.
    Access,
    /// The Model Context Protocol over HTTP.
    Protocol,
    /// Several agents, and agents that come and go.
    Sessions,
    /// The GET stream, on which a companion sends messages without a request.
    Streams,
    /// Updates about open files.
    Context,
    /// Proposals and their outcome.
    Diffs,
    /// The end of the editor.
    Stop,
    /// The lock file by which Claude Code finds a companion.
    Lock,
    /// The opening of Claude Code's WebSocket.
    WebSocket,
    /// The Model Context Protocol over Claude Code's WebSocket.
    ClaudeProtocol,
    /// The selection that Claude Code learns.
    ClaudeContext,
    /// Proposals of Claude Code, and their outcome.
    ClaudeDiffs,
    /// The end of the editor, as Claude Code notices it.
    ClaudeStop,
}

impl Group {
    /// Every group, in order.
    pub const ALL: [Self; 14] = [
        Self::Discovery,
        Self::Access,
        Self::Protocol,
        Self::Sessions,
        Self::Streams,
        Self::Context,
        Self::Diffs,
        Self::Stop,
        Self::Lock,
        Self::WebSocket,
        Self::ClaudeProtocol,
        Self::ClaudeContext,
        Self::ClaudeDiffs,
        Self::ClaudeStop,
    ];

    /// Returns the name and the title of the group.
    const fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Discovery => ("discovery", "Being found"),
            Self::Access => ("access", "Who may talk to it"),
            Self::Protocol => ("protocol", "The protocol"),
            Self::Sessions => ("sessions", "Several agents"),
            Self::Streams => ("streams", "The stream"),
            Self::Context => ("context", "Context"),
            Self::Diffs => ("diffs", "Diffs"),
            Self::Stop => ("stop", "The end"),
            Self::Lock => ("lock", "Claude Code: the lock file"),
            Self::WebSocket => ("websocket", "Claude Code: the WebSocket"),
            Self::ClaudeProtocol => ("claude-protocol", "Claude Code: the protocol"),
            Self::ClaudeContext => ("claude-context", "Claude Code: context"),
            Self::ClaudeDiffs => ("claude-diffs", "Claude Code: diffs"),
            Self::ClaudeStop => ("claude-stop", "Claude Code: the end"),
        }
    }

    /// Returns the name of the group, with which the ids of its checks begin.
    pub fn name(self) -> &'static str {
        self.names().0
    }

    /// Returns the title of the group, for people.
    pub fn title(self) -> &'static str {
        self.names().1
    }
}

/// Where a rule comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clause {
    /// The published companion specification of Gemini CLI, or of Qwen Code in its own names.
    Spec(Level, &'static str),
    /// The Model Context Protocol, which the specification requires (with JSON-RPC and HTTP below it).
    Mcp(Level, &'static str),
    /// Released agents need it, whatever the specification says.
    Shipped {
        /// The need.
        says: &'static str,
        /// The families and releases that fail without it.
        breaks: &'static str,
    },
    /// No specification requires the rule, but companions that break it were seen to fail their users.
    Advice(&'static str),
}

/// The requirement level of a specification (RFC 2119).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// A companion that breaks the rule does not conform.
    Must,
    /// A companion may have reasons to break the rule.
    Should,
    /// A companion may choose.
    May,
}

impl Clause {
    /// Returns `MUST`, `SHOULD`, `MAY`, `shipped` or `advice`.
    pub fn level(self) -> &'static str {
        match self {
            Self::Spec(Level::Must, _) | Self::Mcp(Level::Must, _) => "MUST",
            Self::Spec(Level::Should, _) | Self::Mcp(Level::Should, _) => "SHOULD",
            Self::Spec(Level::May, _) | Self::Mcp(Level::May, _) => "MAY",
            Self::Shipped { .. } => "shipped",
            Self::Advice(_) => "advice",
        }
    }

    /// Returns the source of the rule.
    pub fn source(self) -> &'static str {
        match self {
            Self::Spec(..) => "companion specification",
            Self::Mcp(..) => "Model Context Protocol",
            Self::Shipped { .. } => "shipped agents need it",
            Self::Advice(_) => "advice",
        }
    }

    /// Returns the text of the rule.
    pub fn says(self) -> &'static str {
        match self {
            Self::Spec(_, says) | Self::Mcp(_, says) | Self::Shipped { says, .. } | Self::Advice(says) => {
                says
            }
        }
    }

    /// Returns the released agents that fail without the rule, if it exists for them.
    pub fn breaks(self) -> Option<&'static str> {
        match self {
            Self::Shipped { breaks, .. } => Some(breaks),
            _ => None,
        }
    }

    /// Whether a companion that breaks the rule does not conform.
    pub fn is_must(self) -> bool {
        matches!(self, Self::Spec(Level::Must, _) | Self::Mcp(Level::Must, _))
    }
}

impl fmt::Debug for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Check").field(&self.id).finish()
    }
}
