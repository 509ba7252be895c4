//! The work of turn reviews that blocks, such as a look, the reading of a file or an undo. It runs beside
//! the loop.

use std::path::PathBuf;
use std::sync::Arc;

use alongside_desk::{CallAnswer, Refusal, TurnId, UndoneFile, harmless};

use super::comment_work::CommentWork;
use super::file_texts::{KnownTexts, Stretches, texts};
use super::noting::Noting;
use super::sending::{Sending, Sent};
use super::source::{Feedback, FoundFile, TurnLook, TurnSource, Undo};
use crate::real_path;
use crate::reviews::proposal::PreparedProposal;

/// A working tree by a directory in it, and the revision with which its changes begin.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LookKey {
    pub(super) directory: PathBuf,
    pub(super) since: Option<String>,
}

#[derive(Debug)]
pub(crate) struct TurnJob {
    pub(super) source: Arc<dyn TurnSource>,
    pub(super) work: Work,
}

#[derive(Debug)]
pub(super) enum Work {
    /// A look at the working tree of a directory, which has to be in one of these roots.
    Look { key: LookKey, number: u64, roots: Arc<[PathBuf]> },
    /// Finds the roots in which turns wait for a review or an agent is at work.
    FindTurns { roots: Arc<[PathBuf]> },
    /// Reads the texts of a file. `known` are its texts, if it is open.
    Read { turn: TurnId, look: Arc<TurnLook>, file: FoundFile, known: Option<KnownTexts> },
    /// Undoes files, and sends a message about it. `finishes` if no mark is left out: then the next
    /// baseline follows.
    Undo { turn: TurnId, look: Arc<TurnLook>, files: Vec<Undo>, finishes: bool, sending: Option<Sending> },
    /// Adds or changes a comment, which is on disk before its request is answered.
    Comment { turn: TurnId, look: Arc<TurnLook>, work: CommentWork, answer: CallAnswer },
    /// Keeps a note on a file, which has to be in one of these roots.
    Note { noting: Noting, roots: Arc<[PathBuf]> },
}

/// The result of a job.
#[derive(Debug)]
pub(crate) enum WorkDone {
    Look {
        key: LookKey,
        number: u64,
        result: Result<TurnLook, String>,
    },
    /// An agent is at work in these directories.
    FoundTurns(Vec<PathBuf>),
    Read {
        turn: TurnId,
        file: FoundFile,
        result: Result<ReadTexts, Refusal>,
    },
    Undo {
        turn: TurnId,
        undone: Vec<UndoneFile>,
        sent: Option<Sent>,
    },
    Comment {
        turn: TurnId,
        answer: CallAnswer,
        result: Result<Option<Feedback>, Refusal>,
    },
    /// A note was kept: the file, if desks may show something new of it.
    Noted(Option<PathBuf>),
}

#[derive(Debug)]
pub(crate) enum ReadTexts {
    /// The texts are the same as the open ones.
    AsKnown(Stretches),
    Others {
        texts: Box<PreparedProposal>,
        stretches: Stretches,
    },
}

impl TurnJob {
    /// Blocks.
    pub(crate) fn run(self) -> WorkDone {
        let Self { source, work } = self;
        match work {
            Work::Look { key, number, roots } => {
                let result = look(&*source, &key, &roots);
                WorkDone::Look { key, number, result }
            }
            Work::FindTurns { roots } => {
                let found = roots.iter().filter(|root| source.has_turns(root));
                WorkDone::FoundTurns(found.cloned().collect())
            }
            Work::Read { turn, look, file, known } => {
                let result = read(&*source, &look, &file, known.as_ref());
                WorkDone::Read { turn, file, result }
            }
            Work::Undo { turn, look, files, finishes, sending } => {
                let promised = sending.as_ref().filter(|sending| !sending.asks && !files.is_empty());
                let promise = promised.and_then(|sending| source.promise(&look, &sending.promised()));
                let undone = source.undo(&look, &files);
                let asks = sending.as_ref().is_some_and(|sending| sending.asks);
                let sent = sending.map(|sending| source.send(&look, &sending.round(&undone)));
                drop(promise);
                // If the message was not sent, nobody was asked to undo the marked changes: they stay marked.
                let is_unasked = asks && matches!(sent, Some(Err(_)));
                if finishes && !is_unasked && undone.iter().all(|file| file.refused.is_none()) {
                    source.finish(&look);
                }
                WorkDone::Undo { turn, undone, sent }
            }
            Work::Comment { turn, look, work, answer } => {
                let result = work.run(&*source, &look);
                WorkDone::Comment { turn, answer, result }
            }
            Work::Note { noting, roots } => WorkDone::Noted(noting.keep(&*source, &roots)),
        }
    }
}

fn look(source: &dyn TurnSource, key: &LookKey, roots: &[PathBuf]) -> Result<TurnLook, String> {
    let LookKey { directory, since } = key;
    let told = harmless::path(directory);
    if !directory.is_absolute() {
        return Err(format!("{told} is not an absolute path"));
    }
    let real = real_path::resolve(directory);
    if !roots.iter().any(|root| real.starts_with(root)) {
        return Err(format!("{told} is in no project of this companion"));
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
    Ok(ReadTexts::Others { texts, stretches })
}
