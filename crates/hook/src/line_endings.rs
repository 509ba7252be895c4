//! Line ends and the byte-order mark: the ones that a tool writes by the rules of its row, and the
//! differences from the file that no hunk shows.

use alongside_contract::hook::{LineEnds, Mark};

/// The byte-order mark as a character.
pub(crate) const BOM: char = '\u{feff}';

/// Returns the text with `\n` in place of each `\r\n`.
pub(crate) fn with_lf(text: &str) -> String {
    text.replace("\r\n", "\n")
}

/// Whether a tool with this rule writes `\r\n` everywhere into this file.
pub(crate) fn writes_crlf(rule: LineEnds, file: &str) -> bool {
    match rule {
        LineEnds::AsSent => false,
        LineEnds::CrlfIfAny => file.contains("\r\n"),
        LineEnds::CrlfIfMost => {
            let LineEndCounts { all, crlf } = LineEndCounts::of(beginning(file, LineEnds::MOST_OF));
            crlf > all - crlf
        }
    }
}

/// Returns the text as a tool with this rule writes it into this file.
pub(crate) fn with_line_ends(rule: LineEnds, file: &str, text: &str) -> String {
    if writes_crlf(rule, file) { with_lf(text).replace('\n', "\r\n") } else { text.to_owned() }
}

/// Returns the text with the mark that a tool with this rule writes in place of this file.
pub(crate) fn with_mark(rule: Mark, file: &str, text: String) -> String {
    let is_added = match rule {
        Mark::AsSent => false,
        Mark::Kept => true,
        Mark::KeptBeforeText => !text.is_empty(),
    };
    if is_added && file.starts_with(BOM) && !text.starts_with(BOM) { format!("{BOM}{text}") } else { text }
}

/// Returns the differences that no hunk shows, for people. If each of the two texts has only one kind of line
/// end, a review compares them with LF.
pub(crate) fn hidden_differences(file: &str, text: &str) -> impl Iterator<Item = &'static str> {
    let mark = match (file.starts_with(BOM), text.starts_with(BOM)) {
        (true, false) => Some("This removes the byte-order mark at the beginning of the file."),
        (false, true) => Some("This adds a byte-order mark at the beginning of the file."),
        _ => None,
    };
    let (old, new) = (LineEndCounts::of(file), LineEndCounts::of(text));
    let line_ends = if old.are_crlf() && new.are_lf() {
        Some("This ends every line of the file in LF; it has CRLF.")
    } else if old.are_lf() && new.are_crlf() {
        Some("This ends every line of the file in CRLF; it has LF.")
    } else {
        None
    };
    line_ends.into_iter().chain(mark)
}

/// The numbers of line ends in a text.
#[derive(Clone, Copy)]
struct LineEndCounts {
    all: usize,
    crlf: usize,
}

impl LineEndCounts {
    fn of(text: &str) -> Self {
        Self { all: text.matches('\n').count(), crlf: text.matches("\r\n").count() }
    }

    fn are_lf(self) -> bool {
        self.all > 0 && self.crlf == 0
    }

    fn are_crlf(self) -> bool {
        self.all > 0 && self.crlf == self.all
    }
}

/// Returns the beginning of a text with at most `units` UTF-16 units, cut at a character boundary.
fn beginning(text: &str, units: usize) -> &str {
    let mut left = units;
    let end = text.char_indices().find(|(_, c)| match left.checked_sub(c.len_utf16()) {
        Some(rest) => {
            left = rest;
            false
        }
        None => true,
    });
    end.map_or(text, |(end, _)| text.get(..end).unwrap_or(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rule_counts_the_line_ends_of_the_file() {
        use LineEnds::{AsSent, CrlfIfAny, CrlfIfMost};
        for (file, rules) in [
            ("", [false, false, false]),
            ("a\nb\n", [false, false, false]),
            ("a\r\nb\n", [false, true, false]),
            ("a\r\nb\r\nc\n", [false, true, true]),
            ("a\rb\r\r\n", [false, true, true]),
        ] {
            let found = [AsSent, CrlfIfAny, CrlfIfMost].map(|rule| writes_crlf(rule, file));
            assert_eq!(found, rules, "{file:?}");
        }
        assert_eq!(with_line_ends(CrlfIfAny, "a\r\n", "x\r\ny\nz\r"), "x\r\ny\r\nz\r");
        assert_eq!(with_line_ends(CrlfIfAny, "a\n", "x\r\ny\n"), "x\r\ny\n");
    }

    #[test]
    fn a_beginning_is_counted_in_utf_16_units() {
        assert_eq!([0, 1, 2, 3, 9].map(|units| beginning("aé🦀b", units)), ["", "a", "aé", "aé", "aé🦀b"]);
    }
}
