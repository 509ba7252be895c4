//! The files in which an agent looks for hooks: the person's, and those of a project.

use std::path::{Path, PathBuf};

use alongside_contract::agent::HookAgent;
use alongside_contract::hook::HookFile;
use alongside_contract::settings::Release;
use alongside_platform::files::is_absent;
use alongside_platform::paths::real;

use crate::find::Surroundings;
use crate::settings::{paths, read};

/// Whose settings hold a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookScope {
    /// The person's own, for every project.
    User,
    /// Those of the current project.
    Project,
}

/// The files of one agent that may hold hooks.
struct Files {
    user: PathBuf,
    /// None in the home directory, whose file is the person's own.
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

/// The file that a new hook is written to. In a project, it is one person's own if the agent has such a file.
/// `None` for a project that is the home directory.
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

/// Whether others who work on the project get the file that [`file`] names there.
pub fn is_shared(agent: HookAgent) -> bool {
    match &agent.hook.file {
        HookFile::Settings(table) => table.local_file.is_none(),
        HookFile::Own(_) => true,
    }
}

/// Every file from which the agent reads hooks here, whether it exists or not; the person's first.
pub fn all_files(
    agent: HookAgent,
    release: Option<Release>,
    here: &Surroundings,
) -> Vec<(HookScope, PathBuf)> {
    let Files { user, project, local } = files(agent, release, here);
    let of_project = [project, local].into_iter().flatten().map(|path| (HookScope::Project, path));
    std::iter::once((HookScope::User, user)).chain(of_project).collect()
}

/// The text of a file; `None` if there is none.
///
/// # Errors
/// When it cannot be read, or is no regular file.
pub fn text(path: &Path) -> std::io::Result<Option<String>> {
    match read::text(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if is_absent(&error) => Ok(None),
        Err(error) => Err(error),
    }
}
