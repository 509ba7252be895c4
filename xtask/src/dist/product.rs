//! The product that is packed: a built program, and the facts that packages state.

use std::path::PathBuf;

use super::targets::{self, Libc};

/// One line about the program, for registries.
pub(super) const DESCRIPTION: &str =
    "The IDE companion for every editor: review what coding agents propose, hunk by hunk";

/// A built program, and the facts that packages state.
#[derive(Debug, Clone)]
pub(crate) struct Product {
    /// The program.
    pub(crate) program: PathBuf,
    /// The version of the program.
    pub(crate) version: String,
    /// The target of the program, as Rust spells it.
    pub(crate) target: String,
    /// The date of every file in a package, in seconds since the Unix epoch: the last commit's.
    pub(crate) epoch: u64,
    /// The licences of other crates in the program.
    pub(crate) licences: String,
    /// The bill of materials of the program.
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
