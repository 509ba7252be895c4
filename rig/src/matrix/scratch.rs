//! Installs a release into a temporary folder.
//!
//! The installation runs no downloaded code. npm gets a cache of its own, which can be emptied when it is
//! large.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context as _, Result, ensure};
use tempfile::TempDir;
use tokio::process::Command;

use super::releases::Release;
use crate::sandbox::files_below;

/// The size of npm's cache, in bytes, above which it is emptied. Two installations need up to half a gigabyte
/// each beside it.
const MAX_CACHE_BYTES: u64 = 2 << 30;

/// The folder of all installations. Dropping it removes the folder.
#[derive(Debug)]
pub struct Scratch(TempDir);

/// An installed release. Dropping it removes its files.
#[derive(Debug)]
pub struct Installation {
    directory: TempDir,
    package: &'static str,
}

impl Scratch {
    /// Creates a folder in the temporary directory.
    pub fn new() -> Result<Self> {
        let directory = tempfile::Builder::new().prefix("alongside-matrix-").tempdir();
        directory
            .map(Self)
            .context("no scratch folder in the temporary directory (set TMPDIR to one with 5 GB)")
    }

    /// Installs a release.
    pub async fn install(&self, release: &Release) -> Result<Installation> {
        let directory = tempfile::Builder::new().prefix("release-").tempdir_in(self.0.path())?;
        // Without this file, npm searches for a project in the parent directories.
        std::fs::write(directory.path().join("package.json"), r#"{"private":true}"#)?;
        let mut npm = Command::new("npm");
        npm.args(["install", "--ignore-scripts", "--omit=optional", "--omit=dev", "--no-audit", "--no-fund"]);
        npm.args(["--no-package-lock", "--prefer-offline", "--loglevel=error", "--cache"]).arg(self.cache());
        npm.arg(format!("{}@{}", release.package, release.version));
        npm.current_dir(directory.path()).stdin(Stdio::null()).kill_on_drop(true);
        let output = npm.output().await.context("npm does not start (install Node with npm)")?;
        let error = String::from_utf8_lossy(&output.stderr);
        ensure!(
            output.status.success(),
            "npm install {}@{}: {}",
            release.package,
            release.version,
            error.trim()
        );
        Ok(Installation { directory, package: release.package })
    }

    /// Empties npm's cache if it is too large. No installation may run meanwhile.
    pub fn limit_cache(&self) -> Result<()> {
        if size(&self.cache()) > MAX_CACHE_BYTES {
            std::fs::remove_dir_all(self.cache()).context("cannot empty the scratch folder's npm cache")?;
        }
        Ok(())
    }

    fn cache(&self) -> PathBuf {
        self.0.path().join("npm-cache")
    }
}

impl Installation {
    /// The package's directory.
    pub fn package(&self) -> PathBuf {
        self.directory.path().join("node_modules").join(self.package)
    }
}

/// Returns the version of the MCP SDK that a package would load.
pub fn sdk_of(package: &Path) -> Option<String> {
    let manifest = package.ancestors().find_map(|above| {
        std::fs::read_to_string(above.join("node_modules/@modelcontextprotocol/sdk/package.json")).ok()
    })?;
    serde_json::from_str::<serde_json::Value>(&manifest).ok()?["version"].as_str().map(str::to_owned)
}

/// Whether a package contains an `IdeClient`, as a file of its own or bundled.
pub fn has_ide_mode(package: &Path) -> bool {
    let bundles = ["chunks", "bundle"].map(|directory| package.join(directory));
    let files = bundles.iter().filter_map(|directory| std::fs::read_dir(directory).ok()).flatten().flatten();
    let files =
        files.map(|entry| entry.path()).chain(["cli.js", "dist/cli.js"].map(|file| package.join(file)));
    let has_client = |path: PathBuf| {
        let class = b"class _IdeClient";
        std::fs::read(path).is_ok_and(|text| text.windows(class.len()).any(|window| window == class))
    };
    package.join("dist/src/ide/ide-client.js").exists() || files.into_iter().any(has_client)
}

fn size(directory: &Path) -> u64 {
    files_below(directory).iter().filter_map(|file| Some(file.symlink_metadata().ok()?.len())).sum()
}
