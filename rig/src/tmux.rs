//! A terminal with several panes: tmux with its own socket, no configuration, and a sandbox's environment.
//!
//! Tests type keys into real panes and read the screens, as a person does. This module does not depend on
//! agents or companions.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, ensure};
use rustix::process::{Pid, Signal, kill_process_group};

use crate::sandbox::Sandbox;
use crate::wait;

/// The prompt of a pane's shell.
pub const SHELL_PROMPT: &str = "rig$";

/// The pause before Enter. Agents take an Enter within 30 ms of the last key for a part of a paste.
const ENTER_DELAY: Duration = Duration::from_millis(120);

/// A tmux server. Dropping it kills the server and the processes in its panes. Processes that survive end
/// with the sandbox.
#[derive(Debug)]
pub struct Tmux(Arc<Server>);

/// A pane of a [`Tmux`], with a shell in it.
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
    /// Creates a terminal in the sandbox's project. Its shells have the sandbox's environment and `more`. The
    /// server starts with the first pane.
    pub fn new(sandbox: &Sandbox, more: impl IntoIterator<Item = (String, OsString)>) -> Self {
        let environment = sandbox.env().into_iter().map(|(name, value)| (name.to_owned(), value));
        Self(Arc::new(Server {
            socket: sandbox.run().join("tmux.sock"),
            directory: sandbox.project(),
            environment: environment.chain(more).collect(),
        }))
    }

    /// Opens a pane beside the others, and waits for its shell. Failure messages use `name`.
    pub fn pane(&self, name: &str) -> Result<Pane> {
        let create: &[&str] = match self.0.socket.exists() {
            true => &["split-window", "-h"],
            false => &["new-session", "-d", "-x", "300", "-y", "60"],
        };
        let pane = self.shell(name, create)?;
        self.0.run(&[&["select-layout", "even-horizontal"]])?;
        pane.wait_for_shell()
    }

    /// Opens a window of so many columns and rows with one pane, and waits for its shell.
    pub fn window(&self, name: &str, (columns, rows): (u16, u16)) -> Result<Pane> {
        let create: &[&str] = match self.0.socket.exists() {
            true => &["new-window", "-d"],
            false => &["new-session", "-d"],
        };
        let pane = self.shell(name, create)?;
        let (columns, rows) = (columns.to_string(), rows.to_string());
        self.0.run(&[&["resize-window", "-t", &pane.id, "-x", &columns, "-y", &rows]])?;
        pane.wait_for_shell()
    }

    /// Waits for the pane that a program opens beside `pane`, in the same window.
    pub fn opened_beside(&self, pane: &Pane, name: &str) -> Result<Pane> {
        let id = wait::until("a pane beside the other", wait::PATIENCE, || {
            let panes = self.0.run(&[&["list-panes", "-t", &pane.id, "-F", "#{pane_id}"]]);
            let panes = panes.map_err(|error| error.to_string())?;
            panes.lines().find(|id| *id != pane.id).map(str::to_owned).ok_or(panes)
        })?;
        Ok(Pane { server: self.0.clone(), id, name: name.to_owned() })
    }

    /// Presses keys, by their tmux names, in several panes at once.
    pub fn press_at_once(&self, keys: &[(&Pane, &[&str])]) -> Result<()> {
        let commands =
            keys.iter().map(|(pane, keys)| [&["send-keys", "-t", pane.id.as_str()], *keys].concat());
        let commands: Vec<_> = commands.collect();
        self.0.run(&[&commands.join(&";")]).map(drop)
    }

    fn shell(&self, name: &str, create: &[&str]) -> Result<Pane> {
        let server = &self.0;
        let shell = format!("PS1='{SHELL_PROMPT} ' exec bash --norc --noprofile");
        let directory = server.directory.to_str().context("tmux takes only UTF-8 paths")?;
        let id = server.run(&[create, &["-P", "-F", "#{pane_id}", "-c", directory, &shell]])?;
        Ok(Pane { server: server.clone(), id: id.trim().to_owned(), name: name.to_owned() })
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        // Fails if the server has ended.
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
    /// Types `text`, waits until the screen shows the end of it, and presses Enter.
    pub fn enter(&self, text: &str) -> Result<()> {
        self.type_text(text)?;
        let shown = text.char_indices().rev().take(12).last().map_or(text, |(start, _)| &text[start..]);
        self.wait_for(&format!("the typed {text:?}"), |screen| screen.contains(shown))?;
        std::thread::sleep(ENTER_DELAY);
        self.press("Enter")
    }

    /// Types `text` without Enter.
    pub fn type_text(&self, text: &str) -> Result<()> {
        self.server.run(&[&["send-keys", "-t", &self.id, "-l", "--", text]]).map(drop)
    }

    /// Presses one key by its tmux name: `Enter`, `Escape`, `C-c` …
    pub fn press(&self, key: &str) -> Result<()> {
        self.server.run(&[&["send-keys", "-t", &self.id, key]]).map(drop)
    }

    /// Types `text`, and waits until the screen shows `shown`.
    pub fn type_and_see(&self, text: &str, what: &str, shown: &str) -> Result<String> {
        self.type_text(text)?;
        self.wait_for(what, |screen| screen.contains(shown))
    }

    /// Types `text` and Enter, and waits until the screen shows `shown`.
    pub fn enter_and_see(&self, text: &str, what: &str, shown: &str) -> Result<String> {
        self.enter(text)?;
        self.wait_for(what, |screen| screen.contains(shown))
    }

    /// Presses a key, and waits until the screen shows `shown`.
    pub fn press_and_see(&self, key: &str, what: &str, shown: &str) -> Result<String> {
        self.press(key)?;
        self.wait_for(what, |screen| screen.contains(shown))
    }

    /// Presses a key, and waits until the screen does not show `gone`.
    pub fn press_and_miss(&self, key: &str, what: &str, gone: &str) -> Result<String> {
        self.press(key)?;
        self.wait_for(what, |screen| !screen.contains(gone))
    }

    /// Kills the process group in the foreground.
    pub fn kill(&self) -> Result<()> {
        let shell = self.server.run(&[&["display-message", "-p", "-t", &self.id, "#{pane_pid}"]])?;
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", shell.trim()))?;
        // The fields after the name: state, parent, group, session, terminal, and the terminal's foreground
        // group.
        let mut fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
        let (own, foreground) = (fields.nth(2), fields.nth(2));
        ensure!(own != foreground, "nothing runs in the pane of {}", self.name);
        let group = foreground.and_then(|group| group.parse().ok()).and_then(Pid::from_raw);
        let group = group.with_context(|| format!("no foreground group in {stat:?}"))?;
        Ok(kill_process_group(group, Signal::KILL)?)
    }

    /// Waits until the pane is closed.
    pub fn wait_until_closed(&self) -> Result<()> {
        let what = format!("the pane of {} to close", self.name);
        wait::until(&what, wait::PATIENCE, || self.screen().map_or(Ok(()), |screen| Err(framed(&screen))))
    }

    /// Returns the screen's text, with wrapped lines joined and without trailing whitespace.
    pub fn screen(&self) -> Result<String> {
        self.server.capture(&self.id, &[])
    }

    /// Returns the screen's text with its scrollback.
    pub fn history(&self) -> Result<String> {
        self.server.capture(&self.id, &["-S", "-"])
    }

    /// Waits until the screen satisfies `predicate`, and returns the screen.
    pub fn wait_for(&self, what: &str, predicate: impl Fn(&str) -> bool) -> Result<String> {
        self.wait_within(wait::PATIENCE, what, predicate)
    }

    /// As [`Pane::wait_for`], with another deadline.
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
        awaited.map_err(|error| anyhow!("{error}\nand beside it:\n{}", self.other_screens()))
    }

    fn wait_for_shell(self) -> Result<Self> {
        self.wait_for("the shell's prompt", |screen| screen.contains(SHELL_PROMPT))?;
        Ok(self)
    }

    /// Returns the other panes' screens, which often show the cause of a failure.
    fn other_screens(&self) -> String {
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
