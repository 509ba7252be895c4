//! The choices a person has about the desk, and the ways in which it ends.

use std::fmt::Debug;
use std::path::PathBuf;
use std::sync::Arc;

use alongside_desk::agent_setup::AgentSetup;

use crate::notification::Notification;
use crate::unsaved_texts::DraftStore;

/// The choices a person has about the desk.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Directories that file names are shown relative to, until the companion's status names its roots.
    pub roots: Vec<PathBuf>,
    /// Which colours; without it the desk asks the terminal.
    pub theme: Option<Theme>,
    /// Side by side or one column; without it the width decides.
    pub layout: Option<Layout>,
    /// How the desk announces a review while the person looks elsewhere, if at all.
    pub notify: Option<Notification>,
    /// Where texts go that a person typed and no companion took.
    pub drafts: DraftStore,
    /// Looks for agents to set up; without it the desk offers nothing.
    pub agent_setup: Option<Arc<dyn AgentSetup>>,
    /// The turn review that a key opens.
    pub turn: TurnOptions,
    /// Pastes into the panes of agents; without it nothing is pasted.
    pub agent_pane: Option<Arc<dyn AgentPane>>,
    /// Takes undos back; without it, the person does by `alongside drafts`.
    pub undo_back: Option<Arc<dyn UndoBack>>,
    /// The name of the agent that was started with this desk, if nothing is known of it before its first
    /// prompt.
    pub started: Option<String>,
    /// Whether this is a demo, which nothing outlives: then the desk promises no drafts, and says which key
    /// to press first.
    pub rehearsal: bool,
}

/// Where agents run, as far as the program around the desk can tell.
pub trait AgentPane: Debug + Send + Sync {
    /// Pastes what waits for the agent of the working tree at `root` into its pane, without Enter. Returns a
    /// sentence for the person. Blocks.
    ///
    /// # Errors
    /// Why nothing is pasted, for the person.
    fn paste(&self, root: &str) -> Result<String, String>;
}

/// Takes undos of a turn review back.
pub trait UndoBack: Debug + Send + Sync {
    /// Writes these texts back into the files from which an undo has taken them, each while its file is as
    /// the undo has left it. Answers for each in its order: an error is the reason why it stays as it is, for
    /// the person. Blocks.
    fn take_back(&self, undone: &[UndoneText]) -> Vec<Result<(), String>>;
}

/// A text that a finish has undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndoneText {
    /// The path of its file.
    pub file: String,
    /// The draft that holds it.
    pub draft: String,
}

/// The turn review that a key opens.
#[derive(Debug, Clone, Default)]
pub struct TurnOptions {
    /// A directory in the working tree, as its real path; without one, the first root of the companion.
    pub directory: Option<String>,
    /// The revision with which the changes begin; without one, the baseline that turns left behind.
    pub since: Option<String>,
    /// Whether the desk begins with it.
    pub at_start: bool,
}

/// The background that the colours are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Theme {
    /// A light background.
    Light,
    /// A dark background.
    Dark,
}

/// How a review is laid out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Layout {
    /// The original beside the text that would be accepted.
    SideBySide,
    /// Both in one column.
    #[default]
    OneColumn,
}

/// Why the desk ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The person left.
    Left,
    /// A signal came: its number.
    Signal(i32),
    /// The companion has stopped for good.
    Gone,
}
