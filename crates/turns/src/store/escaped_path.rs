//! Encodes the bytes of a path as text, and decodes them without loss, for the log and the lists beside it.

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, percent_encode};

/// The ASCII bytes that are escaped. All other bytes above ASCII are always escaped.
const ESCAPED: &AsciiSet = &CONTROLS.add(b'%');

/// Encodes bytes as text.
pub(crate) fn escape(bytes: &[u8]) -> String {
    percent_encode(bytes, ESCAPED).to_string()
}

/// Decodes the bytes of a text that [`escape`] has written.
pub(crate) fn unescape(text: &str) -> Vec<u8> {
    percent_decode_str(text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_survives_a_round_trip() {
        let all: Vec<u8> = (1..=255).collect();
        assert_eq!(unescape(&escape(&all)), all);
        assert_eq!(escape(b"a/b c%"), "a/b c%25");
    }
}
