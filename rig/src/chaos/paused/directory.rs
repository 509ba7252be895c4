//! The directory of a round: the project, and everything that a companion writes elsewhere.

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

/// Whether a file reserves disk space for typed text. It stays.
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

    /// The path of a project file, as agents spell it.
    pub(super) fn file(&self, file: usize) -> String {
        self.files[file].display().to_string()
    }

    /// The project files.
    pub(super) fn project(&self) -> &Project {
        &self.project
    }

    /// Another program writes a project file.
    pub(super) fn rewrite(&self, now: u64, file: usize, mark: &str) -> Result<()> {
        Ok(self.project.write(now, &self.files[file], &format!("one\ntwo\nthree\n{mark}\n"))?)
    }

    /// A cleaner deletes the content of the temporary directory, even while a companion writes there.
    pub(super) fn clean(&self) {
        for entry in fs::read_dir(self.path().join("tmp")).into_iter().flatten().flatten() {
            // Entries may vanish or reappear meanwhile.
            let _ = fs::remove_dir_all(entry.path()).or_else(|_| fs::remove_file(entry.path()));
        }
    }

    /// The content of the directory when everything has ended.
    pub(super) fn leftovers(&self) -> Result<Leftovers> {
        let state = self.path().join("state");
        let drafts_at = state.join("drafts");
        let mut leftovers = Leftovers { targets: self.project.targets_on_disk(), ..Leftovers::default() };
        let mut files = Vec::new();
        below(self.path(), &mut files)?;
        for path in files {
            let is_target = self.files.contains(&path);
            // Journal locks stay: removing one could take it from a process that waits for it.
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

fn below(directory: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() { below(&path, files)? } else { files.push(path) }
    }
    Ok(())
}
