//! Edits the text that the person types at the bottom of the screen: a search or a reason of one line, or a
//! comment of several lines.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use unicode_segmentation::UnicodeSegmentation;

/// Changes the text by a key. Keys without a meaning do nothing.
pub(crate) fn edit(text: &mut String, key: KeyEvent) {
    let has_control = key.modifiers.contains(KeyModifiers::CONTROL);
    match key.code {
        KeyCode::Backspace => {
            let last = text.grapheme_indices(true).next_back();
            text.truncate(last.map_or(0, |(at, _)| at));
        }
        KeyCode::Char('u') if has_control => text.clear(),
        KeyCode::Char('w') if has_control => {
            let start = last_word_start(text);
            text.truncate(start);
        }
        KeyCode::Char(c) if !key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) => {
            text.push(c);
        }
        _ => {}
    }
}

/// Changes a text of several lines by a key. Ctrl-J begins a line.
pub(crate) fn edit_lines(text: &mut String, key: KeyEvent) {
    match key.code {
        KeyCode::Char('j') if key.modifiers.contains(KeyModifiers::CONTROL) => text.push('\n'),
        _ => edit(text, key),
    }
}

/// The byte at which the last word begins.
fn last_word_start(text: &str) -> usize {
    let whitespace = text.trim_end().char_indices().rev().find(|(_, c)| c.is_whitespace());
    whitespace.map_or(0, |(at, c)| at + c.len_utf8())
}

/// A pasted text with its lines, without other control characters.
pub(crate) fn in_lines(pasted: &str) -> String {
    let pasted = pasted.replace("\r\n", "\n").replace('\r', "\n");
    pasted.chars().map(|c| if c.is_control() && c != '\n' { ' ' } else { c }).collect()
}

/// A pasted text as one line, without control characters.
pub(crate) fn in_one_line(pasted: &str) -> String {
    let lines: Vec<_> = pasted.split(['\r', '\n']).filter(|line| !line.is_empty()).collect();
    lines.join(" ").chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(mut text: String, code: KeyCode, modifiers: KeyModifiers) -> String {
        edit(&mut text, KeyEvent::new(code, modifiers));
        text
    }

    #[test]
    fn keys_take_characters_words_and_all_of_it_away() {
        let control = |text: &str, c| typed(text.into(), KeyCode::Char(c), KeyModifiers::CONTROL);
        assert_eq!(typed("ae\u{301}".into(), KeyCode::Backspace, KeyModifiers::NONE), "a");
        assert_eq!(typed(String::new(), KeyCode::Backspace, KeyModifiers::NONE), "");
        assert_eq!(control("too  early ", 'w'), "too  ");
        assert_eq!(control("漢\u{3000}字", 'w'), "漢\u{3000}");
        assert_eq!(control("early", 'w'), "");
        assert_eq!(control("too early", 'u'), "");
        assert_eq!(control("too early", 'a'), "too early");
        assert_eq!(typed("A".into(), KeyCode::Char('B'), KeyModifiers::SHIFT), "AB");
    }

    #[test]
    fn a_comment_has_lines() {
        let mut text = in_lines("one\r\ntwo\tthree\rfour");
        assert_eq!(text, "one\ntwo three\nfour");
        edit_lines(&mut text, KeyEvent::new(KeyCode::Char('j'), KeyModifiers::CONTROL));
        edit_lines(&mut text, KeyEvent::new(KeyCode::Char('5'), KeyModifiers::NONE));
        assert!(text.ends_with("four\n5"));
    }

    #[test]
    fn a_paste_becomes_one_line() {
        assert_eq!(in_one_line("one\r\ntwo\rthree\tfour\n"), "one two three four");
        assert_eq!(in_one_line("\n"), "");
    }
}
