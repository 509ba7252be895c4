//! The archive: the program, the manual pages and completions that it writes itself, and the texts for
//! people.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use alongside_testing::chores::checkout;
use anyhow::Context as _;

use super::product::Product;
use super::{licences, targets, tools};

/// The texts in every package.
pub(super) const TEXTS: [&str; 4] = ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"];

/// Shells with completions, and the file names that they expect.
const COMPLETIONS: [(&str, &str); 5] = [
    ("bash", "alongside.bash"),
    ("zsh", "_alongside"),
    ("fish", "alongside.fish"),
    ("powershell", "_alongside.ps1"),
    ("elvish", "alongside.elv"),
];

/// The files that the program writes about itself.
#[derive(Debug)]
pub(super) struct Pages {
    /// Manual pages: a directory of files such as `alongside.1`.
    pub(super) man: PathBuf,
    /// Completions: a directory of files, see [`Pages::completion`].
    completions: PathBuf,
}

impl Pages {
    /// Runs the program to write these files.
    pub(super) fn written_by(program: &Path, directory: &Path) -> anyhow::Result<Self> {
        let pages = Self { man: directory.join("man"), completions: directory.join("completions") };
        for directory in [&pages.man, &pages.completions] {
            fs::create_dir_all(directory).with_context(|| format!("cannot make {}", directory.display()))?;
        }
        tools::run(Command::new(program).arg("man").arg(&pages.man))?;
        for (shell, name) in COMPLETIONS {
            let script = tools::output(Command::new(program).args(["completions", shell]))?;
            fs::write(pages.completions.join(name), script)?;
        }
        Ok(pages)
    }

    /// Returns the completions of a shell.
    pub(super) fn completion(&self, shell: &str) -> anyhow::Result<PathBuf> {
        let (_, name) = COMPLETIONS.iter().find(|(known, _)| *known == shell).context("a shell we know")?;
        Ok(self.completions.join(name))
    }
}

/// Returns the name of the archive for a target, as `cargo binstall` and mise look for it.
pub(super) fn file_name(version: &str, target: &str) -> String {
    let extension = if targets::is_windows(target) { "zip" } else { "tar.gz" };
    format!("{}.{extension}", stem(version, target))
}

/// Whether this machine can make the archive of a target.
pub(super) fn can_be_made(target: &str) -> bool {
    !targets::is_windows(target) || tools::is_installed("python3")
}

/// Returns the name of the directory in it.
fn stem(version: &str, target: &str) -> String {
    format!("alongside-{version}-{target}")
}

/// Makes `alongside-VERSION-TARGET.tar.gz` in `out`, for Windows a `.zip` without manual pages.
pub(super) fn make(product: &Product, pages: &Pages, scratch: &Path, out: &Path) -> anyhow::Result<()> {
    let name = stem(&product.version, &product.target);
    let tree = scratch.join(&name);
    fs::create_dir_all(&tree)?;
    let program = tree.join(targets::program_name(&product.target));
    tools::run(Command::new("install").args(["-m", "755"]).arg(&product.program).arg(program))?;
    for text in TEXTS {
        tools::run(
            Command::new("install").args(["-m", "644"]).arg(checkout().join(text)).arg(tree.join(text)),
        )?;
    }
    fs::write(tree.join(licences::FILE), &product.licences)?;
    tools::run(Command::new("cp").arg("-r").arg(&pages.completions).arg(&tree))?;
    let file = out.join(file_name(&product.version, &product.target));
    if targets::is_windows(&product.target) {
        return zip(&tree, &file, product.epoch);
    }
    tools::run(Command::new("cp").arg("-r").arg(&pages.man).arg(&tree))?;
    pack(&tree, &file, product.epoch)
}

/// Packs a directory into a zip, or a wheel into one with the list of its files. The same content gives the
/// same bytes.
pub(super) fn zip(tree: &Path, file: &Path, epoch: u64) -> anyhow::Result<()> {
    let mut pack = Command::new("python3");
    pack.arg(checkout().join("packaging/zip.py")).args([tree, file]);
    tools::run(pack.arg(epoch.to_string()))
}

/// Packs a directory, with its name, into a file. The same content gives the same bytes.
pub(super) fn pack(tree: &Path, file: &Path, epoch: u64) -> anyhow::Result<()> {
    let (above, name) = tree.parent().zip(tree.file_name()).context("a directory with a name")?;
    let mut tar = Command::new("tar");
    // Nothing in the archive depends on this machine: no directory order, users or times.
    tar.args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mode=u=rwX,go=rX"])
        .arg(format!("--mtime=@{epoch}"))
        .args(["--use-compress-program=gzip -9n", "-cf"])
        .arg(file)
        .arg("-C")
        .arg(above)
        .arg(name);
    tools::run(&mut tar).context("the archive needs GNU tar and gzip")
}
