//! A directory tree with the part of a Debian release that some editors need.
//!
//! Packages are unpacked, not installed, which needs no root, no chroot and no mounts. The tree's own
//! `patchelf` then makes the editors load the C library and all other libraries from the tree. Paths in a
//! patched program are absolute, so a tree works only at the path that it was made for.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use alongside_testing::files_below;

use super::apt::Apt;
use super::editor::Editor;
use crate::install::{InstallError, STAMP, fingerprint, locked_by};

/// One of the two releases of each editor that are tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Generation {
    /// The oldest that is supported: Neovim 0.10, Helix 25.01.
    Oldest,
    /// The newest that Debian has: Neovim 0.12 or later, and a Helix from between two releases.
    Newest,
}

impl Generation {
    /// Returns the Debian suite that has these editors.
    pub(super) fn suite(self) -> &'static str {
        match self {
            Self::Oldest => "trixie",
            Self::Newest => "forky",
        }
    }
}

/// The contents of a tree.
#[derive(Debug, Clone, Copy)]
pub(super) struct Recipe {
    /// The beginning of its directory's name.
    pub(super) name: &'static str,
    /// The names of the editors, for messages.
    pub(super) editors: &'static str,
    /// The packages, without their dependencies.
    pub(super) packages: &'static [&'static str],
    /// The programs that are run, as paths in the tree.
    pub(super) programs: &'static [&'static str],
    /// More programs, which have no argument with which they only print their version.
    pub(super) tools: &'static [&'static str],
    /// Directories with libraries, in addition to [`LIBRARY_DIRECTORIES`].
    pub(super) libraries: &'static [&'static str],
    /// Whether to remove the search path (RPATH) of every library, because it names directories of the
    /// machine, which would come before the tree's.
    pub(super) removes_rpaths: bool,
    /// The argument with which each of [`programs`](Self::programs) prints its version and exits.
    pub(super) version_argument: &'static str,
}

/// The path of patchelf in a tree.
const PATCHELF: &str = "usr/bin/patchelf";

/// The path of the dynamic loader in a tree.
const LOADER: &str = "usr/lib64/ld-linux-x86-64.so.2";
/// The directories of a tree in which programs look for libraries.
const LIBRARY_DIRECTORIES: [&str; 2] = ["usr/lib/x86_64-linux-gnu", "usr/lib/x86_64-linux-gnu/lua"];

/// A part of the fingerprint of every tree. To be incremented when trees are made in another way, unless the
/// constants above or a recipe change as well.
const RECIPE_VERSION: &str = "1";

/// A complete tree.
#[derive(Debug, Clone)]
pub(super) struct Tree {
    root: PathBuf,
    /// A line for each package: its name, and its version as Debian writes it.
    versions: String,
}

impl Tree {
    /// Returns the tree of a suite, and makes it first if it is missing. Only one process at a time may call
    /// this.
    pub(super) fn install(cache: &Path, suite: &str, recipe: &Recipe) -> Result<Self, InstallError> {
        let parts = [RECIPE_VERSION, suite].into_iter().chain(recipe.packages.iter().copied());
        let parts = parts.chain(recipe.programs.iter().copied()).chain([LOADER]).chain(LIBRARY_DIRECTORIES);
        let parts = parts.chain(recipe.tools.iter().copied());
        let parts =
            parts.chain(recipe.libraries.iter().copied()).chain(recipe.removes_rpaths.then_some("misleads"));
        let parts: Vec<_> = parts.map(str::as_bytes).collect();
        let name = format!("{}-{suite}-{:016x}", recipe.name, fingerprint(&parts));
        let (home, new) = (cache.join(&name), cache.join(format!("{name}.new")));
        if !home.join(STAMP).exists() {
            // The path goes into apt's configuration, search paths and shell scripts.
            if cache.to_str().is_none_or(|path| path.contains(['"', '\'', ':', ';', '\\', '\n'])) {
                let why = format!(
                    "editors cannot be installed in {}, because of special characters in the path",
                    cache.display()
                );
                return Err(InstallError::Unavailable(why));
            }
            let editors = recipe.editors;
            eprintln!("rig: installing {editors} of Debian {suite} into {}", home.display());
            make(suite, recipe, &home, &new).inspect_err(|_| {
                // If this fails, the next attempt removes the directory.
                let _ = fs::remove_dir_all(&new);
            })?;
        }
        Self::open(&home)
    }

    fn open(home: &Path) -> Result<Self, InstallError> {
        let stamp = home.join(STAMP);
        let versions = fs::read_to_string(&stamp).map_err(|error| broken(&stamp, &error))?;
        Ok(Self { root: home.join("root"), versions })
    }

    /// Returns a program of this tree, which comes from `package`, as an editor. The values of `variables`
    /// are paths in the tree.
    pub(super) fn editor(
        &self,
        command: &'static str,
        program: &str,
        variables: &[(&str, &str)],
        package: &str,
    ) -> Editor {
        let variables =
            variables.iter().map(|(name, path)| ((*name).to_owned(), self.root.join(path).into()));
        Editor {
            program: self.root.join(program),
            arguments: Vec::new(),
            environment: variables.collect(),
            version: self.version(package),
            command,
        }
    }

    /// Returns the version of a package.
    pub(super) fn version(&self, package: &str) -> String {
        let mut lines = self.versions.lines().filter_map(|line| line.split_once(' '));
        let version = lines.find(|(name, _)| *name == package).map(|(_, version)| version.to_owned());
        version.unwrap_or_else(|| panic!("the tree {} lacks {package}", self.root.display()))
    }

    /// Returns the absolute path of a file or directory of the tree.
    pub(super) fn path(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }

    /// Returns the only file with this extension below a directory of the tree.
    pub(super) fn file(&self, directory: &str, extension: &str) -> PathBuf {
        let mut found = files_below(self.root.join(directory));
        found.retain(|path| path.extension().is_some_and(|found| found == extension));
        let [file] = &found[..] else { panic!("one {extension} file below {directory}, not {found:?}") };
        file.clone()
    }
}

/// Makes the tree beside its final place and moves it there, so that no unfinished tree has that name.
fn make(suite: &str, recipe: &Recipe, home: &Path, new: &Path) -> Result<(), InstallError> {
    for leftover in [home, new] {
        match fs::remove_dir_all(leftover) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(broken(leftover, &error)),
            _ => {}
        }
    }
    let (root, apt) = (new.join("root"), new.join("apt"));
    fs::create_dir_all(&root).map_err(|error| broken(&root, &error))?;

    let mut versions = String::new();
    for archive in Apt::new(&apt, suite)?.download(recipe.packages)? {
        let format = "--showformat=${Package} ${Version}\n";
        versions += &output_of(Command::new("dpkg-deb").args(["--show", format]).arg(&archive))?;
        output_of(Command::new("dpkg-deb").arg("--extract").arg(&archive).arg(&root))?;
    }
    fs::remove_dir_all(&apt).map_err(|error| broken(&apt, &error))?;
    for program in recipe.programs.iter().chain(recipe.tools) {
        patch(&root, recipe, program, &home.join("root"))?;
    }
    if recipe.removes_rpaths {
        remove_rpaths(&root)?;
    }

    fs::rename(new, home).map_err(|error| broken(home, &error))?;
    for program in recipe.programs {
        output_of(Command::new(home.join("root").join(program)).arg(recipe.version_argument).env_clear())?;
    }
    fs::write(home.join(STAMP), versions).map_err(|error| broken(home, &error))
}

/// Makes `program` take its loader and libraries from `home`, where the tree will be.
fn patch(root: &Path, recipe: &Recipe, program: &str, home: &Path) -> Result<(), InstallError> {
    let mut patchelf = patchelf(root);
    patchelf.arg("--set-interpreter").arg(home.join(LOADER));
    // As RPATH, not RUNPATH: an RPATH also applies to libraries that a library loads, and to grammars.
    patchelf.arg("--force-rpath").arg("--set-rpath").arg(library_path(home, recipe.libraries));
    output_of(patchelf.arg(root.join(program))).map(drop)
}

/// Removes the RPATH from every library that has one with directories of the machine.
fn remove_rpaths(root: &Path) -> Result<(), InstallError> {
    let is_library = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        !path.is_symlink() && (name.ends_with(".so") || name.contains(".so."))
    };
    for library in files_below(root.join(LIBRARY_DIRECTORIES[0])).into_iter().filter(is_library) {
        // It fails for a file that has such a name and is not a library.
        let rpath = output_of(patchelf(root).arg("--print-rpath").arg(&library)).unwrap_or_default();
        if rpath.starts_with('/') {
            output_of(patchelf(root).arg("--remove-rpath").arg(&library))?;
        }
    }
    Ok(())
}

/// Returns a command that runs the tree's own patchelf.
fn patchelf(root: &Path) -> Command {
    let mut patchelf = Command::new(root.join(LOADER));
    patchelf.arg("--library-path").arg(library_path(root, &[])).arg(root.join(PATCHELF));
    patchelf
}

fn library_path(root: &Path, more: &[&str]) -> OsString {
    let all: Vec<_> = LIBRARY_DIRECTORIES.iter().chain(more).map(|directory| root.join(directory)).collect();
    all.iter().map(PathBuf::as_path).map(Path::as_os_str).collect::<Vec<_>>().join(OsStr::new(":"))
}

/// Runs a program that has to succeed, and returns its output.
fn output_of(command: &mut Command) -> Result<String, InstallError> {
    let program = PathBuf::from(command.get_program());
    let output = command.stdin(Stdio::null()).output().map_err(|error| broken(&program, &error))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => {
            let error = String::from_utf8_lossy(&output.stderr);
            Err(broken(&program, &format!("{}: {}", output.status, error.trim())))
        }
    }
}

fn broken(path: &Path, why: &dyn std::fmt::Display) -> InstallError {
    InstallError::Broken(format!("{}: {why}", path.display()))
}

/// Calls `install` with the cache's directory, in one process at a time.
pub(super) fn install_trees<T>(
    install: impl FnOnce(&Path) -> Result<T, InstallError>,
) -> Result<T, InstallError> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        return Err(InstallError::Unavailable("the editors need Linux on x86-64".into()));
    }
    // A lock of its own, so that tests without editors need not wait.
    locked_by(".editors.lock", install)
}
