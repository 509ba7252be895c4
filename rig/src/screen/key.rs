//! The bytes of keys without a character, as xterm sends them.

/// Escape.
pub const ESCAPE: &str = "\x1b";
/// The right arrow.
pub const RIGHT: &str = "\x1b[C";
/// The left arrow.
pub const LEFT: &str = "\x1b[D";

/// Returns the control character of a letter.
pub const fn ctrl(letter: char) -> char {
    (letter as u8 & 0x1f) as char
}
