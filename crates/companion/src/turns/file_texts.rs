//! The two texts of a file of a turn review, if it has texts.

use std::sync::Arc;

use alongside_desk::{Lines, Refusal};

use super::source::{FoundFile, TurnLook, TurnSource, TurnTexts};

/// The two texts of an open file: the text of the baseline, if the file existed there, and the text on disk.
pub(super) type KnownTexts = (Option<Arc<str>>, Arc<str>);

/// The lines of the text on disk that are new since the last round, and the lines that were accepted before.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Stretches {
    /// As [`OpenedTurnFile::new`](alongside_desk::OpenedTurnFile::new).
    pub(super) new: Option<Vec<Lines>>,
    /// As [`OpenedTurnFile::accepted`](alongside_desk::OpenedTurnFile::accepted).
    pub(super) accepted: Vec<Lines>,
}

/// Reads the texts of a file, byte for byte, and the stretches of their lines.
pub(super) fn texts(
    source: &dyn TurnSource,
    look: &TurnLook,
    file: &FoundFile,
) -> Result<(KnownTexts, Stretches), Refusal> {
    let texts = source.texts(look, file).map_err(|reason| Refusal::TurnUnknown { reason })?;
    let TurnTexts { before, now, new, accepted } = texts;
    let before = before.map(|bytes| text(bytes, "before")).transpose()?;
    // A deleted file has an empty text, so that its change is one deletion.
    let now = now.map(|bytes| text(bytes, "on disk")).transpose()?.unwrap_or_default();
    Ok(((before, now), Stretches { new, accepted }))
}

/// Converts the bytes of a text.
fn text(bytes: Vec<u8>, side: &str) -> Result<Arc<str>, Refusal> {
    if memchr::memchr(0, &bytes).is_some() {
        return Err(Refusal::WholeFileOnly { reason: format!("the file {side} is binary") });
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text.into()),
        Err(_) => Err(Refusal::WholeFileOnly { reason: format!("the file {side} is not UTF-8 text") }),
    }
}
