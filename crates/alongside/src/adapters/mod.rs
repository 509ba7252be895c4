//! What makes an editor or an agent work with alongside: which are here, what is installed in them, and what
//! would have to be written. Nothing is written here but by [`change::make`].
//!
//! Only editors whose adapter exists and is driven for real by the tests are rows here; a new one is a file
//! that says where the editor is, whether it has the adapter, and which files it needs.

pub(crate) mod agents;
pub(crate) mod change;
pub(crate) mod helix;
pub(crate) mod ledger;
pub(crate) mod machine;
pub(crate) mod neovim;
pub(crate) mod terminal;

use std::path::PathBuf;

use change::Change;
use ledger::{Ledger, Written};
use machine::Machine;

/// An editor that has an adapter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Editor {
    Neovim,
    Helix,
}

/// An editor on this machine.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub(crate) program: PathBuf,
    /// What it says of itself, or nothing.
    pub(crate) version: Option<String>,
}

/// Whether an editor has its adapter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum State {
    NotInstalled,
    /// Installed by this program, and what this version would install.
    Current,
    /// Installed by this program, and not what this version would install.
    Outdated {
        /// The version that installed it.
        by: String,
    },
    /// There, and not from `alongside install`.
    ByHand {
        /// Where.
        at: PathBuf,
    },
}

/// What an installation would write.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    /// Nothing, if all of it is there.
    pub(crate) changes: Vec<Change>,
    /// All of it in one sentence, where there is much.
    pub(crate) summary: Option<String>,
    /// What the person should know before they agree.
    pub(crate) notes: Vec<String>,
}

/// What remains of a file when what was installed is taken out of it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Rest {
    /// This.
    Text(String),
    /// Nothing.
    Nothing,
    /// All of it, for a reason that the person is told.
    Kept(String),
}

impl Editor {
    pub(crate) const ALL: [Self; 2] = [Self::Neovim, Self::Helix];

    /// The editor of that name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        match name {
            "neovim" | "nvim" => Some(Self::Neovim),
            "helix" | "hx" => Some(Self::Helix),
            _ => None,
        }
    }

    /// What it is called on the command line.
    pub(crate) fn id(self) -> &'static str {
        match self {
            Self::Neovim => "neovim",
            Self::Helix => "helix",
        }
    }

    /// Its name for people.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Neovim => "Neovim",
            Self::Helix => "Helix",
        }
    }

    fn commands(self) -> &'static [&'static str] {
        match self {
            Self::Neovim => &["nvim"],
            Self::Helix => &["hx", "helix"],
        }
    }

    /// Whether a process of that name is this editor.
    pub(crate) fn is_process(self, name: &str) -> bool {
        self.commands().contains(&name)
    }

    /// The oldest release that its adapter works with, as major and minor.
    pub(crate) fn oldest(self) -> (u64, u64) {
        match self {
            Self::Neovim => (0, 10),
            Self::Helix => (25, 1),
        }
    }

    /// Whether it is on this machine.
    pub(crate) fn is_here(self, machine: &Machine) -> bool {
        machine.find(self.commands()).is_some()
    }

    /// Looks for it on this machine, and asks for its version.
    pub(crate) async fn find(self, machine: &Machine) -> Option<Found> {
        let program = machine.find(self.commands())?;
        let said = machine::said_by(&program, &["--version"]).await;
        Some(Found { version: said.as_deref().and_then(machine::version_in), program })
    }

    /// Whether it has its adapter.
    ///
    /// # Errors
    /// When its files cannot be read.
    pub(crate) fn state(self, machine: &Machine, ledger: &Ledger) -> anyhow::Result<State> {
        match self {
            Self::Neovim => neovim::state(machine, ledger),
            Self::Helix => helix::state(machine, ledger),
        }
    }
}

/// What people call an adapter that is written down under that name.
pub(crate) fn name_of(written: &str) -> std::borrow::Cow<'_, str> {
    let editor = Editor::named(written).map(Editor::name);
    let name = editor.or_else(|| agents::family_of(written).map(|family| family.display_name));
    alongside_desk::harmless::name(name.unwrap_or(written))
}

/// What is left of a file of that adapter, which holds `now`.
///
/// # Errors
/// When `now` cannot be changed without guessing.
pub(crate) fn take_out(name: &str, written: &Written, now: &str) -> anyhow::Result<Rest> {
    if now == written.after {
        return Ok(written.before.clone().map_or(Rest::Nothing, Rest::Text));
    }
    match Editor::named(name) {
        Some(Editor::Neovim) => Ok(Rest::Kept("it was changed since".into())),
        Some(Editor::Helix) => helix::take_out(written, now),
        None => agents::take_out(name, written, now),
    }
}

/// What `doctor` reports: every adapter that is there and not what this version would install.
pub(crate) fn outdated() -> Vec<(Editor, State)> {
    let Ok(machine) = Machine::of_this_process() else { return Vec::new() };
    let Ok(ledger) = Ledger::read(&machine.state) else { return Vec::new() };
    let states =
        Editor::ALL.into_iter().filter_map(|editor| Some((editor, editor.state(&machine, &ledger).ok()?)));
    states.filter(|(_, state)| matches!(state, State::Outdated { .. })).collect()
}
