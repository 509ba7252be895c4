//! Editing a proposal in the person's own editor: `$VISUAL`, else `$EDITOR`, else `vi`.
//!
//! The text lies in a private directory under the file's own name, so that the editor knows its language.
//! Whatever goes wrong, what was typed stays in that file and the person is told where.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;

use alongside_desk::{Review, ReviewId, harmless};
use alongside_platform::process::send;
use alongside_platform::signals::TERMINATE;
use alongside_platform::terminal::{Modes, keyboard};
use alongside_platform::{Os, private, shell};
use anyhow::Context;
use tempfile::TempDir;
use tokio::process::{Child, Command};

/// Editors that take `+LINE` in front of the file.
const TAKE_PLUS_LINE: &[&str] = &[
    "ee",
    "emacs",
    "emacsclient",
    "ex",
    "gvim",
    "jed",
    "joe",
    "jove",
    "kak",
    "mcedit",
    "mg",
    "micro",
    "nano",
    "ne",
    "nvi",
    "nvim",
    "pico",
    "vi",
    "view",
    "vim",
];

/// Editors that take `FILE:LINE`, and what must stand before it.
const TAKE_FILE_LINE: &[(&str, &str)] =
    &[("code", "--goto"), ("codium", "--goto"), ("hx", ""), ("helix", ""), ("subl", ""), ("zed", "")];

/// Where texts go that a person typed and that cannot be handed on: file, agent, why, and the text.
type Drafts = dyn Fn(&str, &str, &str, &str) -> io::Result<PathBuf> + Send + Sync;

/// Keeps texts that a person typed and that cannot be handed on: among the drafts, if it was told how, or
/// else in a private directory of its own.
#[derive(Clone, Default)]
pub struct Keeping(Option<Arc<Drafts>>);

impl Keeping {
    /// Among drafts. The function gets the file, the agent, why, and the text, and returns where it is.
    pub fn among_drafts(
        keep: impl Fn(&str, &str, &str, &str) -> io::Result<PathBuf> + Send + Sync + 'static,
    ) -> Self {
        Self(Some(Arc::new(keep)))
    }

    /// Keeps a text, and says where it is: as the end of a sentence, rendered harmless.
    ///
    /// # Errors
    /// When there is no place for it.
    pub fn keep(&self, file: &str, agent: &str, why: &str, text: &str) -> io::Result<String> {
        if let Some(keep) = &self.0 {
            match keep(file, agent, why, text) {
                Ok(path) => return Ok(format!("{} (see: alongside drafts)", harmless::path(&path))),
                Err(error) => tracing::error!(%error, "cannot keep a draft"),
            }
        }
        let path = private_directory()?.keep().join(harmless::file_name(file));
        std::fs::write(&path, text)?;
        Ok(harmless::path(&path))
    }
}

impl std::fmt::Debug for Keeping {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.0.is_some() { "Keeping(among drafts)" } else { "Keeping" })
    }
}

/// A directory for one text, which is nobody else's business.
fn private_directory() -> io::Result<TempDir> {
    let mut builder = tempfile::Builder::new();
    builder.prefix("alongside-edit-");
    if let Some(permissions) = private::directory_permissions() {
        builder.permissions(permissions);
    }
    builder.tempdir()
}

/// A text in an editor.
#[derive(Debug)]
pub struct Editing {
    /// The review it belongs to.
    pub id: ReviewId,
    /// The revision it was made on.
    pub revision: u64,
    /// The hunk at which it was being read, as an index.
    pub hunk: usize,
    /// The reviewed file and the agent that proposes it.
    pub file: String,
    /// See [`file`](Self::file).
    pub agent: String,
    /// Whether something that was saved has been taken over already.
    pub sent: bool,
    command: String,
    dir: TempDir,
    path: PathBuf,
    /// What was in the file last, as far as the companion knows.
    base: String,
    child: Child,
    terminal: Option<Modes>,
}

/// What came of it.
#[derive(Debug, PartialEq, Eq)]
pub enum Edited {
    /// Nothing was changed.
    Same,
    /// The text now.
    Text(String),
    /// The editor failed, or left no text. What it left is in the file, if one is named.
    Failed {
        /// Why, in a few words.
        why: String,
        /// Where what was typed is, if something was.
        kept: Option<PathBuf>,
    },
}

impl Editing {
    /// Opens the text of a review, as it would be accepted now, at one of its hunks. `command` is [the
    /// person's editor](command).
    ///
    /// # Errors
    /// When there is no place for the file or no shell to start the editor with.
    pub fn start(command: &str, review: &Review, hunk: usize) -> anyhow::Result<Self> {
        let line = review.hunks.get(hunk).map_or(1, |hunk| hunk.current.start + 1);
        let dir = private_directory().context(
            "cannot make a private directory for the text; set TMPDIR to a directory that can be written",
        )?;
        let path = dir.path().join(harmless::file_name(&review.file));
        std::fs::write(&path, &*review.current)
            .with_context(|| format!("cannot write {}", path.display()))?;
        let terminal = Modes::save();
        let child = started(command, &path, line).stdin(terminal_input()).spawn().with_context(|| {
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
            child,
            terminal,
        })
    }

    /// Waits for the editor to end. Cancel safe.
    pub async fn ended(&mut self) -> std::io::Result<std::process::ExitStatus> {
        self.child.wait().await
    }

    /// What the person has saved so far and the companion does not know, if anything.
    pub fn unsent(&self) -> Option<String> {
        self.read().ok().filter(|text| *text != self.base)
    }

    /// The companion has this text now, as this revision.
    pub fn taken_over(&mut self, text: String, revision: u64) {
        self.base = text;
        self.revision = revision;
        self.sent = true;
    }

    /// Asks the editor to end, for we do, and takes the terminal back.
    pub async fn end(&mut self) {
        // One that has ended already need not be told.
        if let Some(pid) = self.child.id() {
            send(pid, TERMINATE);
        }
        let _ = tokio::time::timeout(std::time::Duration::from_secs(2), self.child.wait()).await;
        self.give_back_terminal();
    }

    /// The terminal is as it was before the editor had it; nothing happens if it has been given back already.
    pub fn give_back_terminal(&mut self) {
        if let Some(terminal) = self.terminal.take() {
            terminal.restore();
        }
    }

    /// Takes over what the editor left.
    pub fn finish(mut self, status: std::io::Result<std::process::ExitStatus>) -> Edited {
        self.give_back_terminal();
        let why = match status {
            Ok(status) if status.success() => match self.read() {
                Ok(text) if text == self.base => return Edited::Same,
                Ok(text) => return Edited::Text(text),
                Err(why) => why,
            },
            Ok(status) => match status.code() {
                Some(127) => {
                    format!("the editor {:?} cannot be found; set EDITOR to an editor of yours", self.command)
                }
                Some(code) => format!("the editor ended with exit code {code}"),
                None => "the editor was stopped by a signal".into(),
            },
            Err(error) => format!("the editor cannot be waited for: {error}"),
        };
        let changed = std::fs::read(&self.path).is_ok_and(|bytes| bytes != self.base.as_bytes());
        let kept = changed.then(|| self.keep());
        Edited::Failed { why, kept }
    }

    /// Leaves the file where it is, and says where.
    pub fn keep(self) -> PathBuf {
        let _ = self.dir.keep();
        self.path
    }

    /// The text in the file. Editors end a last line that had no end; that is taken back.
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

/// The person's editor as a command: `$VISUAL`, else `$EDITOR`, else `vi` (Notepad on Windows).
pub fn command() -> String {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
    variable("VISUAL")
        .or_else(|| variable("EDITOR"))
        .unwrap_or_else(|| shell::default_editor(Os::HERE).into())
}

/// The editor's command may hold arguments and quotes.
fn started(editor: &str, path: &Path, line: usize) -> Command {
    let (program, arguments) = shell::run(Os::HERE, editor, arguments(editor, path, line));
    let mut command = Command::new(program);
    command.args(arguments);
    command
}

fn arguments(editor: &str, path: &Path, line: usize) -> Vec<std::ffi::OsString> {
    let program = shell::program_name(Os::HERE, editor);
    if TAKE_PLUS_LINE.contains(&program.as_str()) {
        return vec![format!("+{line}").into(), path.into()];
    }
    if let Some((_, flag)) = TAKE_FILE_LINE.iter().find(|(name, _)| *name == program) {
        let mut place = path.as_os_str().to_owned();
        place.push(format!(":{line}"));
        let flag = Some(*flag).filter(|flag| !flag.is_empty()).map(Into::into);
        return flag.into_iter().chain([place]).collect();
    }
    vec![path.into()]
}

/// The editor reads the terminal even if our own input comes from elsewhere.
fn terminal_input() -> Stdio {
    if std::io::IsTerminal::is_terminal(&std::io::stdin()) {
        return Stdio::inherit();
    }
    keyboard().map_or_else(|_| Stdio::null(), Stdio::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn editors_are_sent_to_the_line_in_their_own_way() {
        let arguments = |editor| arguments(editor, Path::new("/t/a.rs"), 7);
        assert_eq!(arguments("/usr/bin/nvim -n"), ["+7", "/t/a.rs"]);
        assert_eq!(arguments("code --wait"), ["--goto", "/t/a.rs:7"]);
        assert_eq!(arguments("hx"), ["/t/a.rs:7"]);
        assert_eq!(arguments("my-editor"), ["/t/a.rs"]);
    }
}
