//! The product that is packed: a built program, and the facts that packages state.

use std::path::PathBuf;

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
}
