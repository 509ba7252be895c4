//! Writes the bytes of a path as text and back without loss, for the log and the lists beside it.

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, percent_encode};

/// The escaped bytes of ASCII. Bytes beyond ASCII are always escaped.
const ESCAPED: &AsciiSet = &CONTROLS.add(b'%');

/// Writes bytes as text.
pub(crate) fn escape(bytes: &[u8]) -> String {
    percent_encode(bytes, ESCAPED).to_string()
}

/// Reads the bytes of a text that [`escape`] has written.
pub(crate) fn unescape(text: &str) -> Vec<u8> {
    percent_decode_str(text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_comes_back() {
        let all: Vec<u8> = (1..=255).collect();
        assert_eq!(unescape(&escape(&all)), all);
        assert_eq!(escape(b"a/b c%"), "a/b c%25");
    }
}
