//! Strings that a tool replaces in a file: its arguments, the text that it writes, and the way back.

use std::path::Path;

use alongside_contract::hook::{EditArguments, OtherEncodings};
use serde_json::{Map, Value, json};

use crate::change::{Change, NoChange, TextFile, missing, not_utf8, special, text_of, unreadable};
use crate::input::HookInput;
use crate::string_edit::{self, Edit};

const LOST: &str = "The file is not UTF-8 text: each U+FFFD (\u{fffd}) stands for bytes that the agent \
                    cannot read, and takes their place.";

/// Strings to replace in one file, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditCall {
    pub(crate) path: String,
    edits: Vec<Edit>,
    arguments: EditArguments,
    other_encodings: OtherEncodings,
}

impl EditCall {
    /// Reads the arguments of a tool that replaces strings in the file at this path.
    pub(crate) fn read(
        path: String,
        input: &HookInput,
        arguments: &EditArguments,
        other_encodings: OtherEncodings,
    ) -> Result<Self, NoChange> {
        let text = |name: &str| input.text(name).map(str::to_owned).ok_or_else(|| missing(name));
        let edits = match arguments.list {
            Some(list) => edits_in(input, list, arguments).ok_or_else(|| missing(list))?,
            None => vec![Edit {
                old: text(arguments.old)?,
                new: text(arguments.new)?,
                all: input.is_on(arguments.all),
            }],
        };
        Ok(Self { path, edits, arguments: *arguments, other_encodings })
    }

    /// The change, for the file that the tool finds.
    pub(crate) fn change(&self, found: TextFile) -> Result<Change, NoChange> {
        let Self { path, edits, arguments, other_encodings } = self;
        let is_new = edits.iter().all(|edit| edit.old.is_empty());
        let (file, remark) = match found {
            TextFile::Absent if Path::new(path).is_relative() => {
                return Err(NoChange::refused(format!(
                    "there is no file {path} in the working directory: give an absolute path"
                )));
            }
            TextFile::Absent if is_new => (None, None),
            TextFile::Absent => return Err(NoChange::refused(format!("there is no file {path}"))),
            TextFile::Text(text) => (Some(text), None),
            TextFile::NotUtf8(text) => match other_encodings {
                OtherEncodings::Lost => (Some(text), Some(LOST)),
                OtherEncodings::Guessed | OtherEncodings::Left => return Err(not_utf8(path)),
            },
            TextFile::Special => return Err(special(path)),
            TextFile::Unreadable(why) => return Err(unreadable(path, &why)),
        };
        let proposed = string_edit::edited(path, file.as_deref(), edits, arguments)?;
        Ok(Change::write(path, file.as_deref(), proposed).remarked(remark))
    }

    /// Makes these arguments those with which the tool writes a text.
    pub(crate) fn rewrite(
        &self,
        arguments: &mut Map<String, Value>,
        found: TextFile,
        text: &str,
    ) -> Result<(), String> {
        let names = &self.arguments;
        let edit = string_edit::between(&text_of(found)?.unwrap_or_default(), text, names.line_ends);
        let mut set = |name: &str, value: Value| drop(arguments.insert(name.to_owned(), value));
        match names.list {
            Some(list) => set(list, vec![json!({ names.old: edit.old, names.new: edit.new })].into()),
            None => {
                set(names.old, edit.old.into());
                set(names.new, edit.new.into());
            }
        }
        for number in ["replace_all", "allow_multiple", "expected_replacements"] {
            arguments.remove(number);
        }
        Ok(())
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
