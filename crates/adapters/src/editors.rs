//! The table of editors that have an adapter, and the names of everything that alongside can be installed
//! into. A new editor gets a row and a file when a test installs its adapter into the real editor.

use alongside_contract::agent::Agent;
use alongside_contract::agents::AGENTS;

use super::editor::Editor;
use super::{emacs, helix, kakoune, kate, neovim, vim, vscode};

/// Every editor with an adapter, in the order of lists for people.
pub static EDITORS: &[Editor] = &[
    neovim::EDITOR,
    helix::EDITOR,
    emacs::EDITOR,
    vim::EDITOR,
    kakoune::EDITOR,
    kate::EDITOR,
    vscode::VSCODE,
    vscode::VSCODIUM,
    vscode::CURSOR,
    vscode::WINDSURF,
    vscode::CODE_SERVER,
];

impl Editor {
    /// Returns the editor of the name `name` on the command line.
    pub fn named(name: &str) -> Option<&'static Self> {
        EDITORS.iter().find(|editor| editor.id == name || editor.commands.contains(&name))
    }
}

/// Returns the editors whose adapter is an extension that they install themselves.
pub fn with_extensions() -> impl Iterator<Item = &'static Editor> {
    EDITORS.iter().filter(|editor| editor.extensions.is_some())
}

/// Returns the agents that can be set up.
pub fn agents_to_set_up() -> impl Iterator<Item = &'static Agent> {
    AGENTS.iter().filter(|agent| agent.can_be_set_up())
}

/// Returns the names on the command line of everything that alongside can be installed into.
pub fn names_to_install() -> Vec<&'static str> {
    let editors = EDITORS.iter().map(|editor| editor.id);
    editors.chain(["agent"]).chain(agents_to_set_up().map(|agent| agent.id)).collect()
}
