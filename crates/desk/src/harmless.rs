//! Makes text from outside harmless: other programs and people choose paths, agent names and proposed texts.
//!
//! A terminal obeys control characters, and bidirectional and invisible characters make a text look like
//! another one. Each such character becomes a visible escape. All printed text that is not our own goes
//! through this module. Unicode's properties tell which characters are invisible; those that readers need
//! stay, within emoji and joined scripts.

mod unseen;

use std::borrow::Cow;
use std::fmt::Write;

pub use unseen::{is_harmful, is_harmful_at};

/// Returns the characters of a text that are harmful at their position, with their byte offsets.
pub fn harmful(text: &str) -> impl Iterator<Item = (usize, char)> {
    text.char_indices().filter(|(at, _)| is_harmful_at(text, *at))
}

/// Returns a name, path or message in one line: every harmful character is escaped, also tabs and line
/// endings.
pub fn name(text: &str) -> Cow<'_, str> {
    escape(text, |_| false)
}

/// Returns a path in one line. Bytes that are not UTF-8 show as U+FFFD.
pub fn path(path: &std::path::Path) -> String {
    name(&path.to_string_lossy()).into_owned()
}

/// Returns a line of a file, without its line ending; tabs stay.
pub fn line(text: &str) -> Cow<'_, str> {
    escape(text, |c| c == '\t')
}

/// Returns a text of several lines; tabs and `\n` stay.
pub fn text(text: &str) -> Cow<'_, str> {
    escape(text, |c| matches!(c, '\t' | '\n'))
}

/// Returns equivalent JSON without these characters: only strings contain them, and `\u` escapes have the
/// same meaning.
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

/// Returns the last part of a foreign path as a safe, short file name with the same ending, for a file of
/// ours. Editors may interpret a path as HTML: Kate shows `<img …>` as a picture in the tooltip of a tab.
pub fn file_name(path: &str) -> String {
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    let name: String = name.chars().map(|c| if is_harmful(c) || c == '<' { '_' } else { c }).collect();
    let long = name.len().saturating_sub(200);
    let start = (long..=name.len()).find(|at| name.is_char_boundary(*at)).unwrap_or(0);
    match &name[start..] {
        "" | "." | ".." => "proposal".into(),
        name => name.to_owned(),
    }
}

/// The endings of configuration files that are programs, or name some.
const RUN_ENDINGS: [&str; 20] = [
    "cjs", "cts", "exs", "js", "json", "json5", "jsonc", "jsx", "lua", "mjs", "mts", "nix", "php", "py",
    "rb", "toml", "ts", "tsx", "yaml", "yml",
];

/// Lower-case names of files that tools execute as their configuration, and that do not have two dots.
const RUN_BY_TOOLS: [&str; 12] = [
    ".luacheckrc",
    "conftest.py",
    "default.nix",
    "flake.nix",
    "gruntfile.js",
    "gulpfile.js",
    "jakefile.js",
    "mix.exs",
    "noxfile.py",
    "setup.py",
    "shell.nix",
    "sitecustomize.py",
];

/// Returns the name of a private copy of a foreign file that an editor opens: [`file_name`], with a prefix if
/// a language server could read the copy as its own configuration, such as `eslint.config.js` or
/// `.eslintrc.cjs`, and execute it before the person has accepted it. The ending stays, and with it the
/// language.
pub fn copy_name(path: &str) -> String {
    let name = file_name(path);
    let lower = name.to_lowercase();
    let ending = lower.trim_start_matches('.').rsplit_once('.').map(|(_, ending)| ending);
    let is_run = ending.is_some_and(|ending| RUN_ENDINGS.contains(&ending));
    let is_config = is_run && (lower.starts_with('.') || lower.matches('.').count() > 1);
    match is_config || RUN_BY_TOOLS.contains(&lower.as_str()) {
        true => format!("proposal-{name}"),
        false => name,
    }
}

fn escape(text: &str, may_be_shown: impl Fn(char) -> bool) -> Cow<'_, str> {
    let mut safe = String::new();
    let mut shown = 0;
    for (at, c) in harmful(text).filter(|(_, c)| !may_be_shown(*c)) {
        safe.push_str(&text[shown..at]);
        shown = at + c.len_utf8();
        // Writing to a String does not fail.
        let _ = match c {
            '\n' => safe.write_str("\\n"),
            '\r' => safe.write_str("\\r"),
            '\t' => safe.write_str("\\t"),
            '\0'..='\x7f' => write!(safe, "\\x{:02x}", u32::from(c)),
            _ => write!(safe, "\\u{{{:x}}}", u32::from(c)),
        };
    }
    if shown == 0 {
        return Cow::Borrowed(text);
    }
    safe.push_str(&text[shown..]);
    Cow::Owned(safe)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns the characters that must never reach a terminal, listed independently of the code above.
    fn forbidden() -> Vec<char> {
        let ranges = [
            (0x00, 0x1f),
            (0x7f, 0x9f),
            (0xad, 0xad),
            (0x061c, 0x061c),
            (0x200b, 0x200b),
            (0x200e, 0x200f),
            (0x2028, 0x202e),
            (0x2066, 0x2069),
            // Letters without a glyph.
            (0x115f, 0x1160),
            (0x3164, 0x3164),
            (0xfeff, 0xfeff),
            // Tags, selectors, and other characters of this block without a glyph.
            (0xe0000, 0xe0fff),
            (0xfe00, 0xfe0d),
            (0xfff0, 0xfffb),
            // Marks and letters of other scripts without a glyph.
            (0x2800, 0x2800),
            (0x13430, 0x13442),
            (0x16fe4, 0x16fe4),
            (0x1d159, 0x1d159),
        ];
        ranges.iter().flat_map(|(from, to)| *from..=*to).filter_map(char::from_u32).collect()
    }

    #[test]
    fn no_copy_has_the_name_of_a_configuration_that_tools_run() {
        for name in [
            "eslint.config.js",
            ".eslintrc.cjs",
            "vite.config.mts",
            "Karma.Conf.js",
            "conftest.py",
            ".luacheckrc",
        ] {
            assert_eq!(copy_name(&format!("/p/{name}")), format!("proposal-{name}"));
        }
        for name in [
            "main.rs",
            "CMakeLists.txt",
            ".gitignore",
            ".bashrc",
            "Makefile",
            "tsconfig.json",
            "go.mod",
            "v1.2.md",
        ] {
            assert_eq!(copy_name(&format!("/p/{name}")), name, "its name says its language");
        }
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

    #[test]
    fn emoji_and_joined_scripts_stay_as_they_are() {
        for text in [
            "\u{2764}\u{fe0f} 1\u{fe0f}\u{20e3} \u{a9}\u{fe0e}",
            "\u{1f469}\u{1f3fd}\u{200d}\u{2695}\u{fe0f} \
                \u{1f3f3}\u{fe0f}\u{200d}\u{1f308} \u{1f1e9}\u{1f1ea}",
            // Persian, with a mark between; Bengali, Sinhala, Devanagari, Mongolian.
            "\u{645}\u{6cc}\u{200c}\u{62e}\u{648}\u{627}\u{647}\u{645} \
                \u{647}\u{64e}\u{200c}\u{645} \u{647}\u{200d}.",
            "\u{9b0}\u{200d}\u{9cd}\u{9af}",
            "\u{dc1}\u{dca}\u{200d}\u{dbb}\u{dd3}",
            "\u{915}\u{94d}\u{200c}\u{937} \u{915}\u{94d}\u{200d}",
            "\u{1820}\u{180b}",
            // Visible characters, whatever their category.
            "\u{600}\u{661} \u{e9}e\u{301} \u{2801}",
        ] {
            assert_eq!(name(text), text, "{}", text.escape_unicode());
        }
    }

    #[test]
    fn marks_that_join_or_select_nothing_are_shown() {
        assert_eq!(name("a\u{fe0f}1\u{fe0f}x"), r"a\u{fe0f}1\u{fe0f}x");
        assert_eq!(name("\u{2764}\u{fe0f}\u{fe0f}\u{fe0e}"), "\u{2764}\u{fe0f}\\u{fe0f}\\u{fe0e}");
        assert_eq!(name("\u{2764}\u{fe01}"), "\u{2764}\\u{fe01}");
        assert_eq!(name("pass\u{200d}word\u{200c}"), r"pass\u{200d}word\u{200c}");
        assert_eq!(name("\u{1f469}\u{200d}x\u{200d}\u{1f469}"), "\u{1f469}\\u{200d}x\\u{200d}\u{1f469}");
        // A code point that is reserved for an emoji is not an emoji yet.
        assert_eq!(name("\u{1f2f3}\u{fe0f}\u{200d}\u{1f308}"), "\\u{1f2f3}\\u{fe0f}\\u{200d}\u{1f308}");
        assert_eq!(name("w\u{200d}\u{9cd}"), "w\\u{200d}\u{9cd}");
        assert_eq!(name("\u{647}\u{200c}\u{200c}"), "\u{647}\u{200c}\\u{200c}");
        assert_eq!(name("\u{845b}\u{e0100}\u{180b}"), "\u{845b}\\u{e0100}\\u{180b}");
        // A message encoded in variation selectors, which models read and people do not see.
        let smuggled: String = (0..100).filter_map(|byte| char::from_u32(0xe0100 + byte)).collect();
        assert_eq!(harmful(&name(&format!("\u{1f600}{smuggled}"))).count(), 0);
    }

    /// The plugin for Neovim lists the characters, because Lua does not know Unicode's properties.
    #[test]
    fn unassigned_characters_are_shown_by_number() {
        // A terminal that does not know their width may draw nothing.
        for (given, shown) in [
            ("ad\u{378}min", "ad\\u{378}min"),
            ("ad\u{fdd0}min", "ad\\u{fdd0}min"),
            ("ad\u{ffff}min", "ad\\u{ffff}min"),
            ("\u{645}\u{200d}admin", "\u{645}\\u{200d}admin"),
        ] {
            assert_eq!(name(given), shown);
        }
        assert_eq!(name("\u{645}\u{200d} \u{645}\u{200c}\u{627}"), "\u{645}\u{200d} \u{645}\u{200c}\u{627}");
    }

    #[test]
    fn the_plugin_for_neovim_escapes_the_same_characters() {
        let lua = include_str!("../../../editors/neovim/lua/alongside/harmless.lua");
        let table =
            lua.split_once("local ranges = {").and_then(|(_, rest)| rest.split_once("\n}")).unwrap().0;
        let number = |text: &str| u32::from_str_radix(text.trim().trim_start_matches("0x"), 16).unwrap();
        let pairs =
            table.split('{').skip(1).map(|pair| pair.split('}').next().unwrap().split_once(',').unwrap());
        let listed: Vec<_> = pairs.map(|(from, to)| (number(from), number(to))).collect();
        let mut meant: Vec<(u32, u32)> = Vec::new();
        // Neovim itself shows unassigned characters by number; some of them are ignorable nevertheless.
        let listed_here = |c: char| match unseen::is_unassigned(c) {
            true => unseen::is_ignorable(c),
            false => is_harmful(c),
        };
        for code in ('\0'..=char::MAX).filter(|c| listed_here(*c)).map(u32::from) {
            match meant.last_mut() {
                Some((_, to)) if *to + 1 == code => *to = code,
                _ => meant.push((code, code)),
            }
        }
        let written: Vec<_> = meant.iter().map(|(from, to)| format!("{{ {from:#x}, {to:#x} }}")).collect();
        assert_eq!(listed, meant, "the list is to be: {}", written.join(", "));
    }

    /// Generates texts of mostly harmful characters.
    fn nasty() -> impl Strategy<Value = String> {
        let some = forbidden();
        proptest::collection::vec(prop_oneof![proptest::sample::select(some), any::<char>()], 0..40)
            .prop_map(|chars| chars.into_iter().collect())
    }

    #[test]
    fn a_safe_file_name_keeps_name_and_kind() {
        assert_eq!(file_name("/p/src/main.rs"), "main.rs");
        assert_eq!(file_name("/p/with space\u{202e}\x1b.py"), "with space__.py");
        assert_eq!(file_name("/a/x\x1b[2J\n\u{202e}.rs"), "x_[2J__.rs");
        assert_eq!(file_name("/p/<img src='file:%2fdev%2fzero'>.md"), "_img src='file:%2fdev%2fzero'>.md");
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
            prop_assert_eq!(harmful(&name(&given)).count(), 0, "nothing gets into a place where it may be");
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
