//! The private directories of this user for sockets, entries and locks of hosts, and for their log where the
//! state directory cannot be written.
//!
//! No variable decides where they are: an agent starts its hook with variables of its own, as `su`, `cron`
//! and `ssh` start a desk, and a hook that finds no host lets the change through. Only
//! [`VARIABLE`] names another directory, and even that hides none from a hook.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use alongside_companion::private::{self, PathTrust};
use alongside_platform::{Os, directories, files, sockets};
use anyhow::Context as _;

use crate::failure::Hint as _;

/// The variable with the one directory to use instead of all others. Tests keep to themselves by it. A hook
/// only adds it to the others.
pub const VARIABLE: &str = "ALONGSIDE_RUNTIME_DIR";

/// A directory: its base, and its own path below that.
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

    /// Makes the directory again: cleaners may take it at any time.
    ///
    /// # Errors
    /// When it cannot be made private.
    pub fn make(&self) -> anyhow::Result<()> {
        self.try_make().with_context(|| format!("cannot make the private directory {}", self.path.display()))
    }

    fn try_make(&self) -> std::io::Result<()> {
        let refuse = |why: String| Err(std::io::Error::other(why));
        if !self.path.is_absolute() {
            return refuse(format!("{} is not an absolute path", self.path.display()));
        }
        // Root would lock the user out of a directory that it makes in theirs.
        if self.base.metadata().is_ok_and(|found| files::is_roots_visit(&found)) {
            return refuse(format!("{} belongs to another user", self.base.display()));
        }
        private::directory(&self.base, &self.below, self.trust)
    }

    fn exists(&self) -> bool {
        self.path.is_dir() && self.make().is_ok()
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Directories in which hosts are looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuntimeDirs {
    /// Those in which hosts publish themselves, the best first.
    own: Vec<RuntimeDir>,
    /// Those to which variables lead: older releases published their hosts there.
    added: Vec<RuntimeDir>,
}

impl RuntimeDirs {
    /// Those of hosts, desks and commands in this process. Blocks: the system may have to ask a directory
    /// service for the user's home.
    pub fn of_this_process() -> Self {
        Self::of(&|name| std::env::var_os(name))
    }

    fn of(variable: &dyn Fn(&str) -> Option<OsString>) -> Self {
        match path_in(variable, VARIABLE) {
            Some(path) => Self::only(&path),
            None => Self { own: usual(), added: of_older_releases(variable) },
        }
    }

    /// This one alone.
    pub fn only(path: &Path) -> Self {
        Self { own: vec![named(path)], added: Vec::new() }
    }

    /// Those of a hook with these variables, in its order: first the directories that no variable decides.
    /// Blocks, see [`of_this_process`](Self::of_this_process).
    pub fn of_hook(variable: impl Fn(&str) -> Option<OsString>) -> [Self; 2] {
        let added = path_in(&variable, VARIABLE).map(|path| named(&path)).into_iter();
        let added = added.chain(of_older_releases(&variable)).collect();
        [Self { own: usual(), added: Vec::new() }, Self { own: Vec::new(), added }]
    }

    /// Those in which the doctor looks as a hook with these variables would. [`VARIABLE`] of this process
    /// replaces them, as for every command of a person.
    pub fn of_doctor(variable: impl Fn(&str) -> Option<OsString>) -> Vec<Self> {
        match path_in(|name| std::env::var_os(name), VARIABLE) {
            Some(path) => vec![Self::only(&path)],
            None => Self::of_hook(variable).into(),
        }
    }

    /// Makes and returns the best directory of those in which hosts publish themselves.
    ///
    /// # Errors
    /// When none can be made private.
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

    /// Those in which hosts publish themselves, whether they exist or not.
    pub fn own(&self) -> &[RuntimeDir] {
        &self.own
    }

    /// All that exist and are private.
    pub fn existing(&self) -> impl Iterator<Item = &RuntimeDir> {
        self.own.iter().chain(&self.added).filter(|directory| directory.exists())
    }

    /// All, for a person to read.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.own.iter().chain(&self.added).map(RuntimeDir::path)
    }
}

/// A variable, unless it is empty.
fn path_in(variable: impl Fn(&str) -> Option<OsString>, name: &str) -> Option<PathBuf> {
    variable(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// The directory at this path. Somebody else may write to the one above.
fn named(path: &Path) -> RuntimeDir {
    let base = path.parent().unwrap_or(Path::new("/"));
    RuntimeDir::new(base, path.file_name().unwrap_or_default(), PathTrust::Shared)
}

/// The directories that no variable decides, each in a place of this user: a socket of another one never
/// counts. Windows names the temporary directory in variables only.
fn usual() -> Vec<RuntimeDir> {
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

/// Whether the path of a socket there is short enough.
fn has_room_for_a_socket(directory: &RuntimeDir) -> bool {
    const NAME: &str = "0123456789abcdef";
    sockets::address(Os::HERE, &directory.path, NAME, "").is_ok()
}

/// The directories of older releases, which asked variables.
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
    fn no_variable_takes_a_directory_from_a_hook() {
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
    fn the_variable_replaces_the_directories_of_everything_else() {
        let replaced = RuntimeDirs::of(&|name| (name == VARIABLE).then(|| "/mine/run".into()));
        assert_eq!(paths(&replaced), [Path::new("/mine/run")]);
        let empty = RuntimeDirs::of(&|name| (name == VARIABLE).then(OsString::new));
        assert_eq!(empty, RuntimeDirs::of(&|_| None));
        assert_eq!(empty.own, usual());
    }

    #[test]
    fn a_directory_that_cannot_hold_a_socket_is_none() {
        let with = |length: usize| RuntimeDir::new("/", "x".repeat(length), PathTrust::Own);
        let longest = if Os::HERE == Os::MacOs { 103 } else { 107 } - "//0123456789abcdef.sock".len();
        assert!(has_room_for_a_socket(&with(longest)) && !has_room_for_a_socket(&with(longest + 1)));
    }

    #[test]
    fn the_first_directory_that_can_be_made_is_opened() {
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
