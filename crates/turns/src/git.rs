//! Runs the user's git so that only our own arguments decide how it works: no setting of the person or the
//! project, no variable, no hook, no filter, and no program that a project brings along.

pub(crate) mod index_listing;
pub(crate) mod index_records;
pub(crate) mod tree_diff;

use alongside_platform::paths::Canonical as _;
use std::ffi::{OsStr, OsString};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Instant;

use crate::error::Error;

/// The directories that are searched for git after the directories of `PATH`.
const USUAL_PLACES: [&str; 3] = ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"];

/// The settings of each call. A file whose name Windows or macOS takes for `.git` is an ordinary file here.
const SETTINGS: &[&str] = &[
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.attributesFile=/dev/null",
    "core.autocrlf=false",
    "core.safecrlf=false",
    "core.untrackedCache=false",
    "core.splitIndex=false",
    "core.sparseCheckout=false",
    "core.ignoreCase=false",
    "core.protectNTFS=false",
    "core.protectHFS=false",
    "core.commitGraph=false",
    // Objects need not survive a crash: a store that a crash has damaged is created again.
    "core.fsync=none",
    "submodule.recurse=false",
    "gc.auto=0",
];

/// The largest part of git's error output that is read, in bytes.
const MAX_ERROR: u64 = 4096;

/// Calls git with a given repository, index and working tree, until a deadline.
#[derive(Debug, Clone)]
pub(crate) struct Git {
    program: PathBuf,
    directory: PathBuf,
    tree: Option<PathBuf>,
    index: Option<PathBuf>,
    ignore_file: Option<PathBuf>,
    until: Instant,
    #[cfg(test)]
    runs: std::sync::Arc<std::sync::atomic::AtomicUsize>,
}

impl Git {
    /// Creates calls of git with the bare repository in `directory`, for the working tree at `tree`.
    ///
    /// # Errors
    /// If there is no program `git` outside the working tree.
    pub(crate) fn new(directory: PathBuf, tree: &Path, until: Instant) -> Result<Self, Error> {
        let program = find_program(tree).ok_or(Error::NoGit)?;
        let (tree, index, ignore_file) = (Some(tree.to_owned()), None, None);
        Ok(Self {
            program,
            directory,
            tree,
            index,
            ignore_file,
            until,
            #[cfg(test)]
            runs: std::sync::Arc::default(),
        })
    }

    /// Returns the same calls with another repository.
    pub(crate) fn with_directory(&self, directory: &Path) -> Self {
        Self { directory: directory.to_owned(), index: None, ..self.clone() }
    }

    /// Returns the same calls without a working tree, for a repository that is still to be created in this
    /// directory.
    pub(crate) fn bare(&self, directory: &Path) -> Self {
        Self { directory: directory.to_owned(), index: None, tree: None, ..self.clone() }
    }

    /// Returns the same calls with this index.
    pub(crate) fn with_index(&self, index: &Path) -> Self {
        Self { index: Some(index.to_owned()), ..self.clone() }
    }

    /// Returns the same calls with this file of patterns that are ignored in all repositories.
    pub(crate) fn with_ignore_file(&self, ignore_file: Option<PathBuf>) -> Self {
        Self { ignore_file, ..self.clone() }
    }

    /// Returns how often this value and its copies have started git.
    #[cfg(all(test, unix))]
    pub(crate) fn runs(&self) -> usize {
        self.runs.load(std::sync::atomic::Ordering::Relaxed)
    }

    /// Returns the deadline of all calls.
    pub(crate) fn until(&self) -> Instant {
        self.until
    }

    /// Fails once the deadline has passed. Work on many files between two calls checks this.
    ///
    /// # Errors
    /// [`Error::Late`].
    pub(crate) fn check_time(&self) -> Result<(), Error> {
        if Instant::now() < self.until { Ok(()) } else { Err(Error::Late) }
    }

    /// Runs a command and returns its output.
    ///
    /// # Errors
    /// When git fails, or the deadline passes: then git is killed.
    pub(crate) fn run<A: AsRef<OsStr>>(
        &self,
        args: impl IntoIterator<Item = A>,
        input: Option<Vec<u8>>,
    ) -> Result<Vec<u8>, Error> {
        #[cfg(test)]
        self.runs.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let mut command = self.command();
        command.args(args);
        command.stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() });
        let mut child = command.spawn()?;
        if let (Some(mut stdin), Some(input)) = (child.stdin.take(), input) {
            // The write fails if git has ended. The exit code below reports that.
            std::thread::spawn(move || stdin.write_all(&input));
        }
        let (sender, receiver) = channel();
        if let Some(mut stdout) = child.stdout.take() {
            std::thread::spawn(move || {
                let mut output = Vec::new();
                let read = stdout.read_to_end(&mut output);
                // Once the deadline has passed, the receiver is gone.
                let _ = sender.send(read.map(|_| output));
            });
        }
        let stderr = child.stderr.take().map(|mut stderr| {
            std::thread::spawn(move || {
                let mut error = Vec::new();
                let _ = stderr.by_ref().take(MAX_ERROR).read_to_end(&mut error);
                let _ = io::copy(&mut stderr, &mut io::sink());
                error
            })
        });
        let left = self.until.saturating_duration_since(Instant::now());
        let output = match receiver.recv_timeout(left) {
            Ok(output) => output?,
            Err(RecvTimeoutError::Timeout) => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(Error::Late);
            }
            Err(RecvTimeoutError::Disconnected) => Vec::new(),
        };
        if child.wait()?.success() {
            return Ok(output);
        }
        let error = stderr.and_then(|thread| thread.join().ok()).unwrap_or_default();
        let error = String::from_utf8_lossy(&error);
        let line = error.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("it failed");
        Err(Error::other(format!("git: {}", line.trim_start_matches("fatal: "))))
    }

    /// Runs a command whose output is one line.
    ///
    /// # Errors
    /// As [`run`](Self::run), and if the output is not UTF-8.
    pub(crate) fn line<A: AsRef<OsStr>>(
        &self,
        args: impl IntoIterator<Item = A>,
        input: Option<Vec<u8>>,
    ) -> Result<String, Error> {
        let output = self.run(args, input)?;
        let text = String::from_utf8(output).map_err(|_| Error::other("git wrote no text"))?;
        Ok(text.trim_end_matches('\n').to_owned())
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.arg("--no-pager").arg("--literal-pathspecs");
        for setting in SETTINGS {
            command.args(["-c", setting]);
        }
        let mut ignore = OsString::from("core.excludesFile=");
        ignore.push(self.ignore_file.as_deref().unwrap_or(Path::new("/dev/null")));
        command.arg("-c").arg(ignore);
        for (name, _) in std::env::vars_os().filter(|(name, _)| is_git_variable(name)) {
            command.env_remove(name);
        }
        let own = [("GIT_CONFIG_NOSYSTEM", "1"), ("GIT_CONFIG_GLOBAL", "/dev/null"), ("LC_ALL", "C")];
        let own = own.into_iter().chain([("GIT_NO_LAZY_FETCH", "1"), ("GIT_NO_REPLACE_OBJECTS", "1")]);
        command.envs(own.chain([("GIT_ATTR_NOSYSTEM", "1"), ("GIT_TERMINAL_PROMPT", "0")]));
        command.env("GIT_DIR", &self.directory);
        if let Some(index) = &self.index {
            command.env("GIT_INDEX_FILE", index);
        }
        match &self.tree {
            Some(tree) => command.env("GIT_WORK_TREE", tree).current_dir(tree),
            None => command.current_dir("/"),
        };
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }
}

/// Whether git reads a variable of this name.
fn is_git_variable(name: &OsStr) -> bool {
    name.as_encoded_bytes().get(..4).is_some_and(|start| start.eq_ignore_ascii_case(b"GIT_"))
}

/// Whether there is a program `git` that may take snapshots of this directory.
pub fn has_git(directory: &Path) -> bool {
    find_program(directory).is_some()
}

/// Finds the program `git` in the absolute directories of `PATH` or in [`USUAL_PLACES`], but never inside the
/// working tree: a project must not choose which program runs.
fn find_program(tree: &Path) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let named: Vec<PathBuf> = std::env::split_paths(&path).filter(|place| place.is_absolute()).collect();
    let dirs = named.into_iter().chain(USUAL_PLACES.map(PathBuf::from));
    dirs.filter_map(|place| which::which_in("git", Some(&place), "/").ok()).find(|program| {
        let real = program.canonical();
        real.is_ok_and(|real| !real.starts_with(tree) && !program.starts_with(tree))
    })
}
