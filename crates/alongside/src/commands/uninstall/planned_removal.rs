//! The removal of one adapter: planned and shown first, then carried out.

use std::path::PathBuf;

use anyhow::Context as _;

use crate::adapters::change::{self, Change};
use crate::adapters::editor::Editor;
use crate::adapters::installed::Installed;
use crate::adapters::ledger::Ledger;
use crate::adapters::plan::Remainder;
use crate::adapters::preview::{OurLines, preview};
use crate::adapters::removal::{display_name, remove_adapter};
use crate::adapters::user_environment::UserEnvironment;
use crate::commands::{note, print};

pub(super) struct PlannedRemoval {
    /// The adapter's id in the ledger.
    id: String,
    installed: Installed,
    changes: Vec<Change>,
    /// Files that stay as they are, and why.
    kept: Vec<(PathBuf, String)>,
}

impl PlannedRemoval {
    /// # Errors
    /// When a file cannot be read, or the adapter's part of it cannot be told from the rest.
    pub(super) fn plan(id: &str, installed: &Installed) -> anyhow::Result<Self> {
        let mut removal =
            Self { id: id.into(), installed: installed.clone(), changes: Vec::new(), kept: Vec::new() };
        for file in &installed.files {
            let Some(now) = change::read(&file.path)? else { continue };
            let remainder = remove_adapter(id, file, &now)
                .with_context(|| format!("cannot remove alongside from {}", file.path.display()))?;
            let after = match remainder {
                Remainder::Text(rest) => Some(rest),
                Remainder::Nothing => None,
                Remainder::Unchanged(why) => {
                    removal.kept.push((file.path.clone(), why));
                    continue;
                }
            };
            if after.as_ref() != Some(&now) {
                let is_theirs = Editor::named(id) != Some(Editor::Neovim);
                removal.changes.push(Change { path: file.path.clone(), before: Some(now), after, is_theirs });
            }
        }
        Ok(removal)
    }

    /// Shows the changes, and the files that stay.
    pub(super) fn show(&self, user: &UserEnvironment, verbose: bool) -> anyhow::Result<()> {
        let changes = preview(&self.changes, user, OurLines::Removed, verbose);
        print(&format!("{}:\n{changes}", display_name(&self.id)))?;
        for (path, why) in &self.kept {
            note(&format!("{} stays: {why}", user.shown(path)));
        }
        Ok(())
    }

    /// Makes the changes, and removes copies that nobody needs any more.
    pub(super) fn carry_out(self, ledger: &mut Ledger, user: &UserEnvironment) -> anyhow::Result<()> {
        change::make(&self.changes, false)?;
        for backup in &self.installed.backups {
            let original = self.installed.files.iter().find(|file| change::backup_of(&file.path) == *backup);
            let is_unchanged = change::read(backup)
                .is_ok_and(|now| now.is_some() && now == original.and_then(|file| file.before.clone()));
            if is_unchanged {
                change::put(backup, None)?;
            }
        }
        change::remove_empty(&self.installed.directories);
        ledger.remove(&self.id);
        ledger.write(&user.state)
    }
}
