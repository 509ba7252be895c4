//! Reads a text into the allocation that all its owners share. Serde's own implementation copies the text
//! once more, which takes a while for a large text.

use std::fmt;
use std::sync::Arc;

use serde::Deserializer;
use serde::de::{Error, Visitor};

/// Reads a text, for `#[serde(deserialize_with)]`.
///
/// # Errors
/// If the value is not a string.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<str>, D::Error> {
    deserializer.deserialize_str(SharedText)
}

struct SharedText;

impl Visitor<'_> for SharedText {
    type Value = Arc<str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Arc<str>, E> {
        Ok(text.into())
    }
}
