//! Renders what comes from outside harmless: paths, agent names and proposed text are bytes that somebody else chose.
//!
//! A terminal obeys control characters, and bidirectional and invisible marks make a text look like another one. Each
//! such character becomes a visible escape. Everything that is printed and was not written by us goes through here.

use std::borrow::Cow;
use std::fmt::Write;

/// Whether a terminal would obey `c`, or show nothing, or show its neighbours in another order.
pub fn is_harmful(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{AD}' | '\u{034F}' | '\u{061C}' | '\u{115F}'..='\u{1160}' | '\u{17B4}'..='\u{17B5}'
            | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF9}'..='\u{FFFB}'
            | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}')
}

/// A name, path or message in one line: every harmful character is escaped, tabs and line ends too.
pub fn name(text: &str) -> Cow<'_, str> {
    escape(text, is_harmful)
}

/// A path in one line. Bytes that are not UTF-8 show as U+FFFD.
pub fn path(path: &std::path::Path) -> String {
    name(&path.to_string_lossy()).into_owned()
}

/// A line of a file, without its line end: tabs stay.
pub fn line(text: &str) -> Cow<'_, str> {
    escape(text, |c| c != '\t' && is_harmful(c))
}

/// A text of several lines: tabs and `\n` stay.
pub fn text(text: &str) -> Cow<'_, str> {
    escape(text, |c| !matches!(c, '\t' | '\n') && is_harmful(c))
}

/// JSON that means the same and holds no harmful character: they occur within strings only, where `\u` says the same.
pub fn json(json: &str) -> Cow<'_, str> {
    if !json.contains(is_harmful) {
        return Cow::Borrowed(json);
    }
    let mut safe = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        if is_harmful(c) {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                let _ = write!(safe, "\\u{unit:04x}");
            }
        } else {
            safe.push(c);
        }
    }
    Cow::Owned(safe)
}

/// The last part of a path that somebody else chose, as the name of a file of ours: safe to make and to look at, not long, and
/// of the same kind.
pub fn file_name(path: &str) -> String {
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    let name: String = name.chars().map(|c| if is_harmful(c) { '_' } else { c }).collect();
    let long = name.len().saturating_sub(200);
    let start = (long..=name.len()).find(|at| name.is_char_boundary(*at)).unwrap_or(0);
    match &name[start..] {
        "" | "." | ".." => "proposal".into(),
        name => name.to_owned(),
    }
}

fn escape(text: &str, harmful: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&harmful) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if !harmful(c) {
            safe.push(c);
            continue;
        }
        // Writing to a String does not fail.
        let _ = match c {
            '\n' => safe.write_str("\\n"),
            '\r' => safe.write_str("\\r"),
            '\t' => safe.write_str("\\t"),
            '\0'..='\x7f' => write!(safe, "\\x{:02x}", u32::from(c)),
            _ => write!(safe, "\\u{{{:x}}}", u32::from(c)),
        };
    }
    Cow::Owned(safe)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The characters that must never reach a terminal, spelled out apart from the code above.
    fn forbidden() -> Vec<char> {
        let ranges = [
            (0x00, 0x1f),
            (0x7f, 0x9f),
            (0xad, 0xad),
            (0x061c, 0x061c),
            (0x200b, 0x200f),
            (0x2028, 0x202e),
            (0x2066, 0x2069),
            // Letters that show nothing.
            (0x115f, 0x1160),
            (0x3164, 0x3164),
            (0xfeff, 0xfeff),
            // Tags, and what else shows nothing there.
            (0xe0000, 0xe0fff),
        ];
        ranges.iter().flat_map(|(from, to)| *from..=*to).filter_map(char::from_u32).collect()
    }

    #[test]
    fn escapes_are_visible_and_name_the_character() {
        assert_eq!(name("a\x1b[31mb\u{7f}"), r"a\x1b[31mb\x7f");
        assert_eq!(name("x\u{202e}gpj.exe\u{9b}"), r"x\u{202e}gpj.exe\u{9b}");
        assert_eq!(name("two\nlines\t\r"), r"two\nlines\t\r");
        assert_eq!(line("\tindent\r"), "\tindent\\r");
        assert_eq!(text("a\n\tb\u{2028}"), "a\n\tb\\u{2028}");
        assert!(matches!(name("naïve Ünïcode – 漢字 😀"), Cow::Borrowed(_)));
    }

    #[test]
    fn each_forbidden_character_is_escaped() {
        for c in forbidden() {
            assert!(!name(&format!("a{c}b")).contains(c), "{c:?}");
        }
    }

    /// Texts that are mostly made of what must not come through.
    fn nasty() -> impl Strategy<Value = String> {
        let some = forbidden();
        proptest::collection::vec(prop_oneof![proptest::sample::select(some), any::<char>()], 0..40)
            .prop_map(|chars| chars.into_iter().collect())
    }

    #[test]
    fn a_file_of_ours_keeps_the_name_and_kind_of_theirs() {
        assert_eq!(file_name("/p/src/main.rs"), "main.rs");
        assert_eq!(file_name("/p/with space\u{202e}\x1b.py"), "with space__.py");
        assert_eq!(file_name("/a/x\x1b[2J\n\u{202e}.rs"), "x_[2J__.rs");
        assert_eq!(file_name("/p/.."), "proposal");
        assert_eq!(file_name("/"), "proposal");
        let long = file_name(&format!("/p/{}.tsx", "ü".repeat(300)));
        assert!(long.ends_with("ü.tsx") && long.len() <= 200, "{long}");
    }

    proptest! {
        #[test]
        fn no_harmful_character_survives(given in nasty()) {
            let forbidden = forbidden();
            prop_assert!(!name(&given).contains(|c| forbidden.contains(&c)));
            prop_assert!(!line(&given).contains(|c| c != '\t' && forbidden.contains(&c)));
            let shown = text(&given);
            prop_assert!(!shown.contains(|c| !matches!(c, '\t' | '\n') && forbidden.contains(&c)));
            prop_assert_eq!(shown.matches('\n').count(), given.matches('\n').count());
        }

        #[test]
        fn json_keeps_its_meaning(given in nasty()) {
            let plain = serde_json::to_string(&given).unwrap();
            let safe = json(&plain);
            prop_assert!(!safe.contains(is_harmful));
            prop_assert_eq!(serde_json::from_str::<String>(&safe).unwrap(), given);
        }
    }
}
