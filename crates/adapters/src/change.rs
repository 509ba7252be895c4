//! Changes of files that a person may have written. Either all changes are made or none. Links and file modes
//! stay, and a copy of the text before the change is kept.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use alongside_common::failure::Hint;
use alongside_common::person_file::{self, PersonFile};
use alongside_platform::files::{Links, is_absent};
use alongside_platform::paths::Canonical as _;
use anyhow::Context;

/// The extension of the copy of a file's text before the change.
const BACKUP_EXTENSION: &str = "before-alongside";

/// A file and its new text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The file.
    pub path: PathBuf,
    /// The text before the change; `None` if the file does not exist.
    pub before: Option<String>,
    /// The new text; `None` to remove the file.
    pub after: Option<String>,
    /// Whether a person may have written the file: then the preview shows its lines, and a copy is kept.
    pub is_person_file: bool,
    /// Whether links are followed. In a project they are refused, because a repository may hold any link.
    pub links: Links,
}

/// Reads a text file of the person; `None` if it does not exist.
///
/// # Errors
/// When it cannot be read, or is not UTF-8.
pub(crate) fn read(path: &Path) -> anyhow::Result<Option<String>> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if is_absent(&error) => Ok(None),
        Err(error) if error.kind() == ErrorKind::InvalidData => {
            anyhow::bail!("{} is not UTF-8, so alongside does not change it", path.display())
        }
        Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
    }
}

/// As `read`, for a file of the person or of a project, which a link may lead to.
///
/// # Errors
/// When it cannot be read, is not UTF-8, or a link leads to it and is refused.
pub fn read_through(path: &Path, links: Links) -> anyhow::Result<Option<String>> {
    let Some(file) = PersonFile::find(path, links)? else { return Ok(None) };
    Ok(file.read()?.map(|(text, _)| text))
}

/// Fails where [`make`] would fail because of a link that it does not follow, so that the person knows before
/// they agree.
///
/// # Errors
/// When there is such a link.
pub(crate) fn check_links(changes: &[Change]) -> anyhow::Result<()> {
    for change in changes {
        if change.links == Links::Refused {
            person_file::refuse_links(&change.path)?;
        }
        let copy = backup_of(&change.path);
        if change.is_person_file && change.before.is_some() && copy.is_symlink() {
            return Err(person_file::link_error(&copy));
        }
    }
    Ok(())
}

/// The directories and copies that [`make`] created beside the changed files.
#[derive(Debug, Default)]
pub struct CreatedPaths {
    /// The directories, outermost first.
    pub directories: Vec<PathBuf>,
    /// Copies of the files before the changes.
    pub backups: Vec<PathBuf>,
}

/// Makes all changes, or none. `keeps_copies`: whether to keep a copy beside each file of the person.
///
/// # Errors
/// When a file has changed since the plan or cannot be written. The files that were changed already are
/// restored.
pub fn make(changes: &[Change], keeps_copies: bool) -> anyhow::Result<CreatedPaths> {
    let mut created = CreatedPaths::default();
    for (count, change) in changes.iter().enumerate() {
        if let Err(error) = make_one(change, keeps_copies, &mut created) {
            let undone = undo(&changes[..count]);
            created.backups.iter().for_each(|path| drop(remove_copy(path, change.links)));
            created.directories.iter().rev().for_each(|path| person_file::remove_empty(path, change.links));
            return match undone {
                Ok(()) => Err(error).hint("nothing is changed"),
                Err(also) => Err(error).hint(format!("the files changed before stay changed: {also:#}")),
            };
        }
    }
    Ok(created)
}

/// Restores the files of changes that were made, the last one first.
///
/// # Errors
/// When a file cannot be written; the files before it in the list stay changed.
fn undo(changes: &[Change]) -> anyhow::Result<()> {
    changes.iter().rev().try_for_each(|change| write_or_remove(change, change.before.as_deref()))
}

fn make_one(change: &Change, keeps_copies: bool, created: &mut CreatedPaths) -> anyhow::Result<()> {
    let file = PersonFile::find(&change.path, change.links)?;
    let now = file.as_ref().map(PersonFile::read).transpose()?.flatten();
    let (text, state) = now.unzip();
    if text != change.before {
        anyhow::bail!("another program has just changed {}", change.path.display());
    }
    if let (Some(file), Some(state), Some(_)) = (&file, &state, &change.after) {
        file.check_writable(state)?;
    }
    if let (true, Some(text), Some(state)) = (keeps_copies && change.is_person_file, &text, &state) {
        let copy = copy_at(&backup_of(&change.path), change.links)?;
        let is_new = copy
            .create_copy(text, state)
            .with_context(|| format!("cannot keep a copy of {}", change.path.display()))?;
        created.backups.extend(is_new.then(|| backup_of(&change.path)));
    }
    match (&change.after, file) {
        (Some(after), Some(file)) => file.replace(after),
        (Some(after), None) => {
            PersonFile::make_way(&change.path, change.links, &mut created.directories)?.replace(after)
        }
        (None, file) => file.as_ref().map_or(Ok(()), PersonFile::remove),
    }
}

/// Writes `text` to the file of a change, or removes the file for `None`. A link of the person stays.
///
/// # Errors
/// When the file is write-protected or another user's, or its directory cannot be written.
pub(crate) fn write_or_remove(change: &Change, text: Option<&str>) -> anyhow::Result<()> {
    match (text, PersonFile::find(&change.path, change.links)?) {
        (Some(text), Some(file)) => file.replace(text),
        (Some(_), None) => anyhow::bail!("the directory of {} is gone", change.path.display()),
        (None, file) => file.as_ref().map_or(Ok(()), PersonFile::remove),
    }
}

/// Opens the copy at `copy`, which is never a link. It lies beside the path that the person uses, not beside
/// the file that a link leads to.
fn copy_at(copy: &Path, links: Links) -> anyhow::Result<PersonFile> {
    let directory = copy.parent().unwrap_or(Path::new("/"));
    let directory = match links {
        Links::Followed => directory.canonical(),
        Links::Refused => Ok(directory.to_owned()),
    };
    let directory = directory.with_context(|| format!("cannot open the directory of {}", copy.display()))?;
    let file = PersonFile::find(&directory.join(copy.file_name().unwrap_or_default()), Links::Refused)?;
    file.with_context(|| format!("the directory of {} is gone", copy.display()))
}

/// Reads a copy; `None` if it does not exist.
///
/// # Errors
/// When it is a link, or cannot be read.
pub fn read_copy(copy: &Path, links: Links) -> anyhow::Result<Option<String>> {
    Ok(copy_at(copy, links)?.read()?.map(|(text, _)| text))
}

/// Removes a copy.
///
/// # Errors
/// When it is a link, or the system refuses.
pub fn remove_copy(copy: &Path, links: Links) -> anyhow::Result<()> {
    copy_at(copy, links)?.remove()
}

/// Returns the path of the copy of a file.
pub fn backup_of(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".");
    name.push(BACKUP_EXTENSION);
    path.with_file_name(name)
}

/// Removes those of `directories` that are empty, innermost first.
pub fn remove_empty(directories: &[PathBuf]) {
    directories.iter().rev().for_each(|directory| person_file::remove_empty(directory, Links::Followed));
}
