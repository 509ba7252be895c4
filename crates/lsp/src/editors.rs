//! The table of editors: the name of each, the process that agents use as the editor, and the meanings of its
//! messages that differ from those of other editors. A new editor is one row; an unknown one gets `ANY`.

/// A kind of editor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EditorKind {
    /// The prefix of `clientInfo.name`, in lower case.
    prefix: &'static str,
    /// A short lower-case identifier; empty for an unknown editor.
    pub name: &'static str,
    /// The name of the editor, for people.
    pub display_name: &'static str,
    /// The process that agents take for the editor.
    pub process: Process,
    /// The meaning of the range of an automatic code action.
    pub(crate) range: CodeActionRange,
    /// Whether the editor may show a question with buttons; never where the question steals keys from the
    /// person.
    pub(crate) prompts: bool,
    /// Whether the editor supports `window/showDocument`.
    pub(crate) show_document: ShowDocument,
    /// Whether a message longer than a line swallows the next key.
    pub(crate) brief: bool,
    /// The command that sets agents up, as a person types it in this editor.
    pub(crate) agents_command: &'static str,
    /// The columns of the line for messages, if the editor cuts off longer messages and adds no text of its
    /// own.
    pub(crate) columns: Option<usize>,
    /// The keys that open the code actions, if all configurations have the same.
    pub(crate) actions_key: Option<&'static str>,
    /// The keys that show the proposal for a file, if they differ from the keys of the code actions.
    review_key: Option<&'static str>,
    /// The keys for a proposal that has just opened, if all configurations have the same.
    pub(crate) keys: Option<&'static str>,
    /// The command that reloads the current file, if the editor detects a change on disk only by the time of
    /// the file, and a person has to give a command. It must not affect other files, which may hold unsaved
    /// text.
    pub(crate) reload_command: Option<&'static str>,
    /// The command that gives a language to this server, where the editor has one server for each.
    pub(crate) language_command: Option<&'static str>,
    /// Whether the editor ends at a file name with characters that a URI has to escape, such as `[`.
    pub(crate) strict_uris: bool,
    /// Whether the editor saves a document once this server has edited it.
    pub(crate) saves_edits: bool,
    /// Whether the editor shows messages and titles as plain text. Others may render a name in them as
    /// Markdown or HTML.
    pub(crate) shows_plain_text: bool,
    /// Whether the position of a hover is that of the cursor; in other editors it may be that of the mouse.
    pub(crate) hovers_at_cursor: bool,
}

impl EditorKind {
    /// Returns the keys that show the proposal for a file, if they are the same for everybody.
    pub(crate) fn showing_key(&self) -> Option<&'static str> {
        self.review_key.or(self.actions_key)
    }
}

/// The process that agents take for an editor, starting from the one it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Process {
    /// The process that the editor names.
    Itself,
    /// The parent of the named process: the editor runs plugins in a separate process.
    Parent,
    /// The parent of the named process if that was started with `--embed`: the interface is a separate
    /// process.
    ParentIfEmbedded,
    /// The session that the environment names: the client is a daemon.
    Session,
}

/// The meaning of the range of an automatic code action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CodeActionRange {
    /// The selection; an empty one is a cursor.
    Selection,
    /// The selection; a cursor is one cell wide.
    Cells,
    /// The start of the range is the cursor; its end means nothing.
    Cursor,
}

/// Whether an editor supports `window/showDocument` for existing files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ShowDocument {
    /// The editor supports it if it declares the capability.
    IfDeclared,
    /// The editor supports it without declaring the capability.
    Always,
    /// The editor refuses it, or never answers.
    Never,
}

const ANY: EditorKind = EditorKind {
    prefix: "",
    name: "",
    display_name: "",
    process: Process::Itself,
    range: CodeActionRange::Selection,
    prompts: false,
    show_document: ShowDocument::IfDeclared,
    brief: false,
    agents_command: "alongside install agent",
    columns: None,
    actions_key: None,
    review_key: None,
    keys: None,
    reload_command: None,
    language_command: None,
    strict_uris: false,
    saves_edits: false,
    shows_plain_text: false,
    hovers_at_cursor: false,
};

const VSCODE: EditorKind = EditorKind {
    prefix: "visual studio code",
    name: "vscode",
    display_name: "VS Code",
    process: Process::Parent,
    prompts: true,
    ..ANY
};

/// The first row that fits is used.
const EDITORS: [EditorKind; 19] = [
    EditorKind {
        prefix: "neovim",
        name: "neovim",
        display_name: "Neovim",
        process: Process::ParentIfEmbedded,
        brief: true,
        shows_plain_text: true,
        agents_command: ":Alongside agents",
        ..ANY
    },
    // 25.01 shows documents and declares no capability.
    EditorKind {
        prefix: "helix",
        name: "helix",
        display_name: "Helix",
        range: CodeActionRange::Cells,
        show_document: ShowDocument::Always,
        // The columns of the smallest usual terminal.
        columns: Some(80),
        actions_key: Some("space a"),
        keys: Some("space a: drop, accept, reject; space k: the diff; ]d: the next change"),
        reload_command: Some(":rl"),
        shows_plain_text: true,
        hovers_at_cursor: true,
        ..ANY
    },
    VSCODE,
    EditorKind { prefix: "code - oss", display_name: "Code - OSS", ..VSCODE },
    EditorKind { prefix: "vscodium", name: "vscodium", display_name: "VSCodium", ..VSCODE },
    EditorKind { prefix: "code-server", display_name: "code-server", ..VSCODE },
    EditorKind { prefix: "cursor", name: "cursor", display_name: "Cursor", ..VSCODE },
    EditorKind { prefix: "windsurf", name: "windsurf", display_name: "Windsurf", ..VSCODE },
    // Eldoc asks for the hover at point.
    EditorKind {
        prefix: "eglot",
        name: "emacs",
        display_name: "Emacs",
        shows_plain_text: true,
        hovers_at_cursor: true,
        ..ANY
    },
    // lsp-mode.
    EditorKind { prefix: "emacs", name: "emacs", display_name: "Emacs", shows_plain_text: true, ..ANY },
    // With alongside.kak, which names the session.
    EditorKind {
        prefix: "alongside.kak",
        name: "kakoune",
        display_name: "Kakoune",
        process: Process::Session,
        // The modeline occupies the other half.
        columns: Some(60),
        actions_key: Some(":alongside-actions"),
        review_key: Some(":alongside-review"),
        keys: Some(":alongside-drop, -next, -diff, -accept or -reject"),
        shows_plain_text: true,
        strict_uris: true,
        saves_edits: true,
        hovers_at_cursor: true,
        ..ANY
    },
    // kakoune-lsp, formerly kak-lsp.
    EditorKind {
        prefix: "kak",
        name: "kakoune",
        display_name: "Kakoune",
        process: Process::Session,
        prompts: true,
        show_document: ShowDocument::Never,
        brief: true,
        shows_plain_text: true,
        strict_uris: true,
        saves_edits: true,
        hovers_at_cursor: true,
        ..ANY
    },
    EditorKind {
        prefix: "vim-lsp",
        name: "vim",
        display_name: "Vim",
        range: CodeActionRange::Cursor,
        show_document: ShowDocument::Never,
        brief: true,
        shows_plain_text: true,
        ..ANY
    },
    // coc.nvim puts its own name before each message.
    EditorKind {
        prefix: "coc.nvim",
        name: "vim",
        display_name: "Vim",
        process: Process::Parent,
        brief: true,
        shows_plain_text: true,
        ..ANY
    },
    // yegappan/lsp.
    EditorKind {
        prefix: "vim",
        name: "vim",
        display_name: "Vim",
        brief: true,
        shows_plain_text: true,
        ..ANY
    },
    EditorKind { prefix: "sublime text lsp", name: "sublime-text", display_name: "Sublime Text", ..ANY },
    EditorKind { prefix: "zed", name: "zed", display_name: "Zed", ..ANY },
    EditorKind {
        prefix: "lapce",
        name: "lapce",
        display_name: "Lapce",
        show_document: ShowDocument::Never,
        ..ANY
    },
    EditorKind {
        prefix: "kate",
        name: "kate",
        display_name: "Kate",
        // Without a selection, Kate sends the word at the cursor.
        range: CodeActionRange::Cursor,
        show_document: ShowDocument::Never,
        language_command: Some("alongside install kate --language NAME"),
        ..ANY
    },
];

/// Returns the row of the editor that gives this name.
pub fn find(name: &str) -> &'static EditorKind {
    let name = name.to_lowercase();
    EDITORS.iter().find(|editor| name.starts_with(editor.prefix)).unwrap_or(&ANY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn client_name_selects_the_row() {
        for (client_name, name) in [
            ("Neovim", "neovim"),
            ("helix", "helix"),
            ("Visual Studio Code - Insiders", "vscode"),
            ("Eglot", "emacs"),
            ("vim-lsp", "vim"),
            ("kakoune-lsp", "kakoune"),
            ("Something new", ""),
            ("", ""),
        ] {
            assert_eq!(find(client_name).name, name, "{client_name}");
        }
        assert_eq!(find("vim-lsp").range, CodeActionRange::Cursor);
        assert_eq!(find("Vim").range, CodeActionRange::Selection);
    }

    #[test]
    fn no_row_hides_a_later_one() {
        for (at, editor) in EDITORS.iter().enumerate() {
            assert_eq!(EDITORS.iter().position(|row| editor.prefix.starts_with(row.prefix)), Some(at));
        }
    }

    #[test]
    fn editors_whose_prompts_steal_keys_are_never_prompted() {
        for editor in
            EDITORS.iter().filter(|editor| ["neovim", "emacs", "vim", "kate", "helix"].contains(&editor.name))
        {
            assert!(!editor.prompts, "{}", editor.name);
        }
    }
}
