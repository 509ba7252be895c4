//! The two texts of a file of a turn review, if it has texts.

use std::sync::Arc;

use alongside_desk::{Lines, Refusal};

use super::source::{FoundFile, TurnLook, TurnSource, TurnTexts};

/// The two texts of a file that is open: the baseline's, if it has one, and the one on disk.
pub(super) type KnownTexts = (Option<Arc<str>>, Arc<str>);

/// The lines of the text on disk that a person is told something of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Stretches {
    /// As [`OpenedTurnFile::new`](alongside_desk::OpenedTurnFile::new).
    pub(super) new: Option<Vec<Lines>>,
    /// As [`OpenedTurnFile::accepted`](alongside_desk::OpenedTurnFile::accepted).
    pub(super) accepted: Vec<Lines>,
}

/// The texts of a file, byte for byte, and what is told of their lines.
pub(super) fn texts(
    source: &dyn TurnSource,
    look: &TurnLook,
    file: &FoundFile,
) -> Result<(KnownTexts, Stretches), Refusal> {
    let texts = source.texts(look, file).map_err(|reason| Refusal::TurnUnknown { reason })?;
    let TurnTexts { before, now, new, accepted } = texts;
    let before = before.map(|bytes| text(bytes, "before")).transpose()?;
    // Of a deleted file, all is one deletion.
    let now = now.map(|bytes| text(bytes, "on disk")).transpose()?.unwrap_or_default();
    Ok(((before, now), Stretches { new, accepted }))
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
