//! The tools of an agent that write files, with the names of their arguments.

/// A tool that writes files.
#[derive(Debug, PartialEq, Eq)]
pub struct Tool {
    /// Its name in the hook's input.
    pub name: &'static str,
    /// Its arguments.
    pub arguments: ToolArguments,
}

/// The arguments of a tool, with their names.
#[derive(Debug, PartialEq, Eq)]
pub enum ToolArguments {
    /// A whole file.
    File(FileArguments),
    /// Strings to replace in a file.
    Edits(EditArguments),
    /// A change to a cell in a notebook: `notebook_path`, `cell_id`, `new_source`, `edit_mode`, `cell_type`.
    Cell,
    /// A patch in the format of Codex.
    Patch {
        /// The patch.
        patch: &'static str,
    },
}

/// The arguments of a tool that writes a whole file, and the changes that it makes to the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileArguments {
    /// The file.
    pub path: &'static str,
    /// The text.
    pub content: &'static str,
    /// The line ends that the tool writes.
    pub line_ends: LineEnds,
    /// The treatment of the byte-order mark of an existing file.
    pub mark: Mark,
    /// The treatment of escapes in the text.
    pub escapes: Escapes,
}

impl FileArguments {
    /// The names that most agents use, for a text that is written as it is sent.
    pub(crate) const USUAL: Self = Self {
        path: "file_path",
        content: "content",
        line_ends: LineEnds::AsSent,
        mark: Mark::AsSent,
        escapes: Escapes::Written,
    };
}

/// The arguments of a tool that replaces strings, and the rules of its replacements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EditArguments {
    /// The file.
    pub path: &'static str,
    /// The list of replacements, each with the arguments below. `None` for a single replacement.
    pub list: Option<&'static str>,
    /// The string that is replaced.
    pub old: &'static str,
    /// The string that replaces it.
    pub new: &'static str,
    /// The flag that replaces every occurrence.
    pub all: &'static str,
    /// The difference of its replacements from plain ones.
    pub replacing: Replacing,
    /// The line ends that the tool writes. It replaces in a text with `\n` in place of each `\r\n`.
    pub line_ends: LineEnds,
}

impl EditArguments {
    /// The names that most agents use.
    pub(crate) const USUAL: Self = Self {
        path: "file_path",
        list: None,
        old: "old_string",
        new: "new_string",
        all: "replace_all",
        replacing: Replacing::LineEndGoesWithLine,
        line_ends: LineEnds::CrlfIfAny,
    };
}

/// The difference of an agent's replacements from plain ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replacing {
    /// If a deleted string ends a line somewhere, the line ends after it are deleted too.
    LineEndGoesWithLine,
    /// A file that ended with a line end still does after the edit, even if nothing else is left, and strings
    /// contain only `\n`.
    LastLineEndStays,
}

/// The line ends that a tool writes into an existing file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEnds {
    /// The line ends of the text.
    AsSent,
    /// `\r\n` everywhere if the file contains one, or else the line ends of the text.
    CrlfIfAny,
    /// `\r\n` everywhere if most lines in the first [`MOST_OF`](Self::MOST_OF) UTF-16 units of the file end
    /// so, or else the line ends of the text.
    CrlfIfMost,
}

impl LineEnds {
    /// The UTF-16 units in which [`CrlfIfMost`](Self::CrlfIfMost) counts.
    pub const MOST_OF: usize = 4096;
}

/// The byte-order mark that a tool writes when it replaces a file that has one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// The mark of the text, if it has one.
    AsSent,
    /// A mark.
    Kept,
    /// A mark before a text, but none if the text is empty.
    KeptBeforeText,
}

/// The treatment of `\n`, `\"` and similar escapes in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Escapes {
    /// They are written as they are.
    Written,
    /// With some models and settings, which the agent does not report to the hook, the characters that they
    /// stand for are written, except in files with one of these extensions.
    MaybeResolved {
        /// The extensions, in lower case.
        but_in: &'static [&'static str],
    },
}
