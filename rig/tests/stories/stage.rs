//! What every story needs: a project, a terminal, somebody who decides in one pane and agents in others.

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use alongside_rig::agent::Agent;
use alongside_rig::cli::{self, Cli};
use alongside_rig::model::Script;
use alongside_rig::tmux::{Pane, Tmux};
use alongside_rig::wait::{self, PATIENCE};
use alongside_rig::{Rig, Sandbox, alongside_bin, rig_or_skip};
use anyhow::{Result, ensure};
use rustix::process::Pid;
use serde_json::Value;

use crate::desk::Desk;

/// Desks distrust answers that come sooner than a person can read.
pub(crate) const READING: Duration = Duration::from_millis(500);

/// What the screen says while a person stays in the editor.
pub(crate) const IN_EDITOR: &str = "saved, and still in the editor";

/// A window in which agents show all they have to say.
const ROOMY: (u16, u16) = (100, 50);

/// The scene of one story. Fields are dropped in this order: the terminal first, the sandbox last.
pub(crate) struct Stage {
    pub(crate) terminal: Tmux,
    reviewer: Option<Reviewer>,
    rig: Rig,
    /// The first file of the project, `notes.txt`.
    pub(crate) file: PathBuf,
    pub(crate) sandbox: Sandbox,
}

impl Stage {
    /// A project whose `notes.txt` holds `content`, and a person whose editor is `sed`, with `edit` as its
    /// script. `None` where agents cannot be installed, which is reported as skipped.
    pub(crate) fn set(story: &str, content: &str, edit: &str) -> Result<Option<Self>> {
        let Some(rig) = rig_or_skip(story) else {
            return Ok(None);
        };
        let sandbox = Sandbox::new();
        let file = sandbox.write("notes.txt", content);
        cli::write_program(
            &sandbox,
            "person-edits",
            &format!("for file; do :; done\nexec sed -i '{edit}' \"$file\""),
        )?;
        cli::write_program(
            &sandbox,
            "person-stays",
            &format!("person-edits \"$@\"\necho '{IN_EDITOR}'\nread -r line"),
        )?;
        let editor = ["VISUAL", "EDITOR"].map(|name| (name.to_owned(), OsString::from("person-edits")));
        let terminal = Tmux::new(&sandbox, [cli::path_variable(&sandbox)?].into_iter().chain(editor));
        Ok(Some(Self { terminal, reviewer: None, rig, file, sandbox }))
    }

    /// Types `alongside review` into a new pane.
    pub(crate) fn start_review(&mut self) -> Result<()> {
        self.start_review_with("alongside review")
    }

    /// The same with another command line.
    pub(crate) fn start_review_with(&mut self, command: &str) -> Result<()> {
        let pane = self.terminal.pane("alongside review")?;
        pane.enter(command)?;
        pane.wait_for("alongside to serve", |screen| screen.contains("Waiting for proposals"))?;
        self.reviewer = Some(Reviewer { pane });
        Ok(())
    }

    /// The person at `alongside review`, which must have been started.
    pub(crate) fn reviewer(&self) -> &Reviewer {
        self.reviewer.as_ref().expect("the story starts `alongside review`")
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

    fn open_desk_with(&self, command: &str, size: (u16, u16)) -> Result<Desk> {
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

    /// Installs an agent whose model plays `script`, and opens a pane for it.
    pub(crate) fn install(&self, cli: Cli, script: Script) -> Result<Agent> {
        let pane = self.terminal.pane(cli.command())?;
        Agent::install(&self.sandbox, &self.rig, cli, script, pane)
    }

    /// An agent that is running and connected: its own prompt comes earlier than its stream.
    pub(crate) fn start(&self, cli: Cli, script: Script) -> Result<Agent> {
        let agent = self.install(cli, script)?;
        agent.start()?;
        self.reviewer().wait_until_connected(1)?;
        Ok(agent)
    }

    /// What `alongside` prints for these arguments, typed in the project.
    pub(crate) fn alongside(&self, arguments: &[&str]) -> Result<String> {
        let mut alongside = Command::new(alongside_bin()?);
        alongside.env_clear().envs(self.sandbox.env()).current_dir(self.sandbox.project());
        let output = alongside.args(arguments).output()?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "alongside {} failed: {said}", arguments.join(" "));
        Ok(String::from_utf8(output.stdout)?)
    }

    /// Waits until the newest draft holds `text`.
    pub(crate) fn wait_until_drafted(&self, text: &str) -> Result<()> {
        wait::until("the text in a draft", PATIENCE, || match self.alongside(&["drafts", "show", "1"]) {
            Ok(draft) if draft == text => Ok(()),
            Ok(draft) => Err(draft),
            Err(error) => Err(error.to_string()),
        })
    }

    /// The process that serves the agents. One that is held up does not say it in time.
    pub(crate) fn host(&self) -> Result<Pid> {
        wait::until("the process of the companion", PATIENCE, || {
            let status = self.status().map_err(|error| error.to_string())?;
            let pid = status["pid"].as_i64().and_then(|pid| Pid::from_raw(pid.try_into().ok()?));
            pid.ok_or_else(|| status.to_string())
        })
    }

    /// Saves a file as a person does, until it is noticed, and agents are told of it: the folders are watched
    /// a moment after alongside serves.
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

    /// What `alongside status` says of the companion of this project.
    fn status(&self) -> Result<Value> {
        let status: Value = serde_json::from_str(&self.alongside(&["status", "--json"])?)?;
        Ok(status["companions"][0].clone())
    }

    /// Variables by which anything that runs here could find a companion.
    pub(crate) fn variables_that_lead_to_a_companion(&self) -> Vec<String> {
        let environment = |pid: Pid| fs::read(format!("/proc/{}/environ", pid.as_raw_nonzero())).ok();
        // Without a process's environment it has ended.
        let environments = self.sandbox.processes().into_iter().filter_map(environment);
        let environments = environments.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let names = |environment: String| -> Vec<String> {
            let names = environment.split('\0').filter_map(|variable| variable.split('=').next());
            names.filter(|name| name.contains("_IDE_")).map(str::to_owned).collect()
        };
        environments.flat_map(names).collect()
    }

    /// What the file holds now.
    pub(crate) fn on_disk(&self) -> String {
        String::from_utf8(fs::read(&self.file).unwrap()).unwrap()
    }
}

/// The person at `alongside review`.
pub(crate) struct Reviewer {
    pub(crate) pane: Pane,
}

impl Reviewer {
    /// Waits until so many agents have been announced.
    pub(crate) fn wait_until_connected(&self, agents: usize) -> Result<()> {
        let what = format!("{agents} connected agent(s)");
        self.pane.wait_for(&what, |screen| screen.matches("is connected").count() >= agents).map(drop)
    }

    pub(crate) fn is_connected_within(&self, deadline: Duration) -> bool {
        self.pane.wait_within(deadline, "a connected agent", |screen| screen.contains("is connected")).is_ok()
    }

    /// Answers `key` as soon as the change to `line` is in question.
    pub(crate) fn answer_about(&self, line: &str, key: &str) -> Result<()> {
        let added = format!("\n+{line}\n");
        self.answer(&format!("a question about {line:?}"), key, |screen| {
            screen.rfind("@@ ").is_some_and(|hunk| screen[hunk..].contains(&added))
        })
    }

    /// Answers `key` as soon as there is a question while the screen shows `words`.
    pub(crate) fn answer_after(&self, words: &str, key: &str) -> Result<()> {
        self.answer(&format!("a question after {words:?}"), key, |screen| screen.contains(words))
    }

    /// Waits until `words` are on the screen.
    pub(crate) fn wait_until_told(&self, words: &str) -> Result<()> {
        self.pane.wait_for(&format!("{words:?}"), |screen| screen.contains(words)).map(drop)
    }

    fn answer(&self, what: &str, key: &str, shown: impl Fn(&str) -> bool) -> Result<()> {
        self.pane.wait_for(what, |screen| screen.ends_with("]?") && shown(screen))?;
        std::thread::sleep(READING);
        self.pane.enter(key)
    }
}
