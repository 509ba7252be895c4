//! The directories of programs: those in PATH, and those of installers, which PATH often lacks.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use alongside_platform::Os;

/// The variable with the directory below which npm installs programs, if the person has moved it.
pub const NPM_PREFIX_VARIABLE: &str = "npm_config_prefix";

/// Directories below home that PATH often lacks in a process that no shell started.
const BELOW_HOME: &[&str] =
    &[".npm-global/bin", ".local/bin", ".volta/bin", ".bun/bin", ".cargo/bin", ".nix-profile/bin", "bin"];

/// Directories that are in PATH on macOS only if the profile of a shell adds them.
const ON_MACOS: &[&str] = &["/opt/homebrew/bin", "/usr/local/bin"];

/// Returns the absolute directories of a PATH. Relative directories are left out, because they depend on the
/// current directory.
pub fn directories_of(path: &OsStr) -> impl Iterator<Item = PathBuf> {
    std::env::split_paths(path).filter(|directory| directory.is_absolute())
}

/// Returns the usual directories of programs, for a search after PATH. `npm_prefix` is the value of
/// [`NPM_PREFIX_VARIABLE`].
pub fn usual_directories(home: &Path, npm_prefix: Option<&Path>) -> Vec<PathBuf> {
    let of_npm = npm_prefix.filter(|prefix| prefix.is_absolute()).map(|prefix| prefix.join("bin"));
    let below_home = BELOW_HOME.iter().map(|below| home.join(below));
    let on_macos = ON_MACOS.iter().filter(|_| Os::HERE == Os::MacOs).map(PathBuf::from);
    of_npm.into_iter().chain(below_home).chain(on_macos).collect()
}
