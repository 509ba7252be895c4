//! The calls of tools that write files, in the words of each agent, and the texts that they would write.

use std::path::{Path, PathBuf};

use alongside_contract::hook::{EditArguments, Hook, PathRules, ToolArguments};
use serde_json::{Map, Value};

use crate::change::{Change, NoChange, TextFile, plain_path, possible_paths, special};
use crate::edit::{self, Edit};
use crate::input::HookInput;
use crate::line_endings::Unix;
use crate::notebook::CellEdit;
use crate::patch::{self, FileChange, Patch};
use crate::{patch_answer, patch_apply};

/// A call of a tool that writes files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolCall {
    /// Writes a whole file.
    Write {
        /// The file.
        path: String,
        /// The text.
        content: String,
        /// The name of the argument with the text.
        argument: &'static str,
    },
    /// Replaces strings in a file.
    Edit(Replacements),
    /// Changes a cell of a notebook.
    Cell(CellEdit),
    /// Applies a patch, perhaps to several files.
    Patch(Patches),
}

/// Strings to replace in one file, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replacements {
    path: String,
    edits: Vec<Edit>,
    arguments: EditArguments,
}

/// A patch in the format of Codex.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patches {
    patch: Patch,
    paths: PathRules,
    /// The name of the argument with the patch.
    argument: &'static str,
}

impl ToolCall {
    /// Reads the call in a hook's input.
    ///
    /// # Errors
    /// [`NoChange::NotATool`] for a tool that writes no files.
    pub fn read(hook: &'static Hook, input: &HookInput) -> Result<Self, NoChange> {
        let missing = |name: &str| NoChange::refused(format!("the argument {name:?} is missing"));
        let text = |name: &str| input.text(name).map(str::to_owned).ok_or_else(|| missing(name));
        let path = |name: &str| plain_path(hook.paths, &text(name)?);
        let tool = hook.tools.iter().find(|tool| tool.name == input.tool_name).ok_or(NoChange::NotATool)?;
        match &tool.arguments {
            ToolArguments::File { path: file, content } => {
                Ok(Self::Write { path: path(file)?, content: text(content)?, argument: content })
            }
            ToolArguments::Edits(arguments) => {
                let edits = match arguments.list {
                    Some(list) => edits_in(input, list, arguments).ok_or_else(|| missing(list))?,
                    None => vec![Edit {
                        old: text(arguments.old)?,
                        new: text(arguments.new)?,
                        all: input.is_on(arguments.all),
                    }],
                };
                let path = path(arguments.path)?;
                Ok(Self::Edit(Replacements { path, edits, arguments: *arguments }))
            }
            ToolArguments::Cell => Ok(Self::Cell(CellEdit::read(path("notebook_path")?, input)?)),
            ToolArguments::Patch { patch: argument } => Patch::parse(&text(argument)?)
                .map(|patch| Self::Patch(Patches { patch, paths: hook.paths, argument }))
                .map_err(|error| NoChange::unclear("a patch", error.to_string())),
        }
    }

    /// The files that the call in a hook's input may write, absolute or below the agent's directory, also where
    /// the call cannot be read or the agent would guess: every path that the agent may take. `home` is the
    /// person's.
    pub fn files(hook: &Hook, input: &HookInput, home: Option<&Path>) -> Vec<PathBuf> {
        let Some(tool) = hook.tools.iter().find(|tool| tool.name == input.tool_name) else {
            return Vec::new();
        };
        let one = |name: &str| input.text(name).into_iter().collect();
        let paths: Vec<&str> = match &tool.arguments {
            ToolArguments::File { path, .. } => one(path),
            ToolArguments::Edits(arguments) => one(arguments.path),
            ToolArguments::Cell => one("notebook_path"),
            ToolArguments::Patch { patch } => input.text(patch).map(patch::named_paths).unwrap_or_default(),
        };
        paths.into_iter().flat_map(|path| possible_paths(hook.paths, path, home)).collect()
    }

    /// The changes of all files, as the tool would make them. `read` gives the files that it finds.
    ///
    /// # Errors
    /// See [`NoChange`].
    pub fn changes(&self, mut read: impl FnMut(&str) -> TextFile) -> Result<Vec<Change>, NoChange> {
        let one = |path: &str, proposed: String| {
            vec![Change { path: path.to_owned(), proposed, remark: None, removes: None }]
        };
        match self {
            Self::Write { path, content, .. } => Ok(one(path, content.clone())),
            Self::Edit(Replacements { path, edits, arguments }) => match read(path) {
                TextFile::Absent if Path::new(path).is_relative() => Err(NoChange::refused(format!(
                    "there is no file {path} in the working directory: give an absolute path"
                ))),
                TextFile::Absent if edits.iter().all(|edit| edit.old.is_empty()) => {
                    Ok(one(path, edit::edited(path, "", edits, arguments.line_ends)?))
                }
                TextFile::Absent => Err(NoChange::refused(format!("there is no file {path}"))),
                TextFile::Text(text) => Ok(one(path, edit::edited(path, &text, edits, arguments.line_ends)?)),
                TextFile::Special => Err(special(path)),
                TextFile::Unreadable(why) => Err(NoChange::unclear(path, why)),
            },
            Self::Cell(cell) => match read(&cell.path) {
                TextFile::Absent => Err(NoChange::refused(format!("there is no file {}", cell.path))),
                TextFile::Text(text) => {
                    let proposed = cell.apply(&text)?;
                    let remark = cell.remark().map(str::to_owned);
                    Ok(vec![Change { path: cell.path.clone(), proposed, remark, removes: None }])
                }
                TextFile::Special => Err(special(&cell.path)),
                TextFile::Unreadable(why) => Err(NoChange::unclear(&cell.path, why)),
            },
            Self::Patch(Patches { patch, paths, .. }) => {
                patch.files.iter().map(|file| patched(*paths, file, read(&file.path))).collect()
            }
        }
    }

    /// Whether the tool removes the file of the change in this place, which is none that it moves.
    pub fn deletes(&self, change: usize) -> bool {
        match self {
            Self::Patch(Patches { patch, .. }) => {
                patch.files.get(change).is_some_and(|file| matches!(file.change, patch::Change::Delete))
            }
            Self::Write { .. } | Self::Edit(_) | Self::Cell(_) => false,
        }
    }

    /// The arguments with which the tool writes these texts; `None` leaves a file as it is. Each text belongs
    /// to the change in the same place.
    ///
    /// # Errors
    /// When no arguments of this tool write them: the reason, for the model.
    pub(crate) fn rewritten(
        &self,
        input: &HookInput,
        texts: &[Option<&str>],
        mut read: impl FnMut(&str) -> TextFile,
    ) -> Result<Map<String, Value>, String> {
        let mut arguments = input.tool_input.clone();
        let only = || texts.first().copied().flatten().ok_or("there is no text to write");
        let mut set = |name: &str, value: Value| drop(arguments.insert(name.to_owned(), value));
        match self {
            Self::Write { argument, .. } => set(argument, only()?.into()),
            Self::Edit(Replacements { path, arguments: names, .. }) => {
                let original = match read(path) {
                    TextFile::Text(text) => text,
                    TextFile::Absent => String::new(),
                    TextFile::Special => return Err("it is no ordinary file".into()),
                    TextFile::Unreadable(why) => return Err(why),
                };
                let edit = edit::between(path, &original, only()?).map_err(|_| "the file has changed")?;
                match names.list {
                    Some(list) => {
                        let edit = serde_json::json!({ names.old: edit.old, names.new: edit.new });
                        set(list, vec![edit].into());
                    }
                    None => {
                        set(names.old, edit.old.into());
                        set(names.new, edit.new.into());
                    }
                }
                for number in ["replace_all", "allow_multiple", "expected_replacements"] {
                    arguments.remove(number);
                }
            }
            Self::Cell(cell) => {
                let TextFile::Text(original) = read(&cell.path) else {
                    return Err("the notebook is gone".into());
                };
                set("new_source", cell.source_for(&original, only()?)?.into());
            }
            Self::Patch(Patches { patch, argument, .. }) => {
                let sections =
                    patch.files.iter().zip(texts).filter_map(|(file, text)| Some((file, (*text)?)));
                let sections = sections.map(|(file, text)| section(file, read(&file.path), text));
                let sections = sections.collect::<Result<Vec<_>, String>>()?;
                set(argument, patch_answer::assemble(sections).into());
            }
        }
        Ok(arguments)
    }

    /// The replacement that leads to a text, for a model that has to make it itself; `None` where that is the
    /// whole text.
    pub(crate) fn replacement(
        &self,
        text: &str,
        mut read: impl FnMut(&str) -> TextFile,
    ) -> Option<(String, String)> {
        let path = match self {
            Self::Write { path, .. } => path,
            Self::Edit(Replacements { path, .. }) => path,
            Self::Cell(cell) => &cell.path,
            Self::Patch(_) => return None,
        };
        let TextFile::Text(original) = read(path) else { return None };
        let edit = edit::between(path, &original, text).ok()?;
        (!edit.old.is_empty()).then_some((edit.old, edit.new))
    }
}

/// The replacements in a list among the arguments.
fn edits_in(input: &HookInput, list: &str, names: &EditArguments) -> Option<Vec<Edit>> {
    let edits = input.tool_input.get(list)?.as_array()?.iter().map(|edit| {
        let text = |name: &str| edit.get(name).and_then(Value::as_str).map(str::to_owned);
        let all = edit.get(names.all).and_then(Value::as_bool).unwrap_or_default();
        Some(Edit { old: text(names.old)?, new: text(names.new)?, all })
    });
    edits.collect()
}

/// The change that a section of a patch makes.
fn patched(paths: PathRules, file: &FileChange, found: TextFile) -> Result<Change, NoChange> {
    let original = match found {
        TextFile::Absent => None,
        TextFile::Text(text) => Some(text),
        TextFile::Special => return Err(special(&file.path)),
        // A new text or no text at all needs no old one.
        TextFile::Unreadable(why) if matches!(file.change, patch::Change::Update { .. }) => {
            return Err(NoChange::unclear(&file.path, why));
        }
        TextFile::Unreadable(_) => Some(String::new()),
    };
    let unix = original.as_deref().map(|text| Unix::of(text).ok_or("the file mixes line endings"));
    let unix = unix.transpose().map_err(|why| NoChange::unclear(&file.path, why))?;
    let text = patch_apply::apply(file, unix.as_ref().map(|unix| unix.text.as_str()));
    let text = text.map_err(|error| NoChange::unclear(&file.path, error.to_string()))?;
    let is_update = matches!(file.change, patch::Change::Update { .. });
    let proposed = match (text, &unix) {
        // Codex keeps the line endings of a file that it updates, and not of one that it replaces.
        (Some(text), Some(unix)) if is_update => unix.restored(&text),
        (Some(text), _) => text,
        (None, _) => String::new(),
    };
    let (path, remark) = match &file.change {
        patch::Change::Delete => (&file.path, Some("This deletes the file.".to_owned())),
        patch::Change::Update { move_to: Some(to), .. } => {
            (to, Some(format!("This moves {} to {to}.", file.path)))
        }
        patch::Change::Add { .. } | patch::Change::Update { .. } => (&file.path, None),
    };
    let removes = (*path != file.path).then(|| plain_path(paths, &file.path)).transpose()?;
    Ok(Change { path: plain_path(paths, path)?, proposed, remark, removes })
}

/// The section of a patch that writes a text in place of what a section of the model's patch writes.
fn section(file: &FileChange, found: TextFile, text: &str) -> Result<String, String> {
    let original = match found {
        TextFile::Absent => None,
        TextFile::Text(text) => Some(text),
        TextFile::Special => return Err("it is no ordinary file".into()),
        TextFile::Unreadable(why) => return Err(why),
    };
    let unix =
        original.as_deref().map(|text| Unix::of(text).ok_or("the file mixes line endings")).transpose()?;
    let text = unix.as_ref().map_or_else(|| text.to_owned(), |unix| unix.simplified(text));
    let original = unix.as_ref().map(|unix| unix.text.as_str());
    let section = match &file.change {
        patch::Change::Delete if text.is_empty() => patch_answer::deleted_file(&file.path),
        patch::Change::Update { move_to: Some(to), .. } => {
            patch_answer::moved_file(&file.path, to, original.unwrap_or_default(), &text)
        }
        // Codex writes a new file with `\n`, also in place of another one.
        patch::Change::Add { .. } => patch_answer::whole_file(&file.path, None, &text),
        _ => patch_answer::whole_file(&file.path, original, &text),
    };
    section.map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests;
