//! The table of checks: what each one is called, which rule it holds a companion to, and what a user suffers
//! when the rule is broken. `docs/conformance.md` is made from it.

use std::fmt;
use std::sync::LazyLock;

use futures_util::future::BoxFuture;

use crate::bench::{Case, Checked};

/// Every check, in the order in which they are made and told.
pub static CHECKS: LazyLock<Vec<&'static Check>> = LazyLock::new(|| {
    let groups: [&'static [Check]; 18] = [
        crate::discovery::CHECKS,
        crate::contents::CHECKS,
        crate::access::CHECKS,
        crate::origin::CHECKS,
        crate::protocol::CHECKS,
        crate::messages::CHECKS,
        crate::sessions::CHECKS,
        crate::streams::CHECKS,
        crate::idle::CHECKS,
        crate::delivery::CHECKS,
        crate::context::CHECKS,
        crate::cursor::CHECKS,
        crate::diffs::CHECKS,
        crate::texts::CHECKS,
        crate::closing::CHECKS,
        crate::outcomes::CHECKS,
        crate::several::CHECKS,
        crate::stop::CHECKS,
    ];
    let mut checks: Vec<&'static Check> = groups.into_iter().flatten().collect();
    // Stable: within a group, the order of the modules.
    checks.sort_by_key(|check| check.group);
    checks
});

/// One check.
pub struct Check {
    /// What it is called, such as `auth.wrong-token`: the group's name, a dot, and what it is about.
    pub id: &'static str,
    /// What it belongs to.
    pub group: Group,
    /// The rule, as a sentence about a companion that keeps it.
    pub title: &'static str,
    /// Where the rule comes from.
    pub clause: Clause,
    /// What happens to a user whose companion breaks it.
    pub harm: &'static str,
    /// [Names of the actions](crate::Action::name) that a person or a driver has to do in the editor.
    pub needs: &'static [&'static str],
    pub(crate) when: When,
    pub(crate) judge: Judge,
}

/// Makes a check.
pub(crate) type Judge = for<'a, 'b> fn(&'a Case<'b>) -> BoxFuture<'a, Checked>;

/// When a check is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum When {
    /// Before the others: they show what several agents do to each other.
    First,
    /// Several at a time, if that does no harm: they need nothing of the editor, and wait for nothing that
    /// others cause.
    AtOnce,
    /// In the order of the table.
    InTurn,
    /// Beside the others, for it takes long.
    Beside,
    /// After the others, for it judges everything that was heard meanwhile.
    Afterwards,
    /// Last of all, for nothing is there any more when it is done.
    Last,
}

/// What checks are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Group {
    /// The files by which agents find a companion.
    Discovery,
    /// Who may talk to it.
    Access,
    /// The Model Context Protocol over HTTP.
    Protocol,
    /// Several agents, and agents that come and go.
    Sessions,
    /// The GET stream, on which a companion says something by itself.
    Streams,
    /// What an agent is told about open files.
    Context,
    /// Proposals and their outcome.
    Diffs,
    /// The end of the editor.
    Stop,
}

impl Group {
    /// Every group, in order.
    pub const ALL: [Self; 8] = [
        Self::Discovery,
        Self::Access,
        Self::Protocol,
        Self::Sessions,
        Self::Streams,
        Self::Context,
        Self::Diffs,
        Self::Stop,
    ];

    /// Its name, with which the ids of its checks begin.
    pub fn name(self) -> &'static str {
        match self {
            Self::Discovery => "discovery",
            Self::Access => "access",
            Self::Protocol => "protocol",
            Self::Sessions => "sessions",
            Self::Streams => "streams",
            Self::Context => "context",
            Self::Diffs => "diffs",
            Self::Stop => "stop",
        }
    }

    /// What it is about, for people.
    pub fn title(self) -> &'static str {
        match self {
            Self::Discovery => "Being found",
            Self::Access => "Who may talk to it",
            Self::Protocol => "The protocol",
            Self::Sessions => "Several agents",
            Self::Streams => "The stream",
            Self::Context => "Context",
            Self::Diffs => "Diffs",
            Self::Stop => "The end",
        }
    }
}

/// Where a rule comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clause {
    /// The published companion specification of Gemini CLI, or of Qwen Code in its own names.
    Spec(Level, &'static str),
    /// The Model Context Protocol, which the specification requires (with JSON-RPC and HTTP below it).
    Mcp(Level, &'static str),
    /// Agents that were released need it, whatever the specification says.
    Shipped {
        /// What they need.
        says: &'static str,
        /// Which ones break without it: families and releases.
        breaks: &'static str,
    },
    /// Nobody demands it; companions that do otherwise were seen to fail their users.
    Advice(&'static str),
}

/// How much a specification insists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Without it, a companion does not conform.
    Must,
    /// There may be reasons to do otherwise.
    Should,
    /// It is up to the companion.
    May,
}

impl Clause {
    /// `MUST`, `SHOULD`, `MAY`, `shipped` or `advice`.
    pub fn level(self) -> &'static str {
        match self {
            Self::Spec(Level::Must, _) | Self::Mcp(Level::Must, _) => "MUST",
            Self::Spec(Level::Should, _) | Self::Mcp(Level::Should, _) => "SHOULD",
            Self::Spec(Level::May, _) | Self::Mcp(Level::May, _) => "MAY",
            Self::Shipped { .. } => "shipped",
            Self::Advice(_) => "advice",
        }
    }

    /// Who says so.
    pub fn source(self) -> &'static str {
        match self {
            Self::Spec(..) => "companion specification",
            Self::Mcp(..) => "Model Context Protocol",
            Self::Shipped { .. } => "shipped agents need it",
            Self::Advice(_) => "advice",
        }
    }

    /// What it says.
    pub fn says(self) -> &'static str {
        match self {
            Self::Spec(_, says) | Self::Mcp(_, says) | Self::Shipped { says, .. } | Self::Advice(says) => {
                says
            }
        }
    }

    /// Which released agents break without it, if that is why the rule is there.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Action;

    #[test]
    fn every_check_has_a_name_of_its_own_that_begins_with_its_group() {
        let mut ids: Vec<_> = CHECKS.iter().map(|check| check.id).collect();
        for check in CHECKS.iter() {
            let rest = check.id.strip_prefix(check.group.name()).and_then(|rest| rest.strip_prefix('.'));
            assert!(rest.is_some_and(|rest| !rest.is_empty()), "{}", check.id);
        }
        ids.sort_unstable();
        let all = ids.len();
        ids.dedup();
        assert_eq!(ids.len(), all);
    }

    #[test]
    fn sentences_are_sentences_and_actions_are_known() {
        for check in CHECKS.iter() {
            for sentence in [check.title, check.harm, check.clause.says()] {
                assert!(!sentence.is_empty() && !sentence.ends_with('.'), "{}: {sentence}", check.id);
            }
            for need in check.needs {
                assert!(Action::NAMES.iter().any(|(name, _)| name == need), "{}: {need}", check.id);
            }
        }
    }
}
