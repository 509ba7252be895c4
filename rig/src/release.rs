//! The shipped agent releases that the rig installs and proves.

use std::path::PathBuf;

use crate::install::Rig;

/// The family of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Family {
    /// `@google/gemini-cli-core`
    Gemini,
    /// `@qwen-code/qwen-code`
    Qwen,
}

/// A shipped release of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Release {
    /// Its family.
    pub family: Family,
    /// Its version on npm.
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
    /// A release of Gemini CLI.
    pub const fn gemini(version: &'static str) -> Self {
        Self { family: Family::Gemini, version }
    }

    /// A release of Qwen Code.
    pub const fn qwen(version: &'static str) -> Self {
        Self { family: Family::Qwen, version }
    }

    /// Its installed package.
    pub fn package(self, rig: &Rig) -> PathBuf {
        match self.family {
            Family::Gemini => rig.gemini_core(self.version),
            Family::Qwen => rig.qwen_code(self.version),
        }
    }
}

impl std::fmt::Display for Release {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let family = match self.family {
            Family::Gemini => "gemini",
            Family::Qwen => "qwen",
        };
        write!(f, "{family} {}", self.version)
    }
}
