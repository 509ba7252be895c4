//! Installs Kakoune from Debian, and kakoune-lsp, which Debian does not have, from crates.io.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::editor::Editor;
use super::tree::{Generation, Recipe, Tree, install_trees};
use crate::agent_cli::write_program;
use crate::install::{InstallError, cargo_install};
use crate::sandbox::Sandbox;

const KAKOUNE: &str = "usr/bin/kak";
const RECIPE: Recipe = Recipe {
    name: "kakoune",
    editors: "Kakoune",
    // `patchelf` makes Kakoune load the libraries of the tree.
    packages: &["kakoune", "patchelf"],
    programs: &[KAKOUNE],
    tools: &[],
    libraries: &[],
    removes_rpaths: false,
    version_argument: "-version",
};

/// The release of kakoune-lsp.
const KAKOUNE_LSP_VERSION: &str = "22.0.0";

/// Kakoune, and its client for language servers.
#[derive(Debug, Clone)]
pub struct Kakoune {
    /// Kakoune, whose command is `kak`.
    pub editor: Editor,
    /// The path of kakoune-lsp, whose command is `kak-lsp`.
    kakoune_lsp: PathBuf,
}

impl Kakoune {
    /// Puts `kak` and `kak-lsp` on the sandbox's PATH.
    pub fn put_on_path(&self, sandbox: &Sandbox) -> Result<()> {
        self.editor.put_on_path(sandbox)?;
        write_program(sandbox, "kak-lsp", &format!("exec '{}' \"$@\"", self.kakoune_lsp.display()))
    }
}

/// Returns the newest Kakoune and kakoune-lsp, and installs them first if they are missing. Compiling
/// kakoune-lsp takes one or two minutes.
pub fn install_kakoune() -> Result<Kakoune, InstallError> {
    let (tree, kakoune_lsp) = install_trees(|cache| {
        let tree = Tree::install(cache, Generation::Newest.suite(), &RECIPE)?;
        Ok((tree, install_kakoune_lsp(cache)?))
    })?;
    Ok(Kakoune { editor: tree.editor("kak", KAKOUNE, &[], "kakoune"), kakoune_lsp })
}

fn install_kakoune_lsp(cache: &Path) -> Result<PathBuf, InstallError> {
    let home = cache.join(format!("kakoune-lsp-{KAKOUNE_LSP_VERSION}"));
    let program = home.join("bin/kak-lsp");
    if program.exists() {
        return Ok(program);
    }
    eprintln!("rig: compiling kakoune-lsp {KAKOUNE_LSP_VERSION} into {}", home.display());
    cargo_install(&home, ["kak-lsp", "--version", KAKOUNE_LSP_VERSION])?;
    Ok(program)
}
