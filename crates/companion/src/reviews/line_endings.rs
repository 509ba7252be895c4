//! Converts the file on disk to the proposal's line endings and byte-order mark before the comparison.
//!
//! Agents often propose `\n` for a file with `\r\n` (and restore `\r\n` themselves), or leave out a
//! byte-order mark. Compared as bytes, every line would differ. After the conversion, hunks show the agent's
//! change only, and original lines that the person keeps have the form that the agent expects.

use alongside_desk::LineEnding;

pub(crate) const BOM: char = '\u{feff}';

/// The original in the proposal's line endings, and the differences that were removed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct NormalizedOriginal {
    /// The converted text; `None` if there is no file, or the file is not text.
    pub(crate) original: Option<String>,
    /// The file's line ending, if the proposal uses the other one throughout.
    pub(crate) file_line_ending: Option<LineEnding>,
    /// Whether the file has a byte-order mark, if the proposal differs in it.
    pub(crate) file_has_bom: Option<bool>,
    /// Whether the file contains `\r\n`.
    pub(crate) file_has_crlf: bool,
    /// The reason why only the whole file can be decided on.
    pub(crate) whole_file_only: Option<String>,
}

impl NormalizedOriginal {
    /// Converts `original` back to the form of the file.
    pub(crate) fn restore(&self, original: &str) -> String {
        let text = match self.file_line_ending {
            Some(LineEnding::Crlf) => original.replace('\n', "\r\n"),
            Some(LineEnding::Lf) => original.replace("\r\n", "\n"),
            None => original.to_owned(),
        };
        match self.file_has_bom {
            Some(true) => format!("{BOM}{text}"),
            Some(false) => text.strip_prefix(BOM).unwrap_or(&text).to_owned(),
            None => text,
        }
    }
}

/// Converts the bytes on disk to the form of a proposal. `None` stands for a file that does not exist.
pub(crate) fn normalize(on_disk: Option<Vec<u8>>, proposed: &str) -> NormalizedOriginal {
    let Some(bytes) = on_disk else {
        return NormalizedOriginal::default();
    };
    if memchr::memchr(0, &bytes).is_some() {
        return whole_file_only("the file on disk is binary");
    }
    let Ok(mut original) = String::from_utf8(bytes) else {
        return whole_file_only("the file on disk is not UTF-8 text");
    };
    let file_line_ending = uniform_line_ending(&original);
    let file_has_crlf = match file_line_ending {
        Some(ending) => ending == LineEnding::Crlf,
        // Only such a text needs a search for the pair, which takes several times as long as one for `\r`.
        None => original.contains("\r\n"),
    };
    let mut normalized = NormalizedOriginal { file_has_crlf, ..NormalizedOriginal::default() };
    if original.starts_with(BOM) != proposed.starts_with(BOM) {
        normalized.file_has_bom = Some(original.starts_with(BOM));
        original = match original.strip_prefix(BOM) {
            Some(rest) => rest.to_owned(),
            None => format!("{BOM}{original}"),
        };
    }
    match (file_line_ending, uniform_line_ending(proposed)) {
        (Some(LineEnding::Crlf), Some(LineEnding::Lf)) => {
            normalized.file_line_ending = Some(LineEnding::Crlf);
            original = original.replace("\r\n", "\n");
        }
        (Some(LineEnding::Lf), Some(LineEnding::Crlf)) => {
            normalized.file_line_ending = Some(LineEnding::Lf);
            original = original.replace('\n', "\r\n");
        }
        _ => {}
    }
    normalized.original = Some(original);
    normalized
}

/// Returns the result for a file that exists but cannot be compared.
pub(crate) fn whole_file_only(why: &str) -> NormalizedOriginal {
    NormalizedOriginal { whole_file_only: Some(why.to_owned()), ..NormalizedOriginal::default() }
}

/// Returns the only line ending of a text; `None` for a text with no line ending, or with both.
pub(crate) fn uniform_line_ending(text: &str) -> Option<LineEnding> {
    // Most texts have no `\r`, and need no counting, which takes longer.
    if memchr::memchr(b'\r', text.as_bytes()).is_none() {
        return text.contains('\n').then_some(LineEnding::Lf);
    }
    let all = text.matches('\n').count();
    match text.matches("\r\n").count() {
        _ if all == 0 => None,
        0 => Some(LineEnding::Lf),
        crlf if crlf == all => Some(LineEnding::Crlf),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normalized(on_disk: &str, proposed: &str) -> NormalizedOriginal {
        normalize(Some(on_disk.as_bytes().to_vec()), proposed)
    }

    #[test]
    fn a_uniform_difference_of_line_endings_is_ignored() {
        for (on_disk, proposed, original, file_line_ending) in [
            ("a\r\nb\r\n", "a\nc\n", "a\nb\n", Some(LineEnding::Crlf)),
            ("a\nb", "a\r\nc", "a\r\nb", Some(LineEnding::Lf)),
            // Mixed line endings are compared unchanged.
            ("a\r\nb\n", "a\nb\n", "a\r\nb\n", None),
            ("a\rb", "a\nb\n", "a\rb", None),
        ] {
            let normalized = normalized(on_disk, proposed);
            assert_eq!(normalized.original.as_deref(), Some(original));
            assert_eq!(normalized.file_line_ending, file_line_ending);
            assert_eq!(normalized.file_has_crlf, on_disk.contains("\r\n"));
            assert_eq!(normalized.restore(original), on_disk);
        }
    }

    #[test]
    fn a_byte_order_mark_on_one_side_is_ignored() {
        let lost = normalized("\u{feff}a\n", "b\n");
        assert_eq!((lost.original.as_deref(), lost.file_has_bom), (Some("a\n"), Some(true)));
        assert_eq!(lost.restore("a\n"), "\u{feff}a\n");
        let gained = normalized("a\n", "\u{feff}b\n");
        assert_eq!((gained.original.as_deref(), gained.file_has_bom), (Some("\u{feff}a\n"), Some(false)));
        assert_eq!(gained.restore("\u{feff}a\n"), "a\n");
    }

    #[test]
    fn a_file_that_is_not_text_is_decided_as_a_whole() {
        assert!(normalize(Some(vec![0xff, 0xfe, b'a']), "a").whole_file_only.is_some());
        assert!(normalize(Some(b"PNG\0".to_vec()), "a").whole_file_only.is_some());
        assert_eq!(normalize(None, "a"), NormalizedOriginal::default());
    }
}
