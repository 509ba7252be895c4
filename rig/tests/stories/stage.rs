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
use crate::script::{EDIT, NEXT_ANSWER, NEXT_REQUEST, ORIGINAL};

/// Desks ignore answers that come sooner than a person can read.
pub(crate) const READING: Duration = Duration::from_millis(500);

/// The text on the screen while a person stays in the editor.
pub(crate) const IN_EDITOR: &str = "saved, and still in the editor";

/// A window large enough for agents' output.
const ROOMY: (u16, u16) = (100, 50);

/// The scene of one story. Fields are dropped in this order: the terminal first, the sandbox last.
pub(crate) struct Stage {
    pub(crate) terminal: Tmux,
    rig: Rig,
    /// The first file of the project, `notes.txt`.
    pub(crate) file: PathBuf,
    pub(crate) sandbox: Sandbox,
}

impl Stage {
    /// A project whose `notes.txt` holds [`ORIGINAL`]. `None` where Gemini CLI and Qwen Code cannot be
    /// installed, which is reported as skipped.
    pub(crate) fn set() -> Result<Option<Self>> {
        Self::with_file(ORIGINAL)
    }

    /// The same for a story of this agent. `None` where it cannot be installed.
    pub(crate) fn set_for(cli: Cli) -> Result<Option<Self>> {
        if or_skip(cli.install()).is_none() {
            return Ok(None);
        }
        Self::set()
    }

    /// As [`set`](Self::set) with another content. The person's editor is `sed` with [`EDIT`].
    pub(crate) fn with_file(content: &str) -> Result<Option<Self>> {
        let Some(rig) = or_skip(install()) else { return Ok(None) };
        let sandbox = Sandbox::new();
        let file = sandbox.write("notes.txt", content);
        agent_cli::write_program(
            &sandbox,
            "person-edits",
            &format!("for file; do :; done\nexec sed -i '{EDIT}' \"$file\""),
        )?;
        agent_cli::write_program(
            &sandbox,
            "person-stays",
            &format!("person-edits \"$@\"\necho '{IN_EDITOR}'\nread -r line"),
        )?;
        let editor = ["VISUAL", "EDITOR"].map(|name| (name.to_owned(), OsString::from("person-edits")));
        let terminal = Tmux::new(&sandbox, [agent_cli::path_variable(&sandbox)?].into_iter().chain(editor));
        Ok(Some(Self { terminal, rig, file, sandbox }))
    }

    /// Types `alongside review` into a new pane.
    pub(crate) fn start_review(&self) -> Result<Reviewer> {
        self.start_review_with("alongside review")
    }

    /// The same with another command line.
    pub(crate) fn start_review_with(&self, command: &str) -> Result<Reviewer> {
        let pane = self.terminal.pane("alongside review")?;
        pane.enter_and_see(command, "alongside to serve", "Waiting for proposals")?;
        Ok(Reviewer { pane })
    }

    /// Types `alongside` into a new window of so many columns and rows.
    pub(crate) fn open_desk(&self, size: (u16, u16)) -> Result<Desk> {
        self.open_desk_with("alongside", size)
    }

    /// The same for a person who saves the edit and stays in the editor, which says [`IN_EDITOR`], until
    /// Enter.
    pub(crate) fn open_desk_of_slow_editor(&self, size: (u16, u16)) -> Result<Desk> {
        self.open_desk_with("VISUAL=person-stays alongside", size)
    }

    /// The same with another command line.
    pub(crate) fn open_desk_with(&self, command: &str, size: (u16, u16)) -> Result<Desk> {
        let pane = self.terminal.window("alongside", size)?;
        pane.enter(command)?;
        Ok(Desk::new(pane))
    }

    /// An agent in a new window, running, and listed at the desk beside those that are there already.
    pub(crate) fn start_at(&self, desk: &Desk, cli: Cli, script: Script) -> Result<Agent> {
        let before = desk.agents()?;
        let agent = self.install_in(cli, script, ROOMY)?;
        agent.start()?;
        desk.wait_until_connected(before + 1)?;
        Ok(agent)
    }

    /// Installs an agent whose model plays `script`, and opens a window of so many columns and rows for it.
    /// Two of one kind have a model each.
    pub(crate) fn install_in(&self, cli: Cli, script: Script, size: (u16, u16)) -> Result<Agent> {
        let pane = self.terminal.window(cli.command(), size)?;
        Agent::install(&self.sandbox, &self.rig, cli, script, pane)
    }

    /// Installs an agent that is signed in and otherwise new, and opens a window for it.
    pub(crate) fn install_as_new(&self, cli: Cli, script: Script) -> Result<Agent> {
        let pane = self.terminal.window(cli.command(), (200, 50))?;
        Agent::install_as_new(&self.sandbox, &self.rig, cli, script, pane)
    }

    /// Installs an agent whose model plays `script`, and opens a pane for it.
    pub(crate) fn install(&self, cli: Cli, script: Script) -> Result<Agent> {
        let pane = self.terminal.pane(cli.command())?;
        Agent::install(&self.sandbox, &self.rig, cli, script, pane)
    }

    /// An agent that is running and connected: its own prompt comes earlier than its stream.
    pub(crate) fn start(&self, reviewer: &Reviewer, cli: Cli, script: Script) -> Result<Agent> {
        let agent = self.install(cli, script)?;
        agent.start()?;
        reviewer.wait_until_connected(1)?;
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

    /// The process that serves the agents; a busy one may take a while to answer.
    pub(crate) fn host(&self) -> Result<Pid> {
        wait::until("the process of the companion", PATIENCE, || {
            let status = self.status().map_err(|error| error.to_string())?;
            let pid = status["pid"].as_i64().and_then(|pid| Pid::from_raw(pid.try_into().ok()?));
            pid.ok_or_else(|| status.to_string())
        })
    }

    /// Waits until an agent listens to the host that follows this one.
    pub(crate) fn wait_until_heard_after(&self, host: Pid) -> Result<()> {
        wait::until("an agent at the next host", PATIENCE, || {
            let status = self.status().map_err(|error| error.to_string())?;
            let is_heard =
                status["agents"].as_array().into_iter().flatten().any(|it| it["listening"] == true);
            let is_next = status["pid"] != i64::from(host.as_raw_nonzero().get());
            if is_heard && is_next { Ok(()) } else { Err(status.to_string()) }
        })
    }

    /// Saves a file as a person does, again and again until agents see it in their context: alongside watches
    /// the folders only a moment after it serves.
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

    /// The status of this project's companion.
    fn status(&self) -> Result<Value> {
        Ok(companions(&self.sandbox)?[0].clone())
    }

    /// The variables by which a process here could find a companion.
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

    /// The present content of the file.
    pub(crate) fn on_disk(&self) -> String {
        String::from_utf8(fs::read(&self.file).unwrap()).unwrap()
    }
}

/// The agent has its prompt back and answers in it.
pub(crate) fn takes_the_next_message(agent: &Agent) -> Result<()> {
    agent.wait_until_free()?;
    agent.ask(NEXT_REQUEST)?;
    agent.wait_until_it_says(NEXT_ANSWER)
}

/// The person at `alongside review`.
pub(crate) struct Reviewer {
    pub(crate) pane: Pane,
}

impl Reviewer {
    /// Waits until so many agents have connected.
    pub(crate) fn wait_until_connected(&self, agents: usize) -> Result<()> {
        let what = format!("{agents} connected agent(s)");
        self.pane.wait_for(&what, |screen| screen.matches("is connected").count() >= agents).map(drop)
    }

    pub(crate) fn is_connected_within(&self, deadline: Duration) -> bool {
        self.pane.wait_within(deadline, "a connected agent", |screen| screen.contains("is connected")).is_ok()
    }

    /// Answers `key` once the question is about the change to `line`.
    pub(crate) fn answer_about(&self, line: &str, key: &str) -> Result<()> {
        let added = format!("\n+{line}\n");
        self.answer(&format!("a question about {line:?}"), key, |screen| {
            screen.rfind("@@ ").is_some_and(|hunk| screen[hunk..].contains(&added))
        })
    }

    /// Answers `key` once there is a question and the screen shows `words`.
    pub(crate) fn answer_after(&self, words: &str, key: &str) -> Result<()> {
        self.answer(&format!("a question after {words:?}"), key, |screen| screen.contains(words))
    }

    /// Waits until `words` are on the screen.
    pub(crate) fn wait_until_shown(&self, words: &str) -> Result<()> {
        self.pane.wait_for(&format!("{words:?}"), |screen| screen.contains(words)).map(drop)
    }

    fn answer(&self, what: &str, key: &str, shown: impl Fn(&str) -> bool) -> Result<()> {
        self.pane.wait_for(what, |screen| screen.ends_with("]?") && shown(screen))?;
        std::thread::sleep(READING);
        self.pane.enter(key)
    }
}
