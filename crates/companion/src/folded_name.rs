//! Names as lenient file systems compare them: without regard to case, to the form of a character, and to
//! characters that nobody sees. On such a system, two spellings name one file.

use std::ffi::OsStr;

use icu_normalizer::ComposingNormalizerBorrowed;
use icu_properties::CodePointSetData;
use icu_properties::props::DefaultIgnorableCodePoint;

/// The text without regard to case and to the canonical form of characters, and without those that nobody
/// sees. The characters of a pattern keep their meaning.
pub(crate) fn folded(text: &str) -> String {
    let composed = ComposingNormalizerBorrowed::new_nfc();
    let unseen = CodePointSetData::new::<DefaultIgnorableCodePoint>();
    let seen = |c: &char| !unseen.contains(*c);
    // There and back: `ſ` and `ς` are lower case already, and `ẞ` is upper case.
    let cases = |c: char| c.to_lowercase().flat_map(char::to_uppercase).flat_map(char::to_lowercase);
    let text: String = composed.normalize(text).chars().filter(seen).flat_map(cases).collect();
    composed.normalize(&text).into_owned()
}

/// The name as the most lenient file system takes it: [folded], in the compatible form of characters, without
/// dots and blanks at the end and without what follows a colon.
pub(crate) fn plain(part: &OsStr) -> String {
    let compatible = ComposingNormalizerBorrowed::new_nfkc();
    let name = folded(&compatible.normalize(&part.to_string_lossy()));
    let name = name.split(':').next().unwrap_or_default();
    name.trim_end_matches(['.', ' ']).to_owned()
}

/// Whether some file system takes this name for git's directory. The short name that Windows may give it
/// counts.
pub(crate) fn is_gits(part: &OsStr) -> bool {
    let name = part.as_encoded_bytes();
    let may_be_folded =
        !name.is_ascii() || name.contains(&b':') || name.ends_with(b".") || name.ends_with(b" ");
    part.eq_ignore_ascii_case(".git")
        || part.eq_ignore_ascii_case("git~1")
        || may_be_folded && plain(part) == ".git"
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
            ("a\u{206a}\u{202a}\u{ad}\u{fe0f}b", "ab"),
        ] {
            assert_eq!(folded(one), folded(other), "{one:?}");
        }
        assert_ne!(folded("ａ"), folded("a"), "only a compatible form");
        for name in [".GIT", ".git. .", ".git::$INDEX_ALLOCATION", ".ｇit", ".g\u{202a}it\u{200b}"] {
            assert_eq!(plain(OsStr::new(name)), ".git", "{name:?}");
            assert!(is_gits(OsStr::new(name)), "{name:?}");
        }
        assert!(
            is_gits(OsStr::new("GIT~1")) && !is_gits(OsStr::new(".gitignore")) && !is_gits(OsStr::new("git"))
        );
        assert_eq!(plain(OsStr::new("..")), "");
    }
}
