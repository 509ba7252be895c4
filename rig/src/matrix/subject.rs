//! The subject of a proof, a release on disk, and the programs that the proof needs.

use std::path::PathBuf;

/// The programs of a proof.
#[derive(Debug, Clone)]
pub struct Tools {
    /// The program under test.
    pub alongside: PathBuf,
    /// A Node that is new enough for all agents.
    pub node: PathBuf,
}

/// A release on disk.
#[derive(Debug, Clone)]
pub struct Subject {
    /// The agent's id.
    pub agent: String,
    /// Its version.
    pub version: String,
    /// The package's name.
    pub package: String,
    /// The package's directory.
    pub directory: PathBuf,
}

impl std::fmt::Display for Subject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.agent, self.version)
    }
}
