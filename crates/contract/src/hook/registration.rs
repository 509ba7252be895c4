//! Where and how an agent's settings name its hooks.

use crate::settings::SettingsFiles;

/// The file that names an agent's hooks.
#[derive(Debug, PartialEq, Eq)]
pub enum HookFile {
    /// Its settings.
    Settings(&'static SettingsFiles),
    /// A file for hooks.
    Own(OwnFile),
}

/// A file that only names hooks.
#[derive(Debug, PartialEq, Eq)]
pub struct OwnFile {
    /// Its directory, below home and below each project.
    pub directory: &'static str,
    /// A variable that replaces that directory below home.
    pub directory_variable: Option<&'static str>,
    /// Its name.
    pub name: &'static str,
    /// How the agent reads it.
    pub json: Json,
}

impl HookFile {
    /// The directory of the agent's own files below home, and a variable that replaces it.
    pub fn directory(&self) -> (&'static str, Option<&'static str>) {
        match self {
            Self::Settings(table) => (table.directory, table.base_variable.map(|(name, _)| name)),
            Self::Own(file) => (file.directory, file.directory_variable),
        }
    }

    /// The name of the person's file in that directory.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Settings(_) => SettingsFiles::NAME,
            Self::Own(file) => file.name,
        }
    }
}

/// How an agent reads JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Json {
    /// With `JSON.parse`: of two values with one key the last counts.
    JavaScript,
    /// It refuses an object that has a key twice.
    Strict,
}

/// The shape of the hooks in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryShape {
    /// `{"hooks": {EVENT: [{"matcher": PATTERN, "hooks": [{"type": "command", "command", "timeout"}]}]}}`.
    Groups {
        /// Whether a hook has a `name`, by which the person can switch it off in the agent.
        is_named: bool,
    },
}

/// The settings by which a person switches hooks off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OffSwitch {
    /// None is known.
    None,
    /// `disableAllHooks`.
    DisableAllHooks,
    /// `hooksConfig.enabled`, and `hooksConfig.disabled`, a list of names.
    HooksConfig,
}

/// Whether a person must trust a hook before an agent runs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// No.
    NotNeeded,
    /// The agent skips the hook in silence until then. The command `app-server` lists those that it trusts.
    AppServer,
}
