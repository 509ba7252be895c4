//! The settings files of each family, and the names of the settings that decide whether it works with a
//! companion. A fork with other files or names is a row here.

/// A release: major, minor, patch.
pub type Release = (u64, u64, u64);

/// The settings files of a family.
#[derive(Debug, PartialEq, Eq)]
pub struct SettingsFiles {
    /// Their directory, below home and below each project.
    pub directory: &'static str,
    /// A variable that replaces the home directory, and the first release that reads it.
    pub home_variable: Option<(&'static str, Release)>,
    /// A variable that replaces [`Self::directory`] below home, and the first release that reads it.
    pub base_variable: Option<(&'static str, Release)>,
    /// The file in the home directory, or in the one that [`Self::base_variable`] names, which holds
    /// [`Self::ide_enabled`] in place of the files of settings.
    pub ide_file: Option<&'static str>,
    /// The file beside a project's settings that outranks them, and that is one person's own.
    pub local_file: Option<&'static str>,
    /// The administrator's files.
    pub system: SystemFiles,
    /// A variable that names another list of trusted folders.
    pub trusted_folders_variable: Option<&'static str>,
    /// A variable that overrides the list of trusted folders.
    pub trust_variable: Option<&'static str>,
    /// The first release that reads files that begin with a byte-order mark; `None` if none does.
    pub reads_mark_since: Option<Release>,
    /// The agent's words for IDE mode.
    pub ide_mode: &'static str,
    /// Whether IDE mode is on; off by default.
    pub ide_enabled: &'static [Name],
    /// The argument that sets the approval mode.
    pub approval_argument: &'static str,
    /// How much the agent does without asking.
    pub approval_mode: &'static [Name],
    /// A mode that only an argument can set; files cannot.
    pub never_from_files: Option<&'static str>,
    /// The default mode and its first release; the newest first.
    pub default_approval_modes: &'static [(Release, &'static str)],
    /// Whether folders must be trusted.
    pub folder_trust: &'static [Name],
    /// The first release where folders must be trusted by default.
    pub folder_trust_by_default: Option<Release>,
}

impl SettingsFiles {
    /// The default mode of a release; `None` is the newest release.
    pub fn default_approval_mode(&self, release: Option<Release>) -> &'static str {
        let modes = self.default_approval_modes;
        let fits = |since: Release| release.is_none_or(|release| release >= since);
        modes.iter().find(|(since, _)| fits(*since)).map_or("default", |(_, mode)| mode)
    }
}

/// The administrator's settings. They outrank the person's settings; their defaults do not.
#[derive(Debug, PartialEq, Eq)]
pub struct SystemFiles {
    /// A variable that names the file of settings.
    pub variable: Option<&'static str>,
    /// A variable that names the file of defaults.
    pub defaults_variable: Option<&'static str>,
    /// The name of the file of settings.
    pub file: &'static str,
    /// The directory on Linux.
    pub linux: &'static str,
    /// The directory on macOS.
    pub macos: &'static str,
    /// The directory on Windows.
    pub windows: &'static str,
}

/// A name of a setting, and the releases that use it. Of two names in a file, the first one here counts.
#[derive(Debug, PartialEq, Eq)]
pub struct Name {
    /// The keys on the way to it.
    pub keys: &'static [&'static str],
    /// The first release that reads it.
    pub from: Release,
    /// The first release that does not read it any more.
    pub until: Option<Release>,
    /// Read only in files whose `$version` is absent or below this.
    pub below_version: Option<u64>,
}

impl Name {
    const fn new(keys: &'static [&'static str], from: Release) -> Self {
        Self { keys, from, until: None, below_version: None }
    }

    const fn until(keys: &'static [&'static str], from: Release, until: Release) -> Self {
        Self { keys, from, until: Some(until), below_version: None }
    }

    const fn in_old_files(keys: &'static [&'static str]) -> Self {
        Self { keys, from: (0, 0, 0), until: None, below_version: Some(2) }
    }

    /// Whether a release reads it; `None` is the newest release.
    pub fn is_read_by(&self, release: Option<Release>) -> bool {
        match release {
            None => self.until.is_none(),
            Some(release) => self.from <= release && self.until.is_none_or(|until| release < until),
        }
    }
}

/// Read in the sources of 0.1.22, 0.2.2, 0.3.4, 0.4.1, 0.8.2, 0.20.0 to 0.29.0 one by one, 0.35.0, 0.53.0 and
/// 0.61.0.
pub(crate) static GEMINI: SettingsFiles = SettingsFiles {
    directory: ".gemini",
    home_variable: Some(("GEMINI_CLI_HOME", (0, 28, 0))),
    base_variable: None,
    ide_file: None,
    local_file: None,
    system: SystemFiles {
        variable: Some("GEMINI_CLI_SYSTEM_SETTINGS_PATH"),
        defaults_variable: Some("GEMINI_CLI_SYSTEM_DEFAULTS_PATH"),
        file: "settings.json",
        linux: "/etc/gemini-cli",
        macos: "/Library/Application Support/GeminiCli",
        windows: "C:\\ProgramData\\gemini-cli",
    },
    trusted_folders_variable: Some("GEMINI_CLI_TRUSTED_FOLDERS_PATH"),
    trust_variable: Some("GEMINI_CLI_TRUST_WORKSPACE"),
    reads_mark_since: None,
    ide_mode: "IDE mode",
    ide_enabled: &[
        Name::until(&["ideMode"], (0, 0, 0), (0, 23, 0)),
        Name::new(&["ide", "enabled"], (0, 3, 0)),
    ],
    approval_argument: "--approval-mode",
    approval_mode: &[
        Name::new(&["general", "defaultApprovalMode"], (0, 29, 0)),
        // Since 0.29 the agent renames it to the name above at its start.
        Name::new(&["tools", "approvalMode"], (0, 27, 0)),
    ],
    never_from_files: Some("yolo"),
    default_approval_modes: &[((0, 0, 0), "default")],
    folder_trust: &[
        Name::until(&["folderTrust"], (0, 0, 0), (0, 23, 0)),
        Name::new(&["security", "folderTrust", "enabled"], (0, 3, 0)),
    ],
    folder_trust_by_default: Some((0, 28, 0)),
};

/// Read in the sources of 0.5.2, 0.12.0, 0.15.10, 0.21.2 and 0.24.4. All of them move the flat names of old
/// files when they start.
pub(crate) static QWEN: SettingsFiles = SettingsFiles {
    directory: ".qwen",
    home_variable: None,
    base_variable: Some(("QWEN_HOME", (0, 15, 0))),
    ide_file: None,
    local_file: None,
    system: SystemFiles {
        variable: Some("QWEN_CODE_SYSTEM_SETTINGS_PATH"),
        defaults_variable: Some("QWEN_CODE_SYSTEM_DEFAULTS_PATH"),
        file: "settings.json",
        linux: "/etc/qwen-code",
        macos: "/Library/Application Support/QwenCode",
        windows: "C:\\ProgramData\\qwen-code",
    },
    trusted_folders_variable: Some("QWEN_CODE_TRUSTED_FOLDERS_PATH"),
    trust_variable: None,
    // 0.12.0 does not.
    reads_mark_since: Some((0, 24, 4)),
    ide_mode: "IDE mode",
    ide_enabled: &[Name::in_old_files(&["ideMode"]), Name::new(&["ide", "enabled"], (0, 0, 0))],
    approval_argument: "--approval-mode",
    approval_mode: &[Name::in_old_files(&["approvalMode"]), Name::new(&["tools", "approvalMode"], (0, 0, 0))],
    never_from_files: None,
    default_approval_modes: &[((0, 16, 0), "auto"), ((0, 0, 0), "default")],
    folder_trust: &[
        Name::in_old_files(&["folderTrust"]),
        Name::new(&["security", "folderTrust", "enabled"], (0, 0, 0)),
    ],
    folder_trust_by_default: None,
};

/// Measured with 2.0.31 to 2.1.332. The agent asks by itself whether to trust a folder. Up to 2.1.281 it asks
/// before it edits, since 2.1.283 it decides by itself whether to.
pub(crate) static CLAUDE: SettingsFiles = SettingsFiles {
    directory: ".claude",
    home_variable: None,
    base_variable: Some(("CLAUDE_CONFIG_DIR", (0, 0, 0))),
    ide_file: Some(".claude.json"),
    local_file: Some("settings.local.json"),
    system: SystemFiles {
        variable: None,
        defaults_variable: None,
        file: "managed-settings.json",
        linux: "/etc/claude-code",
        macos: "/Library/Application Support/ClaudeCode",
        windows: "C:\\ProgramData\\ClaudeCode",
    },
    trusted_folders_variable: None,
    trust_variable: None,
    reads_mark_since: Some((0, 0, 0)),
    ide_mode: "auto-connect to IDE",
    ide_enabled: &[Name::new(&["autoConnectIde"], (0, 0, 0))],
    approval_argument: "--permission-mode",
    approval_mode: &[Name::new(&["permissions", "defaultMode"], (0, 0, 0))],
    never_from_files: None,
    default_approval_modes: &[((2, 1, 282), "auto"), ((0, 0, 0), "default")],
    folder_trust: &[],
    folder_trust_by_default: None,
};
