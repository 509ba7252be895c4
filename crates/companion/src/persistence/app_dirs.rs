//! The directories outside the workspace: those that agents search, and our own. Only this file reads the
//! environment, so that a test or a host can use other directories.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use alongside_contract::agents::with_family;
use alongside_contract::family::Directory;
use alongside_platform::directory as platform;
use alongside_platform::{Os, directories};

use super::private_files::{self, PathTrust};

/// Directories outside the workspace that a companion uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppDirs {
    /// Temporary directories as agents compute them (Node's `os.tmpdir()`); each gets discovery files.
    pub tmp: Vec<PathBuf>,
    /// The home directory.
    pub home: PathBuf,
    /// The directory of the user's settings of other programs, such as git's ignore file.
    pub config: PathBuf,
    /// The values of variables that move a family's directory, such as `QWEN_HOME`.
    pub bases: HashMap<String, PathBuf>,
    /// Our private state: drafts and the journal.
    pub state: PathBuf,
    /// The directories of commands, in the form of `PATH`: they show which agents the user has.
    pub commands: OsString,
}

impl AppDirs {
    /// Returns the directories that an agent would search if it was started beside this process.
    pub fn of_this_process() -> Self {
        let variable =
            |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let home = directories::home().unwrap_or_else(|| PathBuf::from("/"));
        let state = variable("XDG_STATE_HOME").unwrap_or_else(|| home.join(".local/state")).join("alongside");
        let config = variable("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config"));
        let names = with_family().flat_map(|agent| agent.family.directory_variables());
        let bases = names.filter_map(|name| Some((name.to_owned(), variable(name)?))).collect();
        let tmp = directories::temporary(Os::HERE, |name| std::env::var_os(name));
        let commands = std::env::var_os("PATH").unwrap_or_default();
        Self { tmp: vec![tmp], home, config, bases, state, commands }
    }

    /// Returns directories that are all below one, for tests.
    pub fn below(directory: &Path) -> Self {
        Self {
            tmp: vec![directory.join("tmp")],
            home: directory.join("home"),
            config: directory.join("home/.config"),
            bases: HashMap::new(),
            state: directory.join("state"),
            commands: directory.join("bin").into_os_string(),
        }
    }

    /// Returns the user's settings files of git, which count in every repository. The first file outranks the
    /// second.
    pub(crate) fn git_settings(&self) -> [PathBuf; 2] {
        [self.home.join(".gitconfig"), self.config.join("git/config")]
    }

    /// Whether the user has one of these commands. Blocks.
    pub(crate) fn has_command(&self, commands: &[&str]) -> bool {
        commands.iter().any(|command| which::which_in(command, Some(&self.commands), &self.home).is_ok())
    }

    /// Returns the directories on this machine for a directory of the table of families.
    pub(crate) fn resolve(&self, directory: Directory) -> Vec<SearchDirectory> {
        match directory {
            Directory::Tmp(below) => {
                let directory = |tmp: &PathBuf| SearchDirectory {
                    base: tmp.clone(),
                    below: below.into(),
                    trust: PathTrust::Shared,
                };
                self.tmp.iter().map(directory).collect()
            }
            Directory::Home { below_home, base_variable, below_base } => {
                let base = base_variable.and_then(|name| self.bases.get(name));
                let path = base.map_or_else(|| join(&self.home, below_home), |base| join(base, below_base));
                let base = path.parent().unwrap_or(&path).to_owned();
                let below = path.strip_prefix(&base).unwrap_or(&path).to_owned();
                vec![SearchDirectory { base, below, trust: PathTrust::Own }]
            }
        }
    }
}

/// A directory in which agents search, or in which we write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SearchDirectory {
    base: PathBuf,
    below: PathBuf,
    trust: PathTrust,
}

impl SearchDirectory {
    pub(crate) fn path(&self) -> PathBuf {
        self.base.components().chain(self.below.components()).collect()
    }

    /// Creates the directory, or returns the reason why it cannot be ours.
    pub(crate) fn create(&self) -> std::io::Result<platform::Directory> {
        private_files::create_private(&self.base, &self.below, self.trust)
    }

    /// Returns the agent's own directory, which it creates at its first start; `None` where all agents share
    /// one.
    pub(crate) fn agent_directory(&self) -> Option<&Path> {
        (self.trust == PathTrust::Own).then_some(&*self.base)
    }

    /// Returns this directory and its ancestors, as far as they are missing; `None` where other users may
    /// write.
    pub(crate) fn missing(&self) -> Option<Vec<PathBuf>> {
        let path = self.path();
        let missing = path.ancestors().take_while(|above| !above.exists()).map(Path::to_owned).collect();
        (self.trust == PathTrust::Own).then_some(missing)
    }

    /// Removes the directory and its ancestors if they are empty, so that other users can create their own.
    pub(crate) fn remove_empty(&self) {
        if self.trust == PathTrust::Shared {
            private_files::remove_empty(&self.base, &self.below);
        }
    }

    /// Opens the directory if it exists and is ours.
    pub(crate) fn open(&self) -> std::io::Result<platform::Directory> {
        private_files::open_private(&self.base, &self.below, self.trust)
    }
}

fn join(base: &Path, below: &str) -> PathBuf {
    if below.is_empty() { base.to_owned() } else { base.join(below) }
}

#[cfg(test)]
mod tests {
    use alongside_contract::agent::FamilyAgent;

    use super::*;

    #[test]
    fn qwen_home_replaces_dot_qwen() {
        let mut dirs = AppDirs::below(Path::new("/x"));
        let lock = FamilyAgent::named("qwen").unwrap().family.discovery_files()[0].directory;
        let paths = |dirs: &AppDirs| dirs.resolve(lock).iter().map(SearchDirectory::path).collect::<Vec<_>>();
        assert_eq!(paths(&dirs), [PathBuf::from("/x/home/.qwen/ide")]);
        dirs.bases.insert("QWEN_HOME".into(), "/q".into());
        assert_eq!(paths(&dirs), [PathBuf::from("/q/ide")]);
    }
}
