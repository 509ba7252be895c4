//! A terminal with several panes, as a person has it: tmux with its own socket, no configuration, and a sandbox's
//! environment.
//!
//! Keys are typed into real panes and screens are read back, so that what is tested is what a person would see.
//! It knows nothing of agents or companions.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, ensure};

use crate::sandbox::Sandbox;
use crate::wait;

/// What a pane's shell shows when it waits for a command.
pub const SHELL_PROMPT: &str = "rig$";

/// Agents take an Enter within 30 ms of the last key for part of a paste; a person is slower.
const BREATH: Duration = Duration::from_millis(120);

/// A tmux server. Dropping it kills the server and whatever runs in its panes; what survives that carries the mark
/// of its sandbox and dies with it.
#[derive(Debug)]
pub struct Tmux(Arc<Server>);

/// One pane of a [`Tmux`], with a shell in it.
#[derive(Debug)]
pub struct Pane {
    server: Arc<Server>,
    id: String,
    name: String,
}

#[derive(Debug)]
struct Server {
    socket: PathBuf,
    directory: PathBuf,
    environment: Vec<(String, OsString)>,
}

impl Tmux {
    /// A terminal in the sandbox's project. Its shells have the sandbox's environment and `more` on top.
    /// The server itself starts with the first pane.
    pub fn new(sandbox: &Sandbox, more: impl IntoIterator<Item = (String, OsString)>) -> Self {
        let environment = sandbox.env().into_iter().map(|(name, value)| (name.to_owned(), value));
        Self(Arc::new(Server {
            socket: sandbox.run().join("tmux.sock"),
            directory: sandbox.project(),
            environment: environment.chain(more).collect(),
        }))
    }

    /// Opens a pane beside the others, `name` being what failures call it, and waits for its shell.
    ///
    /// # Errors
    /// When tmux is missing or does not start, or the shell shows no prompt.
    pub fn pane(&self, name: &str) -> Result<Pane> {
        let server = &self.0;
        let create: &[&str] = match server.socket.exists() {
            true => &["split-window", "-h"],
            false => &["new-session", "-d", "-x", "300", "-y", "60"],
        };
        let shell = format!("PS1='{SHELL_PROMPT} ' exec bash --norc --noprofile");
        let directory = server.directory.to_str().context("tmux takes only UTF-8 paths")?;
        let id = server.run(&[create, &["-P", "-F", "#{pane_id}", "-c", directory, &shell]])?;
        server.run(&[&["select-layout", "even-horizontal"]])?;
        let pane = Pane { server: server.clone(), id: id.trim().to_owned(), name: name.to_owned() };
        pane.wait_for("the shell's prompt", |screen| screen.contains(SHELL_PROMPT))?;
        Ok(pane)
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        // An error is a server that has already ended.
        let _ = self.0.run(&[&["kill-server"]]);
    }
}

impl Server {
    fn run(&self, arguments: &[&[&str]]) -> Result<String> {
        let arguments = arguments.concat();
        let output = self.output(&arguments).context("tmux does not start (install it, 3.0 or newer)")?;
        let error = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "tmux {} failed: {}", arguments.join(" "), error.trim());
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    fn capture(&self, pane: &str, more: &[&str]) -> Result<String> {
        let text = self.run(&[&["capture-pane", "-p", "-J", "-t", pane], more])?;
        Ok(text.trim_end().to_owned())
    }

    fn output(&self, arguments: &[&str]) -> std::io::Result<Output> {
        let mut command = Command::new("tmux");
        command.args(["-u", "-f", "/dev/null", "-S"]).arg(&self.socket).args(arguments);
        command.env_clear().envs(self.environment.iter().map(|(name, value)| (name, value)));
        command.output()
    }
}

impl Pane {
    /// Types `text`, waits until the screen shows its end, and presses Enter, as a person would.
    ///
    /// # Errors
    /// When the text never shows up in the pane.
    pub fn enter(&self, text: &str) -> Result<()> {
        self.type_text(text)?;
        let shown = text.char_indices().rev().take(12).last().map_or(text, |(start, _)| &text[start..]);
        self.wait_for(&format!("the typed {text:?}"), |screen| screen.contains(shown))?;
        std::thread::sleep(BREATH);
        self.press("Enter")
    }

    /// Types `text` without Enter.
    ///
    /// # Errors
    /// When the pane is gone.
    pub fn type_text(&self, text: &str) -> Result<()> {
        self.server.run(&[&["send-keys", "-t", &self.id, "-l", "--", text]]).map(drop)
    }

    /// Presses one key by its tmux name: `Enter`, `Escape`, `C-c` …
    ///
    /// # Errors
    /// When the pane is gone.
    pub fn press(&self, key: &str) -> Result<()> {
        self.server.run(&[&["send-keys", "-t", &self.id, key]]).map(drop)
    }

    /// What the pane shows now: wrapped lines joined, no blank lines at the end.
    ///
    /// # Errors
    /// When the pane is gone.
    pub fn screen(&self) -> Result<String> {
        self.server.capture(&self.id, &[])
    }

    /// All the pane has shown so far and still remembers.
    ///
    /// # Errors
    /// When the pane is gone.
    pub fn history(&self) -> Result<String> {
        self.server.capture(&self.id, &["-S", "-"])
    }

    /// Waits until the screen satisfies `predicate`, and returns that screen.
    ///
    /// # Errors
    /// At the deadline ([`wait::PATIENCE`]), with all screens as they are then.
    pub fn wait_for(&self, what: &str, predicate: impl Fn(&str) -> bool) -> Result<String> {
        self.wait_within(wait::PATIENCE, what, predicate)
    }

    /// [`Pane::wait_for`] with a deadline of its own.
    ///
    /// # Errors
    /// At the deadline, with all screens as they are then.
    pub fn wait_within(
        &self,
        deadline: Duration,
        what: &str,
        predicate: impl Fn(&str) -> bool,
    ) -> Result<String> {
        let what = format!("{what} in the pane of {}", self.name);
        let awaited = wait::until(&what, deadline, || match self.screen() {
            Ok(screen) if predicate(&screen) => Ok(screen),
            Ok(screen) => Err(framed(&screen)),
            Err(error) => Err(error.to_string()),
        });
        awaited.map_err(|error| anyhow!("{error}\nand beside it:\n{}", self.beside()))
    }

    /// What the other panes show: the reason is often there.
    fn beside(&self) -> String {
        let panes = self.server.run(&[&["list-panes", "-a", "-F", "#{pane_id}"]]).unwrap_or_default();
        let others = panes.lines().filter(|id| *id != self.id);
        let screens = others.map(|id| self.server.capture(id, &[]).unwrap_or_default());
        screens.map(|screen| framed(&screen)).collect::<Vec<_>>().join("\n")
    }
}

fn framed(screen: &str) -> String {
    let lines = screen.lines().filter(|line| !line.trim().is_empty());
    lines.map(|line| format!("│ {line}\n")).collect()
}
