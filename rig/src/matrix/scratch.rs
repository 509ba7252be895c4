//! Installs one release into a temporary folder of its own.
//!
//! Installation runs no downloaded code. npm's cache is our own, so that it can be emptied when it has grown.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context as _, Result, ensure};
use tempfile::TempDir;
use tokio::process::Command;

use super::releases::Release;
use crate::sandbox::files_below;

/// The size of npm's cache, in bytes, beyond which it is emptied. Two installations of at most half a
/// gigabyte come on top.
const CACHE_LIMIT: u64 = 2 << 30;

/// The folder of all installations. Dropping it removes everything.
#[derive(Debug)]
pub struct Scratch(TempDir);

/// An installed release. Dropping it removes it.
#[derive(Debug)]
pub struct Installed {
    directory: TempDir,
    package: &'static str,
}

impl Scratch {
    /// A new folder in the temporary directory.
    pub fn new() -> Result<Self> {
        let directory = tempfile::Builder::new().prefix("alongside-matrix-").tempdir();
        directory
            .map(Self)
            .context("no scratch folder in the temporary directory (set TMPDIR to one with 5 GB)")
    }

    /// Installs a release.
    pub async fn install(&self, release: &Release) -> Result<Installed> {
        let directory = tempfile::Builder::new().prefix("release-").tempdir_in(self.0.path())?;
        // Without this file, npm searches a project in the directories above.
        std::fs::write(directory.path().join("package.json"), r#"{"private":true}"#)?;
        let mut npm = Command::new("npm");
        npm.args(["install", "--ignore-scripts", "--omit=optional", "--omit=dev", "--no-audit", "--no-fund"]);
        npm.args(["--no-package-lock", "--prefer-offline", "--loglevel=error", "--cache"]).arg(self.cache());
        npm.arg(format!("{}@{}", release.package, release.version));
        npm.current_dir(directory.path()).stdin(Stdio::null()).kill_on_drop(true);
        let output = npm.output().await.context("npm does not start (install Node with npm)")?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(
            output.status.success(),
            "npm install {}@{}: {}",
            release.package,
            release.version,
            said.trim()
        );
        Ok(Installed { directory, package: release.package })
    }

    /// Empties npm's cache when it has grown. No installation may run meanwhile.
    pub fn tidy(&self) -> Result<()> {
        if size(&self.cache()) > CACHE_LIMIT {
            std::fs::remove_dir_all(self.cache()).context("cannot empty the scratch folder's npm cache")?;
        }
        Ok(())
    }

    fn cache(&self) -> PathBuf {
        self.0.path().join("npm-cache")
    }
}

impl Installed {
    /// The package's directory.
    pub fn package(&self) -> PathBuf {
        self.directory.path().join("node_modules").join(self.package)
    }
}

/// The version of the MCP SDK that a package in some `node_modules` would load.
pub fn sdk_of(package: &Path) -> Option<String> {
    let manifest = package.ancestors().find_map(|above| {
        std::fs::read_to_string(above.join("node_modules/@modelcontextprotocol/sdk/package.json")).ok()
    })?;
    serde_json::from_str::<serde_json::Value>(&manifest).ok()?["version"].as_str().map(str::to_owned)
}

/// Whether a package holds an `IdeClient` of any kind.
pub fn has_ide_mode(package: &Path) -> bool {
    let bundles = ["chunks", "bundle"].map(|directory| package.join(directory));
    let files = bundles.iter().filter_map(|directory| std::fs::read_dir(directory).ok()).flatten().flatten();
    let files =
        files.map(|entry| entry.path()).chain(["cli.js", "dist/cli.js"].map(|file| package.join(file)));
    let holds = |path: PathBuf| {
        let wanted = b"class _IdeClient";
        std::fs::read(path).is_ok_and(|text| text.windows(wanted.len()).any(|window| window == wanted))
    };
    package.join("dist/src/ide/ide-client.js").exists() || files.into_iter().any(holds)
}

fn size(directory: &Path) -> u64 {
    files_below(directory).iter().filter_map(|file| Some(file.symlink_metadata().ok()?.len())).sum()
}
