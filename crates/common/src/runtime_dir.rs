//! The private directory of this user that goes with the session: for sockets, entries and locks of hosts,
//! and for their log where the state directory cannot be written.

use std::path::{Path, PathBuf};

use alongside_companion::private::{self, PathTrust};
use alongside_platform::{files, sockets};
use anyhow::Context as _;

use crate::failure::Hint as _;

/// The directory: its base, and its own path below that.
#[derive(Debug, Clone)]
pub struct RuntimeDir {
    base: PathBuf,
    below: PathBuf,
    path: PathBuf,
}

impl RuntimeDir {
    /// Makes the directory below `$XDG_RUNTIME_DIR`, or below the temporary directory.
    ///
    /// # Errors
    /// When it cannot be made private.
    pub fn open() -> anyhow::Result<Self> {
        let directory = Self::of_this_process();
        directory.make().hint("set XDG_RUNTIME_DIR to a directory of yours that exists")?;
        Ok(directory)
    }

    /// The directory if it exists and is private.
    pub fn existing() -> Option<Self> {
        let directory = Self::of_this_process();
        (directory.path.is_dir() && directory.make().is_ok()).then_some(directory)
    }

    fn of_this_process() -> Self {
        let variable =
            |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        // Root would lock the user out of a directory that it makes in theirs.
        let is_usable = |dir: &PathBuf| {
            dir.metadata().is_ok_and(|found| found.is_dir() && !files::is_roots_visit(&found))
        };
        let runtime = variable("XDG_RUNTIME_DIR").filter(is_usable);
        let (base, below) = match runtime {
            Some(runtime) => (runtime, PathBuf::from("alongside")),
            None => (std::env::temp_dir(), PathBuf::from(format!("alongside-{}", sockets::user()))),
        };
        Self { path: base.join(&below), base, below }
    }

    /// Makes the directory again: cleaners may take it at any time.
    ///
    /// # Errors
    /// When it cannot be made private.
    pub fn make(&self) -> anyhow::Result<()> {
        private::directory(&self.base, &self.below, PathTrust::Shared)
            .with_context(|| format!("cannot make the private directory {}", self.path.display()))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}
