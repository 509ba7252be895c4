//! Excerpts of texts from outside, for error messages and lists.

/// The longest excerpt in bytes.
const MAX_BYTES: usize = 512;

/// Returns the beginning of a text.
pub(super) fn excerpt(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_BYTES)]
}
