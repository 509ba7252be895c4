//! The tools of an agent that write files: their names, and those of their arguments.

/// A tool that writes files.
#[derive(Debug, PartialEq, Eq)]
pub struct Tool {
    /// Its name in the hook's input.
    pub name: &'static str,
    /// Its arguments.
    pub arguments: ToolArguments,
}

/// The arguments of a tool, by their names.
#[derive(Debug, PartialEq, Eq)]
pub enum ToolArguments {
    /// A whole file.
    File(FileArguments),
    /// Strings to replace in a file.
    Edits(EditArguments),
    /// A change of a cell in a notebook: `notebook_path`, `cell_id`, `new_source`, `edit_mode`, `cell_type`.
    Cell,
    /// A patch in the format of Codex.
    Patch {
        /// The patch.
        patch: &'static str,
    },
}

/// The arguments of a tool that writes a whole file, and what it writes besides the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileArguments {
    /// The file.
    pub path: &'static str,
    /// The text.
    pub content: &'static str,
    /// The line ends that it writes.
    pub line_ends: LineEnds,
    /// The byte-order mark of a file that has one.
    pub mark: Mark,
    /// The escapes in the text.
    pub escapes: Escapes,
}

impl FileArguments {
    /// The names of most agents, and a text that is written as it is sent.
    pub(crate) const USUAL: Self = Self {
        path: "file_path",
        content: "content",
        line_ends: LineEnds::AsSent,
        mark: Mark::AsSent,
        escapes: Escapes::Written,
    };
}

/// The arguments of a tool that replaces strings, and its rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EditArguments {
    /// The file.
    pub path: &'static str,
    /// The list of replacements, each with the arguments below; `None` for one replacement.
    pub list: Option<&'static str>,
    /// The string to replace.
    pub old: &'static str,
    /// The string in its place.
    pub new: &'static str,
    /// The switch for every occurrence.
    pub all: &'static str,
    /// Where its replacements differ from plain ones.
    pub replacing: Replacing,
    /// The line ends that it writes. It replaces in a text with `\n` in place of each `\r\n`.
    pub line_ends: LineEnds,
}

impl EditArguments {
    /// The names of most agents.
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

/// Where an agent's replacements differ from plain ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replacing {
    /// Deleting a string that ends a line somewhere deletes those line ends, too.
    LineEndGoesWithLine,
    /// A file ends in a line end after the edit if it did before, also if nothing else is left, and strings
    /// have `\n` only.
    LastLineEndStays,
}

/// The line ends that a tool writes into a file that is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEnds {
    /// Those of the text.
    AsSent,
    /// `\r\n` everywhere if the file has one, else those of the text.
    CrlfIfAny,
    /// `\r\n` everywhere if most lines in the first [`MOST_OF`](Self::MOST_OF) UTF-16 units of the file end
    /// so, else those of the text.
    CrlfIfMost,
}

impl LineEnds {
    /// The UTF-16 units in which [`CrlfIfMost`](Self::CrlfIfMost) counts.
    pub const MOST_OF: usize = 4096;
}

/// The byte-order mark that a tool writes where it replaces a file that has one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// That of the text, if it has one.
    AsSent,
    /// One.
    Kept,
    /// One before a text, and none where the text is empty.
    KeptBeforeText,
}

/// The treatment of `\n`, `\"` and the like in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Escapes {
    /// They are written.
    Written,
    /// With some models and settings, of which a hook does not hear, the characters that they stand for are
    /// written, but for files with one of these extensions.
    MaybeResolved {
        /// The extensions, in lower case.
        but_in: &'static [&'static str],
    },
}
