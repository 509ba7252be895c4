//! A repository in which git shows the change that an agent proposes, as a person without alongside sees it.

use anyhow::Result;

use super::super::sides::require;
use super::text;
use crate::sandbox::Sandbox;

/// A repository with one file.
pub(super) struct Repository {
    pub(super) sandbox: Sandbox,
    bytes: usize,
    edits: usize,
}

impl Repository {
    /// Creates the repository with a file of so many bytes, and commits the file.
    pub(super) fn new(bytes: usize, edits: usize) -> Result<Self> {
        require("git")?;
        let sandbox = Sandbox::new();
        sandbox.write("seen.rs", text(bytes, 0, ""));
        sandbox.commit()?;
        Ok(Self { sandbox, bytes, edits })
    }

    /// Changes the file: the changed lines contain `version`.
    pub(super) fn change(&self, version: &str) {
        self.sandbox.write("seen.rs", text(self.bytes, self.edits, version));
    }
}
