//! Shortens harmless paths to a number of columns, in the same form at every desk.

use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

/// The fewest columns that a name keeps.
const MIN_NAME: usize = 16;

/// Returns a message about a name in at most `columns` columns, if a shorter name makes that possible.
pub fn fitted(message: String, name: &str, columns: usize) -> String {
    let excess = message.width().saturating_sub(columns);
    if excess == 0 {
        return message;
    }
    let room = name.width().saturating_sub(excess).max(MIN_NAME);
    message.replacen(name, &shortened(name, room), 1)
}

/// Returns a path in at most `columns` columns. It loses directories first, then the middle of the file's
/// name.
pub fn shortened(path: &str, columns: usize) -> String {
    if path.width() <= columns {
        return path.to_owned();
    }
    if columns == 0 {
        return String::new();
    }
    let starts = path.char_indices().filter(|(_, c)| matches!(c, '/' | '\\')).map(|(at, _)| at);
    for start in starts {
        let rest = &path[start..];
        if rest.width() < columns {
            return format!("…{rest}");
        }
    }
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let half = columns.saturating_sub(1) / 2;
    let head = take(name.graphemes(true), columns.saturating_sub(1) - half);
    let tail = take(name.graphemes(true).rev(), half);
    let tail: String = tail.graphemes(true).rev().collect();
    format!("{head}…{tail}")
}

/// Returns the first graphemes that fit into `columns` columns.
fn take<'a>(graphemes: impl Iterator<Item = &'a str>, columns: usize) -> String {
    let mut taken = String::new();
    for grapheme in graphemes {
        if taken.width() + grapheme.width() > columns {
            break;
        }
        taken += grapheme;
    }
    taken
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_go_before_the_name() {
        assert_eq!(shortened("src/main.rs", 11), "src/main.rs");
        assert_eq!(shortened("src/deep/main.rs", 14), "…/deep/main.rs");
        assert_eq!(shortened("src/deep/main.rs", 13), "…/main.rs");
        assert_eq!(shortened("src/a-very-long-name.rs", 12), "a-very…me.rs");
        assert_eq!(shortened("漢字漢字漢字漢字.rs", 10), "漢字….rs");
        assert_eq!(shortened("src\\deep\\main.rs", 13), "…\\main.rs");
        assert_eq!([2, 1, 0].map(|columns| shortened("src/main.rs", columns)), ["m…", "…", ""]);
        let family = "👩\u{200d}👩\u{200d}👧";
        assert_eq!(shortened(&format!("{family}{family}b"), 4), format!("{family}…b"));
    }

    #[test]
    fn a_message_fits_by_its_name() {
        let name = "src/very/deep/down/in/main.rs";
        let said = format!("{name}: accepted.");
        assert_eq!(fitted(said.clone(), name, 80), said);
        let short = fitted(said, name, 36);
        assert_eq!(short, "…/deep/down/in/main.rs: accepted.");
        assert_eq!(fitted("no name here, but long".into(), "a/b", 5), "no name here, but long");
    }
}
