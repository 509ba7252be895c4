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
    File {
        /// The file.
        path: &'static str,
        /// The text.
        content: &'static str,
    },
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

/// The arguments of a tool that replaces strings.
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
    /// The tool's treatment of line ends.
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
        line_ends: LineEnds::DeletedWithLine,
    };
}

/// Where an agent's replacements differ from plain ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEnds {
    /// Deleting a string that ends a line somewhere deletes those line ends, too.
    DeletedWithLine,
    /// A file ends in a line end after the edit if it did before, and strings have `\n` only.
    LastKept,
}
