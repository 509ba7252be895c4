//! The stage of every story: a project, a terminal, and editors of one generation on the PATH.

use std::fs;
use std::path::PathBuf;

use alongside_agent::Outcome;
use alongside_rig::agent::Agent;
use alongside_rig::agent_cli::Cli;
use alongside_rig::model::Script;
use alongside_rig::procfs::command_line;
use alongside_rig::program::companions;
use alongside_rig::tmux::{Pane, SHELL_PROMPT, Tmux};
use alongside_rig::wait::{self, PATIENCE};
use alongside_rig::{
    Editor, Editors, Generation, Proposal, Sandbox, adapters, agent_cli, install, install_editors, or_skip,
};
use anyhow::Result;
use serde_json::Value;

use crate::script::{CLOSING_LINE, IN_CAPITALS, ORIGINAL, REQUEST, capitalise_three_lines};

/// The columns and rows of a window in which an editor shows short lines in full.
const WINDOW: (u16, u16) = (100, 30);

/// The columns and rows of a window that is large enough for an agent's output.
pub(crate) const AGENT_WINDOW: (u16, u16) = (100, 50);

/// Returns the text that the person accepts.
pub(crate) fn decided_text() -> String {
    IN_CAPITALS.replace("TWO", "two").replace("FOURTEEN", "14")
}

/// The parts that every story needs. Fields are dropped in this order: the terminal first, the sandbox last.
pub(crate) struct Stage {
    pub(crate) terminal: Tmux,
    pub(crate) editors: Editors,
    /// The path of the project's file `notes.md`.
    pub(crate) file: PathBuf,
    pub(crate) sandbox: Sandbox,
}

impl Stage {
    /// Creates a project whose `notes.md` holds [`ORIGINAL`], and puts Neovim and Helix of a generation on
    /// the PATH, without settings. Returns `None`, and reports the test as skipped, where editors cannot be
    /// installed.
    pub(crate) fn new_or_skip(generation: Generation) -> Result<Option<Self>> {
        let Some(editors) = or_skip(install_editors()) else { return Ok(None) };
        let sandbox = Sandbox::new();
        let file = sandbox.write("notes.md", ORIGINAL);
        editors.put_on_path(&sandbox, generation)?;
        let terminal = Tmux::new(&sandbox, [agent_cli::path_variable(&sandbox)?]);
        Ok(Some(Self { terminal, editors, file, sandbox }))
    }

    /// As [`new_or_skip`](Self::new_or_skip). Starts Neovim with the file and with these lines in the
    /// person's settings.
    pub(crate) fn with_neovim(generation: Generation, settings: &str) -> Result<Option<(Self, Pane)>> {
        let Some(stage) = Self::new_or_skip(generation)? else { return Ok(None) };
        adapters::neovim(&stage.sandbox, settings)?;
        let pane = stage.open(&stage.editors.neovim(generation))?;
        Ok(Some((stage, pane)))
    }

    /// As [`new_or_skip`](Self::new_or_skip). Starts Helix with the file.
    pub(crate) fn with_helix(generation: Generation) -> Result<Option<(Self, Pane)>> {
        let Some(stage) = Self::new_or_skip(generation)? else { return Ok(None) };
        adapters::helix(&stage.sandbox, generation);
        let pane = stage.open(&stage.editors.helix(generation))?;
        Ok(Some((stage, pane)))
    }

    /// Starts an editor with the file in a new window, and waits until the editor shows the file.
    pub(crate) fn open(&self, editor: &Editor) -> Result<Pane> {
        self.open_beside(editor, "")
    }

    /// As [`open`](Self::open), with further files, which the editor does not show.
    pub(crate) fn open_beside(&self, editor: &Editor, others: &str) -> Result<Pane> {
        let pane = self.terminal.window(editor.command, WINDOW)?;
        pane.enter(format!("clear; {} notes.md {others}", editor.command).trim_end())?;
        pane.wait_for("the file", |screen| screen.contains("fifteen") && !screen.contains(SHELL_PROMPT))?;
        Ok(pane)
    }

    /// Installs the adapter of an editor in a new shell, and waits for the message `done`. Also creates the
    /// empty file `other.md` in the project. Returns the shell and the file's path.
    pub(crate) fn install(&self, editor: &str, done: &str) -> Result<(Pane, PathBuf)> {
        let other_file = self.sandbox.write("other.md", "");
        let shell = self.terminal.window("shell", (100, 30))?;
        shell.enter_and_see(&format!("alongside install {editor} --yes"), "the installation", done)?;
        Ok((shell, other_file))
    }

    /// Fails unless the agent writes the text that the person has accepted.
    pub(crate) fn assert_accepted(&self, agent: &Agent) -> Result<()> {
        agent.wait_until_it_says(CLOSING_LINE)?;
        assert_eq!(self.on_disk(), decided_text());
        Ok(())
    }

    /// Fails unless a rejection leaves the person's text in a draft, and the agent continues.
    pub(crate) fn assert_rejected(&self, shell: &Pane, agent: &Agent) -> Result<()> {
        self.wait_for_draft(shell, "typed by me")?;
        assert_eq!(self.on_disk(), decided_text());
        agent.wait_until_free()
    }

    /// Fails unless the end of the editor has rejected the proposal and left the person's text in a draft.
    /// Then ends the agent and removes the adapter.
    pub(crate) fn assert_ended_and_uninstall(
        &self,
        proposal: Proposal,
        agent: &Agent,
        shell: &Pane,
    ) -> Result<()> {
        assert_eq!(proposal.outcome()?, Outcome::Rejected);
        self.wait_for_draft(shell, "typed at the end")?;
        agent.pane.kill()?;
        self.uninstall(shell)
    }

    /// Shows the newest draft in a shell, and waits until it contains `text`.
    pub(crate) fn wait_for_draft(&self, shell: &Pane, text: &str) -> Result<()> {
        shell.enter("clear; alongside drafts show 1")?;
        shell.wait_for("the draft", |screen| screen.contains(text)).map(drop)
    }

    /// Removes everything that alongside has installed, by a command in a shell.
    pub(crate) fn uninstall(&self, shell: &Pane) -> Result<()> {
        shell.enter("clear; alongside host --stop; alongside uninstall --all --yes")?;
        shell.wait_for("the removal", |screen| screen.contains("Done.")).map(drop)
    }

    /// Waits until the editor has ended and the pane shows the shell's prompt.
    pub(crate) fn wait_until_closed(&self, pane: &Pane) -> Result<()> {
        pane.wait_for("the shell's prompt", |screen| screen.ends_with(SHELL_PROMPT)).map(drop)
    }

    /// Waits until a process of the sandbox runs the editor's own binary.
    pub(crate) fn wait_until_it_runs(&self, editor: &Editor) -> Result<()> {
        wait::until(&format!("{} to run", editor.program.display()), PATIENCE, || {
            let is_running = !self.processes_of(editor).is_empty();
            let lines = || self.sandbox.processes().into_iter().map(|pid| command_line(pid.as_raw_nonzero()));
            is_running.then_some(()).ok_or_else(|| lines().collect::<Vec<_>>().join("\n"))
        })
    }

    /// Returns the processes of the sandbox that run the editor's own binary.
    pub(crate) fn processes_of(&self, editor: &Editor) -> Vec<i32> {
        let all = self.sandbox.processes().into_iter().map(|pid| pid.as_raw_nonzero().get());
        let program = |pid: &i32| fs::read_link(format!("/proc/{pid}/exe"));
        all.filter(|pid| program(pid).is_ok_and(|program| program == editor.program)).collect()
    }

    /// Opens a window whose shell is in a directory of the project.
    pub(crate) fn window_in(&self, name: &str, directory: &str) -> Result<Pane> {
        let pane = self.terminal.window(name, AGENT_WINDOW)?;
        pane.enter(&format!("cd {directory}; clear"))?;
        Ok(pane)
    }

    /// Starts an agent whose model follows [`capitalise_three_lines`] in a new window, and waits until it is
    /// connected. Returns `None`, and reports the test as skipped, where agents cannot be installed.
    pub(crate) fn start_agent(&self, cli: Cli) -> Result<Option<Agent>> {
        self.wait_until_served(1)?;
        let pane = self.terminal.window(cli.command(), AGENT_WINDOW)?;
        let agent = self.install_agent(cli, capitalise_three_lines(cli, &self.file), pane)?;
        if let Some(agent) = &agent {
            agent.start()?;
            self.wait_until_connected(1)?;
        }
        Ok(agent)
    }

    /// Installs an agent, without starting it. Returns `None` where agents cannot be installed.
    pub(crate) fn install_agent(&self, cli: Cli, script: Script, pane: Pane) -> Result<Option<Agent>> {
        if or_skip(cli.install()).is_none() {
            return Ok(None);
        }
        or_skip(install()).map(|rig| Agent::install(&self.sandbox, &rig, cli, script, pane)).transpose()
    }

    /// Asks the agent for its change. Fails unless the prompt to the model has the file's path and these
    /// parts of the context.
    pub(crate) fn ask_with_context(&self, agent: &Agent, parts: &[&str]) -> Result<()> {
        agent.ask(REQUEST)?;
        let prompt = agent.model.wait_for_prompt(REQUEST, PATIENCE)?.prompt();
        for part in [self.file.to_str().unwrap()].iter().chain(parts) {
            assert!(prompt.contains(part), "{part:?} is not in what the model was asked:\n{prompt}");
        }
        Ok(())
    }

    /// As [`ask_with_context`](Self::ask_with_context), for lines two to four as the selection and the cursor
    /// in line `cursor_line`.
    pub(crate) fn ask_with_selection(&self, agent: &Agent, cli: Cli, cursor_line: usize) -> Result<()> {
        match cli {
            Cli::Gemini => {
                let line = format!(r#""line": {cursor_line}"#);
                self.ask_with_context(agent, &[&line, r"two\nthree\nfour"])
            }
            Cli::Qwen => {
                let line = format!("Cursor: line {cursor_line}, character 1");
                self.ask_with_context(agent, &[&line, "two\nthree\nfour"])
            }
            Cli::Claude => self.ask_with_context(agent, &["lines 2 to 4", "two\nthree\nfour"]),
            Cli::OpenCode => self.ask_with_context(agent, &["#2-4", "two\nthree\nfour"]),
            Cli::Codex => unreachable!("it has no context"),
        }
    }

    /// Waits until at least `count` companions run. Agents search for a companion only once, when they start.
    pub(crate) fn wait_until_served(&self, count: usize) -> Result<()> {
        wait::until(&format!("{count} companion(s)"), PATIENCE, || match companions(&self.sandbox) {
            Ok(Value::Array(found)) if found.len() >= count => Ok(()),
            found => Err(format!("{found:?}")),
        })
    }

    /// Waits until the active file in the context has a selection of `selected` UTF-16 units.
    pub(crate) fn wait_until_selected(&self, selected: usize) -> Result<()> {
        wait::until(&format!("{selected} selected units"), PATIENCE, || {
            let status = companions(&self.sandbox).map_err(|error| error.to_string())?;
            let is_selected = status
                .as_array()
                .into_iter()
                .flatten()
                .any(|companion| companion["context"][0]["selected"] == selected);
            if is_selected { Ok(()) } else { Err(status.to_string()) }
        })
    }

    /// Waits until at least `agents` agents listen to companions of this sandbox.
    pub(crate) fn wait_until_connected(&self, agents: usize) -> Result<()> {
        wait::until(&format!("{agents} connected agent(s)"), PATIENCE, || match self.agents() {
            found if found >= agents => Ok(()),
            found => Err(format!("{found} are")),
        })
    }

    /// Returns the number of agents that listen to companions of this sandbox.
    fn agents(&self) -> usize {
        let found = companions(&self.sandbox).ok();
        let found = found.as_ref().and_then(Value::as_array).into_iter().flatten();
        let agents = found.filter_map(|companion| companion["agents"].as_array()).flatten();
        agents.filter(|agent| agent["listening"] == true).count()
    }

    /// Waits for a companion whose status `is_wanted` accepts, and returns its port.
    pub(crate) fn port(&self, is_wanted: impl Fn(&Value) -> bool) -> Result<u64> {
        wait::until("the port of a companion", PATIENCE, || {
            let status = companions(&self.sandbox).map_err(|error| error.to_string())?;
            let companion = status.as_array().into_iter().flatten().find(|status| is_wanted(status));
            companion.and_then(|companion| companion["port"].as_u64()).ok_or_else(|| status.to_string())
        })
    }

    /// Waits until the file holds `text`.
    pub(crate) fn wait_until_on_disk(&self, text: &str) -> Result<()> {
        wait::until("the decided text in the file", PATIENCE, || match self.on_disk() {
            found if found == text => Ok(()),
            found => Err(found),
        })
    }

    /// Returns the present content of the file.
    pub(crate) fn on_disk(&self) -> String {
        fs::read_to_string(&self.file).unwrap()
    }
}
