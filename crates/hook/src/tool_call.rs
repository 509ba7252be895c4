//! The calls of tools that write files, with the arguments of each agent, and the texts that they would
//! write.

use std::path::{Path, PathBuf};

use alongside_contract::hook::{Hook, LineEnds, ToolArguments};
use serde_json::{Map, Value};

use crate::change::{
    Change, NoChange, TextFile, missing_argument, not_regular, not_utf8, plain_path, possible_paths,
    unreadable,
};
use crate::edit_call::EditCall;
use crate::input::HookInput;
use crate::notebook::CellEdit;
use crate::patch_call::PatchCall;
use crate::patch_grammar;
use crate::string_edit;
use crate::whole_file::WholeFile;

const NOTEBOOK_PATH: &str = "notebook_path";

/// A call of a tool that writes files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolCall {
    /// Writes a whole file.
    Write(WholeFile),
    /// Replaces strings in a file.
    Edit(EditCall),
    /// Changes a cell of a notebook.
    Cell(CellEdit),
    /// Applies a patch, perhaps to several files.
    Patch(PatchCall),
}

impl ToolCall {
    /// Reads the call in a hook's input.
    ///
    /// # Errors
    /// [`NoChange::NotATool`] for a tool that writes no files.
    pub fn read(hook: &'static Hook, input: &HookInput) -> Result<Self, NoChange> {
        let text = |name: &str| input.text(name).map(str::to_owned).ok_or_else(|| missing_argument(name));
        let path = |name: &str| plain_path(hook.paths, &text(name)?);
        let tool = hook.tools.iter().find(|tool| tool.name == input.tool_name).ok_or(NoChange::NotATool)?;
        match &tool.arguments {
            ToolArguments::File(arguments) => Ok(Self::Write(WholeFile {
                path: path(arguments.path)?,
                content: text(arguments.content)?,
                arguments: *arguments,
                other_encodings: hook.other_encodings,
            })),
            ToolArguments::Edits(arguments) => {
                let path = path(arguments.path)?;
                EditCall::read(path, input, arguments, hook.other_encodings).map(Self::Edit)
            }
            ToolArguments::Cell => Ok(Self::Cell(CellEdit::read(path(NOTEBOOK_PATH)?, input)?)),
            ToolArguments::Patch { patch } => {
                PatchCall::read(&text(patch)?, hook.paths, patch).map(Self::Patch)
            }
        }
    }

    /// Lists the files that the call in a hook's input may write, absolute or below the agent's directory. If
    /// the call cannot be parsed, or the agent would guess, lists every path that the agent may use. `home`
    /// is the person's.
    pub fn files(hook: &Hook, input: &HookInput, home: Option<&Path>) -> Vec<PathBuf> {
        let Some(tool) = hook.tools.iter().find(|tool| tool.name == input.tool_name) else {
            return Vec::new();
        };
        let path_in = |name: &str| input.text(name).into_iter().collect();
        let paths: Vec<&str> = match &tool.arguments {
            ToolArguments::File(arguments) => path_in(arguments.path),
            ToolArguments::Edits(arguments) => path_in(arguments.path),
            ToolArguments::Cell => path_in(NOTEBOOK_PATH),
            ToolArguments::Patch { patch } => {
                input.text(patch).map(patch_grammar::named_paths).unwrap_or_default()
            }
        };
        paths.into_iter().flat_map(|path| possible_paths(hook.paths, path, home)).collect()
    }

    /// Computes the changes of all files, as the tool would make them. `read` returns the files that the tool
    /// finds.
    ///
    /// # Errors
    /// See [`NoChange`].
    pub fn changes(&self, mut read: impl FnMut(&str) -> TextFile) -> Result<Vec<Change>, NoChange> {
        match self {
            Self::Write(write) => Ok(vec![write.change(&read(&write.path))]),
            Self::Edit(edit) => Ok(vec![edit.change(read(&edit.path))?]),
            Self::Cell(cell) => match read(&cell.path) {
                TextFile::Absent => Err(NoChange::refused(format!("there is no file {}", cell.path))),
                TextFile::Text(text) => {
                    let change = Change::write(&cell.path, None, cell.apply(&text)?);
                    Ok(vec![change.with_remark(Some(CellEdit::REMARK))])
                }
                TextFile::NotUtf8(_) => Err(not_utf8(&cell.path)),
                TextFile::Special => Err(not_regular(&cell.path)),
                TextFile::Unreadable(why) => Err(unreadable(&cell.path, &why)),
            },
            Self::Patch(patch) => patch.changes(read),
        }
    }

    /// Returns the arguments with which the tool writes these texts; `None` leaves a file as it is. Each text
    /// belongs to the change in the same place.
    ///
    /// # Errors
    /// When no arguments of this tool write the texts: the reason, for the model.
    pub(crate) fn rewritten_arguments(
        &self,
        input: &HookInput,
        texts: &[Option<&str>],
        mut read: impl FnMut(&str) -> TextFile,
    ) -> Result<Map<String, Value>, String> {
        let mut arguments = input.tool_input.clone();
        let only = || texts.first().copied().flatten().ok_or("there is no text to write");
        match self {
            Self::Write(write) => {
                arguments.insert(write.arguments.content.to_owned(), only()?.into());
            }
            Self::Edit(edit) => edit.rewrite(&mut arguments, read(&edit.path), only()?)?,
            Self::Cell(cell) => {
                let TextFile::Text(original) = read(&cell.path) else {
                    return Err("the notebook is gone".into());
                };
                arguments.insert("new_source".to_owned(), cell.source_for(&original, only()?)?.into());
            }
            Self::Patch(patch) => patch.rewrite(&mut arguments, texts, read)?,
        }
        Ok(arguments)
    }

    /// Returns the edit that leads to a text, for a model that has to make the edit itself; `None` if the
    /// edit replaces the whole text.
    pub(crate) fn smallest_edit(
        &self,
        text: &str,
        mut read: impl FnMut(&str) -> TextFile,
    ) -> Option<(String, String)> {
        let path = match self {
            Self::Write(write) => &write.path,
            Self::Edit(edit) => &edit.path,
            Self::Cell(cell) => &cell.path,
            Self::Patch(_) => return None,
        };
        let TextFile::Text(original) = read(path) else { return None };
        let edit = string_edit::edit_between(&original, text, LineEnds::CrlfIfAny);
        (!edit.old.is_empty()).then_some((edit.old, edit.new))
    }
}

#[cfg(test)]
mod tests;
