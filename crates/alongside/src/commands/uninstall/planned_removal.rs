//! The removal of an adapter, which is planned, shown, and then carried out.

use std::path::{Path, PathBuf};

use alongside_adapters::agent_hook::record_of_trust;
use alongside_adapters::change::{self, Change};
use alongside_adapters::editor::Editor;
use alongside_adapters::installation::Installation;
use alongside_adapters::ledger::Ledger;
use alongside_adapters::plan::Remainder;
use alongside_adapters::preview::{OurLines, preview};
use alongside_adapters::removal::{display_name, remove_adapter};
use alongside_adapters::user_environment::UserEnvironment;
use alongside_adapters::vscode::{self, InstalledExtension};
use alongside_common::person_file;
use anyhow::Context as _;

use crate::commands::{note, print, print_lines};

/// The planned removal of an adapter.
pub(super) struct PlannedRemoval {
    /// The adapter's id in the ledger.
    id: String,
    installed: Installation,
    changes: Vec<Change>,
    /// The files that stay as they are, each with the reason.
    kept: Vec<(PathBuf, String)>,
    /// The kept files that still have the adapter, because a link leads there.
    unreachable: Vec<PathBuf>,
    /// The extension that the editor itself removes.
    extension: Option<(&'static Editor, InstalledExtension)>,
    /// The copies of files to remove.
    copies: Vec<PathBuf>,
}

impl PlannedRemoval {
    /// Plans the removal of an installation.
    ///
    /// # Errors
    /// If a file cannot be read, or the adapter's part of it cannot be separated.
    pub(super) fn plan(id: &str, installed: &Installation, user: &UserEnvironment) -> anyhow::Result<Self> {
        let extension = match Editor::named(id) {
            Some(editor) => vscode::find(editor, user)?.map(|found| (editor, found)),
            None => None,
        };
        let mut removal = Self {
            id: id.into(),
            installed: installed.clone(),
            changes: Vec::new(),
            kept: Vec::new(),
            unreachable: Vec::new(),
            extension,
            copies: Vec::new(),
        };
        for file in &installed.files {
            let current = match change::read_through(&file.path, file.links()) {
                Ok(Some(current)) => current,
                Ok(None) => continue,
                // A repository may have replaced the file by a link. The other files can be removed.
                Err(error) if file.in_project => {
                    removal.kept.push((file.path.clone(), format!("{error:#}")));
                    removal.unreachable.push(file.path.clone());
                    continue;
                }
                Err(error) => return Err(error),
            };
            let remainder = remove_adapter(id, file, &current)
                .with_context(|| format!("cannot remove alongside from {}", file.path.display()))?;
            let after = match remainder {
                Remainder::Text(rest) => Some(rest),
                Remainder::Nothing => None,
                Remainder::Unchanged(why) => {
                    removal.kept.push((file.path.clone(), why));
                    continue;
                }
            };
            if after.as_ref() != Some(&current) {
                let is_person_file = !has_package(id);
                let (path, links) = (file.path.clone(), file.links());
                removal.changes.push(Change { path, before: Some(current), after, is_person_file, links });
            }
        }
        let copies = installed.backups.iter().filter(|copy| removal.is_obsolete(copy));
        removal.copies = copies.cloned().collect();
        Ok(removal)
    }

    /// Whether a copy is obsolete. A file of a package was replaced as a whole, so the copy may have the only
    /// text of a person's change. Any other file keeps all text but our part.
    fn is_obsolete(&self, copy: &Path) -> bool {
        let Ok(Some(copied)) = change::read_copy(copy, self.installed.link_policy_of(copy)) else {
            return false;
        };
        let original = self.installed.files.iter().find(|file| change::backup_of(&file.path) == copy);
        original.is_some_and(|file| {
            let is_kept = self.kept.iter().any(|(kept, _)| *kept == file.path);
            let has_only_our_part_removed = !has_package(&self.id) && !is_kept;
            has_only_our_part_removed || file.before.as_ref() == Some(&copied)
        })
    }

    /// Whether a file of the editor or agent changes. Copies and the entry in the ledger do not count,
    /// because they are ours.
    pub(super) fn has_changes(&self) -> bool {
        !self.changes.is_empty() || self.extension.is_some()
    }

    /// Whether no file keeps a part of the adapter.
    pub(super) fn is_complete(&self) -> bool {
        self.unreachable.is_empty()
    }

    /// Prints the changes, and the files that stay.
    pub(super) fn show(&self, user: &UserEnvironment, verbose: bool) -> anyhow::Result<()> {
        let changes = match self.has_changes() {
            true => preview(&self.changes, user, OurLines::Removed, verbose),
            false => "  nothing is left to change back\n".to_owned(),
        };
        print(&format!("{}:\n{changes}", display_name(&self.id)))?;
        if let Some((_, extension)) = &self.extension {
            print_lines(&format!("  remove   {}\n", user.shown(&extension.directory)))?;
        }
        for copy in &self.copies {
            print_lines(&format!("  remove   {}\n", user.shown(copy)))?;
        }
        for (path, why) in &self.kept {
            note(&format!("{} stays: {why}", user.shown(path)));
        }
        for file in &self.installed.files {
            if let Some(record) = record_of_trust(&self.id, &file.path) {
                note(&format!(
                    "{} keeps its own record in {} that you trusted the hook: without the hook it does \
                     nothing",
                    display_name(&self.id),
                    user.shown(&record)
                ));
            }
        }
        Ok(())
    }

    /// Makes the changes, and removes the copies.
    pub(super) async fn carry_out(self, ledger: &mut Ledger, user: &UserEnvironment) -> anyhow::Result<()> {
        change::make(&self.changes, false)?;
        if let Some((editor, extension)) = &self.extension {
            vscode::remove(editor, extension, user).await?;
        }
        for copy in &self.copies {
            change::remove_copy(copy, self.installed.link_policy_of(copy))?;
        }
        self.note_files_of_others(user);
        if let Some(own_directory) = Editor::named(&self.id).and_then(|editor| editor.own_directory) {
            change::remove_empty(&[own_directory(user)]);
        }
        for directory in self.installed.directories.iter().rev() {
            person_file::remove_empty(directory, self.installed.link_policy_of(directory));
        }
        if let Some(made) = Editor::named(&self.id).and_then(|editor| editor.directories_made_by_queries) {
            change::remove_empty(&made(user));
        }
        ledger.remove(&self.id, &self.unreachable);
        ledger.write(&user.state)
    }

    /// Prints the files of others in a package, because of which the package stays.
    fn note_files_of_others(&self, user: &UserEnvironment) {
        let package_of = Editor::named(&self.id).and_then(|editor| editor.package_of);
        let package = package_of.and_then(|package_of| package_of(&self.installed));
        let mut others = Vec::new();
        files_below(package.as_deref(), &mut others);
        // The preview has named the kept files.
        others.retain(|path| self.kept.iter().all(|(kept, _)| kept != path));
        for path in others.iter().take(MAX_NAMED_FILES) {
            note(&format!("{} stays: it is not from `alongside install`", user.shown(path)));
        }
        if let (Some(package), more @ 1..) = (package, others.len().saturating_sub(MAX_NAMED_FILES)) {
            note(&format!("{more} more files in {} stay", user.shown(&package)));
        }
    }
}

fn has_package(id: &str) -> bool {
    Editor::named(id).is_some_and(|editor| editor.package_of.is_some())
}

/// The most files of others that a removal names.
const MAX_NAMED_FILES: usize = 5;

/// Adds each file below a directory to `found`, sorted. Links are not followed.
fn files_below(directory: Option<&Path>, found: &mut Vec<PathBuf>) {
    let entries = directory.and_then(|directory| std::fs::read_dir(directory).ok());
    let mut entries: Vec<_> = entries.into_iter().flatten().flatten().collect();
    entries.sort_by_key(std::fs::DirEntry::path);
    for entry in entries {
        match entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            true => files_below(Some(&entry.path()), found),
            false => found.push(entry.path()),
        }
    }
}
