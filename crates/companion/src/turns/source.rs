//! Where the companion reads turns: the library starts no process and keeps no store, so the program gives it
//! a [`TurnSource`].

use std::fmt::Debug;
use std::path::{Path, PathBuf};

use alongside_desk::{Baseline, TurnFile, UndoneFile};

/// Reads the baselines and changes of working trees. Every method blocks, and is called outside the main
/// loop.
pub trait TurnSource: Debug + Send + Sync {
    /// Looks what has changed in the working tree of a directory since `since`, a revision of its repository;
    /// without one, since the baseline that turns left behind, or the last commit where there is none.
    ///
    /// # Errors
    /// Why it cannot be told, in one line for the person, harmless.
    fn look(&self, directory: &Path, since: Option<&str>) -> Result<TurnLook, String>;

    /// Reads the two texts of a file that a look has found.
    ///
    /// # Errors
    /// Why they cannot be read, in one line for the person, harmless.
    fn texts(&self, look: &TurnLook, file: &FoundFile) -> Result<TurnTexts, String>;

    /// Writes these files, each only if it is still as it was shown, and keeps the text of before in a draft.
    /// Answers for each of them, in their order.
    fn undo(&self, look: &TurnLook, files: &[Undo]) -> Vec<UndoneFile>;

    /// Remembers that the person has finished with what this look shows, after [`undo`](Self::undo): what is
    /// on disk now is the next baseline, except where a file has changed since the look, which the person
    /// has not seen.
    fn finish(&self, look: &TurnLook) {
        let _ = look;
    }
}

/// The result of a look.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TurnLook {
    /// The top of the working tree, without links.
    pub root: PathBuf,
    /// The snapshots that are compared, and the time of the look, as the source names them.
    pub snapshot: String,
    /// The same for people.
    pub baseline: Baseline,
    /// The files that differ, by path.
    pub files: Vec<FoundFile>,
    /// As [`Turn::remarks`](alongside_desk::Turn::remarks).
    pub remarks: Vec<String>,
}

/// A file that differs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FoundFile {
    /// Its path below the root, byte for byte.
    pub path: PathBuf,
    /// The path that it had, if it was renamed.
    pub from: Option<PathBuf>,
    /// Names the contents of both sides, as the source does: another content on either side is another name.
    /// A mark stays with its file as long as this does. Empty if the source cannot tell.
    pub content: String,
    /// Whatever desks are told of it.
    pub told: TurnFile,
}

/// The two texts of a file, byte for byte; `None` where there is no such file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TurnTexts {
    /// The text of the baseline.
    pub before: Option<Vec<u8>>,
    /// The text on disk.
    pub now: Option<Vec<u8>>,
}

/// A file that is to be undone, in part or as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undo {
    /// The file.
    pub file: FoundFile,
    /// What becomes of it.
    pub to: UndoTo,
}

/// What becomes of a file that is undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UndoTo {
    /// What it was at the baseline, whatever it was: a text, a link, nothing. The bytes on disk when the list
    /// was made are compared by their hash, which the look holds.
    Baseline,
    /// This text, in which some hunks are as at the baseline.
    Text {
        /// The bytes that were shown, which the file must still hold.
        shown: Vec<u8>,
        /// The bytes to write.
        wanted: Vec<u8>,
    },
}
