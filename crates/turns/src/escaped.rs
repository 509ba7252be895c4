//! Bytes of a path as text that holds every byte, for the log and the lists beside it.

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, percent_encode};

/// Bytes beyond ASCII are escaped in any case.
const ESCAPED: &AsciiSet = &CONTROLS.add(b'%');

/// The text for these bytes.
pub(crate) fn escape(bytes: &[u8]) -> String {
    percent_encode(bytes, ESCAPED).to_string()
}

/// The bytes of such a text.
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
