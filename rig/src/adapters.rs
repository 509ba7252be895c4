//! Sets the adapters of editors up in a sandbox, by the instructions on their pages.

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

/// A person's settings for Emacs. They turn native compilation off: it needs a compiler, which the rig's
/// Emacs lacks.
pub const EMACS_SETTINGS: &str = "(setq native-comp-jit-compilation nil inhibit-startup-screen t)\n";

/// Installs the Neovim plugin as a package. The person's configuration is `require('alongside').setup{}`,
/// then `more`.
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

/// Installs the Vim adapter by the instructions for a clone.
pub fn vim(sandbox: &Sandbox, vimrc: &str) -> Result<()> {
    link(sandbox, "vim", ".vim/pack/alongside/start")?;
    sandbox.write_home(".vim/vimrc", vimrc);
    Ok(())
}

/// Loads the Kakoune adapter by the instructions for a clone, with the settings of its page.
pub fn kakoune(sandbox: &Sandbox) -> Result<()> {
    let kakrc = format!(
        "eval %sh{{kak-lsp}}\nlsp-enable\nsource {}/alongside.kak\n\
         map global user a ': enter-user-mode alongside<ret>' -docstring 'proposals of agents'\n\
         set-option global modelinefmt \"%%opt{{alongside_modeline}}%opt{{modelinefmt}}\"\n",
        adapter_directory("kakoune")?.display()
    );
    sandbox.write_home(".config/kak/kakrc", kakrc);
    Ok(())
}

/// Loads the Emacs adapter by the instructions without a package.
pub fn emacs(sandbox: &Sandbox) -> Result<()> {
    sandbox.write_home(".emacs.d/early-init.el", EMACS_SETTINGS);
    let init = format!(
        "(add-to-list 'load-path \"{}\")\n(require 'alongside)\n(alongside-mode 1)\n",
        adapter_directory("emacs")?.display()
    );
    sandbox.write_home(".emacs.d/init.el", init);
    Ok(())
}

/// Returns the adapter's directory for an editor in this checkout.
fn adapter_directory(editor: &str) -> Result<PathBuf> {
    Ok(Path::new(env!("CARGO_MANIFEST_DIR")).join("../editors").join(editor).canonicalize()?)
}

/// Links an adapter's directory as a package of its editor.
fn link(sandbox: &Sandbox, editor: &str, packages: &str) -> Result<()> {
    let packages = sandbox.home().join(packages);
    fs::create_dir_all(&packages)?;
    Ok(std::os::unix::fs::symlink(adapter_directory(editor)?, packages.join("alongside"))?)
}
