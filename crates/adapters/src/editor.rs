//! The editors that have an adapter. A new one is a row here and a module beside the others.

use std::path::PathBuf;

use super::installed::Installed;
use super::plan::{AdapterState, EditorProgram};
use super::user_environment::{self, UserEnvironment};
use super::{emacs, helix, kakoune, kate, neovim, vim, vscode};
use vscode::Product;

/// An editor with an adapter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Editor {
    /// Neovim: a plugin in Lua.
    Neovim,
    /// Helix: lines of its configuration.
    Helix,
    /// GNU Emacs: a file of Lisp.
    Emacs,
    /// Vim: a package in vim9script.
    Vim,
    /// Kakoune: a script for kakoune-lsp.
    Kakoune,
    /// Kate: lines of its LSP settings.
    Kate,
    /// VS Code, or another editor that runs its extensions.
    Vscode(Product),
}

impl Editor {
    /// Every editor, in the order of lists for people.
    pub const ALL: [Self; 11] = [
        Self::Neovim,
        Self::Helix,
        Self::Emacs,
        Self::Vim,
        Self::Kakoune,
        Self::Kate,
        Self::Vscode(Product::VsCode),
        Self::Vscode(Product::VsCodium),
        Self::Vscode(Product::Cursor),
        Self::Vscode(Product::Windsurf),
        Self::Vscode(Product::CodeServer),
    ];

    /// The names on the command line of everything that can be installed into.
    pub fn names_to_install() -> Vec<&'static str> {
        let editors = Self::ALL.map(Self::id).into_iter();
        editors.chain(["agent", "gemini", "qwen", "claude", "codex"]).collect()
    }

    /// The editor of that name on the command line.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "neovim" | "nvim" => Some(Self::Neovim),
            "helix" | "hx" => Some(Self::Helix),
            "emacs" => Some(Self::Emacs),
            "vim" => Some(Self::Vim),
            "kakoune" | "kak" => Some(Self::Kakoune),
            "kate" => Some(Self::Kate),
            "vscode" | "code" | "code-insiders" => Some(Self::Vscode(Product::VsCode)),
            "vscodium" | "codium" => Some(Self::Vscode(Product::VsCodium)),
            "cursor" => Some(Self::Vscode(Product::Cursor)),
            "windsurf" => Some(Self::Vscode(Product::Windsurf)),
            "code-server" => Some(Self::Vscode(Product::CodeServer)),
            _ => None,
        }
    }

    /// Its name on the command line and in the ledger.
    pub fn id(self) -> &'static str {
        match self {
            Self::Neovim => neovim::ID,
            Self::Helix => helix::ID,
            Self::Emacs => emacs::ID,
            Self::Vim => vim::ID,
            Self::Kakoune => kakoune::ID,
            Self::Kate => kate::ID,
            Self::Vscode(product) => product.id(),
        }
    }

    /// Its name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Neovim => "Neovim",
            Self::Helix => "Helix",
            Self::Emacs => "Emacs",
            Self::Vim => "Vim",
            Self::Kakoune => "Kakoune",
            Self::Kate => "Kate",
            Self::Vscode(product) => product.name(),
        }
    }

    fn commands(self) -> &'static [&'static str] {
        match self {
            Self::Neovim => &["nvim"],
            Self::Helix => &["hx", "helix"],
            Self::Emacs => &["emacs"],
            Self::Vim => &["vim"],
            Self::Kakoune => &["kak"],
            Self::Kate => &["kate"],
            Self::Vscode(product) => product.commands(),
        }
    }

    /// Whether a process of that name is this editor.
    pub(crate) fn is_process(self, name: &str) -> bool {
        // Debian names them after their interface: `emacs-nox`, `vim.gtk3`.
        self.commands().contains(&name)
            || self == Self::Emacs && name.starts_with("emacs-")
            || self == Self::Vim && name.starts_with("vim.")
    }

    /// The oldest release that its adapter works with, as major and minor.
    pub fn oldest(self) -> (u64, u64) {
        match self {
            Self::Neovim => (0, 10),
            Self::Helix => (25, 1),
            Self::Emacs => (29, 1),
            Self::Vim => (9, 1),
            // It prints no version, so none is refused.
            Self::Kakoune => (2024, 5),
            // The first whose client reads `useWorkspace`.
            Self::Kate => (22, 8),
            Self::Vscode(product) => product.oldest(),
        }
    }

    /// [`oldest`](Self::oldest) as the editor writes it: some count months with two digits.
    pub fn oldest_release(self) -> String {
        let (major, minor) = self.oldest();
        match self {
            Self::Helix | Self::Kate | Self::Kakoune => format!("{major}.{minor:02}"),
            _ => format!("{major}.{minor}"),
        }
    }

    /// The directory that is its adapter alone; `None` for one that is a part of the person's files.
    pub fn package_of(self, installed: &Installed) -> Option<PathBuf> {
        match self {
            Self::Neovim => neovim::package_of(installed),
            Self::Helix | Self::Kate | Self::Vscode(_) => None,
            Self::Emacs => emacs::package_of(installed),
            Self::Vim => vim::package_of(installed),
            Self::Kakoune => kakoune::package_of(installed),
        }
    }

    /// Whether its adapter is a package.
    pub fn has_package(self) -> bool {
        matches!(self, Self::Neovim | Self::Emacs | Self::Vim | Self::Kakoune)
    }

    /// A program that its adapter needs and this machine lacks, and the command that installs it.
    pub fn needs(self, user: &UserEnvironment) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Kakoune => kakoune::needs(user),
            Self::Neovim | Self::Helix | Self::Emacs | Self::Vim | Self::Kate | Self::Vscode(_) => None,
        }
    }

    /// Whether this machine has its program.
    pub fn is_here(self, user: &UserEnvironment) -> bool {
        user.find(self.commands()).is_some()
    }

    /// Its program on this machine, asked for its version.
    pub async fn program(self, user: &UserEnvironment) -> Option<EditorProgram> {
        let path = user.find(self.commands())?;
        let output = user_environment::output_of(&path, &["--version"]).await;
        Some(EditorProgram { version: output.as_deref().and_then(user_environment::version_in), path })
    }

    /// Whether it has its adapter. `installed` is its entry in the ledger.
    ///
    /// # Errors
    /// When its files cannot be read.
    pub fn state(
        self,
        user: &UserEnvironment,
        installed: Option<&Installed>,
    ) -> anyhow::Result<AdapterState> {
        match self {
            Self::Neovim => neovim::state(user, installed),
            Self::Helix => helix::state(user, installed),
            Self::Emacs => emacs::state(user, installed),
            Self::Vim => vim::state(user, installed),
            Self::Kakoune => kakoune::state(user, installed),
            Self::Kate => kate::state(user, installed),
            Self::Vscode(product) => vscode::state(product, user, installed),
        }
    }
}
