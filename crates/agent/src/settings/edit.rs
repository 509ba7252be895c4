//! Changes to a person's settings: the key that is meant, and not a byte of anything else.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use alongside_contract::family::Family;
use alongside_contract::settings::{Name, Release};
use jsonc_parser::cst::{CstObject, CstRootNode};
use serde_json::Value;

use super::{paths, read};
use crate::find::Surroundings;

/// A change to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The file.
    pub path: PathBuf,
    /// Its present text; `None` if there is no file.
    pub before: Option<String>,
    /// Its new text.
    pub after: String,
}

/// Why a file cannot be changed without guessing.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It cannot be read.
    #[error("cannot read {}: {error}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        error: std::io::Error,
    },
    /// It is not what the agent writes.
    #[error("cannot change {}: {why}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The mistake, with its line.
        why: String,
    },
}

/// The edit that switches IDE mode on for that release of the family, or the newest, in the person's file.
/// `None` if the file says so already, or where the family keeps its settings is not known.
///
/// # Errors
/// When the file cannot be read, or changed without guessing.
pub fn switch_ide_on(
    family: &Family,
    release: Option<Release>,
    here: &Surroundings,
) -> Result<Option<Edit>, Error> {
    let Some(table) = family.settings else {
        return Ok(None);
    };
    let path = paths::of(table, release, here).user;
    let before = match read::text(&path) {
        Ok(text) => Some(text),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(Error::Unreadable { path, error }),
    };
    let after = on(before.as_deref(), table.ide_enabled, release)
        .map_err(|why| Error::Malformed { path: path.clone(), why })?;
    Ok(after.map(|after| Edit { path, before, after }))
}

/// Undoes [`switch_ide_on`] in a file that has meanwhile been changed by others: what held before holds
/// again, and the rest stays. `None` if nothing is left in a file that was not there before.
///
/// # Errors
/// When `now` cannot be changed without guessing.
pub fn take_back(
    family: &Family,
    path: &Path,
    before: Option<&str>,
    now: &str,
) -> Result<Option<String>, Error> {
    let names = family.settings.map_or(&[][..], |table| table.ide_enabled);
    off(before, now, names).map_err(|why| Error::Malformed { path: path.to_owned(), why })
}

/// The text with IDE mode on; `None` if it is.
fn on(text: Option<&str>, names: &[Name], release: Option<Release>) -> Result<Option<String>, String> {
    let text = text.filter(|text| !text.trim().is_empty()).unwrap_or("{}\n");
    let content = read::object(text)?;
    let names: Vec<&Name> = names.iter().filter(|name| name.is_read_by(release)).collect();
    let says = |name: &Name| read::value(&content, name).and_then(read::truth);
    if names.iter().find_map(|name| says(name)) == Some(true) {
        return Ok(None);
    }
    let root = parse(text)?;
    // The name of today is written; an older one that says no would be believed before it.
    let Some((today, older)) = names.split_last() else {
        return Ok(None);
    };
    for name in older.iter().filter(|name| says(name).is_some()).chain([today]) {
        set(&root, name.keys, true)?;
    }
    Ok(Some(root.to_string()))
}

/// The text with what held before, where it still says what [`on`] made it say.
fn off(before: Option<&str>, now: &str, names: &[Name]) -> Result<Option<String>, String> {
    let was = before.map(read::object).transpose()?.unwrap_or_default();
    let is = read::object(now)?;
    let root = parse(now)?;
    for name in names {
        let at = |content: &Value| name.keys.iter().try_fold(content.clone(), |it, key| it.get(key).cloned());
        match (at(&was), at(&is)) {
            (was, is) if was == is => {}
            (None, Some(Value::Bool(true))) => remove(&root, name.keys, &was),
            (Some(Value::Bool(false)), Some(Value::Bool(true))) => set(&root, name.keys, false)?,
            // Somebody has said something else since.
            _ => {}
        }
    }
    let is_empty = root.object_value().is_some_and(|object| object.properties().is_empty());
    Ok((before.is_some() || !is_empty).then(|| root.to_string()))
}

fn parse(text: &str) -> Result<CstRootNode, String> {
    CstRootNode::parse(text, &read::AS_AGENTS_DO).map_err(|error| error.to_string())
}

fn set(root: &CstRootNode, keys: &[&str], value: bool) -> Result<(), String> {
    let (Some(mut object), Some((last, first))) = (root.object_value_or_create(), keys.split_last()) else {
        return Err("it is not a JSON object".into());
    };
    for key in first {
        object = object
            .object_value_or_create(key)
            .ok_or_else(|| format!("{key:?} in it should be an object, and is not"))?;
    }
    match object.get(last) {
        Some(property) => property.set_value(value.into()),
        None => drop(object.append(last, value.into())),
    }
    Ok(())
}

/// Takes a value out, and the objects around it that were made for it.
fn remove(root: &CstRootNode, keys: &[&str], was: &Value) {
    let (Some(object), Some((last, first))) = (root.object_value(), keys.split_last()) else {
        return;
    };
    let mut around: Vec<CstObject> = vec![object];
    for key in first {
        let Some(inner) = around.last().and_then(|object| object.object_value(key)) else { return };
        around.push(inner);
    }
    let mut key = *last;
    let mut depth = first.len();
    while let Some(object) = around.pop() {
        if let Some(property) = object.get(key) {
            property.remove();
        }
        let was_there = first[..depth].iter().try_fold(was, |it, key| it.get(key)).is_some();
        if was_there || !object.properties().is_empty() || depth == 0 {
            return;
        }
        depth -= 1;
        key = first[depth];
    }
}
