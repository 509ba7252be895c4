//! Whole files: the text that a tool writes in place of a file, by the rules of its row.

use std::path::Path;

use alongside_contract::hook::{Escapes, FileArguments, OtherEncodings};

use crate::change::{Change, TextFile};
use crate::line_endings::{with_mark, written};

/// The characters behind a backslash, or several, that are written without it.
const RESOLVED: [char; 8] = ['n', 't', 'r', '\'', '"', '`', '\\', '\n'];
const ESCAPES: &str = "The agent may write escapes of this text, such as \\n and \\\", without their \
                       backslash: that depends on its model and settings.";

/// The text of a whole file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WholeFile {
    pub(crate) path: String,
    pub(crate) content: String,
    pub(crate) arguments: FileArguments,
    pub(crate) other_encodings: OtherEncodings,
}

impl WholeFile {
    /// The change, for the file that the tool finds.
    pub(crate) fn change(&self, found: &TextFile) -> Change {
        let Self { path, content, arguments, other_encodings } = self;
        let (file, encoding) = match found {
            TextFile::Text(file) => (Some(file.as_str()), None),
            TextFile::NotUtf8(file) => (Some(file.as_str()), encoding_remark(*other_encodings)),
            TextFile::Absent | TextFile::Special | TextFile::Unreadable(_) => (None, None),
        };
        let text = match file {
            Some(file) => with_mark(arguments.mark, file, written(arguments.line_ends, file, content)),
            None => content.clone(),
        };
        Change::write(path, file, text).remarked(encoding).remarked(self.escapes_remark())
    }

    fn escapes_remark(&self) -> Option<&'static str> {
        let but_in = match self.arguments.escapes {
            Escapes::Written => return None,
            Escapes::MaybeResolved { but_in } => but_in,
        };
        let extension = Path::new(&self.path).extension().and_then(|extension| extension.to_str());
        let is_left_alone =
            extension.is_some_and(|own| but_in.iter().any(|one| own.eq_ignore_ascii_case(one)));
        let is_resolved = |(at, _): (usize, &str)| {
            self.content.get(at + 1..).is_some_and(|after| after.starts_with(RESOLVED))
        };
        (!is_left_alone && self.content.match_indices('\\').any(is_resolved)).then_some(ESCAPES)
    }
}

/// The encoding that a tool writes a whole file in, where the file is not UTF-8 text; for people.
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
