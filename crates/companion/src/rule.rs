//! A rule of the settings, and the three rulings that it can have.

use std::path::Path;

use alongside_desk::ChangeKind;

/// The settings of a project: the file in its root.
pub(crate) const PROJECT_SETTINGS: &str = ".alongside.toml";

/// The reason why no rule covers a file of git.
pub(crate) const GIT_REASON: &str = "no rule covers what git runs or obeys";

/// The decision of a rule on a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ruling {
    /// A person decides, as without any rule.
    Ask,
    /// The change is accepted as it is proposed.
    Accept,
    /// The agent's own prompt and permissions decide, as without any review.
    Defer,
}

impl Ruling {
    /// All rulings.
    pub const ALL: [Self; 3] = [Self::Ask, Self::Accept, Self::Defer];

    /// Returns the word for the ruling in the settings.
    pub fn word(self) -> &'static str {
        match self {
            Self::Ask => "ask",
            Self::Accept => "accept",
            Self::Defer => "defer",
        }
    }
}

/// A function that reads the rules of the project in a directory, which can only ask; `None` if the rules
/// cannot be read. Blocks.
pub type RulesOf = fn(&Path) -> Option<Vec<Rule>>;

/// A rule: a set of changes by path, agent and kind, and the ruling on them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// Patterns as in `.gitignore`, relative to the project. One of them has to match.
    pub paths: Vec<String>,
    /// The names of agents, for people; empty for all.
    pub agents: Vec<String>,
    /// The kinds of changes; empty for all.
    pub kinds: Vec<ChangeKind>,
    /// The ruling on these changes.
    pub ruling: Ruling,
    /// The place in the settings, for people.
    pub place: String,
}

impl Rule {
    /// Describes the rule for people: its patterns and its place.
    pub(crate) fn text(&self) -> String {
        format!("{} ({})", self.paths.join(", "), self.place)
    }
}
