//! The interface by which the companion reads turns. The library starts no process and keeps no store, so the
//! program gives it a [`TurnSource`].

use std::fmt::Debug;
use std::path::{Path, PathBuf};

use alongside_desk::{
    AtWork, Baseline, Comment, CommentId, FileChange, LineRange, Lines, Refusal, Route, Side, TurnFile,
    TurnMessage, UndoneFile,
};
use serde::{Deserialize, Serialize};

/// The number of remembered lines before and after commented lines, which distinguish them from equal lines
/// elsewhere.
pub const SURROUNDING_LINES: usize = 3;
/// The longest text that a comment quotes, in bytes. Every desk gets it with every change of the list.
pub const MAX_QUOTED_BYTES: usize = 64 << 10;

/// Reads the baselines and changes of working trees. Every method blocks, and is called outside the main
/// loop.
pub trait TurnSource: Debug + Send + Sync {
    /// Finds the files that have changed in the working tree of a directory since `since`, a revision of its
    /// repository. Without `since`, the look begins at the baseline of turns or, if there is none, at the
    /// last commit.
    ///
    /// # Errors
    /// The reason why the look failed, in one line for the person, harmless.
    fn look(&self, directory: &Path, since: Option<&str>) -> Result<TurnLook, String>;

    /// Whether turns were recorded in the working tree of a directory since the last review, or an agent is
    /// at work there, as far as that is known without a look.
    fn has_turns(&self, directory: &Path) -> bool;

    /// Reads the two texts of a file that a look has found.
    ///
    /// # Errors
    /// The reason why they cannot be read, in one line for the person, harmless.
    fn texts(&self, look: &TurnLook, file: &FoundFile) -> Result<TurnTexts, String>;

    /// Writes these files, each only if it is still as it was shown. Saves the text that it had in a draft.
    /// Returns an answer for each file, in the same order.
    fn undo(&self, look: &TurnLook, files: &[Undo]) -> Vec<UndoneFile>;

    /// Remembers that the person has finished with the changes of this look, after [`undo`](Self::undo): the
    /// files on disk are the next baseline, except where a file has changed since the look, so that the
    /// person did not see it.
    fn finish(&self, look: &TurnLook);

    /// Remembers an event of a file, given by its path with links resolved, where turns have left a baseline.
    /// Returns whether the event is new, so that another look may find something else.
    fn note(&self, file: &Path, note: &TurnNote) -> bool;

    /// Returns the comments of the working tree, each with its present lines, and the route of a message.
    ///
    /// # Errors
    /// The reason why they cannot be read, in one line for the person, harmless.
    fn feedback(&self, look: &TurnLook) -> Result<Feedback, String>;

    /// Keeps a comment. It is on disk when this returns.
    ///
    /// # Errors
    /// The reason why the comment is not saved.
    fn add_comment(&self, look: &TurnLook, comment: &NewComment) -> Result<(), Refusal>;

    /// Changes the words of a comment, or removes it if there are none.
    ///
    /// # Errors
    /// The reason why the comment stays as it is.
    fn change_comment(&self, look: &TurnLook, id: CommentId, text: &str) -> Result<(), Refusal>;

    /// Promises that the agent will get this round, which the person has confirmed, before its changes are
    /// undone. The caller drops the returned promise once the round is sent, or will not be sent. If the
    /// process dies before that, a later process sends the list of undone changes.
    fn promise(&self, look: &TurnLook, round: &NewRound) -> Option<Box<dyn Debug + Send>>;

    /// Sends the comments of the round, with the changes that were undone and those that the agent is asked
    /// to undo. The message is on disk when this returns, until an agent has read it. `None` if there was
    /// nothing to send.
    ///
    /// # Errors
    /// The reason why nothing was sent, in one line for the person, harmless. The comments remain unsent.
    fn send(&self, look: &TurnLook, round: &NewRound) -> Result<Option<TurnMessage>, String>;
}

/// An event of a file that a turn review shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TurnNote {
    /// The person accepted a proposal, and it is written.
    Accepted(AcceptedText),
    /// The person has saved the file in an editor.
    Saved,
}

/// A text that the person accepted, byte for byte as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AcceptedText {
    /// The file before the agent has written it; `None` if it is new.
    pub before: Option<Vec<u8>>,
    /// The file as the agent has written it.
    pub after: Vec<u8>,
}

/// The comments of a working tree, and the last message to its agent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Feedback {
    /// As [`Turn::comments`](alongside_desk::Turn::comments).
    pub comments: Vec<Comment>,
    /// As [`Turn::route`](alongside_desk::Turn::route).
    pub route: Option<Route>,
    /// As [`Turn::message`](alongside_desk::Turn::message).
    pub message: Option<TurnMessage>,
    /// The number of the state, which rises with every comment and message.
    pub revision: u64,
}

/// A comment that is to be kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewComment {
    /// The file; `None` for the whole turn.
    pub file: Option<FoundFile>,
    /// The lines of the file; `None` for the whole file.
    pub lines: Option<LineRange>,
    /// The text in which `lines` are counted.
    pub side: Side,
    /// The text of these lines.
    pub code: String,
    /// The text of [`SURROUNDING_LINES`] lines before these lines, to distinguish them from equal lines
    /// elsewhere.
    pub before: String,
    /// The text of [`SURROUNDING_LINES`] lines after these lines.
    pub after: String,
    /// The person's words.
    pub text: String,
}

/// The content of a message.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewRound {
    /// The changes that the person has undone.
    pub undone: Vec<ChangeBack>,
    /// The changes that the agent is asked to undo.
    pub asked: Vec<ChangeBack>,
    /// The comments that the person has confirmed, and the only ones that are sent; `None` to send every
    /// unsent comment.
    pub comments: Option<Vec<CommentId>>,
}

/// A change that takes a file back to its earlier state.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangeBack {
    /// As [`TurnFile::path`].
    pub path: String,
    /// The hunks that are taken back; none for the whole file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hunks: Vec<HunkBack>,
    /// The change that no hunk shows and that is taken back as well; nothing if only hunks are taken back, or
    /// if the change is unknown.
    #[serde(default, skip_serializing_if = "WholeBack::is_nothing")]
    pub whole: WholeBack,
}

/// The change of a file that no hunk shows, and that is taken back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WholeBack {
    /// The kind of the change.
    #[serde(default)]
    pub change: FileChange,
    /// As [`TurnFile::from`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// As [`TurnFile::executable`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub executable: Option<bool>,
}

impl WholeBack {
    /// Creates the whole change of this file.
    pub(super) fn of(file: &TurnFile) -> Self {
        Self { change: file.change, from: file.from.clone(), executable: file.executable }
    }

    fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

/// A hunk that is taken back to the lines of the baseline.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HunkBack {
    /// The line of the changed text at which the hunk begins, from 1.
    pub line: usize,
    /// The changed lines, which are removed.
    pub changed: String,
    /// The lines of the baseline, which replace the changed lines.
    pub before: String,
}

/// The result of a look.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TurnLook {
    /// The top of the working tree, with links resolved.
    pub root: PathBuf,
    /// The snapshots that are compared, and the time of the look, as the source names them.
    pub snapshot: String,
    /// The baseline of the look, as people read it.
    pub baseline: Baseline,
    /// The files that differ, by path.
    pub files: Vec<FoundFile>,
    /// As [`Turn::remarks`](alongside_desk::Turn::remarks).
    pub remarks: Vec<String>,
    /// The comments of the working tree, and the route of messages to its agent.
    pub feedback: Feedback,
    /// The turns that have begun and not ended.
    pub at_work: Vec<OpenTurn>,
}

/// A turn that has begun and not ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OpenTurn {
    /// The turn as desks get it.
    pub told: AtWork,
    /// The agent's process, with which the turn ends in any case.
    pub process: Option<u32>,
}

/// A file that differs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FoundFile {
    /// Its path below the root, byte for byte.
    pub path: PathBuf,
    /// The path that it had, if it was renamed.
    pub from: Option<PathBuf>,
    /// A name of the source for the contents of both sides: another content on either side has another name.
    /// A mark stays on its file as long as this name does. Empty if the source does not know the contents.
    pub content: String,
    /// The file as desks get it.
    pub told: TurnFile,
}

/// The two texts of a file, byte for byte; `None` where there is no such file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TurnTexts {
    /// The text of the baseline.
    pub before: Option<Vec<u8>>,
    /// The text on disk.
    pub now: Option<Vec<u8>>,
    /// As [`OpenedTurnFile::new`](alongside_desk::OpenedTurnFile::new).
    pub new: Option<Vec<Lines>>,
    /// As [`OpenedTurnFile::accepted`](alongside_desk::OpenedTurnFile::accepted).
    pub accepted: Vec<Lines>,
}

/// A file that is to be undone, in part or as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undo {
    /// The file.
    pub file: FoundFile,
    /// The content that it gets.
    pub to: UndoTo,
}

/// The content that an undo gives a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UndoTo {
    /// The state of the file at the baseline: a text, a link, or no file. The bytes on disk when the list was
    /// made are compared by their hash, which the look has.
    Baseline,
    /// A text in which some hunks are as at the baseline.
    Text {
        /// The bytes that were shown, which the file must still hold.
        shown: Vec<u8>,
        /// The bytes to write.
        wanted: Vec<u8>,
    },
}
