//! Line endings of a file that a tool edits. Agents compare with `\n` and write the file's own line endings.

/// A text with `\n` only, and the way back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unix {
    pub(crate) text: String,
    is_crlf: bool,
}

impl Unix {
    /// `None` for a text in which `\r` stands anywhere but in `\r\n`, or which mixes line endings: agents
    /// differ in what they make of it.
    pub(crate) fn of(text: &str) -> Option<Self> {
        if !text.contains('\r') {
            return Some(Self { text: text.to_owned(), is_crlf: false });
        }
        let unix = text.replace("\r\n", "\n");
        let is_uniform = !unix.contains('\r') && unix.matches('\n').count() == text.matches("\r\n").count();
        is_uniform.then_some(Self { text: unix, is_crlf: true })
    }

    /// A text in the line endings of the file.
    pub(crate) fn restored(&self, text: &str) -> String {
        if self.is_crlf { text.replace('\n', "\r\n") } else { text.to_owned() }
    }

    /// A text in the line endings of the file, with `\n` only.
    pub(crate) fn simplified(&self, text: &str) -> String {
        if self.is_crlf { text.replace("\r\n", "\n") } else { text.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_endings_come_back_and_mixed_ones_are_left_alone() {
        let crlf = Unix::of("a\r\nb\r\n").unwrap();
        assert_eq!((crlf.text.as_str(), crlf.restored("c\n")), ("a\nb\n", "c\r\n".to_owned()));
        assert_eq!(Unix::of("a\nb").unwrap().restored("a\r\n"), "a\r\n");
        for mixed in ["a\r\nb\n", "a\rb", "a\r\r\n"] {
            assert_eq!(Unix::of(mixed), None, "{mixed:?}");
        }
    }
}
