//! Patches for several files: the change of each file, and the patch that writes the texts that the person
//! accepted.

use alongside_contract::hook::PathRules;
use alongside_desk::Operation;
use serde_json::{Map, Value};

use crate::change::{Change, NoChange, TextFile, not_regular, not_utf8, plain_path, text_of, unreadable};
use crate::line_endings::with_lf;
use crate::patch_grammar::{self, Chunk, FileChange, Patch};
use crate::{patch_answer, patch_apply};

/// A call with a patch in the format of Codex.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchCall {
    patch: Patch,
    paths: PathRules,
    /// The name of the argument with the patch.
    argument: &'static str,
}

impl PatchCall {
    /// Parses a patch, which is the argument of this name.
    pub(crate) fn read(patch: &str, paths: PathRules, argument: &'static str) -> Result<Self, NoChange> {
        let patch = Patch::parse(patch).map_err(|error| NoChange::refused(error.to_string()))?;
        Ok(Self { patch, paths, argument })
    }

    /// Computes the changes of all files.
    pub(crate) fn changes(&self, mut read: impl FnMut(&str) -> TextFile) -> Result<Vec<Change>, NoChange> {
        self.patch.files.iter().map(|file| change_of_section(self.paths, file, &mut read)).collect()
    }

    /// Rewrites `arguments` so that the tool writes these texts, and does not touch a file without a text.
    pub(crate) fn rewrite(
        &self,
        arguments: &mut Map<String, Value>,
        texts: &[Option<&str>],
        mut read: impl FnMut(&str) -> TextFile,
    ) -> Result<(), String> {
        let files = self.patch.files.iter().zip(texts).filter_map(|(file, text)| Some((file, (*text)?)));
        let sections = files.map(|(file, text)| section(file, read(&file.path), text));
        let patch = patch_answer::assemble(sections.collect::<Result<Vec<_>, String>>()?);
        arguments.insert(self.argument.to_owned(), patch.into());
        Ok(())
    }
}

/// Computes the change that a section of a patch makes.
fn change_of_section(
    paths: PathRules,
    file: &FileChange,
    read: &mut impl FnMut(&str) -> TextFile,
) -> Result<Change, NoChange> {
    let is_update = matches!(file.change, patch_grammar::Change::Update { .. });
    let original = match read(&file.path) {
        TextFile::Absent => None,
        TextFile::Text(text) => Some(text),
        TextFile::Special => return Err(not_regular(&file.path)),
        TextFile::NotUtf8(_) if is_update => return Err(not_utf8(&file.path)),
        TextFile::Unreadable(why) if is_update => return Err(unreadable(&file.path, &why)),
        // An addition and a deletion do not need the old text.
        TextFile::NotUtf8(_) | TextFile::Unreadable(_) => Some(String::new()),
    };
    let text = patch_apply::apply(file, original.as_deref());
    let text = text.map_err(|error| NoChange::refused(format!("{}: {error}", file.path)))?;
    let own_path = plain_path(paths, &file.path)?;
    Ok(match (&file.change, text) {
        (patch_grammar::Change::Update { move_to: Some(to), chunks }, text) => {
            let remark = match read(to) {
                TextFile::Absent => format!("This moves {own_path} to {to}."),
                // The counts compare with the text that the move replaces.
                _ => format!(
                    "This moves {own_path} to {to}{}, and replaces the file there.",
                    counts_text(chunks)
                ),
            };
            let moved = Change::write(&plain_path(paths, to)?, None, text.unwrap_or_default());
            Change { operation: Operation::Move { from: own_path }, ..moved.with_remark(Some(&remark)) }
        }
        (_, Some(text)) => Change::write(&own_path, original.as_deref(), text),
        (_, None) => {
            let deleted = Change::write(&own_path, None, String::new());
            Change { operation: Operation::Delete, ..deleted.with_remark(Some("This deletes the file.")) }
        }
    })
}

/// Says how many lines these chunks add and remove.
fn counts_text(chunks: &[Chunk]) -> String {
    let steps = || chunks.iter().flat_map(|chunk| &chunk.steps);
    let added: usize = steps().map(|step| step.added.matches('\n').count()).sum();
    let removed: usize = steps().map(|step| step.removed).sum();
    let lines = if added == 1 { "line" } else { "lines" };
    match added + removed {
        0 => String::new(),
        _ => format!(", with {added} {lines} added and {removed} removed"),
    }
}

/// Returns the section of a patch that writes `text` in place of the text that a section of the model's patch
/// writes.
fn section(file: &FileChange, found: TextFile, text: &str) -> Result<String, String> {
    let original = match found {
        TextFile::NotUtf8(_) => return Err("it is not UTF-8 text".into()),
        found => text_of(found)?,
    };
    // Codex keeps the line ends of a file that it updates, so the patch has LF.
    let text = match original.as_deref().is_some_and(|original| original.contains("\r\n")) {
        true => with_lf(text),
        false => text.to_owned(),
    };
    let original = original.as_deref().map(with_lf);
    let section = match &file.change {
        patch_grammar::Change::Delete if text.is_empty() => patch_answer::delete_section(&file.path),
        patch_grammar::Change::Update { move_to: Some(to), .. } => {
            patch_answer::move_section(&file.path, to, original.as_deref().unwrap_or_default(), &text)
        }
        // Codex writes a new file with `\n`, also in place of an existing one.
        patch_grammar::Change::Add { .. } => patch_answer::update_section(&file.path, None, &text),
        patch_grammar::Change::Delete | patch_grammar::Change::Update { .. } => {
            patch_answer::update_section(&file.path, original.as_deref(), &text)
        }
    };
    section.map_err(str::to_owned)
}
