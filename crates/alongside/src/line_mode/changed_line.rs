//! Prints a changed line: stresses its words that differ, draws its whitespace that differs, and leaves
//! unchanged parts of a long line out, so that the changed parts fit.

use std::ops::Range;

use alongside_desk::harmless;
use alongside_terminal::LineEmphasis;

use super::printer::{Ink, Layout};

/// The most characters of a line that are printed. The accepted text is never cut.
pub(super) const MAX_LINE_CHARS: usize = 2_000;

/// The most rows of a terminal for a line of which only words differ. In a longer line, a person does not
/// find these words.
const MAX_ROWS_PER_LINE: usize = 3;

/// The characters on each side of a word that differs that are printed of a long line.
const CONTEXT_CHARS: usize = 40;

/// The fewest characters that are left out of a line.
const MIN_OMITTED_CHARS: usize = 40;

/// The columns from one tab stop to the next, as in terminals.
pub(super) const TAB_COLUMNS: usize = 8;

/// A changed line as it is printed.
pub(super) struct ChangedLine {
    /// The text with its sign.
    pub(super) text: String,
    /// Whether a changed part is missing in the text.
    pub(super) is_cut: bool,
}

/// Prints a changed line, which has no line ending, after its sign.
pub(super) fn changed_line(
    sign: char,
    line: &str,
    marks: &LineEmphasis,
    ink: Ink,
    layout: Layout,
) -> ChangedLine {
    let mut writer = LineWriter { text: sign.to_string(), marks, layout, in_word: false };
    let (parts, is_cut) = printed_parts(line, marks, layout);
    let count = |bytes: Range<usize>| line[bytes].chars().count();
    let mut at = 0;
    for part in parts {
        if part.start > at {
            writer.write_omission(&format!("... ({} characters) ... ", count(at..part.start)), at > 0);
        }
        writer.write_part(line, part.clone());
        at = part.end;
    }
    if at < line.len() {
        let more = count(at..line.len());
        writer.write_omission(&format!("... ({more} more characters)"), true);
    }
    ChangedLine { text: layout.inks.ink(ink, &writer.text), is_cut }
}

/// Returns the parts of a line that are printed, and whether a changed part is missing in them.
fn printed_parts(line: &str, marks: &LineEmphasis, layout: Layout) -> (Vec<Range<usize>>, bool) {
    let max_chars = match layout.columns {
        Some(columns) if !marks.words.is_empty() => (columns * MAX_ROWS_PER_LINE).min(MAX_LINE_CHARS),
        _ => MAX_LINE_CHARS,
    };
    let cut = line.char_indices().nth(max_chars).map(|(end, _)| end);
    let whole = 0..cut.unwrap_or(line.len());
    if cut.is_none() || marks.words.is_empty() {
        // Without words that differ, the whole line is new or removed.
        return (vec![whole], cut.is_some());
    }
    let after =
        |at: usize| line[at..].char_indices().nth(CONTEXT_CHARS).map_or(line.len(), |(chars, _)| at + chars);
    let before =
        |at: usize| line[..at].char_indices().rev().nth(CONTEXT_CHARS - 1).map_or(0, |(start, _)| start);
    let (mut parts, mut chars_left): (Vec<Range<usize>>, usize) = (Vec::new(), MAX_LINE_CHARS);
    for word in &marks.words {
        let (start, end) = (before(word.start.min(line.len())), after(word.end.min(line.len())));
        let from = parts.last().map_or(0, |last| last.end);
        let gap = line.get(from..start).unwrap_or_default();
        let start = if gap.chars().nth(MIN_OMITTED_CHARS).is_some() { start } else { from };
        let added = line.get(start..end).unwrap_or_default();
        if let Some((cut, _)) = added.char_indices().nth(chars_left) {
            add_part(&mut parts, start..start + cut);
            return (parts, true);
        }
        chars_left -= added.chars().count();
        add_part(&mut parts, start..end.max(start));
    }
    let last = parts.last().map_or(0, |last| last.end);
    if line[last..].chars().nth(MIN_OMITTED_CHARS).is_none() {
        add_part(&mut parts, last..line.len());
    }
    (parts, false)
}

/// Appends a part, or extends the last part if the new one touches it.
fn add_part(parts: &mut Vec<Range<usize>>, part: Range<usize>) {
    match parts.last_mut() {
        Some(last) if last.end >= part.start => last.end = last.end.max(part.end),
        _ => parts.push(part),
    }
}

/// Writes one line.
struct LineWriter<'a> {
    text: String,
    marks: &'a LineEmphasis,
    layout: Layout,
    in_word: bool,
}

impl LineWriter<'_> {
    /// Writes a remark in place of characters that are left out. `has_text`: whether text is before it.
    fn write_omission(&mut self, remark: &str, has_text: bool) {
        self.stress(false);
        if has_text {
            self.text.push(' ');
        }
        self.text.push_str(&self.layout.inks.aside(remark));
    }

    /// Writes a part of a line, and escapes its harmful characters.
    fn write_part(&mut self, line: &str, part: Range<usize>) {
        let is_in = |ranges: &[Range<usize>], at: usize| {
            let after = ranges.partition_point(|range| range.end <= at);
            ranges.get(after).is_some_and(|range| range.start <= at)
        };
        let mut harmful = harmless::harmful(&line[..part.end])
            .skip_while(|(at, _)| *at < part.start)
            .map(|(at, _)| at)
            .peekable();
        for (offset, c) in line[part.clone()].char_indices() {
            let at = part.start + offset;
            let is_harmful = harmful.next_if_eq(&at).is_some();
            self.stress(is_in(&self.marks.words, at));
            match c {
                ' ' if is_in(&self.marks.blanks, at) => self.text.push('·'),
                '\t' if is_in(&self.marks.blanks, at) => self.draw_tab(&line[..at]),
                '\t' | ' ' => self.text.push(c),
                _ if is_harmful => self.text.push_str(&escape(c)),
                // Another whitespace character looks like a space.
                _ if c.is_whitespace() => self.text.push('␣'),
                _ => self.text.push(c),
            }
        }
        self.stress(false);
    }

    /// Draws a tab as an arrow. In the indentation of the line, spaces follow up to the next tab stop.
    fn draw_tab(&mut self, before: &str) {
        self.text.push('→');
        if !before.chars().all(|c| matches!(c, ' ' | '\t')) {
            return;
        }
        // The sign takes the first column.
        let column = before
            .chars()
            .fold(1, |at, c| if c == '\t' { at + TAB_COLUMNS - at % TAB_COLUMNS } else { at + 1 });
        let width = TAB_COLUMNS - column % TAB_COLUMNS;
        self.text.extend(std::iter::repeat_n(' ', width - 1));
    }

    /// Begins or ends the stress of a word that differs.
    fn stress(&mut self, in_word: bool) {
        if std::mem::replace(&mut self.in_word, in_word) != in_word {
            self.text.push_str(self.layout.inks.stress(in_word));
        }
    }
}

/// Returns the escape of a character that is harmful in its place.
fn escape(c: char) -> String {
    let mut bytes = [0; 4];
    let text: &str = c.encode_utf8(&mut bytes);
    match harmless::name(text) {
        same if same == text => format!("\\u{{{:x}}}", u32::from(c)),
        escape => escape.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line_mode::printer::Inks;

    const PLAIN: Layout = Layout { inks: Inks { on: false }, columns: None, rows: None };

    fn words(words: &[(usize, usize)]) -> LineEmphasis {
        LineEmphasis { words: words.iter().map(|(start, end)| *start..*end).collect(), blanks: Vec::new() }
    }

    fn printed(line: &str, marks: &LineEmphasis, layout: Layout) -> (String, bool) {
        let printed = changed_line('+', line, marks, Ink::Added, layout);
        (printed.text, printed.is_cut)
    }

    #[test]
    fn words_that_differ_are_stressed_where_there_are_colours() {
        let marks = words(&[(4, 7), (10, 12)]);
        let coloured = Layout { inks: Inks { on: true }, columns: Some(80), rows: None };
        let (text, _) = printed("let new = 12;", &marks, coloured);
        assert_eq!(text, "\x1b[32m+let \x1b[7mnew\x1b[27m = \x1b[7m12\x1b[27m;\x1b[0m");
        assert_eq!(printed("let new = 12;", &marks, PLAIN).0, "+let new = 12;");
        let long = "n".repeat(MAX_LINE_CHARS + 1);
        let (text, _) = printed(&long, &LineEmphasis::default(), coloured);
        assert!(text.ends_with("nn \x1b[2m... (1 more characters)\x1b[22m\x1b[0m"), "{text}");
    }

    #[test]
    fn whitespace_is_drawn_where_it_differs_and_lines_up() {
        let marks = LineEmphasis { words: Vec::new(), blanks: vec![0..2, 3..5] };
        let (text, _) = printed("\t\ta \t", &marks, PLAIN);
        assert_eq!(text, "+→      →       a·→");
        let other = "a\u{a0}b\u{3000}c d";
        assert_eq!(printed(other, &LineEmphasis::default(), PLAIN).0, "+a␣b␣c d");
    }

    #[test]
    fn harmful_characters_are_escaped_also_within_words() {
        let marks = words(&[(0, 6)]);
        assert_eq!(printed("a\x1b[2Jb\u{202e}", &marks, PLAIN).0, "+a\\x1b[2Jb\\u{202e}");
        assert_eq!(printed("pass\u{200d}word", &LineEmphasis::default(), PLAIN).0, "+pass\\u{200d}word");
        let emoji = "\u{2764}\u{fe0f} \u{1f469}\u{200d}\u{2695}\u{fe0f}";
        assert_eq!(printed(emoji, &LineEmphasis::default(), PLAIN).0, format!("+{emoji}"));
    }

    #[test]
    fn a_long_line_is_printed_around_its_changes() {
        let line = format!("{}OLD{}é{}", "x".repeat(4_000), "y".repeat(3_000), "z".repeat(900));
        let marks = words(&[(4_000, 4_003), (7_003, 7_005)]);
        let (text, is_cut) = printed(&line, &marks, PLAIN);
        let (x, y, z) = ("x".repeat(40), "y".repeat(40), "z".repeat(40));
        let expected = format!(
            "+... (3960 characters) ... {x}OLD{y} ... (2920 characters) ... \
             {y}é{z} ... (860 more characters)"
        );
        assert_eq!((text, is_cut), (expected, false));
    }

    #[test]
    fn a_line_is_long_by_the_columns_of_the_terminal() {
        let line = format!("{}OLD{}", "x".repeat(700), "y".repeat(60));
        let (marks, narrow) = (words(&[(700, 703)]), Layout { columns: Some(80), ..PLAIN });
        assert_eq!(printed(&line, &marks, PLAIN).0, format!("+{line}"));
        let (text, is_cut) = printed(&line, &marks, narrow);
        assert!(text.starts_with("+... (660 characters) ... xxx"), "{text}");
        assert!(
            text.ends_with(&format!("OLD{}", "y".repeat(60))) && !is_cut,
            "a short part is not left out: {text}"
        );
        let wide = Layout { columns: Some(260), ..PLAIN };
        assert_eq!(printed(&line, &marks, wide).0, format!("+{line}"));
    }

    #[test]
    fn a_change_that_is_too_long_counts_as_cut() {
        let line = "n".repeat(MAX_LINE_CHARS + 5);
        let (text, is_cut) = printed(&line, &LineEmphasis::default(), Layout { columns: Some(80), ..PLAIN });
        assert!(text.ends_with("n ... (5 more characters)") && is_cut, "{text}");
        let (text, is_cut) = printed(&line, &words(&[(0, line.len())]), PLAIN);
        assert!(text.ends_with("n ... (5 more characters)") && is_cut, "{text}");
    }

    proptest::proptest! {
        #[test]
        fn every_word_is_printed_unless_the_line_counts_as_cut(
            line in "[a-zé\t ]{0,3000}",
            words in proptest::collection::vec((0..3000usize, 1..30usize), 0..6),
        ) {
            let mut words: Vec<Range<usize>> = words
                .into_iter()
                .map(|(start, len)| {
                    let start = line.floor_char_boundary(start.min(line.len()));
                    start..line.ceil_char_boundary((start + len).min(line.len()))
                })
                .collect();
            words.sort_unstable_by_key(|word| word.start);
            words.dedup_by(|next, word| next.start < word.end);
            let marks = LineEmphasis { words: words.clone(), blanks: Vec::new() };
            let (parts, is_cut) = printed_parts(&line, &marks, Layout { columns: Some(40), ..PLAIN });
            proptest::prop_assert!(parts.windows(2).all(|pair| pair[0].end < pair[1].start));
            let is_shown = |word: &Range<usize>| {
                parts.iter().any(|part| part.start <= word.start && word.end <= part.end)
            };
            proptest::prop_assert!(is_cut || words.iter().all(is_shown), "{:?} {:?}", parts, words);
        }
    }
}
