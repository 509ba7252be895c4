//! Excerpts of texts that others wrote, for error messages and lists.

/// The longest excerpt in bytes.
const MAX_BYTES: usize = 512;

pub(super) fn excerpt(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_BYTES)]
}
