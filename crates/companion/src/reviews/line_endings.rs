//! Making the file on disk comparable with the proposal.
//!
//! Agents often propose `\n` for a file with `\r\n` (and put `\r\n` back themselves), or leave out a
//! byte-order mark. Compared as bytes, every line would differ. So the original is brought to the proposal's
//! convention first: hunks then show what the agent means, and original lines that the person keeps enter as
//! the agent expects them.

use alongside_desk::LineEnding;

const BOM: char = '\u{feff}';

/// The original, ready for comparison.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Aligned {
    /// The text in the proposal's convention; `None` if there is no file, or it is not text.
    pub(crate) original: Option<String>,
    /// The file's line ending, where the proposal uniformly uses the other one.
    pub(crate) file_line_ending: Option<LineEnding>,
    /// Whether the file has a byte-order mark, where the proposal differs.
    pub(crate) file_has_bom: Option<bool>,
    /// Why hunks cannot be told apart, if so.
    pub(crate) whole_file_only: Option<String>,
}

/// Aligns what was read from disk with a proposal. `None` is a file that does not exist.
pub(crate) fn align(on_disk: Option<Vec<u8>>, proposed: &str) -> Aligned {
    let Some(bytes) = on_disk else {
        return Aligned::default();
    };
    if bytes.contains(&0) {
        return whole("the file on disk is binary");
    }
    let Ok(mut original) = String::from_utf8(bytes) else {
        return whole("the file on disk is not UTF-8 text");
    };
    let mut aligned = Aligned::default();
    if original.starts_with(BOM) != proposed.starts_with(BOM) {
        aligned.file_has_bom = Some(original.starts_with(BOM));
        original = match original.strip_prefix(BOM) {
            Some(rest) => rest.to_owned(),
            None => format!("{BOM}{original}"),
        };
    }
    match (uniform(&original), uniform(proposed)) {
        (Some(LineEnding::Crlf), Some(LineEnding::Lf)) => {
            aligned.file_line_ending = Some(LineEnding::Crlf);
            original = original.replace("\r\n", "\n");
        }
        (Some(LineEnding::Lf), Some(LineEnding::Crlf)) => {
            aligned.file_line_ending = Some(LineEnding::Lf);
            original = original.replace('\n', "\r\n");
        }
        _ => {}
    }
    aligned.original = Some(original);
    aligned
}

/// A file that exists and cannot be compared.
pub(crate) fn whole(why: &str) -> Aligned {
    Aligned { whole_file_only: Some(why.to_owned()), ..Aligned::default() }
}

/// The one line ending that a text uses; `None` for none, or both.
pub(crate) fn uniform(text: &str) -> Option<LineEnding> {
    // Counting takes a while; most texts need not be counted.
    if !text.contains('\r') {
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

    fn aligned(on_disk: &str, proposed: &str) -> Aligned {
        align(Some(on_disk.as_bytes().to_vec()), proposed)
    }

    #[test]
    fn a_uniform_difference_of_line_endings_is_noted_and_ignored() {
        let to_lf = aligned("a\r\nb\r\n", "a\nc\n");
        assert_eq!(
            (to_lf.original.as_deref(), to_lf.file_line_ending),
            (Some("a\nb\n"), Some(LineEnding::Crlf))
        );
        let to_crlf = aligned("a\nb", "a\r\nc");
        assert_eq!(
            (to_crlf.original.as_deref(), to_crlf.file_line_ending),
            (Some("a\r\nb"), Some(LineEnding::Lf))
        );
    }

    #[test]
    fn mixed_line_endings_are_compared_as_they_are() {
        let mixed = aligned("a\r\nb\n", "a\nb\n");
        assert_eq!((mixed.original.as_deref(), mixed.file_line_ending), (Some("a\r\nb\n"), None));
    }

    #[test]
    fn a_byte_order_mark_on_one_side_is_noted_and_ignored() {
        let lost = aligned("\u{feff}a\n", "b\n");
        assert_eq!((lost.original.as_deref(), lost.file_has_bom), (Some("a\n"), Some(true)));
        let gained = aligned("a\n", "\u{feff}b\n");
        assert_eq!((gained.original.as_deref(), gained.file_has_bom), (Some("\u{feff}a\n"), Some(false)));
    }

    #[test]
    fn what_is_not_text_is_decided_as_a_whole() {
        assert!(align(Some(vec![0xff, 0xfe, b'a']), "a").whole_file_only.is_some());
        assert!(align(Some(b"PNG\0".to_vec()), "a").whole_file_only.is_some());
        assert_eq!(align(None, "a"), Aligned::default());
    }
}
