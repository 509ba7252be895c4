//! The options of the desk, and the reasons for its end.

use std::fmt::Debug;
use std::path::PathBuf;
use std::sync::Arc;

use alongside_desk::agent_setup::AgentSetup;

use crate::notification::Notification;
use crate::unsaved_texts::DraftStore;

/// The options of the desk.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The directories to which file names are relative on the screen, until the companion's status names
    /// roots.
    pub roots: Vec<PathBuf>,
    /// The background for the colours; if absent, the desk asks the terminal.
    pub theme: Option<Theme>,
    /// The layout of reviews; if absent, the width of the screen decides.
    pub layout: Option<Layout>,
    /// The announcement of a review while another window has the focus, if there is one.
    pub notify: Option<Notification>,
    /// The store for texts that the person typed and the companion does not have.
    pub drafts: DraftStore,
    /// Searches for agents to set up; if absent, the desk offers no set-up.
    pub agent_setup: Option<Arc<dyn AgentSetup>>,
    /// The turn review that a key opens.
    pub turn: TurnOptions,
    /// Pastes into the panes of agents; if absent, the desk refuses to paste.
    pub agent_pane: Option<Arc<dyn AgentPane>>,
    /// Takes undos back; if absent, the person uses `alongside drafts`.
    pub undo_back: Option<Arc<dyn UndoBack>>,
    /// The name of the agent that was started with this desk, if the companion learns of the agent only at
    /// its first prompt.
    pub started: Option<String>,
    /// Whether this is a demo, which keeps nothing: the desk promises no drafts, and names the key to press
    /// first.
    pub rehearsal: bool,
}

/// The terminal panes in which agents run, as far as the program around the desk knows them.
pub trait AgentPane: Debug + Send + Sync {
    /// Pastes the message that waits for the agent of the working tree at `root` into the agent's pane,
    /// without Enter. Returns a sentence for the person. Blocks.
    ///
    /// # Errors
    /// The reason why nothing is pasted, as a sentence for the person.
    fn paste(&self, root: &str) -> Result<String, String>;
}

/// Takes undos of a turn review back.
pub trait UndoBack: Debug + Send + Sync {
    /// Writes each of these texts back into its file, if the file is still as the undo has left it. Returns
    /// the results in the order of the texts. An error is the reason why a file stays undone, for the person.
    /// Blocks.
    fn take_back(&self, undone: &[UndoneText]) -> Vec<Result<(), String>>;
}

/// The text of a file before a finish undid changes of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndoneText {
    /// The path of the file.
    pub file: String,
    /// The draft with the text.
    pub draft: String,
}

/// The turn review that a key opens.
#[derive(Debug, Clone, Default)]
pub struct TurnOptions {
    /// A directory in the working tree, as its real path; if absent, the first root of the companion.
    pub directory: Option<String>,
    /// The git revision with which the changes begin; if absent, the baseline in the store of turns.
    pub since: Option<String>,
    /// Whether the desk starts with the turn review on the screen.
    pub at_start: bool,
}

/// The background of the terminal, for which the colours are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Theme {
    /// A light background.
    Light,
    /// A dark background.
    Dark,
}

/// The layout of a review.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Layout {
    /// The original beside the text that would be accepted.
    SideBySide,
    /// Both texts in one column.
    #[default]
    OneColumn,
}

/// The reason for the end of the desk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The person left.
    Left,
    /// The signal of this number arrived.
    Signal(i32),
    /// The companion has stopped, and will not come back.
    Gone,
}
