//! Changes to a person's settings: changes a single key, and leaves every other byte of the file as it is.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use alongside_contract::agent::Agent;
use alongside_contract::settings::{Name, Release, SettingsFiles};
use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};
use serde_json::Value;

use super::json::{self, Reader};
use super::value::ApprovalMode;
use super::{paths, read};
use crate::find::Surroundings;

/// A setting that decides whether a person gets an agent's changes to review.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Setting {
    /// IDE mode: the agent connects to a companion when it starts.
    IdeMode,
    /// The approval mode in which the agent asks before it edits.
    ApprovalMode,
}

impl Setting {
    const ALL: [Self; 2] = [Self::IdeMode, Self::ApprovalMode];

    fn names(self, table: &SettingsFiles) -> &'static [Name] {
        match self {
            Self::IdeMode => table.ide_enabled,
            Self::ApprovalMode => table.approval_mode,
        }
    }

    /// Returns the value that lets the person review.
    fn reviewing(self) -> Value {
        match self {
            Self::IdeMode => Value::Bool(true),
            Self::ApprovalMode => Value::String(ApprovalMode::Default.to_string()),
        }
    }

    /// Whether a value lets the person review. `None` if it has the wrong type.
    fn reviews(self, value: &Value) -> Option<bool> {
        match self {
            Self::IdeMode => read::truthiness(value),
            Self::ApprovalMode => value.as_str().map(|word| ApprovalMode::named(word).opens_diffs()),
        }
    }
}

/// A change to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The file.
    pub path: PathBuf,
    /// Its present text. `None` if there is no file.
    pub before: Option<String>,
    /// Its new text.
    pub after: String,
    /// The settings that change, such as `ide.enabled = true`.
    pub summary: String,
}

/// The reason why a file cannot be changed without guessing.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file cannot be read.
    #[error("cannot read {}: {error}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        error: std::io::Error,
    },
    /// The agent would not write such content.
    #[error("cannot change {}: {why}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The mistake, with its line.
        why: String,
    },
}

/// Makes the edit of the person's file that lets them review with a release of the agent, or with the newest,
/// as far as `setting` decides it. Returns `None` if the file lets them review already, or if the agent's
/// files are not known. `earlier` holds the texts of edits that are not yet written.
///
/// # Errors
/// If the file cannot be read, or cannot be changed without guessing.
pub fn let_review_after(
    setting: Setting,
    agent: &Agent,
    release: Option<Release>,
    here: &Surroundings,
    earlier: impl Fn(&Path) -> Option<String>,
) -> Result<Option<Edit>, Error> {
    let Some(table) = agent.settings else {
        return Ok(None);
    };
    let files = paths::of(table, release, here);
    let path = files.ide.filter(|_| setting == Setting::IdeMode).unwrap_or(files.user);
    let before = match (earlier(&path), read::read_text(&path)) {
        (Some(text), _) | (None, Ok(text)) => Some(text),
        (None, Err(error)) if error.kind() == ErrorKind::NotFound => None,
        (None, Err(error)) => return Err(Error::Unreadable { path, error }),
    };
    let changed = text_with_setting(before.as_deref(), setting, table, release)
        .map_err(|why| Error::Malformed { path: path.clone(), why })?;
    Ok(changed.map(|(after, summary)| Edit { path, before, after, summary }))
}

/// Undoes [`let_review_after`], which made `made` of `before`, in a file that others have changed since: the
/// settings that it changed are as before, and the rest stays. Returns `None` if nothing is left in a file
/// that did not exist before.
///
/// # Errors
/// If `now` cannot be changed without guessing.
pub fn take_back(
    agent: &Agent,
    path: &Path,
    (before, made): (Option<&str>, &str),
    now: &str,
) -> Result<Option<String>, Error> {
    text_with_earlier_values(before, made, now, agent.settings)
        .map_err(|why| Error::Malformed { path: path.to_owned(), why })
}

/// Returns the text in which the setting lets the person review, and a summary. Returns `None` if it does
/// already.
fn text_with_setting(
    text: Option<&str>,
    setting: Setting,
    table: &SettingsFiles,
    release: Option<Release>,
) -> Result<Option<(String, String)>, String> {
    let text = text.filter(|text| !json::is_blank(text)).unwrap_or("{}\n");
    let reader = Reader::of(table, release);
    let content = reader.object(text)?;
    let names: Vec<&Name> = setting.names(table).iter().filter(|name| name.is_read_by(release)).collect();
    let says = |name: &Name| read::value(&content, name).and_then(|value| setting.reviews(value));
    if names.iter().find_map(|name| says(name)) == Some(true) {
        return Ok(None);
    }
    let document = reader.document(text)?;
    // The present name is written. An older name with another value is changed too, because the agent may
    // prefer it.
    let Some(today) = names.iter().copied().max_by_key(|name| (name.below_version.is_none(), name.from))
    else {
        return Ok(None);
    };
    let mut changes = Vec::new();
    for name in names.into_iter().filter(|name| *name == today || says(name).is_some()) {
        set(&document.root, name.keys, &setting.reviewing())?;
        changes.push(format!("{} = {}", name.keys.join("."), setting.reviewing()));
    }
    Ok(Some((document.to_string(), changes.join(", "))))
}

/// Returns the text with the values of `before`, where the values of [`text_with_setting`] still stand.
fn text_with_earlier_values(
    before: Option<&str>,
    made: &str,
    now: &str,
    table: Option<&SettingsFiles>,
) -> Result<Option<String>, String> {
    let read = |text: &str| Reader::ANY.object(text);
    let earlier = before.map(read).transpose()?.unwrap_or_default();
    let (ours, present) = (read(made)?, read(now)?);
    let document = Reader::ANY.document(now)?;
    let root = &document.root;
    let names = table.into_iter().flat_map(|table| Setting::ALL.map(|setting| setting.names(table)));
    for keys in names.flatten().map(|name| name.keys) {
        let at =
            |content: &Value| keys.iter().try_fold(content.clone(), |value, key| value.get(key).cloned());
        match (at(&earlier), at(&ours), at(&present)) {
            // The edit did not change this setting, or someone else has changed it since.
            (earlier, ours, present) if earlier == ours || ours != present => {}
            (None, ..) => remove(root, keys, &earlier),
            (Some(earlier), ..) => set(root, keys, &earlier)?,
        }
    }
    let is_empty = root.object_value().is_some_and(|object| object.properties().is_empty());
    Ok((before.is_some() || !is_empty).then(|| document.to_string()))
}

fn set(root: &CstRootNode, keys: &[&str], value: &Value) -> Result<(), String> {
    let (Some(mut object), Some((last, first))) = (root.object_value_or_create(), keys.split_last()) else {
        return Err("it is not a JSON object".into());
    };
    for key in first {
        if json::property(&object, key).is_none() {
            object.append(key, CstInputValue::Object(Vec::new()));
        }
        object = json::object(&object, key)
            .ok_or_else(|| format!("{key:?} in it should be an object, and is not"))?;
    }
    json::set(&object, last, input(value));
    Ok(())
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(truth) => (*truth).into(),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => text.as_str().into(),
        Value::Array(values) => CstInputValue::Array(values.iter().map(input).collect()),
        Value::Object(map) => {
            CstInputValue::Object(map.iter().map(|(key, value)| (key.clone(), input(value))).collect())
        }
    }
}

/// Removes a value, and the objects around it that the `earlier` content does not have.
fn remove(root: &CstRootNode, keys: &[&str], earlier: &Value) {
    let (Some(object), Some((last, first))) = (root.object_value(), keys.split_last()) else {
        return;
    };
    let mut around: Vec<CstObject> = vec![object];
    for key in first {
        let Some(inner) = around.last().and_then(|object| json::object(object, key)) else { return };
        around.push(inner);
    }
    let mut key = *last;
    let mut depth = first.len();
    while let Some(object) = around.pop() {
        if let Some(property) = json::property(&object, key) {
            property.remove();
        }
        let was_there = first[..depth].iter().try_fold(earlier, |value, key| value.get(key)).is_some();
        if was_there || !object.properties().is_empty() || depth == 0 {
            return;
        }
        depth -= 1;
        key = first[depth];
    }
}
