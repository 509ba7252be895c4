//! The change of one file that a tool call would make.

use std::path::{Path, PathBuf};

use alongside_contract::hook::PathRules;
use percent_encoding::percent_decode_str;

/// A file as a tool finds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextFile {
    /// There is no such file.
    Absent,
    /// It holds this text.
    Text(String),
    /// It is a directory, a device or the like.
    Special,
    /// It cannot be read as text, for this reason.
    Unreadable(String),
}

/// The change of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The file as the agent spells it; relative to the directory in which the agent works.
    pub path: String,
    /// The whole text after the change; empty if the change deletes the file.
    pub proposed: String,
    /// What the tool does, if that is more than writing this text; for people.
    pub remark: Option<String>,
    /// Another file that the tool removes, as the agent spells it.
    pub removes: Option<String>,
}

/// A tool call without a change to review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoChange {
    /// The tool writes no file that this crate knows of.
    NotATool,
    /// It cannot be worked out what the tool would write: the agent goes on by itself.
    Unclear {
        /// The file, as the agent spells it.
        path: String,
        /// The reason, for people.
        why: String,
    },
    /// The tool would fail, or write elsewhere than it seems: the agent is refused.
    Refused {
        /// The reason, for the model.
        why: String,
    },
}

impl NoChange {
    pub(crate) fn refused(why: impl Into<String>) -> Self {
        Self::Refused { why: why.into() }
    }

    pub(crate) fn unclear(path: &str, why: impl Into<String>) -> Self {
        Self::Unclear { path: path.to_owned(), why: why.into() }
    }
}

/// The refusal of a tool call for a device or the like.
pub(crate) fn special(path: &str) -> NoChange {
    NoChange::refused(format!("{path} is no ordinary file"))
}

/// A path that names the same file for the agent and for us.
///
/// # Errors
/// When the agent would read another path in it.
pub(crate) fn plain_path(rules: PathRules, path: &str) -> Result<String, NoChange> {
    if path.is_empty() {
        return Err(NoChange::refused("the path of the file is missing"));
    }
    let is_blank = |c: char| c.is_control() || c == '\u{feff}';
    let has_dots = || path.split(['/', '\\']).any(|part| part == "." || part == "..");
    let is_relative = !Path::new(path).is_absolute();
    let is_resolved = match rules {
        PathRules::AsGiven => false,
        PathRules::Decoded => has_dots() || (is_relative && path.starts_with('@')) || path.contains('%'),
        PathRules::Absolute => is_relative || has_dots(),
    };
    let is_spaced = path.starts_with('~') || path.trim() != path || path.chars().any(is_blank);
    if is_resolved || is_spaced {
        return Err(NoChange::refused(format!(
            "the path {path:?} is ambiguous: give an absolute path without special characters"
        )));
    }
    Ok(path.to_owned())
}

/// The paths that an agent may read in one, also in one that [`plain_path`] refuses. `home` is the person's.
pub(crate) fn possible_paths(rules: PathRules, path: &str, home: Option<&Path>) -> Vec<PathBuf> {
    let path = path.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    let mut texts = vec![path.to_owned()];
    match rules {
        PathRules::AsGiven | PathRules::Absolute => {}
        PathRules::Decoded => {
            texts.extend(path.strip_prefix('@').map(str::to_owned));
            texts.extend(
                texts.clone().iter().map(|text| percent_decode_str(text).decode_utf8_lossy().into_owned()),
            );
            texts.sort_unstable();
            texts.dedup();
        }
    }
    let in_home = |text: &String| Some(home?.join(text.strip_prefix('~')?.trim_start_matches('/')));
    let expanded: Vec<_> = texts.iter().filter_map(in_home).collect();
    texts.into_iter().map(PathBuf::from).chain(expanded).collect()
}
