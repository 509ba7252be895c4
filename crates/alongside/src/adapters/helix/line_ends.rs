//! The line ends of a file. TOML is edited with `\n`, and written back with the person's line ends.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineEnds {
    Unix,
    Windows,
}

impl LineEnds {
    /// The line ends of a text, and the text with `\n`. A mixture stays as it is.
    pub(super) fn strip(text: &str) -> (Self, String) {
        let windows = text.matches("\r\n").count();
        match windows > 0 && windows == text.matches('\n').count() {
            true => (Self::Windows, text.replace("\r\n", "\n")),
            false => (Self::Unix, text.to_owned()),
        }
    }

    pub(super) fn restore(self, text: String) -> String {
        match self {
            Self::Windows => text.replace('\n', "\r\n"),
            Self::Unix => text,
        }
    }
}
