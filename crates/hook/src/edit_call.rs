//! Tools that replace strings in a file: their arguments, the text that they write, and arguments that write
//! a given text.

use std::path::Path;

use alongside_contract::hook::{EditArguments, OtherEncodings};
use serde_json::{Map, Value, json};

use crate::change::{
    Change, NoChange, TextFile, missing_argument, not_regular, not_utf8, text_of, unreadable,
};
use crate::input::HookInput;
use crate::string_edit::{self, Edit};

/// The remark on a file that is not UTF-8.
const LOST_BYTES_REMARK: &str = "The file is not UTF-8 text: each U+FFFD (\u{fffd}) stands for bytes that \
                                 the agent cannot read, and takes their place.";

/// A call of a tool that replaces strings in one file, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditCall {
    pub(crate) path: String,
    edits: Vec<Edit>,
    arguments: EditArguments,
    other_encodings: OtherEncodings,
}

impl EditCall {
    /// Parses the arguments of a tool that replaces strings in the file at this path.
    pub(crate) fn read(
        path: String,
        input: &HookInput,
        arguments: &EditArguments,
        other_encodings: OtherEncodings,
    ) -> Result<Self, NoChange> {
        let text = |name: &str| input.text(name).map(str::to_owned).ok_or_else(|| missing_argument(name));
        let edits = match arguments.list {
            Some(list) => edits_in(input, list, arguments).ok_or_else(|| missing_argument(list))?,
            None => vec![Edit {
                old: text(arguments.old)?,
                new: text(arguments.new)?,
                all: input.is_on(arguments.all),
            }],
        };
        Ok(Self { path, edits, arguments: *arguments, other_encodings })
    }

    /// Computes the change of this file.
    pub(crate) fn change(&self, found: TextFile) -> Result<Change, NoChange> {
        let Self { path, edits, arguments, other_encodings } = self;
        let creates_file = edits.iter().all(|edit| edit.old.is_empty());
        let (file, remark) = match found {
            TextFile::Absent if Path::new(path).is_relative() => {
                return Err(NoChange::refused(format!(
                    "there is no file {path} in the working directory: give an absolute path"
                )));
            }
            TextFile::Absent if creates_file => (None, None),
            TextFile::Absent => return Err(NoChange::refused(format!("there is no file {path}"))),
            TextFile::Text(text) => (Some(text), None),
            TextFile::NotUtf8(text) => match other_encodings {
                OtherEncodings::Lost => (Some(text), Some(LOST_BYTES_REMARK)),
                OtherEncodings::Guessed | OtherEncodings::Left => return Err(not_utf8(path)),
            },
            TextFile::Special => return Err(not_regular(path)),
            TextFile::Unreadable(why) => return Err(unreadable(path, &why)),
        };
        let proposed = string_edit::apply_all(path, file.as_deref(), edits, arguments)?;
        Ok(Change::write(path, file.as_deref(), proposed).with_remark(remark))
    }

    /// Rewrites `arguments` so that the tool writes `text`.
    pub(crate) fn rewrite(
        &self,
        arguments: &mut Map<String, Value>,
        found: TextFile,
        text: &str,
    ) -> Result<(), String> {
        let names = &self.arguments;
        let edit = string_edit::edit_between(&text_of(found)?.unwrap_or_default(), text, names.line_ends);
        let mut set = |name: &str, value: Value| drop(arguments.insert(name.to_owned(), value));
        match names.list {
            Some(list) => set(list, vec![json!({ names.old: edit.old, names.new: edit.new })].into()),
            None => {
                set(names.old, edit.old.into());
                set(names.new, edit.new.into());
            }
        }
        for option in ["replace_all", "allow_multiple", "expected_replacements"] {
            arguments.remove(option);
        }
        Ok(())
    }
}

/// Parses the list of edits among the arguments.
fn edits_in(input: &HookInput, list: &str, names: &EditArguments) -> Option<Vec<Edit>> {
    let edits = input.tool_input.get(list)?.as_array()?.iter().map(|edit| {
        let text = |name: &str| edit.get(name).and_then(Value::as_str).map(str::to_owned);
        let all = edit.get(names.all).and_then(Value::as_bool).unwrap_or_default();
        Some(Edit { old: text(names.old)?, new: text(names.new)?, all })
    });
    edits.collect()
}
