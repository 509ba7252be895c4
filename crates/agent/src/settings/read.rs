//! Reads a settings file: JSON with comments and variables.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use alongside_contract::settings::Name;
use alongside_platform::untrusted::{self, Whose};
use serde_json::Value;

use super::expand::expand;
use super::json::Reader;
use crate::find::Surroundings;

/// The largest settings file, in bytes. A limit, because a project may contain a file of any size; a large
/// one, because Claude Code's file holds a history of every project.
const MAX_BYTES: u64 = 64 << 20;

/// A settings file as the agent reads it.
pub(super) struct LoadedFile {
    pub(super) path: PathBuf,
    /// Its content. Null if the file is missing or the agent cannot read it.
    content: Value,
    /// The reason why the agent cannot read it, if it cannot.
    pub(super) read_error: Option<String>,
}

/// Returns the text of a regular file, or of a regular file behind a link. A pipe does not block it.
pub(super) fn read_text(path: &Path) -> std::io::Result<String> {
    untrusted::read_text(path, MAX_BYTES, Whose::Anybodys)
}

impl LoadedFile {
    pub(super) fn read(path: &Path, reader: Reader, here: &Surroundings) -> Self {
        let (content, read_error) = match read_text(path) {
            Ok(text) => match reader.object(&text) {
                Ok(mut content) => {
                    expand_all(&mut content, here);
                    (content, None)
                }
                Err(why) => (Value::Null, Some(why)),
            },
            Err(error) if error.kind() == ErrorKind::NotFound => (Value::Null, None),
            Err(error) => (Value::Null, Some(error.to_string())),
        };
        Self { path: path.to_owned(), content, read_error }
    }

    /// Returns the value of this name, unless the file's `$version` is one in which the name no longer
    /// counts.
    pub(super) fn value(&self, name: &Name) -> Option<&Value> {
        value(&self.content, name)
    }
}

/// Returns the value of this name in the content of a file, unless the file's `$version` is one in which the
/// name no longer counts.
pub(super) fn value<'a>(content: &'a Value, name: &Name) -> Option<&'a Value> {
    let version = content.get("$version").and_then(Value::as_u64);
    if name.below_version.is_some_and(|below| version.is_some_and(|version| version >= below)) {
        return None;
    }
    name.keys.iter().try_fold(content, |value, key| value.get(key)).filter(|value| !value.is_null())
}

/// Expands environment variables in all strings of a value, as the agent does.
fn expand_all(value: &mut Value, here: &Surroundings) {
    match value {
        Value::String(text) => *text = expand(text, &here.variables),
        Value::Array(values) => values.iter_mut().for_each(|value| expand_all(value, here)),
        Value::Object(map) => map.values_mut().for_each(|value| expand_all(value, here)),
        _ => {}
    }
}

/// Whether a value is truthy, as in JavaScript: then the agent takes it for true.
#[expect(clippy::unnecessary_wraps, reason = "the functions that read a value share one signature")]
pub(super) fn truthiness(value: &Value) -> Option<bool> {
    Some(match value {
        Value::Null => false,
        Value::Bool(value) => *value,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(_) | Value::Object(_) => true,
    })
}
