//! Fits texts into columns: cuts them, wraps them, or places them at both ends of a line.

use ratatui_core::style::Style;
use ratatui_core::text::{Line, Span};
use unicode_segmentation::UnicodeSegmentation;

use super::width::columns;

/// A line with `right` at its right end. `left` loses its beginning if both texts do not fit.
pub(crate) fn both_ends(left: &str, styles: (Style, Style), right: &str, width: u16) -> Line<'static> {
    let width = usize::from(width);
    let right_width = columns(right).min(width);
    let left = cut_start(left, width.saturating_sub(right_width + 1));
    let gap = width.saturating_sub(columns(&left) + right_width);
    Line::from(vec![
        Span::styled(left, styles.0),
        Span::raw(" ".repeat(gap)),
        Span::styled(right.to_owned(), styles.1),
    ])
}

/// The end of an escaped text that fits into `width` columns, because the person reads the end while they
/// type. Paths have [a form of their own](alongside_desk::path_fit).
pub(crate) fn cut_start(text: &str, width: usize) -> String {
    if columns(text) <= width {
        return text.to_owned();
    }
    // The search starts at the end, because a pasted text may be long.
    let starts = text.grapheme_indices(true).rev().map(|(at, _)| at);
    let fit = starts.take_while(|at| columns(&text[*at..]) < width).last();
    let end = fit.map_or("", |at| &text[at..]);
    if width == 0 { String::new() } else { format!("…{end}") }
}

/// The beginning of an escaped text that fits into `width` columns.
pub(crate) fn beginning(text: &str, width: usize) -> &str {
    let ends = text.grapheme_indices(true).map(|(at, cluster)| at + cluster.len());
    let end = ends.take_while(|end| columns(&text[..*end]) <= width).last().unwrap_or(0);
    &text[..end]
}

/// The beginning of an escaped text, with a `…` if its end is left out.
pub(crate) fn cut_end(text: &str, width: usize) -> String {
    match columns(text) <= width {
        true => text.to_owned(),
        false if width == 0 => String::new(),
        false => format!("{}…", beginning(text, width - 1)),
    }
}

/// The rows of a text, each of `width` columns at most. Rows break at spaces, or within a word that is too
/// long.
pub(crate) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let (mut rows, mut row) = (Vec::new(), String::new());
    for mut word in text.split(' ') {
        let space = if row.is_empty() { "" } else { " " };
        if columns(&row) + space.len() + columns(word) <= width {
            row += space;
            row += word;
            continue;
        }
        if !row.is_empty() {
            rows.push(std::mem::take(&mut row));
        }
        // This loop breaks a word that is longer than a row.
        while columns(word) > width {
            let (first, rest) = word.split_at(beginning(word, width).len());
            if first.is_empty() {
                break;
            }
            rows.push(first.to_owned());
            word = rest;
        }
        row = word.to_owned();
    }
    rows.push(row);
    rows
}

/// Breaks the lines that stay on the terminal after the desk into rows of `width` columns. Rows break only at
/// spaces, so that a person can copy a path as a whole.
pub(crate) fn broken_at_spaces(text: &str, width: usize) -> String {
    let row = |line: &str| {
        let (mut rows, mut at) = (String::new(), 0);
        for word in line.split(' ') {
            let room = columns(word);
            if at > 0 {
                let fits = at + 1 + room <= width;
                rows.push(if fits { ' ' } else { '\n' });
                at = if fits { at + 1 } else { 0 };
            }
            rows.push_str(word);
            at += room;
        }
        rows
    };
    text.split('\n').map(row).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_text_is_what_stays() {
        assert_eq!(cut_start("src/basket.py", 13), "src/basket.py");
        assert_eq!(cut_start("src/basket.py", 9), "…asket.py");
        assert_eq!(cut_start("漢字漢字", 5), "…漢字");
        assert_eq!(cut_start("abc", 0), "");
        assert_eq!((cut_end("abc", 3), cut_end("abcd", 3)), ("abc".to_owned(), "ab…".to_owned()));
        assert_eq!(cut_end("漢字", 2), "…");
        assert_eq!(cut_start("aa👩\u{200d}👩\u{200d}👧b", 4), "…👩\u{200d}👩\u{200d}👧b");
        assert_eq!(cut_start("a👩\u{200d}👩\u{200d}👧b", 3), "…b", "a visible character goes as a whole");
    }

    #[test]
    fn last_lines_break_at_whitespace_and_keep_paths_whole() {
        let text = "Your text is in /a/very/long/path (it is kept).\nNext";
        let rows = "Your text\nis in\n/a/very/long/path\n(it is\nkept).\nNext";
        assert_eq!(broken_at_spaces(text, 10), rows);
        assert_eq!(broken_at_spaces(text, 100), text);
        assert_eq!(broken_at_spaces("", 10), "");
    }

    #[test]
    fn nothing_is_left_out_by_wrapping() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("/a/very/long/path x", 6), ["/a/ver", "y/long", "/path", "x"]);
        assert_eq!(wrapped("", 6), [""]);
        assert_eq!(wrapped("aé🇩🇪🇫🇷", 4), ["aé🇩🇪", "🇫🇷"]);
        assert_eq!(wrapped("e\u{301}e\u{301}e\u{301}", 2), ["e\u{301}e\u{301}", "e\u{301}"]);
        assert_eq!(beginning("漢字漢字", 5), "漢字");
        assert_eq!(beginning("漢", 1), "");
    }
}
