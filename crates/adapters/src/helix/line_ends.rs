//! The line ends and the byte-order mark of a file. TOML is edited with `\n` and without the mark, and
//! written back as the person has it. Helix reads both.

/// The byte-order mark, which editors on Windows write.
const MARK: char = '\u{feff}';

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LineEnds {
    is_windows: bool,
    has_mark: bool,
}

impl LineEnds {
    /// The line ends of a text, and the text with `\n`. A mixture stays as it is.
    pub(super) fn strip(text: &str) -> (Self, String) {
        let (has_mark, text) = text.strip_prefix(MARK).map_or((false, text), |text| (true, text));
        let windows = text.matches("\r\n").count();
        let is_windows = windows > 0 && windows == text.matches('\n').count();
        let text = if is_windows { text.replace("\r\n", "\n") } else { text.to_owned() };
        (Self { is_windows, has_mark }, text)
    }

    pub(super) fn restore(self, text: String) -> String {
        let text = if self.is_windows { text.replace('\n', "\r\n") } else { text };
        if self.has_mark { format!("{MARK}{text}") } else { text }
    }
}
