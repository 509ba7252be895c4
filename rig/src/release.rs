//! The shipped agent releases that the rig installs and proves.

use std::path::PathBuf;

use crate::agent_cli::Cli;
use crate::install::Rig;

/// A shipped release of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Release {
    /// The agent.
    pub agent: Cli,
    /// The version on npm.
    pub version: &'static str,
}

/// The proven releases: the oldest, a middle one and the newest of each family.
pub const RELEASES: [Release; 6] = [
    Release::gemini("0.8.2"),
    Release::gemini("0.27.4"),
    Release::gemini("0.61.0"),
    Release::qwen("0.5.2"),
    Release::qwen("0.12.0"),
    Release::qwen("0.24.4"),
];

impl Release {
    /// Creates a release of Gemini CLI.
    pub const fn gemini(version: &'static str) -> Self {
        Self { agent: Cli::Gemini, version }
    }

    /// Creates a release of Qwen Code.
    pub const fn qwen(version: &'static str) -> Self {
        Self { agent: Cli::Qwen, version }
    }

    /// Returns the directory of the release's installed package.
    pub fn package(self, rig: &Rig) -> PathBuf {
        match self.agent {
            Cli::Gemini => rig.gemini_core(self.version),
            Cli::Qwen => rig.qwen_code(self.version),
            Cli::Claude | Cli::OpenCode | Cli::Codex => {
                unreachable!("it is a program, and no package of client code")
            }
        }
    }
}

impl std::fmt::Display for Release {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.agent.command(), self.version)
    }
}
