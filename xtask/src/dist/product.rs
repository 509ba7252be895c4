//! The product that is packed: a built program, and the facts that packages state.

use std::path::PathBuf;

use super::targets::{self, Libc};

/// One line about it, for registries.
pub(super) const DESCRIPTION: &str =
    "The IDE companion for every editor: review what coding agents propose, hunk by hunk";

/// A built program, and the facts that packages state.
#[derive(Debug, Clone)]
pub(crate) struct Product {
    /// The program.
    pub(crate) program: PathBuf,
    /// Its version.
    pub(crate) version: String,
    /// The target it was built for, as Rust spells it.
    pub(crate) target: String,
    /// The date of every file in a package, in seconds since the Unix epoch: the last commit's.
    pub(crate) epoch: u64,
    /// The licences of the crates of others in it.
    pub(crate) licences: String,
    /// Its bill of materials.
    pub(crate) sbom: String,
}

impl Product {
    /// Whether it needs no C library of the system.
    pub(super) fn is_static(&self) -> bool {
        targets::row_of(&self.target).is_some_and(|target| target.libc == Libc::Static)
    }

    /// Whether Debian, which has a C library, gets a package of it.
    pub(super) fn is_for_debian(&self) -> bool {
        targets::row_of(&self.target).is_none_or(|target| matches!(target.libc, Libc::Glibc { .. }))
    }
}
