//! The settings files of an agent, and the names of the settings that decide whether the agent works with a
//! companion.

/// A release: major, minor, patch.
pub type Release = (u64, u64, u64);

/// Returns a release as people write it, such as `0.3.1`.
pub fn release_number((major, minor, patch): Release) -> String {
    format!("{major}.{minor}.{patch}")
}

/// The settings files of an agent.
#[derive(Debug, PartialEq, Eq)]
pub struct SettingsFiles {
    /// The directory of the files, below home and below each project.
    pub directory: &'static str,
    /// A variable that replaces the home directory, and the first release that reads it.
    pub home_variable: Option<(&'static str, Release)>,
    /// A variable that replaces [`Self::directory`] below home, and the first release that reads it.
    pub base_variable: Option<(&'static str, Release)>,
    /// The file in the home directory, or in the directory in [`Self::base_variable`], with
    /// [`Self::ide_enabled`] in place of the settings files.
    pub ide_file: Option<&'static str>,
    /// The file next to a project's settings that overrides them, and that is one person's own.
    pub local_file: Option<&'static str>,
    /// The administrator's files.
    pub system: SystemFiles,
    /// A variable with the path of another list of trusted folders.
    pub trusted_folders_variable: Option<&'static str>,
    /// A variable that overrides the list of trusted folders.
    pub trust_variable: Option<&'static str>,
    /// The first release that reads files with a byte-order mark. `None` if no release does.
    pub reads_mark_since: Option<Release>,
    /// The agent's term for IDE mode.
    pub ide_mode: &'static str,
    /// The names of the setting that switches IDE mode on. It is off by default.
    pub ide_enabled: &'static [Name],
    /// The argument that sets the approval mode.
    pub approval_argument: &'static str,
    /// The names of the setting for the approval mode.
    pub approval_mode: &'static [Name],
    /// A mode that only the argument can set.
    pub never_from_files: Option<&'static str>,
    /// The default modes, each with its first release. The newest is first.
    pub default_approval_modes: &'static [(Release, &'static str)],
    /// The names of the setting by which folders must be trusted.
    pub folder_trust: &'static [Name],
    /// The first release in which folders must be trusted by default.
    pub folder_trust_by_default: Option<Release>,
}

impl SettingsFiles {
    /// The name of the person's file and of a project's.
    pub const NAME: &str = "settings.json";

    /// Returns the default mode of a release. `None` is the newest release.
    pub fn default_approval_mode(&self, release: Option<Release>) -> &'static str {
        let modes = self.default_approval_modes;
        let fits = |since: Release| release.is_none_or(|release| release >= since);
        modes.iter().find(|(since, _)| fits(*since)).map_or("default", |(_, mode)| mode)
    }
}

/// The administrator's settings. They override the person's settings, but their defaults do not.
#[derive(Debug, PartialEq, Eq)]
pub struct SystemFiles {
    /// A variable with the path of the settings file.
    pub variable: Option<&'static str>,
    /// A variable with the path of the file of defaults.
    pub defaults_variable: Option<&'static str>,
    /// The name of the settings file.
    pub file: &'static str,
    /// The directory on Linux.
    pub linux: &'static str,
    /// The directory on macOS.
    pub macos: &'static str,
    /// The directory on Windows.
    pub windows: &'static str,
}

/// A name of a setting, and the releases that use it. If a file contains two of a setting's names, the first
/// in its list applies.
#[derive(Debug, PartialEq, Eq)]
pub struct Name {
    /// The keys that lead to the setting.
    pub keys: &'static [&'static str],
    /// The first release that reads it.
    pub from: Release,
    /// The first release that does not read it any more.
    pub until: Option<Release>,
    /// The `$version` below which, or without which, a file may contain the name.
    pub below_version: Option<u64>,
}

impl Name {
    pub(crate) const fn new(keys: &'static [&'static str], from: Release) -> Self {
        Self { keys, from, until: None, below_version: None }
    }

    pub(crate) const fn until(keys: &'static [&'static str], from: Release, until: Release) -> Self {
        Self { keys, from, until: Some(until), below_version: None }
    }

    pub(crate) const fn in_old_files(keys: &'static [&'static str]) -> Self {
        Self { keys, from: (0, 0, 0), until: None, below_version: Some(2) }
    }

    /// Whether a release reads it. `None` is the newest release.
    pub fn is_read_by(&self, release: Option<Release>) -> bool {
        match release {
            None => self.until.is_none(),
            Some(release) => self.from <= release && self.until.is_none_or(|until| release < until),
        }
    }
}
