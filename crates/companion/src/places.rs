//! Where things lie on this machine: the directories that agents search, and our own. The one place that reads the
//! environment, so that a test or a host can put everything elsewhere.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use alongside_contract::family::{Directory, FAMILIES};
use alongside_platform::{Os, directories};

/// Directories outside the workspace that a companion uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// Temporary directories as agents compute them (Node's `os.tmpdir()`); records are written to each.
    pub tmp: Vec<PathBuf>,
    /// The home directory.
    pub home: PathBuf,
    /// The user's settings of other programs: git's say which files it ignores.
    pub config: PathBuf,
    /// Values of the variables that move a family's directory, such as `QWEN_HOME`.
    pub bases: HashMap<String, PathBuf>,
    /// Our own private state: drafts and the journal.
    pub state: PathBuf,
}

impl Places {
    /// The directories that an agent started beside this process would search.
    pub fn of_this_process() -> Self {
        let variable =
            |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let home = directories::home().unwrap_or_else(|| PathBuf::from("/"));
        let state = variable("XDG_STATE_HOME").unwrap_or_else(|| home.join(".local/state")).join("alongside");
        let config = variable("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config"));
        let bases = FAMILIES
            .iter()
            .flat_map(|family| family.files)
            .filter_map(|file| match file.directory {
                Directory::Home { base_variable: Some(name), .. } => Some((name.to_owned(), variable(name)?)),
                _ => None,
            })
            .collect();
        let tmp = directories::temporary(Os::HERE, |name| std::env::var_os(name));
        Self { tmp: vec![tmp], home, config, bases, state }
    }

    /// Everything below one directory, for tests.
    pub fn below(directory: &Path) -> Self {
        Self {
            tmp: vec![directory.join("tmp")],
            home: directory.join("home"),
            config: directory.join("home/.config"),
            bases: HashMap::new(),
            state: directory.join("state"),
        }
    }

    /// The directories on this machine that a row of the table means.
    pub(crate) fn resolve(&self, directory: Directory) -> Vec<PathBuf> {
        match directory {
            Directory::Tmp(below) => self.tmp.iter().map(|tmp| join(tmp, below)).collect(),
            Directory::Home { below_home, base_variable, below_base } => {
                let base = base_variable.and_then(|name| self.bases.get(name));
                vec![base.map_or_else(|| join(&self.home, below_home), |base| join(base, below_base))]
            }
        }
    }
}

fn join(base: &Path, below: &str) -> PathBuf {
    if below.is_empty() { base.to_owned() } else { base.join(below) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn qwen_home_replaces_dot_qwen() {
        let mut places = Places::below(Path::new("/x"));
        let lock = FAMILIES[1].files[0].directory;
        assert_eq!(places.resolve(lock), [PathBuf::from("/x/home/.qwen/ide")]);
        places.bases.insert("QWEN_HOME".into(), "/q".into());
        assert_eq!(places.resolve(lock), [PathBuf::from("/q/ide")]);
    }
}
