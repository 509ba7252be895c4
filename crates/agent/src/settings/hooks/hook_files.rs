//! The files in which an agent looks for hooks: the person's and the project's.

use std::path::{Path, PathBuf};

use alongside_contract::agent::HookAgent;
use alongside_contract::hook::HookFile;
use alongside_contract::settings::Release;
use alongside_platform::files::is_absent;
use alongside_platform::paths::real;

use crate::find::Surroundings;
use crate::settings::{paths, read};

/// The scope of the settings that hold a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookScope {
    /// The person's own settings, for every project.
    User,
    /// The settings of the current project.
    Project,
}

/// The files of one agent that may hold hooks.
struct Files {
    user: PathBuf,
    /// The project's file. `None` in the home directory, whose file is the person's own.
    project: Option<PathBuf>,
    /// The file in the project that is one person's own.
    local: Option<PathBuf>,
}

fn files(agent: HookAgent, release: Option<Release>, here: &Surroundings) -> Files {
    let file = match &agent.hook.file {
        HookFile::Settings(table) => {
            let paths = paths::of(table, release, here);
            let is_home = paths.project.is_none();
            return Files {
                user: paths.user,
                local: paths.local.filter(|_| !is_home),
                project: paths.project,
            };
        }
        HookFile::Own(file) => file,
    };
    let own = file.directory_variable.and_then(|name| here.variables.get(name));
    let own = own.filter(|value| !value.is_empty()).map(|value| here.cwd.join(value));
    let is_home = real(&here.home) == real(&here.cwd);
    Files {
        user: own.unwrap_or_else(|| here.home.join(file.directory)).join(file.name),
        project: (!is_home).then(|| here.cwd.join(file.directory).join(file.name)),
        local: None,
    }
}

/// Returns the file that a new hook is written to. In a project, this is one person's own file if the agent
/// has such a file. Returns `None` for a project that is the home directory.
pub fn file(
    agent: HookAgent,
    scope: HookScope,
    release: Option<Release>,
    here: &Surroundings,
) -> Option<PathBuf> {
    let files = files(agent, release, here);
    match scope {
        HookScope::User => Some(files.user),
        HookScope::Project => files.local.or(files.project),
    }
}

/// Whether others who work on the project get the file that [`file`] returns for the project.
pub fn is_shared(agent: HookAgent) -> bool {
    match &agent.hook.file {
        HookFile::Settings(table) => table.local_file.is_none(),
        HookFile::Own(_) => true,
    }
}

/// Returns every file from which the agent reads hooks here, whether it exists or not, the person's first.
pub fn all_files(
    agent: HookAgent,
    release: Option<Release>,
    here: &Surroundings,
) -> Vec<(HookScope, PathBuf)> {
    let Files { user, project, local } = files(agent, release, here);
    let of_project = [project, local].into_iter().flatten().map(|path| (HookScope::Project, path));
    std::iter::once((HookScope::User, user)).chain(of_project).collect()
}

/// Reads the text of a file. Returns `None` if there is no file.
///
/// # Errors
/// If the file cannot be read, or is not a regular file.
pub fn text(path: &Path) -> std::io::Result<Option<String>> {
    match read::read_text(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if is_absent(&error) => Ok(None),
        Err(error) => Err(error),
    }
}
