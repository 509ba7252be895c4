//! The subject of a proof, which is a release on disk, and the programs that the proof needs.

use std::path::PathBuf;

/// The programs of a proof.
#[derive(Debug, Clone)]
pub struct Tools {
    /// The program under test.
    pub alongside: PathBuf,
    /// The program of Node, in a version that all agents can run on.
    pub node: PathBuf,
}

/// A release on disk.
#[derive(Debug, Clone)]
pub struct Subject {
    /// The agent's id.
    pub agent: String,
    /// The version.
    pub version: String,
    /// The name of the package.
    pub package: String,
    /// The directory of the package.
    pub directory: PathBuf,
}

impl std::fmt::Display for Subject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.agent, self.version)
    }
}
