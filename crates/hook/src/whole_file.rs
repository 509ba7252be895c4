//! Tools that write a whole file: the text that they write in place of a file, by the rules of their row.

use std::path::Path;

use alongside_contract::hook::{Escapes, FileArguments, OtherEncodings};

use crate::change::{Change, TextFile};
use crate::line_endings::{with_line_ends, with_mark};

/// The characters that may be written without the backslashes before them.
const RESOLVED_ESCAPES: [char; 8] = ['n', 't', 'r', '\'', '"', '`', '\\', '\n'];
const ESCAPES_REMARK: &str = "The agent may write escapes of this text, such as \\n and \\\", without their \
                       backslash: that depends on its model and settings.";

/// A call of a tool that writes a whole file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WholeFile {
    pub(crate) path: String,
    pub(crate) content: String,
    pub(crate) arguments: FileArguments,
    pub(crate) other_encodings: OtherEncodings,
}

impl WholeFile {
    /// Computes the change of this file.
    pub(crate) fn change(&self, found: &TextFile) -> Change {
        let Self { path, content, arguments, other_encodings } = self;
        let (file, encoding) = match found {
            TextFile::Text(file) => (Some(file.as_str()), None),
            TextFile::NotUtf8(file) => (Some(file.as_str()), encoding_remark(*other_encodings)),
            TextFile::Absent | TextFile::Special | TextFile::Unreadable(_) => (None, None),
        };
        let text = match file {
            Some(file) => with_mark(arguments.mark, file, with_line_ends(arguments.line_ends, file, content)),
            None => content.clone(),
        };
        Change::write(path, file, text).with_remark(encoding).with_remark(self.escapes_remark())
    }

    fn escapes_remark(&self) -> Option<&'static str> {
        let except_extensions = match self.arguments.escapes {
            Escapes::Written => return None,
            Escapes::MaybeResolved { but_in } => but_in,
        };
        let extension = Path::new(&self.path).extension().and_then(|extension| extension.to_str());
        let is_exempt =
            extension.is_some_and(|own| except_extensions.iter().any(|one| own.eq_ignore_ascii_case(one)));
        let is_resolved = |(at, _): (usize, &str)| {
            self.content.get(at + 1..).is_some_and(|after| after.starts_with(RESOLVED_ESCAPES))
        };
        (!is_exempt && self.content.match_indices('\\').any(is_resolved)).then_some(ESCAPES_REMARK)
    }
}

/// Returns the remark for the person on the encoding of a file that is not UTF-8.
fn encoding_remark(other_encodings: OtherEncodings) -> Option<&'static str> {
    match other_encodings {
        OtherEncodings::Lost => Some("The file is not UTF-8 text, and becomes so."),
        OtherEncodings::Guessed => Some(
            "The file is not UTF-8 text: the agent guesses its encoding and writes this text in it, with \
             another sign in place of each that it lacks.",
        ),
        OtherEncodings::Left => None,
    }
}
