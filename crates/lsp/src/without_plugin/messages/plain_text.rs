//! Keeps names within messages and titles from being links, pictures or tags, in editors that render them: VS
//! Code follows `[text](command:…)`, Zed renders Markdown, and older Kates HTML. Every Kate opens the URLs in
//! its messages on a click, and takes `&` in a menu for the mark of a key.

use std::borrow::Cow;
use std::fmt::Write as _;

use alongside_desk::harmless;

/// Returns a message or title whose names no Markdown, HTML, URL, icon or key begins in. The characters that
/// would begin one become visible escapes, as [`harmless`] writes them.
pub(crate) fn without_markup(text: &str) -> Cow<'_, str> {
    let text = harmless::text(text);
    let begins_markup = |at: usize, c: char| match c {
        '(' => text[..at].ends_with([']', '$']),
        '<' => text[at + 1..].trim_start().starts_with(|c: char| c.is_alphabetic() || "/!?".contains(c)),
        ':' => text[at + 1..].starts_with("//"),
        '&' => true,
        _ => false,
    };
    if !text.char_indices().any(|(at, c)| begins_markup(at, c)) {
        return text;
    }
    let mut safe = String::with_capacity(text.len() + 8);
    for (at, c) in text.char_indices() {
        match begins_markup(at, c) {
            // Writing to a String does not fail.
            true => drop(write!(safe, "\\x{:02x}", u32::from(c))),
            false => safe.push(c),
        }
    }
    safe.into()
}

#[cfg(test)]
mod tests {
    use alongside_testing::hostile::NAMES;

    use super::*;

    #[test]
    fn no_name_is_a_link_an_icon_a_tag_or_a_key() {
        for (why, name) in NAMES {
            let shown = without_markup(name);
            let is_tag = |rest: &str| rest.trim_start().starts_with(|c: char| c.is_alphabetic() || c == '/');
            assert!(!shown.contains("](") && !shown.contains("$("), "{why}: {shown}");
            assert!(!shown.contains("://") && !shown.contains('&'), "{why}: {shown}");
            assert!(!shown.split('<').skip(1).any(is_tag), "{why}: {shown}");
        }
        assert_eq!(without_markup("[a](command:x) $(zap)<b>"), "[a]\\x28command:x) $\\x28zap)\\x3cb>");
        assert_eq!(
            without_markup("https://a.example/b R&D &#x202e;"),
            "https\\x3a//a.example/b R\\x26D \\x26#x202e;"
        );
    }

    #[test]
    fn plain_text_stays_as_it_is() {
        for text in ["notes.md: accepted (2 of 3 changes).", "a < 1 and (b)", "array[1] (x)", "两<3"] {
            assert!(matches!(without_markup(text), Cow::Borrowed(same) if same == text), "{text}");
        }
    }
}
