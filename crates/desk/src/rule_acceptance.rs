//! Changes on which a person need not decide one by one: the kinds of changes that rules name, the grants
//! that a person gives at a desk, and what a rule or a grant has accepted.

use serde::{Deserialize, Serialize};

/// The effect of a change on its file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChangeKind {
    /// There is no such file yet.
    Create,
    /// The file gets another text.
    #[default]
    Edit,
    /// The file is removed.
    Delete,
    /// The file gets another name, and perhaps another text; also in place of another file.
    Move,
}

impl ChangeKind {
    /// The kinds of changes.
    pub const ALL: [Self; 4] = [Self::Create, Self::Edit, Self::Delete, Self::Move];

    /// Returns the word for the kind in the settings.
    pub fn word(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Edit => "edit",
            Self::Delete => "delete",
            Self::Move => "move",
        }
    }
}

/// The files of a grant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// The file of the review.
    File,
    /// Every file in its directory, and below.
    Folder,
}

/// The person's acceptance, given at a desk, of all that one session of an agent still proposes for some
/// files. It ends with the agent, or when the person takes it back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grant {
    /// The agent's name for people, as the agent gave it.
    pub agent: String,
    /// The file or the directory, with links resolved.
    pub path: String,
    /// Whether the path is that of a file or of a directory.
    pub scope: Scope,
}

/// A change that a rule or a grant has accepted: nobody reviewed it. Every string is as the agent or the
/// person gave it: render it harmless before showing it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RuleAcceptance {
    /// The number of the acceptance within its companion. Later acceptances have higher numbers.
    pub number: u64,
    /// The agent's name for people.
    pub agent: String,
    /// The file, exactly as the agent spells it.
    pub file: String,
    /// The path of a moved file before, exactly as the agent spells it. The file is removed there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The kind of the change.
    pub kind: ChangeKind,
    /// The rule with its place in the settings, or the grant.
    pub by: String,
    /// The time of the acceptance, in milliseconds since the Unix epoch.
    pub at: u64,
    /// The number of lines that it adds.
    pub added: usize,
    /// The number of lines that it removes.
    pub removed: usize,
    /// The changed lines with `-` and `+`, each run of them after its hunk header (`@@`).
    pub diff: String,
    /// The number of files that the agent writes together, if it writes none of them before all are decided:
    /// if one is refused, this one is not written either. Otherwise 0 or 1.
    #[serde(default, skip_serializing_if = "is_alone")]
    pub parts: usize,
    /// Whether the end of a long diff is missing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_cut: bool,
    /// Whether the accepted file is not written after all, because another file of its patch ended without a
    /// decision.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_broken_off: bool,
    /// Whether the change was accepted before the desk joined.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_earlier: bool,
}

fn is_alone(parts: &usize) -> bool {
    *parts < 2
}
