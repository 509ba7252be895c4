//! A directory tree with the part of a Debian release that some editors need.
//!
//! Packages are unpacked, not installed: no root, no chroot, no mounts. Their own `patchelf` then makes the
//! editors load the C library and all others from the tree. Paths in a patched program are absolute, so a
//! tree works only in the place that it was made for.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use alongside_testing::files_below;

use super::apt::Apt;
use super::editor::Editor;
use crate::install::{InstallError, STAMP, fingerprint, locked_by};

/// A release of an editor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Generation {
    /// The oldest we support: Neovim 0.10, Helix 25.01.
    Oldest,
    /// The newest that Debian has, Neovim 0.12 or later, and a Helix from between two releases.
    Newest,
}

impl Generation {
    /// Debian's release with these editors.
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
    /// For people.
    pub(super) editors: &'static str,
    /// The packages, which bring their dependencies.
    pub(super) packages: &'static [&'static str],
    /// The programs in it that are run.
    pub(super) programs: &'static [&'static str],
    /// More programs, which do not simply print a version.
    pub(super) tools: &'static [&'static str],
    /// Directories of libraries beside the usual ones.
    pub(super) libraries: &'static [&'static str],
    /// Whether libraries name directories of the machine, which would hide the tree's.
    pub(super) misleads: bool,
    /// The argument that makes each of them print its version and end.
    pub(super) version: &'static str,
}

const PATCHELF: &str = "usr/bin/patchelf";

const LOADER: &str = "usr/lib64/ld-linux-x86-64.so.2";
const LIBRARIES: [&str; 2] = ["usr/lib/x86_64-linux-gnu", "usr/lib/x86_64-linux-gnu/lua"];

/// Count this up when the making of trees changes in any way that the constants above do not show.
const RECIPE: &str = "1";

/// A complete tree.
#[derive(Debug, Clone)]
pub(super) struct Tree {
    root: PathBuf,
    /// The packages and their versions, as Debian writes them: a line each.
    versions: String,
}

impl Tree {
    /// The tree of a suite, made now if it is missing. One process at a time may call this.
    pub(super) fn install(cache: &Path, suite: &str, recipe: &Recipe) -> Result<Self, InstallError> {
        let parts = [RECIPE, suite].into_iter().chain(recipe.packages.iter().copied());
        let parts = parts.chain(recipe.programs.iter().copied()).chain([LOADER]).chain(LIBRARIES);
        let parts = parts.chain(recipe.tools.iter().copied());
        let parts =
            parts.chain(recipe.libraries.iter().copied()).chain(recipe.misleads.then_some("misleads"));
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
                // The next attempt removes what stays.
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

    /// A program of this tree, from a package; the values of `variables` are paths in it.
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

    /// The version of a package.
    pub(super) fn version(&self, package: &str) -> String {
        let mut lines = self.versions.lines().filter_map(|line| line.split_once(' '));
        let version = lines.find(|(name, _)| *name == package).map(|(_, version)| version.to_owned());
        version.unwrap_or_else(|| panic!("the tree {} lacks {package}", self.root.display()))
    }

    /// A path in the tree.
    pub(super) fn path(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }

    /// The only file below a directory of the tree with this extension.
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
    if recipe.misleads {
        forget_directories(&root)?;
    }

    fs::rename(new, home).map_err(|error| broken(home, &error))?;
    for program in recipe.programs {
        output_of(Command::new(home.join("root").join(program)).arg(recipe.version).env_clear())?;
    }
    fs::write(home.join(STAMP), versions).map_err(|error| broken(home, &error))
}

/// Makes `program` take its loader and libraries from `home`, where the tree will be.
fn patch(root: &Path, recipe: &Recipe, program: &str, home: &Path) -> Result<(), InstallError> {
    let mut patchelf = patchelf(root);
    patchelf.arg("--set-interpreter").arg(home.join(LOADER));
    // As RPATH, not RUNPATH: it holds for what the libraries load in their turn, and for grammars.
    patchelf.arg("--force-rpath").arg("--set-rpath").arg(library_path(home, recipe.libraries));
    output_of(patchelf.arg(root.join(program))).map(drop)
}

/// Takes the directories of the machine out of every library.
fn forget_directories(root: &Path) -> Result<(), InstallError> {
    let is_library = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        !path.is_symlink() && (name.ends_with(".so") || name.contains(".so."))
    };
    for library in files_below(root.join(LIBRARIES[0])).into_iter().filter(is_library) {
        // Files of that name that are no libraries have none.
        let named = output_of(patchelf(root).arg("--print-rpath").arg(&library)).unwrap_or_default();
        if named.starts_with('/') {
            output_of(patchelf(root).arg("--remove-rpath").arg(&library))?;
        }
    }
    Ok(())
}

/// The tree's own patchelf.
fn patchelf(root: &Path) -> Command {
    let mut patchelf = Command::new(root.join(LOADER));
    patchelf.arg("--library-path").arg(library_path(root, &[])).arg(root.join(PATCHELF));
    patchelf
}

fn library_path(root: &Path, more: &[&str]) -> OsString {
    let all: Vec<_> = LIBRARIES.iter().chain(more).map(|directory| root.join(directory)).collect();
    all.iter().map(PathBuf::as_path).map(Path::as_os_str).collect::<Vec<_>>().join(OsStr::new(":"))
}

/// The output of a program that must succeed.
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

/// Installs in the cache, one process at a time.
pub(super) fn install_trees<T>(
    install: impl FnOnce(&Path) -> Result<T, InstallError>,
) -> Result<T, InstallError> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        return Err(InstallError::Unavailable("the editors need Linux on x86-64".into()));
    }
    // Tests without editors need not wait.
    locked_by(".editors.lock", install)
}
