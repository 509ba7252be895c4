//! Text for people contains no control characters, and no characters that are invisible or reorder text.
//! Parts of emoji and of scripts whose letters join are allowed. This is a second implementation of the rule,
//! without tables.

use std::path::Path;

use alongside_desk::harmless;

/// Checks the escaped forms of one text. The input is the text; other bytes are skipped.
pub fn check(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    // A caller may cut a long line at any character, so each part must be harmless, too.
    for (at, _) in text.char_indices().chain([(text.len(), ' ')]) {
        assert_visible(&harmless::name(&text[..at]), "");
        assert_visible(&harmless::name(&text[at..]), "");
    }
    let name = harmless::name(text);
    assert_eq!(harmless::name(&name), name, "escaping twice changes nothing");
    assert_eq!(name == text, harmless::harmful(text).next().is_none());
    assert_eq!(harmless::path(Path::new(text)), name);
    assert_visible(&harmless::line(text), "\t");
    let lines = harmless::text(text);
    assert_visible(&lines, "\t\n");
    assert_eq!(lines.matches('\n').count(), text.matches('\n').count(), "all lines remain");
    let file_name = harmless::file_name(text);
    assert_visible(&file_name, "");
    assert!(!file_name.contains('/') && file_name.len() <= 200 && !file_name.is_empty());
    let json = serde_json::to_string(text).expect("a text is JSON");
    let safe = harmless::json(&json);
    assert!(!safe.contains(is_invisible), "{safe}");
    assert_eq!(serde_json::from_str::<String>(&safe).ok().as_deref(), Some(text), "the JSON means the same");
}

/// Asserts that a text contains no invisible character except those in `allowed`.
pub(crate) fn assert_visible(text: &str, allowed: &str) {
    let chars: Vec<char> = text.chars().collect();
    for (at, c) in chars.iter().enumerate().filter(|(_, c)| is_invisible(**c) && !allowed.contains(**c)) {
        let previous = at.checked_sub(1).map(|at| chars[at]);
        let next = chars.get(at + 1);
        let follows_visible = previous.is_some_and(|c| c > '\u{a0}' && !is_invisible(c));
        let joins_its_neighbour = match c {
            '\u{fe0e}' | '\u{fe0f}' => follows_visible || next == Some(&'\u{20e3}'),
            '\u{200d}' => follows_visible || previous == Some('\u{fe0f}'),
            '\u{200c}' | '\u{180b}'..='\u{180d}' | '\u{180f}' => follows_visible,
            _ => false,
        };
        assert!(joins_its_neighbour, "unexpected invisible character {c:?} in {text:?}");
    }
}

fn is_invisible(c: char) -> bool {
    matches!(c,
        '\0'..='\x1f' | '\x7f'..='\u{9f}' | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}'
        | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
        | '\u{13430}'..='\u{13442}' | '\u{16fe4}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d159}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
        | '\u{fdd0}'..='\u{fdef}')
        || u32::from(c) & 0xfffe == 0xfffe
}
