//! Installs real Neovim and real Helix: the oldest supported release and the newest of each.
//!
//! Both come from Debian, with every library down to the C library, into trees of their own that need no root
//! and only the machine's kernel: `apt` finds the packages, `tree` makes them run. A tree stays until the
//! recipe changes; delete its directory in the cache to install today's newest.

mod apt;
mod editor;
mod tree;

use std::fs::{self, File};
use std::io;
use std::sync::OnceLock;

use anyhow::Result;

use crate::install::{InstallError, cache_dir, or_skip};
use crate::sandbox::Sandbox;
pub use editor::Editor;
use tree::Tree;

/// A release of an editor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Generation {
    /// The oldest we support: Neovim 0.10, Helix 25.01.
    Oldest,
    /// The newest that Debian has, Neovim 0.12 or later, and a Helix from between two releases.
    Newest,
}

impl Generation {
    /// Debian's release with these editors.
    fn suite(self) -> &'static str {
        match self {
            Self::Oldest => "trixie",
            Self::Newest => "forky",
        }
    }
}

/// Both editors in both generations, on disk.
#[derive(Debug, Clone)]
pub struct Editors {
    oldest: Tree,
    newest: Tree,
}

impl Editors {
    /// Neovim, which starts as `nvim`.
    pub fn neovim(&self, generation: Generation) -> Editor {
        let tree = self.tree(generation);
        let variables = [
            ("VIMRUNTIME", "usr/share/nvim/runtime"),
            // The machine may have plugins and a configuration for everybody.
            ("XDG_CONFIG_DIRS", "etc/xdg"),
            ("XDG_DATA_DIRS", "usr/share"),
        ];
        tree.editor("nvim", tree::NEOVIM, &variables, &tree.neovim)
    }

    /// Helix, which starts as `hx`.
    pub fn helix(&self, generation: Generation) -> Editor {
        let tree = self.tree(generation);
        tree.editor("hx", tree::HELIX, &[("HELIX_RUNTIME", "usr/lib/hx/runtime")], &tree.helix)
    }

    /// Puts `nvim` and `hx` of a generation on the sandbox's PATH.
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

/// Installs what is missing, once per process; progress goes to stderr.
///
/// # Errors
/// [`InstallError::Unavailable`] when this machine cannot have the editors, [`InstallError::Broken`] when
/// Debian's packages are no longer as the recipe has them.
pub fn install_editors() -> Result<Editors, InstallError> {
    static INSTALLED: OnceLock<Result<Editors, InstallError>> = OnceLock::new();
    INSTALLED.get_or_init(install_both).clone()
}

/// The editors, or `None` with a skip message, as [`rig_or_skip`](crate::rig_or_skip).
///
/// # Panics
/// When they are broken, or required and not available.
pub fn editors_or_skip() -> Option<Editors> {
    or_skip(install_editors())
}

fn install_both() -> Result<Editors, InstallError> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        return Err(InstallError::Unavailable("the editors need Linux on x86-64".into()));
    }
    let cache = cache_dir()?;
    let broken = |error: io::Error| InstallError::Broken(format!("{}: {error}", cache.display()));
    fs::create_dir_all(&cache).map_err(broken)?;
    // A lock of its own: tests without editors need not wait.
    let lock = File::create(cache.join(".editors.lock")).map_err(broken)?;
    lock.lock().map_err(broken)?;

    let install = |generation: Generation| Tree::install(&cache, generation.suite());
    Ok(Editors { oldest: install(Generation::Oldest)?, newest: install(Generation::Newest)? })
}
