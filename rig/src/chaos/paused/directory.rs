//! The directory of a round, with the project and all other files of a companion.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::chaos::project::Project;
use crate::chaos::record::Leftovers;

#[derive(Debug)]
pub(super) struct RoundDirectory {
    directory: tempfile::TempDir,
    project: Project,
    files: Vec<PathBuf>,
}

/// Whether a file reserves disk space for typed text. Such a file is not deleted.
fn is_reserve(path: &Path, state: &Path) -> bool {
    path.starts_with(state.join("reserve"))
}

impl RoundDirectory {
    pub(super) fn new(files: usize) -> Result<Self> {
        let directory = tempfile::Builder::new().prefix("alongside-chaos-").tempdir()?;
        for below in ["tmp", "home", "project"] {
            fs::create_dir(directory.path().join(below))?;
        }
        let project = directory.path().join("project");
        let files: Vec<_> = (0..files).map(|file| project.join(format!("{file}.txt"))).collect();
        let round = Self { directory, project: Project::default(), files };
        for file in 0..round.file_count() {
            round.rewrite(0, file, "first")?;
        }
        Ok(round)
    }

    pub(super) fn path(&self) -> &Path {
        self.directory.path()
    }

    pub(super) fn file_count(&self) -> usize {
        self.files.len()
    }

    /// The path of a project file in the form for agents.
    pub(super) fn file(&self, file: usize) -> String {
        self.files[file].display().to_string()
    }

    /// The project files.
    pub(super) fn project(&self) -> &Project {
        &self.project
    }

    /// Writes a project file as another program.
    pub(super) fn rewrite(&self, now: u64, file: usize, marker: &str) -> Result<()> {
        Ok(self.project.write(now, &self.files[file], &format!("one\ntwo\nthree\n{marker}\n"))?)
    }

    /// Deletes the content of the temporary directory as a cleaner, even while a companion writes there.
    pub(super) fn clean(&self) {
        for entry in fs::read_dir(self.path().join("tmp")).into_iter().flatten().flatten() {
            // Entries may vanish or reappear meanwhile.
            let _ = fs::remove_dir_all(entry.path()).or_else(|_| fs::remove_file(entry.path()));
        }
    }

    /// Returns the files that are left when everything has ended.
    pub(super) fn leftovers(&self) -> Result<Leftovers> {
        let state = self.path().join("state");
        let drafts_at = state.join("drafts");
        let mut leftovers = Leftovers { targets: self.project.targets_on_disk(), ..Leftovers::default() };
        let mut files = Vec::new();
        add_files_below(self.path(), &mut files)?;
        for path in files {
            let is_target = self.files.contains(&path);
            // Locks of journals are not deleted: a process may be waiting for one.
            let is_lock =
                path.starts_with(state.join("journal")) && path.extension().is_some_and(|end| end == "lock");
            if path.starts_with(&drafts_at) {
                if path.file_name().is_some_and(|name| name != "draft.json") {
                    leftovers.drafts.push(fs::read_to_string(&path)?);
                }
            } else if !is_target && !is_lock && !is_reserve(&path, &state) {
                leftovers.strays.push(format!("{} was left behind", path.display()));
            }
        }
        Ok(leftovers)
    }
}

fn add_files_below(directory: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() { add_files_below(&path, files)? } else { files.push(path) }
    }
    Ok(())
}
