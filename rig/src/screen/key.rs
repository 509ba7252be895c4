//! The bytes of keys without a character, as xterm sends them.

/// The Enter key.
pub const ENTER: &str = "\r";
/// The Tab key.
pub const TAB: &str = "\t";
/// Tab with Shift.
pub const BACK_TAB: &str = "\x1b[Z";
/// The Escape key.
pub const ESCAPE: &str = "\x1b";
/// Arrow up.
pub const UP: &str = "\x1b[A";
/// Arrow down.
pub const DOWN: &str = "\x1b[B";
/// Arrow right.
pub const RIGHT: &str = "\x1b[C";
/// Arrow left.
pub const LEFT: &str = "\x1b[D";
/// Page up.
pub const PAGE_UP: &str = "\x1b[5~";
/// Page down.
pub const PAGE_DOWN: &str = "\x1b[6~";

/// A letter with Ctrl.
pub const fn ctrl(letter: char) -> char {
    (letter as u8 & 0x1f) as char
}
