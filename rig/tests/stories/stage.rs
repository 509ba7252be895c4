//! The stage of every story: a project, a terminal, a person who decides in one pane, and agents in others.

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use alongside_rig::agent::Agent;
use alongside_rig::agent_cli::{self, Cli};
use alongside_rig::model::Script;
use alongside_rig::program::{alongside, companions};
use alongside_rig::tmux::{Pane, Tmux};
use alongside_rig::wait::{self, PATIENCE};
use alongside_rig::{Rig, Sandbox, install, or_skip};
use anyhow::Result;
use rustix::process::Pid;
use serde_json::Value;

use crate::desk::Desk;
use crate::script::{EDIT_SCRIPT, NEXT_ANSWER, NEXT_REQUEST, ORIGINAL};

/// The time that a person takes to read. Desks ignore answers that come sooner.
pub(crate) const READING_TIME: Duration = Duration::from_millis(500);

/// The text on the screen while a person stays in the editor.
pub(crate) const STILL_IN_EDITOR: &str = "saved, and still in the editor";

/// The columns and rows of a window that is large enough for an agent's output.
pub(crate) const AGENT_WINDOW: (u16, u16) = (100, 50);

/// The parts that every story needs. Fields are dropped in this order: the terminal first, the sandbox last.
pub(crate) struct Stage {
    pub(crate) terminal: Tmux,
    rig: Rig,
    /// The path of the project's file `notes.txt`.
    pub(crate) file: PathBuf,
    pub(crate) sandbox: Sandbox,
}

impl Stage {
    /// Creates a project whose `notes.txt` holds [`ORIGINAL`]. Returns `None`, and reports the test as
    /// skipped, where Gemini CLI and Qwen Code cannot be installed.
    pub(crate) fn new_or_skip() -> Result<Option<Self>> {
        Self::with_file(ORIGINAL)
    }

    /// As [`new_or_skip`](Self::new_or_skip), for a story that also needs the agent `cli`.
    pub(crate) fn new_or_skip_for(cli: Cli) -> Result<Option<Self>> {
        if or_skip(cli.install()).is_none() {
            return Ok(None);
        }
        Self::new_or_skip()
    }

    /// As [`new_or_skip`](Self::new_or_skip), for a file with this content. The person's editor is `sed` with
    /// [`EDIT_SCRIPT`].
    pub(crate) fn with_file(content: &str) -> Result<Option<Self>> {
        let Some(rig) = or_skip(install()) else { return Ok(None) };
        let sandbox = Sandbox::new();
        let file = sandbox.write("notes.txt", content);
        agent_cli::write_program(
            &sandbox,
            "person-edits",
            &format!("for file; do :; done\nexec sed -i '{EDIT_SCRIPT}' \"$file\""),
        )?;
        agent_cli::write_program(
            &sandbox,
            "person-stays",
            &format!("person-edits \"$@\"\necho '{STILL_IN_EDITOR}'\nread -r line"),
        )?;
        let editor = ["VISUAL", "EDITOR"].map(|name| (name.to_owned(), OsString::from("person-edits")));
        let terminal = Tmux::new(&sandbox, [agent_cli::path_variable(&sandbox)?].into_iter().chain(editor));
        Ok(Some(Self { terminal, rig, file, sandbox }))
    }

    /// Starts `alongside review` in a new pane.
    pub(crate) fn start_review(&self) -> Result<LineMode> {
        self.start_review_with("alongside review")
    }

    /// As [`start_review`](Self::start_review), with another command line.
    pub(crate) fn start_review_with(&self, command: &str) -> Result<LineMode> {
        let pane = self.terminal.pane("alongside review")?;
        pane.enter_and_see(command, "alongside to serve", "Waiting for proposals")?;
        Ok(LineMode { pane })
    }

    /// Starts `alongside` in a new window of so many columns and rows.
    pub(crate) fn open_desk(&self, size: (u16, u16)) -> Result<Desk> {
        self.open_desk_with("alongside", size)
    }

    /// As [`open_desk`](Self::open_desk), for a person who saves the edit and stays in the editor until
    /// Enter. Meanwhile, the screen shows [`STILL_IN_EDITOR`].
    pub(crate) fn open_desk_with_slow_editor(&self, size: (u16, u16)) -> Result<Desk> {
        self.open_desk_with("VISUAL=person-stays alongside", size)
    }

    /// As [`open_desk`](Self::open_desk), with another command line.
    pub(crate) fn open_desk_with(&self, command: &str, size: (u16, u16)) -> Result<Desk> {
        let pane = self.terminal.window("alongside", size)?;
        pane.enter(command)?;
        Ok(Desk::new(pane))
    }

    /// Starts an agent in a new window, and waits until the desk lists one agent more than before.
    pub(crate) fn start_at(&self, desk: &Desk, cli: Cli, script: Script) -> Result<Agent> {
        let before = desk.agents()?;
        let agent = self.install_in_window(cli, script, AGENT_WINDOW)?;
        agent.start()?;
        desk.wait_until_connected(before + 1)?;
        Ok(agent)
    }

    /// Installs an agent whose model follows `script`, and opens a window of so many columns and rows for it.
    /// Each agent has a model of its own, also if two agents are of one kind.
    pub(crate) fn install_in_window(&self, cli: Cli, script: Script, size: (u16, u16)) -> Result<Agent> {
        let pane = self.terminal.window(cli.command(), size)?;
        Agent::install(&self.sandbox, &self.rig, cli, script, pane)
    }

    /// Installs an agent that is signed in and has no other settings, and opens a window for it.
    pub(crate) fn install_as_new(&self, cli: Cli, script: Script) -> Result<Agent> {
        let pane = self.terminal.window(cli.command(), (200, 50))?;
        Agent::install_as_new(&self.sandbox, &self.rig, cli, script, pane)
    }

    /// Installs an agent whose model follows `script`, and opens a pane for it.
    pub(crate) fn install(&self, cli: Cli, script: Script) -> Result<Agent> {
        let pane = self.terminal.pane(cli.command())?;
        Agent::install(&self.sandbox, &self.rig, cli, script, pane)
    }

    /// Starts an agent, and waits until it is connected, which is later than its prompt.
    pub(crate) fn start(&self, line_mode: &LineMode, cli: Cli, script: Script) -> Result<Agent> {
        let agent = self.install(cli, script)?;
        agent.start()?;
        line_mode.wait_until_connected(1)?;
        Ok(agent)
    }

    /// Waits until the newest draft holds `text`.
    pub(crate) fn wait_until_drafted(&self, text: &str) -> Result<()> {
        wait::until("the text in a draft", PATIENCE, || {
            match alongside(&self.sandbox, &["drafts", "show", "1"]) {
                Ok(draft) if draft == text => Ok(()),
                Ok(draft) => Err(draft),
                Err(error) => Err(error.to_string()),
            }
        })
    }

    /// Returns the process that serves the agents. A busy one may take a while to answer.
    pub(crate) fn host(&self) -> Result<Pid> {
        wait::until("the process of the companion", PATIENCE, || {
            let status = self.status().map_err(|error| error.to_string())?;
            let pid = status["pid"].as_i64().and_then(|pid| Pid::from_raw(pid.try_into().ok()?));
            pid.ok_or_else(|| status.to_string())
        })
    }

    /// Waits until an agent listens to the host that follows `host`.
    pub(crate) fn wait_until_listening_after(&self, host: Pid) -> Result<()> {
        wait::until("an agent at the next host", PATIENCE, || {
            let status = self.status().map_err(|error| error.to_string())?;
            let mut agents = status["agents"].as_array().into_iter().flatten();
            let is_listening = agents.any(|agent| agent["listening"] == true);
            let is_next = status["pid"] != i64::from(host.as_raw_nonzero().get());
            if is_listening && is_next { Ok(()) } else { Err(status.to_string()) }
        })
    }

    /// Saves a file as a person does, again and again until it is in the context. Alongside begins to watch
    /// the folders only a moment after it begins to serve.
    pub(crate) fn save(&self, name: &str, text: &str) -> Result<PathBuf> {
        wait::until("the saved file in the context", PATIENCE, || {
            let path = self.sandbox.write(name, text);
            let status = self.status().map_err(|error| error.to_string())?;
            let mut files = status["context"].as_array().into_iter().flatten();
            match files.any(|file| file["path"] == *path.to_string_lossy()) {
                true => Ok(path),
                false => Err(status.to_string()),
            }
        })
    }

    /// Returns the status of this project's companion.
    fn status(&self) -> Result<Value> {
        Ok(companions(&self.sandbox)?[0].clone())
    }

    /// Returns the names of the variables by which a process of the sandbox could find a companion.
    pub(crate) fn companion_variables(&self) -> Vec<String> {
        let environment = |pid: Pid| fs::read(format!("/proc/{}/environ", pid.as_raw_nonzero())).ok();
        // A process that has ended has no environment.
        let environments = self.sandbox.processes().into_iter().filter_map(environment);
        let environments = environments.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let names = |environment: String| -> Vec<String> {
            let names = environment.split('\0').filter_map(|variable| variable.split('=').next());
            names.filter(|name| name.contains("_IDE_")).map(str::to_owned).collect()
        };
        environments.flat_map(names).collect()
    }

    /// Returns the present content of the file.
    pub(crate) fn on_disk(&self) -> String {
        String::from_utf8(fs::read(&self.file).unwrap()).unwrap()
    }
}

/// Fails unless the agent shows its prompt again and answers the next prompt.
pub(crate) fn assert_takes_next_prompt(agent: &Agent) -> Result<()> {
    agent.wait_until_free()?;
    agent.ask(NEXT_REQUEST)?;
    agent.wait_until_it_says(NEXT_ANSWER)
}

/// The person at `alongside review`, the line mode.
pub(crate) struct LineMode {
    pub(crate) pane: Pane,
}

impl LineMode {
    /// Waits until at least `agents` agents have connected.
    pub(crate) fn wait_until_connected(&self, agents: usize) -> Result<()> {
        let what = format!("{agents} connected agent(s)");
        self.pane.wait_for(&what, |screen| screen.matches("is connected").count() >= agents).map(drop)
    }

    pub(crate) fn is_connected_within(&self, deadline: Duration) -> bool {
        self.pane.wait_within(deadline, "a connected agent", |screen| screen.contains("is connected")).is_ok()
    }

    /// Waits until the question is about the change that adds `line`, and answers `key`.
    pub(crate) fn answer_when_asked_about(&self, line: &str, key: &str) -> Result<()> {
        let added = format!("\n+{line}\n");
        self.answer(&format!("a question about {line:?}"), key, |screen| {
            screen.rfind("@@ ").is_some_and(|hunk| screen[hunk..].contains(&added))
        })
    }

    /// Waits until there is a question and the screen shows `words`, and answers `key`.
    pub(crate) fn answer_when_shown(&self, words: &str, key: &str) -> Result<()> {
        self.answer(&format!("a question after {words:?}"), key, |screen| screen.contains(words))
    }

    /// Waits until the screen shows `words`.
    pub(crate) fn wait_until_shown(&self, words: &str) -> Result<()> {
        self.pane.wait_for(&format!("{words:?}"), |screen| screen.contains(words)).map(drop)
    }

    fn answer(&self, what: &str, key: &str, is_shown: impl Fn(&str) -> bool) -> Result<()> {
        self.pane.wait_for(what, |screen| screen.ends_with("]?") && is_shown(screen))?;
        std::thread::sleep(READING_TIME);
        self.pane.enter(key)
    }
}
