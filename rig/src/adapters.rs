//! Sets our editor adapters up in a sandbox, as their pages tell a person to.

use std::fs;
use std::path::Path;

use anyhow::Result;

use crate::editors::Generation;
use crate::sandbox::Sandbox;

/// The languages.toml of editors/helix/README.md, for the languages of the stories.
const HELIX_LANGUAGES: &str = "\
language-server.alongside = { command = \"alongside\", args = [\"lsp\"] }
language = [{ name = \"markdown\", language-servers = [\"alongside\"] }, \
{ name = \"python\", language-servers = [\"alongside\"] }]
";

/// That page's settings for releases after 25.07, which make Helix report the cursor and the selection.
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
    let ours = Path::new(env!("CARGO_MANIFEST_DIR")).join("../editors/neovim").canonicalize()?;
    let packages = sandbox.home().join(".local/share/nvim/site/pack/mine/start");
    fs::create_dir_all(&packages)?;
    std::os::unix::fs::symlink(ours, packages.join("alongside"))?;
    let config = sandbox.home().join(".config/nvim");
    fs::create_dir_all(&config)?;
    fs::write(config.join("init.lua"), format!("require('alongside').setup{{}}\n{more}\n"))?;
    Ok(())
}

/// Configures Helix as editors/helix/README.md says.
pub fn helix(sandbox: &Sandbox, generation: Generation) -> Result<()> {
    let config = sandbox.home().join(".config/helix");
    fs::create_dir_all(&config)?;
    fs::write(config.join("languages.toml"), HELIX_LANGUAGES)?;
    if generation == Generation::Newest {
        fs::write(config.join("config.toml"), HELIX_SETTINGS)?;
    }
    Ok(())
}

/// Installs the Vim adapter as its page tells a person who has a clone.
pub fn vim(sandbox: &Sandbox, vimrc: &str) -> Result<()> {
    let ours = Path::new(env!("CARGO_MANIFEST_DIR")).join("../editors/vim").canonicalize()?;
    let packages = sandbox.home().join(".vim/pack/alongside/start");
    fs::create_dir_all(&packages)?;
    std::os::unix::fs::symlink(ours, packages.join("alongside"))?;
    Ok(fs::write(sandbox.home().join(".vim/vimrc"), vimrc)?)
}

/// Loads the Kakoune adapter as its page tells a person who has a clone, with the settings of that page.
pub fn kakoune(sandbox: &Sandbox) -> Result<()> {
    let ours = Path::new(env!("CARGO_MANIFEST_DIR")).join("../editors/kakoune").canonicalize()?;
    let config = sandbox.home().join(".config/kak");
    fs::create_dir_all(&config)?;
    let kakrc = format!(
        "eval %sh{{kak-lsp}}\nlsp-enable\nsource {}/alongside.kak\n\
         map global user a ': enter-user-mode alongside<ret>' -docstring 'proposals of agents'\n\
         set-option global modelinefmt \"%%opt{{alongside_modeline}}%opt{{modelinefmt}}\"\n",
        ours.display()
    );
    Ok(fs::write(config.join("kakrc"), kakrc)?)
}

/// Loads the Emacs adapter as its page tells a person who uses no packages.
pub fn emacs(sandbox: &Sandbox) -> Result<()> {
    let ours = Path::new(env!("CARGO_MANIFEST_DIR")).join("../editors/emacs").canonicalize()?;
    let config = sandbox.home().join(".emacs.d");
    fs::create_dir_all(&config)?;
    fs::write(config.join("early-init.el"), EMACS_SETTINGS)?;
    let init = format!(
        "(add-to-list 'load-path \"{}\")\n(require 'alongside)\n(alongside-mode 1)\n",
        ours.display()
    );
    Ok(fs::write(config.join("init.el"), init)?)
}
