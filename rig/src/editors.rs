//! Installs the real editors: of Neovim, Helix and Vim the oldest supported and the newest release, and
//! others.
//!
//! Most come from Debian, with every library including the C library, into trees of files that need no root
//! and only the machine's kernel: `apt` downloads the packages, and `tree` makes them run. A tree stays until
//! its recipe changes. Delete its directory in the cache to install the present newest release.

mod apt;
mod code_server;
mod editor;
mod fonts;
mod kakoune;
mod kate;
mod tree;
mod vscode_window;

use std::sync::OnceLock;

use anyhow::Result;

use crate::install::InstallError;
use crate::sandbox::Sandbox;
pub use code_server::{CodeServer, install_code_server};
pub use editor::Editor;
pub use kakoune::{Kakoune, install_kakoune};
pub use kate::{Kate, KateScreen, install_kate};
pub use tree::Generation;
use tree::{Recipe, Tree, install_trees};
pub use vscode_window::VscodeWindow;

const NEOVIM: &str = "usr/bin/nvim";
const HELIX: &str = "usr/lib/hx/hx";
const NEOVIM_AND_HELIX: Recipe = Recipe {
    name: "editors",
    editors: "Neovim and Helix",
    packages: &["neovim", "hx", "patchelf"],
    programs: &[NEOVIM, HELIX],
    tools: &[],
    libraries: &[],
    removes_rpaths: false,
    version_argument: "--version",
};

const EMACS: &str = "usr/bin/emacs-nox";
const EMACS_RECIPE: Recipe = Recipe {
    name: "emacs",
    editors: "Emacs",
    packages: &["emacs-nox", "elpa-package-lint", "patchelf"],
    programs: &[EMACS],
    tools: &[],
    libraries: &[],
    removes_rpaths: false,
    version_argument: "--version",
};

const VIM: &str = "usr/bin/vim.basic";
const VIM_RECIPE: Recipe = Recipe {
    name: "vim",
    editors: "Vim",
    packages: &["vim", "patchelf"],
    programs: &[VIM],
    tools: &[],
    libraries: &[],
    removes_rpaths: false,
    version_argument: "--version",
};

const DELTA: &str = "usr/bin/delta";
const DELTA_RECIPE: Recipe = Recipe {
    name: "delta",
    editors: "delta",
    packages: &["git-delta", "patchelf"],
    programs: &[DELTA],
    tools: &[],
    libraries: &[],
    removes_rpaths: false,
    version_argument: "--version",
};

/// The installations of Neovim and Helix in both generations.
#[derive(Debug, Clone)]
pub struct Editors {
    oldest: Tree,
    newest: Tree,
}

impl Editors {
    /// Returns Neovim, whose command is `nvim`.
    pub fn neovim(&self, generation: Generation) -> Editor {
        let tree = self.tree(generation);
        let variables = [
            ("VIMRUNTIME", "usr/share/nvim/runtime"),
            // Excludes plugins and a configuration of the machine for all users.
            ("XDG_CONFIG_DIRS", "etc/xdg"),
            ("XDG_DATA_DIRS", "usr/share"),
        ];
        tree.editor("nvim", NEOVIM, &variables, "neovim")
    }

    /// Returns Helix, whose command is `hx`.
    pub fn helix(&self, generation: Generation) -> Editor {
        let tree = self.tree(generation);
        tree.editor("hx", HELIX, &[("HELIX_RUNTIME", "usr/lib/hx/runtime")], "hx")
    }

    /// Puts the commands `nvim` and `hx` of a generation on the sandbox's PATH.
    pub fn put_on_path(&self, sandbox: &Sandbox, generation: Generation) -> Result<()> {
        self.neovim(generation).put_on_path(sandbox)?;
        self.helix(generation).put_on_path(sandbox)
    }

    fn tree(&self, generation: Generation) -> &Tree {
        match generation {
            Generation::Oldest => &self.oldest,
            Generation::Newest => &self.newest,
        }
    }
}

/// Installs Emacs of a generation, if it is missing. The command is `emacs`.
pub fn install_emacs(generation: Generation) -> Result<Editor, InstallError> {
    let tree = install_trees(|cache| Tree::install(cache, generation.suite(), &EMACS_RECIPE))?;
    let version = tree.version("emacs-nox");
    let number = version.trim_start_matches("1:").split(['+', '-']).next().unwrap_or_default();
    let share = format!("usr/share/emacs/{number}");
    let (lisp, data) = (format!("{share}/lisp"), format!("{share}/etc"));
    let variables = [
        ("EMACSLOADPATH", lisp.as_str()),
        ("EMACSDATA", &data),
        ("EMACSDOC", &data),
        ("EMACSPATH", "usr/bin"),
    ];
    let mut emacs = tree.editor("emacs", EMACS, &variables, "emacs-nox");
    let dump = tree.file("usr/libexec/emacs", "pdmp");
    emacs.arguments.push(format!("--dump-file={}", dump.display()));
    Ok(emacs)
}

/// Installs Vim of a generation, 9.1 or 9.2, if it is missing. The command is `vim`.
pub fn install_vim(generation: Generation) -> Result<Editor, InstallError> {
    let tree = install_trees(|cache| Tree::install(cache, generation.suite(), &VIM_RECIPE))?;
    let version = tree.version("vim");
    let number: String = version.trim_start_matches("2:").chars().take(3).filter(|c| *c != '.').collect();
    let runtime = format!("usr/share/vim/vim{number}");
    let variables = [("VIMRUNTIME", runtime.as_str()), ("VIM", "usr/share/vim")];
    Ok(tree.editor("vim", VIM, &variables, "vim"))
}

/// Installs delta, with which people read the differences of git, if it is missing. The command is `delta`.
pub fn install_delta() -> Result<Editor, InstallError> {
    let tree = install_trees(|cache| Tree::install(cache, Generation::Newest.suite(), &DELTA_RECIPE))?;
    Ok(tree.editor("delta", DELTA, &[], "git-delta"))
}

/// Installs Neovim and Helix in both generations, if they are missing. Prints the progress to stderr.
///
/// # Errors
///
/// Fails with [`InstallError::Unavailable`] if this machine cannot have the editors, and with
/// [`InstallError::Broken`] if Debian's packages no longer match the recipe.
pub fn install_editors() -> Result<Editors, InstallError> {
    static INSTALLED: OnceLock<Result<Editors, InstallError>> = OnceLock::new();
    INSTALLED.get_or_init(install_both).clone()
}

fn install_both() -> Result<Editors, InstallError> {
    install_trees(|cache| {
        let install = |generation: Generation| Tree::install(cache, generation.suite(), &NEOVIM_AND_HELIX);
        Ok(Editors { oldest: install(Generation::Oldest)?, newest: install(Generation::Newest)? })
    })
}
