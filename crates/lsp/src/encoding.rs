//! The unit in which LSP counts the characters of a line. An editor offers units, and the server picks one.

use serde_json::Value;

/// The unit of `character` in a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// In bytes.
    Utf8,
    /// In UTF-16 units; every editor supports it.
    Utf16,
    /// In characters.
    Utf32,
}

impl Encoding {
    /// Picks an encoding from the parameters of `initialize`. UTF-16 comes last, because editors that offer
    /// another one use that one themselves.
    pub(crate) fn negotiate(params: &Value) -> Self {
        let offered = params.pointer("/capabilities/general/positionEncodings").and_then(Value::as_array);
        let is_offered = |encoding: &Self| {
            offered.is_some_and(|offered| offered.iter().any(|name| name.as_str() == Some(encoding.name())))
        };
        [Self::Utf8, Self::Utf32].into_iter().find(is_offered).unwrap_or(Self::Utf16)
    }

    /// Returns the name in LSP.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "utf-8",
            Self::Utf16 => "utf-16",
            Self::Utf32 => "utf-32",
        }
    }

    /// Returns the number of units of a character.
    pub(crate) fn units(self, c: char) -> usize {
        match self {
            Self::Utf8 => c.len_utf8(),
            Self::Utf16 => c.len_utf16(),
            Self::Utf32 => 1,
        }
    }
}
