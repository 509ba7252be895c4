//! The directory of a round: the project, and all that a companion writes elsewhere.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::chaos::project::Project;
use crate::chaos::record::Left;

#[derive(Debug)]
pub(super) struct Disk {
    directory: tempfile::TempDir,
    project: Project,
    files: Vec<PathBuf>,
}

/// Whether room is held there for what is typed, which stays.
fn is_reserve(path: &Path, state: &Path) -> bool {
    path.starts_with(state.join("reserve"))
}

impl Disk {
    pub(super) fn new(files: usize) -> Result<Self> {
        let directory = tempfile::Builder::new().prefix("alongside-chaos-").tempdir()?;
        for below in ["tmp", "home", "project"] {
            fs::create_dir(directory.path().join(below))?;
        }
        let project = directory.path().join("project");
        let files: Vec<_> = (0..files).map(|file| project.join(format!("{file}.txt"))).collect();
        let disk = Self { directory, project: Project::default(), files };
        for file in 0..disk.files() {
            disk.rewrite(0, file, "first")?;
        }
        Ok(disk)
    }

    pub(super) fn path(&self) -> &Path {
        self.directory.path()
    }

    pub(super) fn files(&self) -> usize {
        self.files.len()
    }

    /// A file of the project, as agents spell it.
    pub(super) fn file(&self, file: usize) -> String {
        self.files[file].display().to_string()
    }

    /// What is written into the files.
    pub(super) fn project(&self) -> &Project {
        &self.project
    }

    /// Somebody writes it.
    pub(super) fn rewrite(&self, now: u64, file: usize, mark: &str) -> Result<()> {
        Ok(self.project.write(now, &self.files[file], &format!("one\ntwo\nthree\n{mark}\n"))?)
    }

    /// A cleaner takes what lies in the temporary directory, also while somebody writes there.
    pub(super) fn clean(&self) {
        for entry in fs::read_dir(self.path().join("tmp")).into_iter().flatten().flatten() {
            // What vanishes, or comes back, meanwhile is left.
            let _ = fs::remove_dir_all(entry.path()).or_else(|_| fs::remove_file(entry.path()));
        }
    }

    /// What lies here when all have ended.
    pub(super) fn left(&self) -> Result<Left> {
        let state = self.path().join("state");
        let drafts_at = state.join("drafts");
        let mut left = Left { targets: self.project.found(), ..Left::default() };
        let mut files = Vec::new();
        below(self.path(), &mut files)?;
        for path in files {
            let is_target = self.files.contains(&path);
            // The locks of journals stay: whoever removes one could take it from somebody who waits for it.
            let is_lock =
                path.starts_with(state.join("journal")) && path.extension().is_some_and(|end| end == "lock");
            if path.starts_with(&drafts_at) {
                if path.file_name().is_some_and(|name| name != "draft.json") {
                    left.drafts.push(fs::read_to_string(&path)?);
                }
            } else if !is_target && !is_lock && !is_reserve(&path, &state) {
                left.strays.push(format!("{} was left behind", path.display()));
            }
        }
        Ok(left)
    }
}

fn below(directory: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() { below(&path, files)? } else { files.push(path) }
    }
    Ok(())
}
