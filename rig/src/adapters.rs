//! Sets our editor adapters up in a sandbox, as their pages tell a person to.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::editors::Generation;
use crate::sandbox::Sandbox;

/// The languages.toml of editors/helix/README.md, for the languages of the stories.
const HELIX_LANGUAGES: &str = "\
language-server.alongside = { command = \"alongside\", args = [\"lsp\"] }
language = [{ name = \"markdown\", language-servers = [\"alongside\"] }, \
{ name = \"python\", language-servers = [\"alongside\"] }]
";

/// The settings of the same page for releases after 25.07, which make Helix report the cursor and the
/// selection.
const HELIX_SETTINGS: &str = "\
[editor]
gutters = [\"code-action-hint\", \"diagnostics\", \"spacer\", \"line-numbers\", \"spacer\", \"diff\"]
lsp.auto-document-highlight = true
";

/// A person's settings for Emacs. Compiling to machine code needs a compiler, which the rig's Emacs lacks.
pub const EMACS_SETTINGS: &str = "(setq native-comp-jit-compilation nil inhibit-startup-screen t)\n";

/// Installs the Neovim plugin as a plain package. The person's configuration is
/// `require('alongside').setup{}`, then `more`.
pub fn neovim(sandbox: &Sandbox, more: &str) -> Result<()> {
    link(sandbox, "neovim", ".local/share/nvim/site/pack/mine/start")?;
    sandbox.write_home(".config/nvim/init.lua", format!("require('alongside').setup{{}}\n{more}\n"));
    Ok(())
}

/// Configures Helix as editors/helix/README.md says.
pub fn helix(sandbox: &Sandbox, generation: Generation) {
    sandbox.write_home(".config/helix/languages.toml", HELIX_LANGUAGES);
    if generation == Generation::Newest {
        sandbox.write_home(".config/helix/config.toml", HELIX_SETTINGS);
    }
}

/// Installs the Vim adapter as its page tells a person who has a clone.
pub fn vim(sandbox: &Sandbox, vimrc: &str) -> Result<()> {
    link(sandbox, "vim", ".vim/pack/alongside/start")?;
    sandbox.write_home(".vim/vimrc", vimrc);
    Ok(())
}

/// Loads the Kakoune adapter as its page tells a person who has a clone, with the settings of that page.
pub fn kakoune(sandbox: &Sandbox) -> Result<()> {
    let kakrc = format!(
        "eval %sh{{kak-lsp}}\nlsp-enable\nsource {}/alongside.kak\n\
         map global user a ': enter-user-mode alongside<ret>' -docstring 'proposals of agents'\n\
         set-option global modelinefmt \"%%opt{{alongside_modeline}}%opt{{modelinefmt}}\"\n",
        ours("kakoune")?.display()
    );
    sandbox.write_home(".config/kak/kakrc", kakrc);
    Ok(())
}

/// Loads the Emacs adapter as its page tells a person who uses no packages.
pub fn emacs(sandbox: &Sandbox) -> Result<()> {
    sandbox.write_home(".emacs.d/early-init.el", EMACS_SETTINGS);
    let init = format!(
        "(add-to-list 'load-path \"{}\")\n(require 'alongside)\n(alongside-mode 1)\n",
        ours("emacs")?.display()
    );
    sandbox.write_home(".emacs.d/init.el", init);
    Ok(())
}

/// The files of an editor in this checkout.
fn ours(editor: &str) -> Result<PathBuf> {
    Ok(Path::new(env!("CARGO_MANIFEST_DIR")).join("../editors").join(editor).canonicalize()?)
}

/// Has an editor load them as a package.
fn link(sandbox: &Sandbox, editor: &str, packages: &str) -> Result<()> {
    let packages = sandbox.home().join(packages);
    fs::create_dir_all(&packages)?;
    Ok(std::os::unix::fs::symlink(ours(editor)?, packages.join("alongside"))?)
}
