//! The place and the form of the hooks in an agent's settings.

use crate::settings::SettingsFiles;

/// The file with an agent's hooks.
#[derive(Debug, PartialEq, Eq)]
pub enum HookFile {
    /// The agent's settings.
    Settings(&'static SettingsFiles),
    /// A file with only hooks.
    Own(OwnFile),
}

/// A file with only hooks.
#[derive(Debug, PartialEq, Eq)]
pub struct OwnFile {
    /// Its directory, below home and below each project.
    pub directory: &'static str,
    /// A variable that replaces the directory below home.
    pub directory_variable: Option<&'static str>,
    /// Its name.
    pub name: &'static str,
    /// The way in which the agent reads it.
    pub json: Json,
}

impl HookFile {
    /// Returns the directory of the agent's own files below home, and a variable that replaces it.
    pub fn directory(&self) -> (&'static str, Option<&'static str>) {
        match self {
            Self::Settings(table) => (table.directory, table.base_variable.map(|(name, _)| name)),
            Self::Own(file) => (file.directory, file.directory_variable),
        }
    }

    /// Returns the name of the person's file in that directory.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Settings(_) => SettingsFiles::NAME,
            Self::Own(file) => file.name,
        }
    }
}

/// The way in which an agent reads JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Json {
    /// With `JSON.parse`, which takes the last of two values with the same key.
    JavaScript,
    /// It refuses an object that contains a key twice.
    Strict,
}

/// The shape of the hooks in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryShape {
    /// `{"hooks": {EVENT: [{"matcher": PATTERN, "hooks": [{"type": "command", "command", "timeout"}]}]}}`.
    Groups {
        /// Whether a hook has a `name`. The person can switch it off in the agent by its name.
        is_named: bool,
    },
}

/// The settings by which a person switches hooks off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OffSwitch {
    /// No such setting is known.
    None,
    /// `disableAllHooks`.
    DisableAllHooks,
    /// `hooksConfig.enabled`, and `hooksConfig.disabled`, a list of names.
    HooksConfig,
}

/// Whether a person must trust a hook before an agent runs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// The agent runs every hook.
    NotNeeded,
    /// The agent silently skips the hook until the person trusts it. The command `app-server` lists the
    /// trusted hooks.
    AppServer,
}
