//! `cargo xtask vscode`: builds the extension for VS Code with npm. The next build of alongside embeds it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use alongside_rig::InstallError;
use alongside_rig::install;
use alongside_testing::chores::{checkout, run_to_success, target_directory};
use alongside_testing::files_below;
use anyhow::Context as _;

/// The source files and directories in the extension's folder.
const SOURCES: [&str; 9] = [
    "package.json",
    "package-lock.json",
    "tsconfig.json",
    ".vscodeignore",
    "README.md",
    "LICENSE",
    "src",
    "test",
    "media",
];

/// Options of `cargo xtask vscode`.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Where npm or its registry is out of reach, say so and that this is the consequence, and do not fail
    #[arg(long, value_name = "CONSEQUENCE", hide = true)]
    or_say: Option<String>,
}

/// Builds the extension.
pub(crate) fn vscode(options: &Options) -> anyhow::Result<()> {
    match (build(), &options.or_say) {
        (Ok(vsix), None) => println!("==> {}: build alongside again to embed it", vsix.display()),
        (Err(error), Some(consequence))
            if matches!(error.downcast_ref(), Some(InstallError::Unavailable(_))) =>
        {
            println!("SKIPPED: cannot build the extension for VS Code ({error}); {consequence}");
        }
        (built, _) => drop(built?),
    }
    Ok(())
}

/// Builds the extension, unless it was built from these sources. npm's packages go to the cache of the rig,
/// and only the result to the checkout.
///
/// # Errors
///
/// Fails with [`InstallError::Unavailable`] in the chain if npm or its registry is unreachable.
fn build() -> anyhow::Result<PathBuf> {
    let folder = checkout().join("editors/vscode");
    let (vsix, stamp) = (folder.join("dist/alongside.vsix"), folder.join("dist/sources"));
    let sources = fingerprint(&folder)?;
    if vsix.exists() && fs::read_to_string(&stamp).is_ok_and(|built| built == sources) {
        return Ok(vsix);
    }
    let packages =
        install::locked(|cache| install::install_packages(cache, "vscode-extension", &folder, &[]))?;
    let node = install::install_node()?;
    let work = target_directory().join("vscode");
    if work.exists() {
        fs::remove_dir_all(&work).with_context(|| format!("cannot remove {}", work.display()))?;
    }
    for source in SOURCES {
        copy(&folder.join(source), &work.join(source))?;
    }
    link(&packages.join("node_modules"), &work.join("node_modules"))?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = node.parent().map(Path::to_owned).into_iter().chain(std::env::split_paths(&path));
    let mut npm = Command::new("npm");
    npm.args(["run", "--silent", "package"]).current_dir(&work).env("PATH", std::env::join_paths(path)?);
    run_to_success(&mut npm)?;
    fs::copy(work.join("dist/alongside.vsix"), &vsix).context("npm has built no dist/alongside.vsix")?;
    fs::write(stamp, sources)?;
    Ok(vsix)
}

/// Returns a hash of the sources.
fn fingerprint(folder: &Path) -> anyhow::Result<String> {
    let mut files: Vec<_> = SOURCES.iter().flat_map(|source| files_of(&folder.join(source))).collect();
    files.sort();
    let mut texts = Vec::new();
    for file in &files {
        let name = file.strip_prefix(folder).unwrap_or(file);
        texts.push(name.as_os_str().as_encoded_bytes().to_owned());
        texts.push(fs::read(file)?);
    }
    let parts: Vec<&[u8]> = texts.iter().map(Vec::as_slice).collect();
    Ok(format!("{:016x}", install::fingerprint(&parts)))
}

fn files_of(path: &Path) -> Vec<PathBuf> {
    if path.is_dir() { files_below(path) } else { vec![path.to_owned()] }
}

fn copy(from: &Path, to: &Path) -> anyhow::Result<()> {
    for file in files_of(from) {
        let target = match file.strip_prefix(from) {
            Ok(below) if !below.as_os_str().is_empty() => to.join(below),
            _ => to.to_owned(),
        };
        if let Some(directory) = target.parent() {
            fs::create_dir_all(directory)?;
        }
        fs::copy(&file, &target).with_context(|| format!("cannot copy {}", file.display()))?;
    }
    Ok(())
}

#[cfg(unix)]
fn link(directory: &Path, at: &Path) -> anyhow::Result<()> {
    Ok(std::os::unix::fs::symlink(directory, at)?)
}

#[cfg(not(unix))]
fn link(directory: &Path, at: &Path) -> anyhow::Result<()> {
    copy(directory, at)
}
