//! Adapters that are a package: a directory of files that the editor loads by itself. The person's files are
//! not changed.

use std::path::{Path, PathBuf};

use alongside_platform::files::Links;

use super::change::{self, Change};
use super::installation::{Installation, InstalledFile};
use super::plan::{AdapterState, Plan, Remainder};
use super::user_environment::UserEnvironment;

/// Returns the state of a package that should hold these files.
///
/// # Errors
/// When a file cannot be read.
pub(super) fn state(
    package: &Path,
    files: &[(PathBuf, String)],
    installed: Option<&Installation>,
) -> anyhow::Result<AdapterState> {
    let Some(installed) = installed.filter(|_| package.exists()) else {
        return Ok(AdapterState::NotInstalled);
    };
    for (path, text) in files {
        if change::read(path)?.as_deref() != Some(text.as_str()) {
            return Ok(AdapterState::Outdated { by: installed.version.clone() });
        }
    }
    Ok(AdapterState::Current)
}

/// Returns the changes that install these files in place of those of an older version.
///
/// # Errors
/// When a file cannot be read.
pub(super) fn plan(
    user: &UserEnvironment,
    files: &[(PathBuf, String)],
    installed: Option<&Installation>,
) -> anyhow::Result<Plan> {
    let installed = installed.map(|entry| entry.files.as_slice()).unwrap_or_default();
    let mut plan = Plan::default();
    let mut changed_by_hand = Vec::new();
    for (path, text) in files {
        let before = change::read(path)?;
        if before.as_ref() == Some(text) {
            continue;
        }
        let installed_file = installed.iter().find(|file| file.path == *path);
        let is_person_file = before.is_some() && installed_file.map(|file| &file.after) != before.as_ref();
        if is_person_file {
            changed_by_hand.push(user.shown(path));
        }
        let (path, after, links) = (path.clone(), Some(text.clone()), Links::Followed);
        plan.changes.push(Change { path, before, after, is_person_file, links });
    }
    // Files of an older version that this version does not have are removed.
    for file in installed.iter().filter(|file| files.iter().all(|(path, _)| *path != file.path)) {
        if let Some(before) = change::read(&file.path)?.filter(|now| *now == file.after) {
            plan.changes.push(Change {
                path: file.path.clone(),
                before: Some(before),
                after: None,
                is_person_file: false,
                links: Links::Followed,
            });
        }
    }
    if !changed_by_hand.is_empty() {
        plan.notes
            .push(format!("You have changed {}. A copy is kept beside it.", changed_by_hand.join(", ")));
    }
    Ok(plan)
}

/// Keeps a file of a package that a person has changed.
pub(super) fn stays(_: &InstalledFile, _: &str) -> anyhow::Result<Remainder> {
    Ok(Remainder::Unchanged("it was changed after the installation".into()))
}

/// Returns the directory of an installation, found by the relative path of a file in it.
pub(super) fn directory_of(installed: &Installation, file: &str) -> Option<PathBuf> {
    let found = installed.files.iter().find(|installed| installed.path.ends_with(file))?;
    found.path.ancestors().nth(Path::new(file).components().count()).map(Path::to_owned)
}

/// Returns the files of a plugin in its package, and the tags file of its help.
pub(super) fn files_of(package: &Path, plugin: &[(&str, &str)]) -> Vec<(PathBuf, String)> {
    let tags = plugin.iter().filter_map(|(name, text)| Some(help_tags(name.strip_prefix("doc/")?, text)));
    let tags = tags.map(|tags| (package.join("doc/tags"), tags));
    plugin.iter().map(|(name, text)| (package.join(name), (*text).to_owned())).chain(tags).collect()
}

/// Returns the tags of a help file as `:helptags` writes them, so that the person need not run that command.
fn help_tags(name: &str, text: &str) -> String {
    let words = text.lines().flat_map(|line| line.split([' ', '\t']));
    let tags = words.filter_map(|word| word.strip_prefix('*')?.strip_suffix('*'));
    let mut tags: Vec<_> = tags.filter(|tag| !tag.is_empty() && !tag.contains(['*', '|'])).collect();
    tags.sort_unstable();
    let line = |tag: &str| format!("{tag}\t{name}\t/*{}*\n", tag.replace('\\', "\\\\").replace('/', "\\/"));
    tags.into_iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_tags_are_sorted_and_escaped() {
        let text = "*b-tag* and *a/b*\ttwo ** three * four *not*this*\n  x *c*\n";
        assert_eq!(
            help_tags("x.txt", text),
            "a/b\tx.txt\t/*a\\/b*\nb-tag\tx.txt\t/*b-tag*\nc\tx.txt\t/*c*\n"
        );
    }
}
