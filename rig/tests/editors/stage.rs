//! What every story needs: a project, a terminal, and an editor of the wanted generation on the PATH.

use std::fs;
use std::path::PathBuf;

use alongside_rig::tmux::{Pane, SHELL_PROMPT, Tmux};
use alongside_rig::wait::{self, PATIENCE};
use alongside_rig::{Editor, Editors, Generation, Sandbox, cli, editors_or_skip};
use anyhow::Result;

/// A window in which an editor shows short lines whole.
const WINDOW: (u16, u16) = (100, 30);

/// The scene of one story. Fields are dropped in this order: the terminal first, the sandbox last.
pub(crate) struct Stage {
    pub(crate) terminal: Tmux,
    pub(crate) editors: Editors,
    /// The first file of the project, `notes.md`.
    pub(crate) file: PathBuf,
    pub(crate) sandbox: Sandbox,
}

impl Stage {
    /// A project whose `notes.md` holds `content`, and a person who has Neovim and Helix of a generation and has
    /// configured neither. `None` where editors cannot be installed, which is reported as skipped.
    pub(crate) fn set(story: &str, generation: Generation, content: &str) -> Result<Option<Self>> {
        let Some(editors) = editors_or_skip(story) else {
            return Ok(None);
        };
        let sandbox = Sandbox::new();
        let file = sandbox.write("notes.md", content);
        editors.put_on_path(&sandbox, generation)?;
        let terminal = Tmux::new(&sandbox, [cli::path_variable(&sandbox)?]);
        Ok(Some(Self { terminal, editors, file, sandbox }))
    }

    /// Types an editor's command and the file's name into a new window, and waits until the editor shows `words`.
    pub(crate) fn open(&self, editor: &Editor, words: &str) -> Result<Pane> {
        let pane = self.terminal.window(editor.command(), WINDOW)?;
        pane.enter(&format!("clear; {} notes.md", editor.command()))?;
        pane.wait_for(&format!("{words:?} in the editor"), |screen| {
            screen.contains(words) && !screen.contains(SHELL_PROMPT)
        })?;
        Ok(pane)
    }

    /// Waits until the editor has given the pane back to the shell.
    pub(crate) fn wait_until_closed(&self, pane: &Pane) -> Result<()> {
        pane.wait_for("the shell's prompt", |screen| screen.ends_with(SHELL_PROMPT)).map(drop)
    }

    /// Waits until a process of the sandbox runs the editor's own binary, and not something in its name.
    pub(crate) fn wait_until_it_runs(&self, editor: &Editor) -> Result<()> {
        wait::until(&format!("{} to run", editor.program.display()), PATIENCE, || {
            let running = self.sandbox.processes().into_iter();
            let running =
                running.flat_map(|pid| fs::read_link(format!("/proc/{}/exe", pid.as_raw_nonzero())));
            let running: Vec<_> = running.collect();
            if running.contains(&editor.program) { Ok(()) } else { Err(format!("{running:?}")) }
        })
    }

    /// What the file holds now.
    pub(crate) fn on_disk(&self) -> String {
        fs::read_to_string(&self.file).unwrap()
    }
}
