//! Names as lenient file systems compare them: without regard to case, to the Unicode form of a character,
//! and to invisible characters. On such a system, two spellings name one file.

use std::ffi::OsStr;

use alongside_platform::spelling;
use icu_normalizer::ComposingNormalizerBorrowed;
use icu_properties::CodePointSetData;
use icu_properties::props::DefaultIgnorableCodePoint;

/// Folds the [case](spelling::folded) and the canonical form of characters, and removes invisible characters.
/// The characters with a meaning in a pattern stay.
pub(crate) fn fold(text: &str) -> String {
    let invisible = CodePointSetData::new::<DefaultIgnorableCodePoint>();
    let visible: String = text.chars().filter(|c| !invisible.contains(*c)).collect();
    spelling::folded(&visible)
}

/// Returns the name as the most lenient file system takes it: [folded](fold), in the compatible form of
/// characters, without dots and spaces at the end and without the part after a colon.
pub(crate) fn fold_leniently(part: &OsStr) -> String {
    let compatible = ComposingNormalizerBorrowed::new_nfkc();
    let name = fold(&compatible.normalize(&part.to_string_lossy()));
    let name = name.split(':').next().unwrap_or_default();
    name.trim_end_matches(['.', ' ']).to_owned()
}

/// Whether some file system takes this name for git's directory. The short name that Windows may give that
/// directory counts.
pub(crate) fn is_gits(part: &OsStr) -> bool {
    let name = part.as_encoded_bytes();
    let may_be_folded =
        !name.is_ascii() || name.contains(&b':') || name.ends_with(b".") || name.ends_with(b" ");
    part.eq_ignore_ascii_case(".git")
        || part.eq_ignore_ascii_case("git~1")
        || may_be_folded && fold_leniently(part) == ".git"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_name_are_equal() {
        for (one, other) in
            [("GRÖSSE", "größe"), ("a\u{206a}\u{202a}\u{ad}\u{fe0f}b", "ab"), ("o\u{200d}\u{308}", "ö")]
        {
            assert_eq!(fold(one), fold(other), "{one:?}");
        }
        for name in [".GIT", ".git. .", ".git::$INDEX_ALLOCATION", ".ｇit", ".g\u{202a}it\u{200b}"] {
            assert_eq!(fold_leniently(OsStr::new(name)), ".git", "{name:?}");
            assert!(is_gits(OsStr::new(name)), "{name:?}");
        }
        assert!(
            is_gits(OsStr::new("GIT~1")) && !is_gits(OsStr::new(".gitignore")) && !is_gits(OsStr::new("git"))
        );
        assert_eq!(fold_leniently(OsStr::new("..")), "");
    }
}
