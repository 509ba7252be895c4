//! The jobs of turn reviews, which block, such as a look, the reading of a file or an undo. They run beside
//! the main loop.

use std::path::PathBuf;
use std::sync::Arc;

use alongside_desk::{CallAnswer, Refusal, TurnId, UndoneFile, harmless};

use super::comment_work::CommentWork;
use super::file_note::FileNote;
use super::file_texts::{KnownTexts, Stretches, texts};
use super::pending_message::{PendingMessage, SendResult};
use super::source::{Feedback, FoundFile, TurnLook, TurnSource, Undo};
use crate::real_path;
use crate::reviews::proposal::PreparedProposal;

/// A working tree, by a directory in it, and the revision with which its changes begin.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LookKey {
    pub(super) directory: PathBuf,
    pub(super) since: Option<String>,
}

/// A job with the source on which it works.
#[derive(Debug)]
pub(crate) struct TurnJob {
    pub(super) source: Arc<dyn TurnSource>,
    pub(super) kind: JobKind,
}

/// The kind of a job, and its input.
#[derive(Debug)]
pub(super) enum JobKind {
    /// Looks at the working tree of a directory, which has to be in one of these roots.
    Look { key: LookKey, number: u64, roots: Arc<[PathBuf]> },
    /// Finds the roots in which turns wait for a review or an agent is at work.
    FindTurns { roots: Arc<[PathBuf]> },
    /// Reads the texts of a file. `known`: its texts, if it is open.
    Read { turn: TurnId, look: Arc<TurnLook>, file: FoundFile, known: Option<KnownTexts> },
    /// Undoes files, and sends a message about it. With `finishes`, no mark is left out, and the files become
    /// the next baseline.
    Undo {
        turn: TurnId,
        look: Arc<TurnLook>,
        files: Vec<Undo>,
        finishes: bool,
        message: Option<PendingMessage>,
    },
    /// Adds or changes a comment, which is on disk before its request is answered.
    Comment { turn: TurnId, look: Arc<TurnLook>, work: CommentWork, answer: CallAnswer },
    /// Stores a note on a file, which has to be in one of these roots.
    Note { note: FileNote, roots: Arc<[PathBuf]> },
}

/// The result of a job.
#[derive(Debug)]
pub(crate) enum JobResult {
    Look {
        key: LookKey,
        number: u64,
        result: Result<TurnLook, String>,
    },
    /// Turns wait for a review in these directories, or an agent is at work there.
    TurnsFound(Vec<PathBuf>),
    Read {
        turn: TurnId,
        file: FoundFile,
        result: Result<ReadTexts, Refusal>,
    },
    Undo {
        turn: TurnId,
        undone: Vec<UndoneFile>,
        sent: Option<SendResult>,
    },
    Comment {
        turn: TurnId,
        answer: CallAnswer,
        result: Result<Option<Feedback>, Refusal>,
    },
    /// A note was stored. The path is that of its file, if desks may show something new of it.
    Noted(Option<PathBuf>),
}

/// The texts of a file that were read.
#[derive(Debug)]
pub(crate) enum ReadTexts {
    /// The texts equal the open ones.
    AsKnown(Stretches),
    New {
        texts: Box<PreparedProposal>,
        stretches: Stretches,
    },
}

impl TurnJob {
    /// Runs the job. Blocks.
    pub(crate) fn run(self) -> JobResult {
        let Self { source, kind } = self;
        match kind {
            JobKind::Look { key, number, roots } => {
                let result = look(&*source, &key, &roots);
                JobResult::Look { key, number, result }
            }
            JobKind::FindTurns { roots } => {
                let found = roots.iter().filter(|root| source.has_turns(root));
                JobResult::TurnsFound(found.cloned().collect())
            }
            JobKind::Read { turn, look, file, known } => {
                let result = read(&*source, &look, &file, known.as_ref());
                JobResult::Read { turn, file, result }
            }
            JobKind::Undo { turn, look, files, finishes, message } => {
                let promised = message.as_ref().filter(|message| !message.asks && !files.is_empty());
                let promise = promised.and_then(|message| source.promise(&look, &message.promised_round()));
                let undone = source.undo(&look, &files);
                let asks = message.as_ref().is_some_and(|message| message.asks);
                let sent = message.map(|message| source.send(&look, &message.round(&undone)));
                drop(promise);
                // If the message was not sent, the agent was not asked to undo the marked changes, so they
                // stay marked.
                let is_unasked = asks && matches!(sent, Some(Err(_)));
                if finishes && !is_unasked && undone.iter().all(|file| file.refused.is_none()) {
                    source.finish(&look);
                }
                JobResult::Undo { turn, undone, sent }
            }
            JobKind::Comment { turn, look, work, answer } => {
                let result = work.run(&*source, &look);
                JobResult::Comment { turn, answer, result }
            }
            JobKind::Note { note, roots } => JobResult::Noted(note.keep(&*source, &roots)),
        }
    }
}

fn look(source: &dyn TurnSource, key: &LookKey, roots: &[PathBuf]) -> Result<TurnLook, String> {
    let LookKey { directory, since } = key;
    let shown = harmless::path(directory);
    if !directory.is_absolute() {
        return Err(format!("{shown} is not an absolute path"));
    }
    let real = real_path::resolve(directory);
    if !roots.iter().any(|root| real.starts_with(root)) {
        return Err(format!("{shown} is in no project of this companion"));
    }
    source.look(&real, since.as_deref())
}

fn read(
    source: &dyn TurnSource,
    look: &TurnLook,
    file: &FoundFile,
    known: Option<&KnownTexts>,
) -> Result<ReadTexts, Refusal> {
    let ((before, now), stretches) = texts(source, look, file)?;
    if known.is_some_and(|known| (&known.0, &known.1) == (&before, &now)) {
        return Ok(ReadTexts::AsKnown(stretches));
    }
    let path = look.root.join(&file.path);
    let texts = Box::new(PreparedProposal::of_turn(path, before.as_ref(), &now));
    Ok(ReadTexts::New { texts, stretches })
}
