//! The table of editors: how each calls itself, which of its processes agents take for it, and where what it
//! sends means something else than it does elsewhere. A new editor is one row; one that has none is served by
//! the last.

/// An editor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Editor {
    /// What `clientInfo.name` begins with, in lower case.
    called: &'static str,
    /// A short lower-case identifier; empty where nothing is known but the name it gives.
    pub name: &'static str,
    /// Its name for people.
    pub display_name: &'static str,
    /// Where its process is.
    pub process: Process,
    /// What the range of an automatic code action says.
    pub(crate) range: Range,
    /// Whether it may be asked a question with buttons: where that takes keys away from who is typing, never.
    pub(crate) prompts: bool,
    /// Whether it can be asked to show a document.
    pub(crate) documents: Documents,
    /// Whether a message longer than a line takes the next key, to be put away.
    pub(crate) brief: bool,
}

/// Which process of an editor agents take for it, starting from the one it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Process {
    /// That one.
    Itself,
    /// The one above: the editor runs its plugins in a process of their own.
    Parent,
    /// The one above if that one was started with `--embed`: the interface is a process of its own.
    ParentIfEmbedded,
    /// That of the session that the environment names: the client is a daemon.
    Session,
}

/// What the range of an automatic code action says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Range {
    /// The selection; an empty one is a cursor.
    Selection,
    /// The same, but a cursor is one cell wide.
    Cells,
    /// Its start is the cursor, its end means nothing.
    Cursor,
}

/// Which documents can be shown with `window/showDocument`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Documents {
    /// Files that exist, if it says that it can.
    IfItSays,
    /// The same, though it does not say so.
    Always,
    /// None: it refuses, or never answers.
    Never,
}

const ANY: Editor = Editor {
    called: "",
    name: "",
    display_name: "",
    process: Process::Itself,
    range: Range::Selection,
    prompts: false,
    documents: Documents::IfItSays,
    brief: false,
};

/// The first row that fits counts.
const EDITORS: [Editor; 18] = [
    Editor {
        called: "neovim",
        name: "neovim",
        display_name: "Neovim",
        process: Process::ParentIfEmbedded,
        brief: true,
        ..ANY
    },
    // 25.01 shows documents and does not say so.
    Editor {
        called: "helix",
        name: "helix",
        display_name: "Helix",
        range: Range::Cells,
        documents: Documents::Always,
        ..ANY
    },
    Editor {
        called: "visual studio code",
        name: "vscode",
        display_name: "VS Code",
        process: Process::Parent,
        prompts: true,
        ..ANY
    },
    Editor {
        called: "code - oss",
        name: "vscode",
        display_name: "Code - OSS",
        process: Process::Parent,
        prompts: true,
        ..ANY
    },
    Editor {
        called: "vscodium",
        name: "vscodium",
        display_name: "VSCodium",
        process: Process::Parent,
        prompts: true,
        ..ANY
    },
    Editor {
        called: "code-server",
        name: "vscode",
        display_name: "code-server",
        process: Process::Parent,
        prompts: true,
        ..ANY
    },
    Editor {
        called: "cursor",
        name: "cursor",
        display_name: "Cursor",
        process: Process::Parent,
        prompts: true,
        ..ANY
    },
    Editor {
        called: "windsurf",
        name: "windsurf",
        display_name: "Windsurf",
        process: Process::Parent,
        prompts: true,
        ..ANY
    },
    Editor { called: "eglot", name: "emacs", display_name: "Emacs", ..ANY },
    // lsp-mode.
    Editor { called: "emacs", name: "emacs", display_name: "Emacs", ..ANY },
    // kakoune-lsp, and kak-lsp before it had that name.
    Editor {
        called: "kak",
        name: "kakoune",
        display_name: "Kakoune",
        process: Process::Session,
        prompts: true,
        documents: Documents::Never,
        ..ANY
    },
    Editor {
        called: "vim-lsp",
        name: "vim",
        display_name: "Vim",
        range: Range::Cursor,
        documents: Documents::Never,
        brief: true,
        ..ANY
    },
    Editor { called: "coc.nvim", name: "vim", display_name: "Vim", process: Process::Parent, ..ANY },
    // yegappan/lsp.
    Editor { called: "vim", name: "vim", display_name: "Vim", brief: true, ..ANY },
    Editor { called: "sublime text lsp", name: "sublime-text", display_name: "Sublime Text", ..ANY },
    Editor { called: "zed", name: "zed", display_name: "Zed", ..ANY },
    Editor { called: "lapce", name: "lapce", display_name: "Lapce", documents: Documents::Never, ..ANY },
    Editor { called: "kate", name: "kate", display_name: "Kate", documents: Documents::Never, ..ANY },
];

/// The row of the editor that calls itself so.
pub(crate) fn called(name: &str) -> &'static Editor {
    let name = name.to_lowercase();
    EDITORS.iter().find(|editor| name.starts_with(editor.called)).unwrap_or(&ANY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_editor_is_known_by_what_it_calls_itself() {
        for (called_so, name) in [
            ("Neovim", "neovim"),
            ("helix", "helix"),
            ("Visual Studio Code - Insiders", "vscode"),
            ("Eglot", "emacs"),
            ("vim-lsp", "vim"),
            ("kakoune-lsp", "kakoune"),
            ("Something new", ""),
            ("", ""),
        ] {
            assert_eq!(called(called_so).name, name, "{called_so}");
        }
        assert_eq!(called("vim-lsp").range, Range::Cursor);
        assert_eq!(called("Vim").range, Range::Selection);
    }

    #[test]
    fn no_row_hides_another() {
        for (at, editor) in EDITORS.iter().enumerate() {
            assert_eq!(EDITORS.iter().position(|row| editor.called.starts_with(row.called)), Some(at));
        }
    }

    #[test]
    fn only_editors_that_keep_typing_where_it_is_are_prompted() {
        for editor in
            EDITORS.iter().filter(|editor| ["neovim", "emacs", "vim", "kate", "helix"].contains(&editor.name))
        {
            assert!(!editor.prompts, "{}", editor.name);
        }
    }
}
