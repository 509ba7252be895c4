//! Limits the size of a round in the log. The log keeps the texts of every undone hunk until long after the
//! round was read, and a hunk may be as large as its file.

use alongside_companion::turns::source::ChangeBack;

/// The longest text of a hunk, in bytes. The lines of a comment have the same limit.
const MAX_TEXT: usize = 64 << 10;
/// The largest size of all texts of a round together, in bytes, without the lines that report a cut.
const MAX_ROUND: usize = 1 << 20;

/// Cuts the texts of changes that are too long for the log.
pub(crate) fn cut_texts<'a>(changes: impl IntoIterator<Item = &'a mut ChangeBack>) {
    let mut room = MAX_ROUND;
    for hunk in changes.into_iter().flat_map(|change| &mut change.hunks) {
        for text in [&mut hunk.changed, &mut hunk.before] {
            cut(text, room.min(MAX_TEXT));
            room = room.saturating_sub(text.len());
        }
    }
}

/// Keeps as many whole lines as fit. Of a first line that is longer, keeps the beginning.
fn cut(text: &mut String, most: usize) {
    if text.len() <= most {
        return;
    }
    let end = (0..=most).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    let end = text[..end].rfind('\n').map_or(end, |line| line + 1);
    let left = text[end..].lines().count();
    text.truncate(end);
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(&format!("[{left} more {} not kept]\n", if left == 1 { "line is" } else { "lines are" }));
}

#[cfg(test)]
mod tests {
    use alongside_companion::turns::source::HunkBack;

    use super::*;

    #[test]
    fn long_texts_are_cut_at_a_line_and_short_ones_stay() {
        let (short, long) = ("short\n".to_owned(), "four\n".repeat(40_000));
        let hunk = HunkBack { line: 1, changed: short.clone(), before: long };
        let mut change = ChangeBack { path: "a".into(), hunks: vec![hunk], ..ChangeBack::default() };
        cut_texts([&mut change]);
        assert_eq!(change.hunks[0].changed, short);
        let kept = format!("{}[26893 more lines are not kept]\n", "four\n".repeat(13_107));
        assert_eq!(change.hunks[0].before, kept);
    }

    #[test]
    fn all_texts_together_and_a_single_long_line_are_cut() {
        let hunk = || HunkBack { line: 1, changed: "é".repeat(50_000), before: String::new() };
        let mut change = ChangeBack {
            path: "a".into(),
            hunks: (0..50).map(|_| hunk()).collect(),
            ..ChangeBack::default()
        };
        cut_texts([&mut change]);
        let all: usize = change.hunks.iter().map(|hunk| hunk.changed.len()).sum();
        assert!(change.hunks[0].changed.ends_with("é\n[1 more line is not kept]\n"));
        assert!((MAX_ROUND..MAX_ROUND + 4_000).contains(&all), "{all}");
    }
}
