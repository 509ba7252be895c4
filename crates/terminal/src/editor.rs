//! A review's text in the person's own editor.
//!
//! The text is in a private directory, in a file of the reviewed file's name, so that the editor recognises
//! the language. If a step fails, the text stays in that file, and a message names the file.

pub(crate) mod command;

use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;

use alongside_desk::review_model::{Message, OpenReview, RefusedText};
use alongside_desk::{Review, ReviewId, harmless, messages};
use alongside_platform::process::send;
use alongside_platform::signals::TERMINATE;
use alongside_platform::terminal::Modes;
use anyhow::Context;
use tempfile::TempDir;
use tokio::process::Child;

use crate::editor::command::{editor_command, terminal_input};
use crate::unsaved_texts::{DESK_CLOSED, DraftStore, REVIEW_HAS_ENDED, UnsavedText, private_directory};

/// A text in an editor.
#[derive(Debug)]
pub struct Editing {
    /// The review whose text is edited.
    pub id: ReviewId,
    /// The revision of the text in the editor.
    pub revision: u64,
    /// The hunk at which the editor opened the text, as an index.
    pub hunk: usize,
    /// The reviewed file and the agent that proposes it.
    file: String,
    agent: String,
    /// Whether the companion has a text that was saved in this editor.
    sent: bool,
    command: String,
    dir: TempDir,
    path: PathBuf,
    /// The newest text of this editing that the companion has.
    base: String,
    /// The text that the companion refused before, if the editor has opened that text again.
    reopened: Option<RefusedText>,
    child: Child,
    terminal: Option<Modes>,
}

/// The result of an editor that has ended.
#[derive(Debug, PartialEq, Eq)]
pub enum EditOutcome {
    /// The companion has the text already.
    Taken,
    /// There is no text to send; the message gives the reason.
    Message(Message),
    /// A text that the companion does not have yet.
    Text(UnsavedText),
}

impl Editing {
    /// Opens the text of a review at one of its hunks: the text that the companion refused before, or else
    /// the current text. `command` is [the person's editor](crate::command).
    ///
    /// # Errors
    /// If the file cannot be written, or the shell that starts the editor cannot run.
    pub fn start(command: &str, open: &OpenReview) -> anyhow::Result<Self> {
        let (review, hunk, reopened) = (open.review(), open.hunk(), open.refused.clone());
        let line = review.hunks.get(hunk).map_or(1, |hunk| hunk.current.start + 1);
        let dir = private_directory().context(
            "cannot make a private directory for the text; set TMPDIR to a directory that can be written",
        )?;
        let path = dir.path().join(harmless::copy_name(&review.file));
        let text = reopened.as_ref().map_or(&*review.current, |refused| &*refused.text);
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        let terminal = Modes::save();
        let child =
            editor_command(command, &path, line).stdin(terminal_input()).spawn().with_context(|| {
                format!("cannot start the editor {command:?}; set EDITOR to an editor of yours")
            })?;
        Ok(Self {
            id: review.id,
            revision: review.revision,
            hunk,
            file: review.file.clone(),
            agent: review.agent.name.clone(),
            sent: false,
            command: command.to_owned(),
            dir,
            path,
            base: review.current.to_string(),
            reopened,
            child,
            terminal,
        })
    }

    /// Waits for the editor to end. Cancel safe.
    pub async fn ended(&mut self) -> io::Result<ExitStatus> {
        self.child.wait().await
    }

    /// The saved text, if the companion does not have it. A refused text that was opened again counts as
    /// saved only once the person changes it.
    pub fn unsent(&self) -> Option<String> {
        let reopened = self.reopened.as_ref().map(|refused| &refused.text);
        self.read().ok().filter(|text| *text != self.base && Some(text) != reopened)
    }

    /// Notes that the companion has this text as this revision. Returns the file of the refused text that
    /// this text replaces.
    pub fn taken_over(&mut self, text: String, revision: u64) -> Option<PathBuf> {
        self.base = text;
        self.revision = revision;
        self.sent = true;
        self.reopened.take()?.kept
    }

    /// Describes a text of this editor that the companion does not have.
    fn unsaved(&self, text: String) -> UnsavedText {
        let replaces = self.reopened.as_ref().and_then(|refused| refused.kept.clone());
        UnsavedText { file: self.file.clone(), agent: self.agent.clone(), text, replaces }
    }

    /// The revision on which the text in the editor is based: the newest one, if the text of the review is
    /// unchanged since the editor opened it.
    pub fn revision_in(&self, review: &Review) -> u64 {
        if *review.current == self.base { review.revision } else { self.revision }
    }

    /// Ends the editor, because the desk ends, and restores the terminal's modes. A text that the companion
    /// does not have goes to `drafts`. Returns a message about the person's text.
    pub async fn end(mut self, drafts: &DraftStore, roots: &[PathBuf]) -> Option<String> {
        // An editor that has ended has no process id.
        if let Some(pid) = self.child.id() {
            send(pid, TERMINATE);
        }
        let _ = tokio::time::timeout(std::time::Duration::from_secs(2), self.child.wait()).await;
        self.give_back_terminal();
        match self.unsent() {
            Some(text) => Some(drafts.keep(&self.unsaved(text), DESK_CLOSED, roots)),
            None => self.sent.then(|| messages::SAVED_TEXT_IN_DRAFTS.to_owned()),
        }
    }

    /// Restores the terminal's modes as they were before the editor. Does nothing the second time.
    pub fn give_back_terminal(&mut self) {
        if let Some(terminal) = self.terminal.take() {
            terminal.restore();
        }
    }

    /// Reads the text that the editor left. If the review has ended, the text goes to `drafts`.
    pub fn finish(
        mut self,
        status: io::Result<ExitStatus>,
        review_is_open: bool,
        drafts: &DraftStore,
        roots: &[PathBuf],
    ) -> EditOutcome {
        self.give_back_terminal();
        let message = match self.text_after(status) {
            Ok(text) if text != self.base && review_is_open => return EditOutcome::Text(self.unsaved(text)),
            Ok(text) if text != self.base => {
                Message::warning(drafts.keep(&self.unsaved(text), REVIEW_HAS_ENDED, roots))
            }
            Ok(_) if self.sent && review_is_open => return EditOutcome::Taken,
            Ok(_) if self.sent => Message::notice(messages::SAVED_BEFORE_THE_END),
            Ok(_) => Message::notice(messages::EDITOR_CHANGED_NOTHING),
            Err(why) => {
                let opened = self.reopened.as_ref().map_or(&self.base, |refused| &refused.text);
                let changed = std::fs::read(&self.path).is_ok_and(|bytes| bytes != opened.as_bytes());
                let left = changed.then(|| self.leave_file());
                Message::warning(messages::editor_failed(&why, left.as_deref()))
            }
        };
        EditOutcome::Message(message)
    }

    /// The text that the editor left, or the reason why the desk ignores it.
    fn text_after(&self, status: io::Result<ExitStatus>) -> Result<String, String> {
        match status {
            Ok(status) if status.success() => self.read(),
            Ok(status) => Err(match status.code() {
                Some(127) => {
                    format!("the editor {:?} cannot be found; set EDITOR to an editor of yours", self.command)
                }
                Some(code) => format!("the editor ended with exit code {code}"),
                None => "the editor was stopped by a signal".into(),
            }),
            Err(error) => Err(format!("the desk cannot wait for the editor: {error}")),
        }
    }

    /// Keeps the file and its directory, and returns the path.
    fn leave_file(self) -> PathBuf {
        let _ = self.dir.keep();
        self.path
    }

    /// The text in the file. Editors add a final newline that the text did not have; it is removed again.
    fn read(&self) -> Result<String, String> {
        let bytes =
            std::fs::read(&self.path).map_err(|error| format!("the edited text cannot be read: {error}"))?;
        let mut text = String::from_utf8(bytes).map_err(|_| "the edited text is not UTF-8".to_owned())?;
        if !self.base.is_empty() && !self.base.ends_with('\n') && text.ends_with('\n') {
            text.truncate(text.trim_end_matches('\n').len().max(text.len() - 1));
            if text.ends_with('\r') {
                text.pop();
            }
        }
        Ok(text)
    }
}
