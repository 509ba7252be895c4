//! The rest of a large proposal, whose `openDiff` is answered before its text is compared with its file.

/// The number of proposals of which one is large.
const PERIOD: usize = 5;
/// The lines of a large proposal: more than the 64 KiB that are compared before the answer.
const LINES: usize = 14 << 10;

/// Returns the lines that end the proposal of this number: none, or those of a large text.
pub(super) fn last_lines(number: usize) -> String {
    if number.is_multiple_of(PERIOD) { "more\n".repeat(LINES) } else { String::new() }
}
