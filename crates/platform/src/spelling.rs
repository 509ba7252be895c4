//! Compares names like file systems that accept several spellings of a name: APFS and HFS+ ignore case and
//! the Unicode normalisation form.

use icu_normalizer::ComposingNormalizerBorrowed;

/// Folds case and the normalisation form: `Ö`, `ö`, and `o` with a combining mark become equal.
pub fn folded(text: &str) -> String {
    // Most names are ASCII, which has one form and needs no tables.
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let composed = ComposingNormalizerBorrowed::new_nfc();
    // Upper and lower case are applied both ways: `ſ` and `ς` are lower case already, and `ẞ` is upper case.
    let cases = |c: char| c.to_lowercase().flat_map(char::to_uppercase).flat_map(char::to_lowercase);
    let text: String = composed.normalize(text).chars().flat_map(cases).collect();
    composed.normalize(&text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_name_are_equal() {
        for (one, other) in [
            ("GRÖSSE", "größe"),
            ("gro\u{308}ße", "GRÖẞE"),
            ("AGENT\u{17f}.md", "agents.md"),
            ("ΟΔΟΣ", "οδος"),
            ("\u{212a}", "k"),
            ("ế", "E\u{302}\u{301}"),
            ("한", "\u{1112}\u{1161}\u{11ab}"),
        ] {
            assert_eq!(folded(one), folded(other), "{one:?}");
        }
        assert_ne!(folded("ａ"), folded("a"), "only a compatible form");
        assert_ne!(folded("é"), folded("e"));
        let ascii: String = (0..=0x7f_u8).map(char::from).collect();
        assert_eq!(folded(&format!("{ascii}é")), folded(&ascii) + "é");
    }
}
