//! The work of turn reviews that blocks: a look, the texts of a file, an undo. It runs beside the loop.

use std::path::PathBuf;
use std::sync::Arc;

use alongside_desk::{Refusal, TurnId, UndoneFile, harmless};

use super::source::{FoundFile, TurnLook, TurnSource, TurnTexts, Undo};
use crate::real_path;
use crate::reviews::proposal::PreparedProposal;

/// A working tree by a directory in it, and the revision with which its changes begin.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LookKey {
    pub(super) directory: PathBuf,
    pub(super) since: Option<String>,
}

/// The two texts of a file that is open: the baseline's, if it has one, and the one on disk.
pub(super) type KnownTexts = (Option<Arc<str>>, Arc<str>);

#[derive(Debug)]
pub(crate) struct TurnJob {
    pub(super) source: Arc<dyn TurnSource>,
    pub(super) work: Work,
}

#[derive(Debug)]
pub(super) enum Work {
    /// A look at the working tree of a directory, which has to be in one of these roots.
    Look { key: LookKey, number: u64, roots: Arc<[PathBuf]> },
    /// The texts of a file. `known` are those that are open.
    Read { turn: TurnId, look: Arc<TurnLook>, file: FoundFile, known: Option<KnownTexts> },
    /// An undo. `finishes` if nothing that is marked is left out: then the review begins anew after it.
    Undo { turn: TurnId, look: Arc<TurnLook>, files: Vec<Undo>, finishes: bool },
}

/// The result of a job.
#[derive(Debug)]
pub(crate) enum WorkDone {
    Look { key: LookKey, number: u64, result: Result<TurnLook, String> },
    Read { turn: TurnId, file: FoundFile, result: Result<ReadTexts, Refusal> },
    Undo { turn: TurnId, undone: Vec<UndoneFile> },
}

#[derive(Debug)]
pub(crate) enum ReadTexts {
    /// They are those that are open.
    AsKnown,
    Others(Box<PreparedProposal>),
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
            Work::Read { turn, look, file, known } => {
                let result = read(&*source, &look, &file, known.as_ref());
                WorkDone::Read { turn, file, result }
            }
            Work::Undo { turn, look, files, finishes } => {
                let undone = source.undo(&look, &files);
                if finishes && undone.iter().all(|file| file.refused.is_none()) {
                    source.finish(&look);
                }
                WorkDone::Undo { turn, undone }
            }
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
    let texts = source.texts(look, file).map_err(|reason| Refusal::TurnUnknown { reason })?;
    let TurnTexts { before, now } = texts;
    let before = before.map(|bytes| text(bytes, "before")).transpose()?;
    // Of a deleted file, all is one deletion.
    let now = now.map(|bytes| text(bytes, "on disk")).transpose()?.unwrap_or_default();
    if known.is_some_and(|known| (&known.0, &known.1) == (&before, &now)) {
        return Ok(ReadTexts::AsKnown);
    }
    let path = look.root.join(&file.path);
    Ok(ReadTexts::Others(Box::new(PreparedProposal::of_turn(path, before.as_ref(), &now))))
}

/// A text, byte for byte.
fn text(bytes: Vec<u8>, side: &str) -> Result<Arc<str>, Refusal> {
    if memchr::memchr(0, &bytes).is_some() {
        return Err(Refusal::WholeFileOnly { reason: format!("the file {side} is binary") });
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text.into()),
        Err(_) => Err(Refusal::WholeFileOnly { reason: format!("the file {side} is not UTF-8 text") }),
    }
}
