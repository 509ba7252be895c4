//! The line endings and the byte-order mark of a file. TOML is edited with `\n` and without the mark, and
//! written back in the form that it had. Helix accepts every form.

/// The byte-order mark, which editors on Windows write.
const BOM: char = '\u{feff}';

/// The form of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TextForm {
    /// Whether all line endings are `\r\n`.
    is_crlf: bool,
    has_bom: bool,
}

impl TextForm {
    /// Returns the form of a text, and the text with `\n` and without the mark. Mixed line endings are kept.
    pub(super) fn strip(text: &str) -> (Self, String) {
        let (has_bom, text) = text.strip_prefix(BOM).map_or((false, text), |text| (true, text));
        let crlf = text.matches("\r\n").count();
        let is_crlf = crlf > 0 && crlf == text.matches('\n').count();
        let text = if is_crlf { text.replace("\r\n", "\n") } else { text.to_owned() };
        (Self { is_crlf, has_bom }, text)
    }

    /// Returns `text` in this form.
    pub(super) fn restore(self, text: String) -> String {
        let text = if self.is_crlf { text.replace('\n', "\r\n") } else { text };
        if self.has_bom { format!("{BOM}{text}") } else { text }
    }
}
