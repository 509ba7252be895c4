//! The paths of the settings files, for an agent and a release, as seen from a terminal.

use std::path::{Path, PathBuf};

use alongside_contract::settings::{Release, SettingsFiles};
use alongside_platform::Os;
use alongside_platform::paths::real;

use crate::find::Surroundings;

/// The files that an agent reads.
pub(super) struct Paths {
    pub(super) system: PathBuf,
    pub(super) system_defaults: PathBuf,
    pub(super) user: PathBuf,
    /// The file that alone decides whether IDE mode is on, for agents that have such a file.
    pub(super) ide: Option<PathBuf>,
    /// The person's own file in the project.
    pub(super) local: Option<PathBuf>,
    /// The project's file. `None` in the home directory, whose file is the person's own.
    pub(super) project: Option<PathBuf>,
    pub(super) trusted_folders: PathBuf,
}

pub(super) fn of(table: &SettingsFiles, release: Option<Release>, here: &Surroundings) -> Paths {
    let variable = |name: &str| here.variables.get(name).filter(|value| !value.is_empty());
    let since = |(name, since): (&str, Release)| {
        variable(name).filter(|_| release.is_none_or(|release| release >= since))
    };
    let home = table.home_variable.and_then(since).map_or_else(|| here.home.clone(), PathBuf::from);
    let base = table.base_variable.and_then(since);
    let base = base.map(|base| base_directory(base, here));
    let ide = table.ide_file.map(|file| base.as_ref().unwrap_or(&home).join(file));
    let base = base.unwrap_or_else(|| home.join(table.directory));
    let variable = |name: Option<&str>| name.and_then(variable);
    let system = variable(table.system.variable)
        .map_or_else(|| system_directory(table).join(table.system.file), PathBuf::from);
    let beside = system.parent().unwrap_or(Path::new("/")).join("system-defaults.json");
    let is_home = real(&home) == real(&here.cwd);
    Paths {
        system_defaults: variable(table.system.defaults_variable).map_or(beside, PathBuf::from),
        system,
        user: base.join(SettingsFiles::NAME),
        ide,
        local: table.local_file.map(|file| here.cwd.join(table.directory).join(file)),
        project: (!is_home).then(|| here.cwd.join(table.directory).join(SettingsFiles::NAME)),
        trusted_folders: variable(table.trusted_folders_variable)
            .map_or_else(|| base.join("trustedFolders.json"), PathBuf::from),
    }
}

/// Resolves a path: a leading `~` is the home directory, and a relative path starts at the agent's directory.
fn base_directory(base: &str, here: &Surroundings) -> PathBuf {
    match base.strip_prefix('~') {
        Some("") => here.home.clone(),
        Some(below) if below.starts_with('/') => here.home.join(below.trim_start_matches('/')),
        _ => here.cwd.join(base),
    }
}

fn system_directory(table: &SettingsFiles) -> &'static Path {
    Path::new(match Os::HERE {
        Os::Linux => table.system.linux,
        Os::MacOs => table.system.macos,
        Os::Windows => table.system.windows,
    })
}
