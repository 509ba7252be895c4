//! The archive: the program, its manual pages and completions as it writes them itself, and what people read
//! first.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context as _;

use super::{Product, root, tools};

/// What everybody gets to read.
pub(super) const TEXTS: [&str; 4] = ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"];

/// Shells that complete, and the names that they look for.
const COMPLETIONS: [(&str, &str); 5] = [
    ("bash", "alongside.bash"),
    ("zsh", "_alongside"),
    ("fish", "alongside.fish"),
    ("powershell", "_alongside.ps1"),
    ("elvish", "alongside.elv"),
];

/// What the program says of itself, in files.
#[derive(Debug)]
pub(super) struct Pages {
    /// Manual pages: a directory of files such as `alongside.1`.
    pub(super) man: PathBuf,
    /// Completions: a directory of files, see [`Pages::completion`].
    completions: PathBuf,
}

impl Pages {
    /// Has the program write them.
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

    /// The completions of a shell.
    pub(super) fn completion(&self, shell: &str) -> anyhow::Result<PathBuf> {
        let (_, name) = COMPLETIONS.iter().find(|(known, _)| *known == shell).context("a shell we know")?;
        Ok(self.completions.join(name))
    }
}

/// Makes `alongside-VERSION-TARGET.tar.gz` in `out`.
pub(super) fn make(product: &Product, pages: &Pages, scratch: &Path, out: &Path) -> anyhow::Result<()> {
    let name = format!("alongside-{}-{}", product.version, product.target);
    let tree = scratch.join(&name);
    fs::create_dir_all(&tree)?;
    tools::run(
        Command::new("install").args(["-m", "755"]).arg(&product.program).arg(tree.join("alongside")),
    )?;
    for text in TEXTS {
        tools::run(Command::new("install").args(["-m", "644"]).arg(root().join(text)).arg(tree.join(text)))?;
    }
    tools::run(Command::new("cp").arg("-r").args([&pages.man, &pages.completions]).arg(&tree))?;
    let mut tar = Command::new("tar");
    // Nothing of the machine that made it: no order of its directories, no users, no times.
    tar.args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mode=u=rwX,go=rX"])
        .arg(format!("--mtime=@{}", product.epoch))
        .args(["--use-compress-program=gzip -9n", "-cf"])
        .arg(out.join(format!("{name}.tar.gz")))
        .arg("-C")
        .arg(scratch)
        .arg(&name);
    tools::run(&mut tar).context("the archive needs GNU tar and gzip")
}
