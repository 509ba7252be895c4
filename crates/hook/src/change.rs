//! The change of one file that a tool call would make.

use std::path::{Path, PathBuf};

use alongside_contract::hook::PathRules;
use alongside_desk::Operation;
use percent_encoding::percent_decode_str;

use crate::line_endings::hidden_differences;

/// A file as a tool finds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextFile {
    /// There is no such file.
    Absent,
    /// The file holds this text.
    Text(String),
    /// The file is not UTF-8. The text has U+FFFD in place of each invalid sequence.
    NotUtf8(String),
    /// The path is a directory, a device or the like.
    Special,
    /// The file cannot be read, for this reason.
    Unreadable(String),
}

/// The change of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The path as the agent writes it; relative to the directory in which the agent works.
    pub path: String,
    /// The whole text after the change; empty if the change deletes the file.
    pub proposed: String,
    /// The further effects of the tool, in words for people, if it does more than write this text.
    pub remark: Option<String>,
    /// The tool's operation. A path in it is as the agent writes it.
    pub operation: Operation,
}

impl Change {
    /// Creates a change that writes a text in place of this one, if there is a file.
    pub(crate) fn write(path: &str, file: Option<&str>, proposed: String) -> Self {
        let hidden: Vec<_> = file.into_iter().flat_map(|file| hidden_differences(file, &proposed)).collect();
        let remark = (!hidden.is_empty()).then(|| hidden.join(" "));
        Self { path: path.to_owned(), proposed, remark, operation: Operation::Write }
    }

    /// Adds a sentence for people before the other sentences.
    pub(crate) fn with_remark(mut self, sentence: Option<&str>) -> Self {
        let sentences = sentence.into_iter().chain(self.remark.as_deref()).collect::<Vec<_>>();
        self.remark = (!sentences.is_empty()).then(|| sentences.join(" "));
        self
    }

    /// Returns the path of another file that the tool removes, as the agent writes it.
    pub fn removes(&self) -> Option<&str> {
        match &self.operation {
            Operation::Move { from } => Some(from),
            Operation::Write | Operation::Delete => None,
        }
    }
}

/// A tool call without a change to review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoChange {
    /// The tool writes no file that this crate knows.
    NotATool,
    /// The tool would fail, write to another path than it seems, or write a text that cannot be predicted.
    /// The agent gets a refusal.
    Refused {
        /// The reason, for the model.
        why: String,
    },
}

impl NoChange {
    pub(crate) fn refused(why: impl Into<String>) -> Self {
        Self::Refused { why: why.into() }
    }
}

/// Refuses a tool call that lacks an argument.
pub(crate) fn missing_argument(argument: &str) -> NoChange {
    NoChange::refused(format!("the argument {argument:?} is missing"))
}

/// Refuses a tool call for a device or the like.
pub(crate) fn not_regular(path: &str) -> NoChange {
    NoChange::refused(format!("{path} is no ordinary file"))
}

/// Refuses a tool call for a file for which the text that the tool writes cannot be predicted.
pub(crate) fn not_utf8(path: &str) -> NoChange {
    NoChange::refused(format!(
        "{path} is not UTF-8 text, and nobody can review an edit of it: ask the person whether to convert it \
         to UTF-8"
    ))
}

/// Refuses a tool call for a file that cannot be read, for this reason.
pub(crate) fn unreadable(path: &str, why: &str) -> NoChange {
    NoChange::refused(format!("nobody can review a change of {path}: {why}"))
}

/// Returns the text that a tool reads in a file; `None` if there is no file.
///
/// # Errors
/// When the path is not a regular file, or the file cannot be read: the reason, for the model.
pub(crate) fn text_of(found: TextFile) -> Result<Option<String>, String> {
    match found {
        TextFile::Absent => Ok(None),
        TextFile::Text(text) | TextFile::NotUtf8(text) => Ok(Some(text)),
        TextFile::Special => Err("it is no ordinary file".into()),
        TextFile::Unreadable(why) => Err(why),
    }
}

/// Returns a path that names the same file for the agent and for us.
///
/// # Errors
/// When the agent would interpret the path as another one.
pub(crate) fn plain_path(rules: PathRules, path: &str) -> Result<String, NoChange> {
    if path.is_empty() {
        return Err(NoChange::refused("the path of the file is missing"));
    }
    let is_invisible = |c: char| c.is_control() || c == '\u{feff}';
    let has_dots = || path.split(['/', '\\']).any(|part| part == "." || part == "..");
    let is_relative = !Path::new(path).is_absolute();
    let is_resolved = match rules {
        PathRules::AsGiven => false,
        PathRules::Decoded => has_dots() || (is_relative && path.starts_with('@')) || path.contains('%'),
        PathRules::Absolute => is_relative || has_dots(),
    };
    let is_spaced = path.starts_with('~') || path.trim() != path || path.chars().any(is_invisible);
    if is_resolved || is_spaced {
        return Err(NoChange::refused(format!(
            "the path {path:?} is ambiguous: give an absolute path without special characters"
        )));
    }
    Ok(path.to_owned())
}

/// Lists the paths for which an agent may take `path`, even if [`plain_path`] refuses it. `home` is the
/// person's.
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
