//! The bytes of keys without a character, as xterm sends them.

/// The Escape key.
pub const ESCAPE: &str = "\x1b";
/// Arrow right.
pub const RIGHT: &str = "\x1b[C";
/// Arrow left.
pub const LEFT: &str = "\x1b[D";

/// A letter with Ctrl.
pub const fn ctrl(letter: char) -> char {
    (letter as u8 & 0x1f) as char
}
