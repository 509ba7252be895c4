//! The private directories of this user for the sockets, entries and locks of hosts, and for their log if the
//! state directory cannot be written.
//!
//! No variable decides where they are: an agent starts its hook with its own variables, just as `su`, `cron`
//! and `ssh` start a desk with other variables, and a hook that finds no host lets the change through. Only
//! [`VARIABLE`] names another directory, and even this variable hides no directory from a hook.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use alongside_companion::private::{self, PathTrust};
use alongside_platform::{Os, directories, files, sockets};
use anyhow::Context as _;

use crate::failure::Hint as _;

/// The variable with the only directory to use. Tests isolate themselves with it. A hook only adds it to the
/// other directories.
pub const VARIABLE: &str = "ALONGSIDE_RUNTIME_DIR";

/// A directory: its base, and the private path below the base.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuntimeDir {
    base: PathBuf,
    below: PathBuf,
    trust: PathTrust,
    path: PathBuf,
}

impl RuntimeDir {
    fn new(base: impl Into<PathBuf>, below: impl Into<PathBuf>, trust: PathTrust) -> Self {
        let (base, below) = (base.into(), below.into());
        Self { path: base.join(&below), base, below, trust }
    }

    /// Creates the directory again, because a cleaner may remove it at any time.
    ///
    /// # Errors
    /// When the directory cannot be made private.
    pub fn make(&self) -> anyhow::Result<()> {
        self.try_make().with_context(|| format!("cannot make the private directory {}", self.path.display()))
    }

    fn try_make(&self) -> std::io::Result<()> {
        let refuse = |why: String| Err(std::io::Error::other(why));
        if !self.path.is_absolute() {
            return refuse(format!("{} is not an absolute path", self.path.display()));
        }
        // A directory that root creates there would be inaccessible to the user.
        if self.base.metadata().is_ok_and(|found| files::is_roots_visit(&found)) {
            return refuse(format!("{} belongs to another user", self.base.display()));
        }
        private::directory(&self.base, &self.below, self.trust)
    }

    fn exists(&self) -> bool {
        self.path.is_dir() && self.make().is_ok()
    }

    /// Returns its path.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// The directories in which hosts are searched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuntimeDirs {
    /// The directories in which hosts publish themselves, in order of preference.
    own: Vec<RuntimeDir>,
    /// The directories that variables name, in which older releases published their hosts.
    added: Vec<RuntimeDir>,
}

impl RuntimeDirs {
    /// Returns the directories of hosts, desks and commands in this process. Blocks: the system may have to
    /// ask a directory service for the user's home directory.
    pub fn of_this_process() -> Self {
        Self::of(&|name| std::env::var_os(name))
    }

    fn of(variable: &dyn Fn(&str) -> Option<OsString>) -> Self {
        match path_in(variable, VARIABLE) {
            Some(path) => Self::only(&path),
            None => Self { own: default_dirs(), added: of_older_releases(variable) },
        }
    }

    /// Returns only this directory.
    pub fn only(path: &Path) -> Self {
        Self { own: vec![named(path)], added: Vec::new() }
    }

    /// Returns the directories of a hook with these variables, in its order: first the ones that depend on no
    /// variable. Blocks, see [`of_this_process`](Self::of_this_process).
    pub fn of_hook(variable: impl Fn(&str) -> Option<OsString>) -> [Self; 2] {
        let added = path_in(&variable, VARIABLE).map(|path| named(&path)).into_iter();
        let added = added.chain(of_older_releases(&variable)).collect();
        [Self { own: default_dirs(), added: Vec::new() }, Self { own: Vec::new(), added }]
    }

    /// Returns the directories in which the doctor searches like a hook with these variables. [`VARIABLE`] of
    /// this process replaces them, as for every command of a person.
    pub fn of_doctor(variable: impl Fn(&str) -> Option<OsString>) -> Vec<Self> {
        match path_in(|name| std::env::var_os(name), VARIABLE) {
            Some(path) => vec![Self::only(&path)],
            None => Self::of_hook(variable).into(),
        }
    }

    /// Creates and returns the first usable directory of those in which hosts publish themselves.
    ///
    /// # Errors
    /// When no directory can be made private.
    pub fn open(&self) -> anyhow::Result<&RuntimeDir> {
        let mut refused = None;
        for directory in &self.own {
            match directory.make() {
                Ok(()) => return Ok(directory),
                Err(error) => refused = Some(error),
            }
        }
        let refused = refused.unwrap_or_else(|| anyhow::anyhow!("there is no directory for sockets"));
        Err(refused).hint(format!("set {VARIABLE} to a private directory of yours, whose path is short"))
    }

    /// Returns the directories in which hosts publish themselves, which need not exist.
    pub fn own(&self) -> &[RuntimeDir] {
        &self.own
    }

    /// Returns all directories that exist and are private.
    pub fn existing(&self) -> impl Iterator<Item = &RuntimeDir> {
        self.own.iter().chain(&self.added).filter(|directory| directory.exists())
    }

    /// Returns the paths of all directories, for people.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.own.iter().chain(&self.added).map(RuntimeDir::path)
    }
}

/// Returns the path in a variable, unless it is empty.
fn path_in(variable: impl Fn(&str) -> Option<OsString>, name: &str) -> Option<PathBuf> {
    variable(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// Returns the directory at this path. Other users may be able to write to its parent.
fn named(path: &Path) -> RuntimeDir {
    let base = path.parent().unwrap_or(Path::new("/"));
    RuntimeDir::new(base, path.file_name().unwrap_or_default(), PathTrust::Shared)
}

/// Returns the directories that depend on no variable, each in a place of this user: a socket of another user
/// never counts. On Windows, only variables name the temporary directory.
fn default_dirs() -> Vec<RuntimeDir> {
    let is_ours =
        |path: &PathBuf| path.metadata().is_ok_and(|found| found.is_dir() && files::is_ours(&found));
    let runtime = directories::runtime().filter(is_ours);
    let home = directories::home_in_database().filter(is_ours);
    let runtime = runtime.map(|base| RuntimeDir::new(base, "alongside", PathTrust::Shared));
    let home = home.map(|base| RuntimeDir::new(base, ".local/state/alongside/run", PathTrust::Own));
    let temporary = match Os::HERE {
        Os::Linux | Os::MacOs => PathBuf::from("/tmp"),
        Os::Windows => std::env::temp_dir(),
    };
    let mut all: Vec<_> = runtime.into_iter().chain(home).chain([in_temporary(temporary)]).collect();
    all.retain(has_room_for_a_socket);
    all
}

fn in_temporary(base: PathBuf) -> RuntimeDir {
    RuntimeDir::new(base, format!("alongside-{}", sockets::user_id()), PathTrust::Shared)
}

/// Whether the path of a socket in this directory is short enough.
fn has_room_for_a_socket(directory: &RuntimeDir) -> bool {
    const NAME: &str = "0123456789abcdef";
    sockets::address(Os::HERE, &directory.path, NAME, "").is_ok()
}

/// Returns the directories of older releases, which depend on variables.
fn of_older_releases(variable: impl Fn(&str) -> Option<OsString>) -> Vec<RuntimeDir> {
    let runtime = path_in(&variable, "XDG_RUNTIME_DIR");
    let runtime = runtime.map(|base| RuntimeDir::new(base, "alongside", PathTrust::Shared));
    let temporary = path_in(&variable, "TMPDIR").unwrap_or_else(std::env::temp_dir);
    runtime.into_iter().chain([in_temporary(temporary)]).collect()
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    fn paths(directories: &RuntimeDirs) -> Vec<&Path> {
        directories.paths().collect()
    }

    #[test]
    fn no_variable_hides_a_directory_from_a_hook() {
        let nothing = RuntimeDirs::of_hook(|_| None);
        let [first, added] = RuntimeDirs::of_hook(|name| match name {
            "XDG_CURRENT_DESKTOP" => None,
            _ => Some("/elsewhere".into()),
        });
        assert_eq!(first, nothing[0]);
        assert!(!first.own.is_empty() && first.added.is_empty() && added.own.is_empty());
        let uid = sockets::user_id();
        let temporary = format!("/elsewhere/alongside-{uid}");
        let all = ["/elsewhere", "/elsewhere/alongside", &temporary].map(Path::new);
        assert_eq!(paths(&added), all);
    }

    #[test]
    fn the_variable_replaces_the_directories_of_all_but_hooks() {
        let replaced = RuntimeDirs::of(&|name| (name == VARIABLE).then(|| "/mine/run".into()));
        assert_eq!(paths(&replaced), [Path::new("/mine/run")]);
        let empty = RuntimeDirs::of(&|name| (name == VARIABLE).then(OsString::new));
        assert_eq!(empty, RuntimeDirs::of(&|_| None));
        assert_eq!(empty.own, default_dirs());
    }

    #[test]
    fn a_directory_with_a_too_long_path_is_not_used() {
        let with = |length: usize| RuntimeDir::new("/", "x".repeat(length), PathTrust::Own);
        let longest = if Os::HERE == Os::MacOs { 103 } else { 107 } - "//0123456789abcdef.sock".len();
        assert!(has_room_for_a_socket(&with(longest)) && !has_room_for_a_socket(&with(longest + 1)));
    }

    #[test]
    fn the_first_directory_that_can_be_created_is_opened() {
        let base = tempfile::tempdir().unwrap();
        let at = |below: &str| RuntimeDir::new(base.path(), below, PathTrust::Shared);
        let nowhere = RuntimeDir::new(base.path().join("nowhere"), "run", PathTrust::Shared);
        let directories = RuntimeDirs { own: vec![nowhere.clone(), at("run")], added: vec![at("older")] };
        assert_eq!(directories.existing().count(), 0);
        assert_eq!(directories.open().unwrap(), &at("run"));
        assert_eq!(directories.existing().collect::<Vec<_>>(), [&at("run")]);
        let none = RuntimeDirs { own: vec![nowhere], added: vec![at("run")] };
        assert!(format!("{:#}", none.open().unwrap_err()).contains("nowhere/run"));
        let relative = RuntimeDirs::only(Path::new("run"));
        assert!(format!("{:#}", relative.open().unwrap_err()).contains("not an absolute path"));
    }
}
