//! One document as the editor has it: its text, its version, and whether it differs from disk.

use std::path::{Path, PathBuf};

use alongside_desk::{Position, Text};
use alongside_platform::untrusted::{self, Whose};
use serde_json::Value;

use super::change_log::ChangeLog;
use super::positions::{read_range, span};
use crate::encoding::Encoding;

/// The key of a document: its path, or its URI where it has none. A URI is never an absolute path.
pub(crate) type DocumentKey = PathBuf;

/// An open document.
#[derive(Debug, Clone)]
pub(crate) struct Document {
    pub(crate) text: Text,
    /// The version that the editor gave the text, if any.
    pub(crate) version: Option<i32>,
    /// The URI in the editor's spelling, for answers.
    pub(crate) uri: String,
    /// The text that was opened or saved last.
    saved: Text,
    log: ChangeLog,
}

/// The effect of a change on a document.
#[derive(Debug)]
pub(crate) struct DocumentEdit {
    /// The end of the last edit, if it names a range; mostly the cursor is there.
    pub(crate) end: Option<usize>,
    /// Whether the text differs from before.
    pub(crate) is_new: bool,
    /// The text after each change.
    pub(crate) steps: Vec<Text>,
}

impl Document {
    pub(crate) fn new(uri: String, text: Text, version: Option<i32>) -> Self {
        Self { saved: text.clone(), text, version, uri, log: ChangeLog::default() }
    }

    /// Returns this document, which is unsaved if the one `before` it is so and has the same text. Some
    /// editors open a document twice.
    pub(crate) fn reopened(self, before: Option<&Self>) -> Self {
        match before.filter(|before| before.text.text() == self.text.text()) {
            Some(before) => Self { saved: before.saved.clone(), ..self },
            None => self,
        }
    }

    /// Applies the changes of a `didChange`, in the order of their versions.
    pub(crate) fn change(
        &mut self,
        version: Option<i32>,
        changes: &[Value],
        encoding: Encoding,
    ) -> DocumentEdit {
        let before = self.text.clone();
        let mut steps = Vec::new();
        let mut later = Vec::new();
        if let Some(rewind) = version.and_then(|version| self.log.rewind(version)) {
            (self.text, self.version, later) = (rewind.text, Some(rewind.version), rewind.later);
        }
        let mut end = self.apply(version, changes, encoding, &mut steps);
        for (version, changes) in later {
            end = self.apply(Some(version), &changes, encoding, &mut steps);
        }
        DocumentEdit { end, is_new: self.text.text() != before.text(), steps }
    }

    /// Applies changes, and returns the end of the last one.
    fn apply(
        &mut self,
        version: Option<i32>,
        changes: &[Value],
        encoding: Encoding,
        steps: &mut Vec<Text>,
    ) -> Option<usize> {
        if let (Some(before), Some(version)) = (self.version, version) {
            self.log.record(before, version, self.text.clone(), changes);
        }
        self.version = version.or(self.version);
        let mut end = None;
        for change in changes {
            let Some(new) = change.get("text").and_then(Value::as_str) else { continue };
            let Some((from, to)) = range_of(change) else {
                self.text = Text::new(new);
                steps.push(self.text.clone());
                end = None;
                continue;
            };
            let replaced = span(&self.text, from, to, encoding);
            let old = self.text.text();
            let mut text = String::with_capacity(old.len() - replaced.len() + new.len());
            text.push_str(&old[..replaced.start]);
            text.push_str(new);
            text.push_str(&old[replaced.end..]);
            self.text = Text::new(text);
            steps.push(self.text.clone());
            end = Some(replaced.start + new.len());
        }
        end
    }

    pub(crate) fn mark_saved(&mut self) {
        self.saved = self.text.clone();
    }

    /// Whether the text has changed since it was opened or saved. An editor that reloads a file reports an
    /// edit, so text that equals the file counts as saved. Blocks briefly.
    pub(crate) fn check_dirty(&mut self, path: &Path) -> bool {
        let text = self.text.text();
        if text == self.saved.text() {
            return false;
        }
        let is_as_long = std::fs::metadata(path).is_ok_and(|found| found.len() == text.len() as u64);
        let disk = || untrusted::read(path, text.len() as u64, Whose::Anybodys);
        if is_as_long && disk().is_ok_and(|disk| disk == text.as_bytes()) {
            self.mark_saved();
            return false;
        }
        true
    }
}

/// Whether a change of a `didChange` replaces the whole text.
pub(crate) fn is_whole_text(change: &Value) -> bool {
    change.get("text").is_some_and(Value::is_string) && range_of(change).is_none()
}

fn range_of(change: &Value) -> Option<(Position, Position)> {
    read_range(change.get("range")?)
}
