//! Ways in for the fuzzers of `fuzz/`, which live outside this crate and play with what is private to it. Not
//! an interface for anybody else.

use alongside_desk::{Position, Text};
use serde_json::Value;

use crate::Encoding;
use crate::plain::documents::{self, Documents};

pub use crate::session::fuzzing::{Step, converse};

/// The byte offset of a position.
#[must_use]
pub fn offset(text: &Text, position: Position, encoding: Encoding) -> usize {
    documents::offset(text, position, encoding)
}

/// The position of a byte offset, which is between two characters.
#[must_use]
pub fn position(text: &Text, offset: usize, encoding: Encoding) -> Position {
    documents::position(text, offset, encoding)
}

/// The text of a document that is opened with one and then changed by a `didChange` of that URI.
#[must_use]
pub fn changed(open: &Value, change: &Value, encoding: Encoding) -> Option<Text> {
    let mut documents = Documents::new(encoding);
    let key = documents.opened(open)?;
    documents.changed(change);
    documents.get(&key).map(|document| document.text.clone())
}
