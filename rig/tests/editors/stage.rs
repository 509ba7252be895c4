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

use crate::script::{DONE, ORIGINAL, REQUEST, SHOUTED, shout};

/// A window in which an editor shows short lines in full.
const WINDOW: (u16, u16) = (100, 30);

/// A window large enough for agents' output.
pub(crate) const ROOMY: (u16, u16) = (100, 50);

/// The text that the person accepts.
pub(crate) fn decided() -> String {
    SHOUTED.replace("TWO", "two").replace("FOURTEEN", "14")
}

/// The scene of one story. Fields are dropped in this order: the terminal first, the sandbox last.
pub(crate) struct Stage {
    pub(crate) terminal: Tmux,
    pub(crate) editors: Editors,
    /// The first file of the project, `notes.md`.
    pub(crate) file: PathBuf,
    pub(crate) sandbox: Sandbox,
}

impl Stage {
    /// A project whose `notes.md` holds [`ORIGINAL`], and a person who has Neovim and Helix of a generation
    /// and has configured neither. `None` where editors cannot be installed, which is reported as skipped.
    pub(crate) fn set(generation: Generation) -> Result<Option<Self>> {
        let Some(editors) = or_skip(install_editors()) else { return Ok(None) };
        let sandbox = Sandbox::new();
        let file = sandbox.write("notes.md", ORIGINAL);
        editors.put_on_path(&sandbox, generation)?;
        let terminal = Tmux::new(&sandbox, [agent_cli::path_variable(&sandbox)?]);
        Ok(Some(Self { terminal, editors, file, sandbox }))
    }

    /// The same, with Neovim at its file, and these lines in the person's settings.
    pub(crate) fn with_neovim(generation: Generation, settings: &str) -> Result<Option<(Self, Pane)>> {
        let Some(stage) = Self::set(generation)? else { return Ok(None) };
        adapters::neovim(&stage.sandbox, settings)?;
        let pane = stage.open(&stage.editors.neovim(generation))?;
        Ok(Some((stage, pane)))
    }

    /// The same, with Helix at its file.
    pub(crate) fn with_helix(generation: Generation) -> Result<Option<(Self, Pane)>> {
        let Some(stage) = Self::set(generation)? else { return Ok(None) };
        adapters::helix(&stage.sandbox, generation);
        let pane = stage.open(&stage.editors.helix(generation))?;
        Ok(Some((stage, pane)))
    }

    /// Types an editor's command and the file's name into a new window, and waits until the editor shows the
    /// file.
    pub(crate) fn open(&self, editor: &Editor) -> Result<Pane> {
        self.open_beside(editor, "")
    }

    /// The same, with further files, which the editor does not show.
    pub(crate) fn open_beside(&self, editor: &Editor, others: &str) -> Result<Pane> {
        let pane = self.terminal.window(editor.command(), WINDOW)?;
        pane.enter(format!("clear; {} notes.md {others}", editor.command()).trim_end())?;
        pane.wait_for("the file", |screen| screen.contains("fifteen") && !screen.contains(SHELL_PROMPT))?;
        Ok(pane)
    }

    /// Installs the adapter of an editor in a new shell, which says so at the end. The project has an empty
    /// `other.md` then.
    pub(crate) fn install(&self, editor: &str, said: &str) -> Result<(Pane, PathBuf)> {
        let other = self.sandbox.write("other.md", "");
        let shell = self.terminal.window("shell", (100, 30))?;
        shell.enter_and_see(&format!("alongside install {editor} --yes"), "the installation", said)?;
        Ok((shell, other))
    }

    /// The agent has written the text that the person accepted.
    pub(crate) fn sees_acceptance(&self, agent: &Agent) -> Result<()> {
        agent.wait_until_it_says(DONE)?;
        assert_eq!(self.on_disk(), decided());
        Ok(())
    }

    /// The agent goes on after a rejection, which leaves the person's text in a draft.
    pub(crate) fn sees_rejection(&self, shell: &Pane, agent: &Agent) -> Result<()> {
        self.wait_for_draft(shell, "typed by me")?;
        assert_eq!(self.on_disk(), decided());
        agent.wait_until_free()
    }

    /// The end of the editor has rejected a proposal, and left the person's text in a draft; the agent ends,
    /// and the person removes the adapter.
    pub(crate) fn sees_end(&self, proposal: Proposal, agent: &Agent, shell: &Pane) -> Result<()> {
        assert_eq!(proposal.outcome()?, Outcome::Rejected);
        self.wait_for_draft(shell, "typed at the end")?;
        agent.pane.kill()?;
        self.uninstall(shell)
    }

    /// Waits until the newest draft holds `text`, in a shell.
    pub(crate) fn wait_for_draft(&self, shell: &Pane, text: &str) -> Result<()> {
        shell.enter("clear; alongside drafts show 1")?;
        shell.wait_for("the draft", |screen| screen.contains(text)).map(drop)
    }

    /// Removes everything that alongside has installed, in a shell.
    pub(crate) fn uninstall(&self, shell: &Pane) -> Result<()> {
        shell.enter("clear; alongside host --stop; alongside uninstall --all --yes")?;
        shell.wait_for("the removal", |screen| screen.contains("Done.")).map(drop)
    }

    /// Waits until the editor has given the pane back to the shell.
    pub(crate) fn wait_until_closed(&self, pane: &Pane) -> Result<()> {
        pane.wait_for("the shell's prompt", |screen| screen.ends_with(SHELL_PROMPT)).map(drop)
    }

    /// Waits until a process of the sandbox runs the editor's own binary, and not something in its name.
    pub(crate) fn wait_until_it_runs(&self, editor: &Editor) -> Result<()> {
        wait::until(&format!("{} to run", editor.program.display()), PATIENCE, || {
            let is_running = !self.processes_of(editor).is_empty();
            let lines = || self.sandbox.processes().into_iter().map(|pid| command_line(pid.as_raw_nonzero()));
            is_running.then_some(()).ok_or_else(|| lines().collect::<Vec<_>>().join("\n"))
        })
    }

    /// The processes of the sandbox that run the editor's own binary.
    pub(crate) fn processes_of(&self, editor: &Editor) -> Vec<i32> {
        let all = self.sandbox.processes().into_iter().map(|pid| pid.as_raw_nonzero().get());
        let program = |pid: &i32| fs::read_link(format!("/proc/{pid}/exe"));
        all.filter(|pid| program(pid).is_ok_and(|program| program == editor.program)).collect()
    }

    /// A window whose shell is in a directory of the project.
    pub(crate) fn window_in(&self, name: &str, directory: &str) -> Result<Pane> {
        let pane = self.terminal.window(name, ROOMY)?;
        pane.enter(&format!("cd {directory}; clear"))?;
        Ok(pane)
    }

    /// An agent in a new window, running and connected, which proposes [`shout`]. `None` where agents cannot
    /// be installed, which is reported as skipped.
    pub(crate) fn start_agent(&self, cli: Cli) -> Result<Option<Agent>> {
        self.wait_until_served(1)?;
        let pane = self.terminal.window(cli.command(), ROOMY)?;
        let agent = self.install_agent(cli, shout(cli, &self.file), pane)?;
        if let Some(agent) = &agent {
            agent.start()?;
            self.wait_until_connected(1)?;
        }
        Ok(agent)
    }

    /// Installs an agent, to be started in a pane. `None` where agents cannot be installed.
    pub(crate) fn install_agent(&self, cli: Cli, script: Script, pane: Pane) -> Result<Option<Agent>> {
        if or_skip(cli.install()).is_none() {
            return Ok(None);
        }
        or_skip(install()).map(|rig| Agent::install(&self.sandbox, &rig, cli, script, pane)).transpose()
    }

    /// Asks the agent for its change; the model must get the file and these parts of the context.
    pub(crate) fn ask_with_context(&self, agent: &Agent, parts: &[&str]) -> Result<()> {
        agent.ask(REQUEST)?;
        let asked = agent.model.wait_for_prompt(REQUEST, PATIENCE)?.prompt();
        for part in [self.file.to_str().unwrap()].iter().chain(parts) {
            assert!(asked.contains(part), "{part:?} is not in what the model was asked:\n{asked}");
        }
        Ok(())
    }

    /// The same with lines two to four selected and the cursor in this line.
    pub(crate) fn ask_with_selection(&self, agent: &Agent, cli: Cli, cursor: usize) -> Result<()> {
        match cli {
            Cli::Gemini => {
                let line = format!(r#""line": {cursor}"#);
                self.ask_with_context(agent, &[&line, r"two\nthree\nfour"])
            }
            Cli::Qwen => {
                let line = format!("Cursor: line {cursor}, character 1");
                self.ask_with_context(agent, &[&line, "two\nthree\nfour"])
            }
            Cli::Claude => self.ask_with_context(agent, &["lines 2 to 4", "two\nthree\nfour"]),
            Cli::OpenCode => self.ask_with_context(agent, &["#2-4", "two\nthree\nfour"]),
            Cli::Codex => unreachable!("it has no context"),
        }
    }

    /// Waits until so many companions run: agents look for one once, when they start.
    pub(crate) fn wait_until_served(&self, count: usize) -> Result<()> {
        wait::until(&format!("{count} companion(s)"), PATIENCE, || match companions(&self.sandbox) {
            Ok(Value::Array(found)) if found.len() >= count => Ok(()),
            found => Err(format!("{found:?}")),
        })
    }

    /// Waits until the agents' context has a selection of so many UTF-16 units.
    pub(crate) fn wait_until_selected(&self, selected: usize) -> Result<()> {
        wait::until(&format!("{selected} selected units"), PATIENCE, || {
            let status = companions(&self.sandbox).map_err(|error| error.to_string())?;
            let is_selected =
                status.as_array().into_iter().flatten().any(|it| it["context"][0]["selected"] == selected);
            if is_selected { Ok(()) } else { Err(status.to_string()) }
        })
    }

    /// Waits until so many agents listen to companions of this sandbox.
    pub(crate) fn wait_until_connected(&self, agents: usize) -> Result<()> {
        wait::until(&format!("{agents} connected agent(s)"), PATIENCE, || match self.agents() {
            found if found >= agents => Ok(()),
            found => Err(format!("{found} are")),
        })
    }

    fn agents(&self) -> usize {
        let found = companions(&self.sandbox).ok();
        let found = found.as_ref().and_then(Value::as_array).into_iter().flatten();
        let agents = found.filter_map(|companion| companion["agents"].as_array()).flatten();
        agents.filter(|agent| agent["listening"] == true).count()
    }

    /// The port of the first companion that `wanted` accepts; a busy one may take a while to answer.
    pub(crate) fn port(&self, wanted: impl Fn(&Value) -> bool) -> Result<u64> {
        wait::until("the port of a companion", PATIENCE, || {
            let status = companions(&self.sandbox).map_err(|error| error.to_string())?;
            let companion = status.as_array().into_iter().flatten().find(|it| wanted(it));
            companion.and_then(|it| it["port"].as_u64()).ok_or_else(|| status.to_string())
        })
    }

    /// Waits until the file holds `text`.
    pub(crate) fn wait_until_on_disk(&self, text: &str) -> Result<()> {
        wait::until("the decided text in the file", PATIENCE, || match self.on_disk() {
            found if found == text => Ok(()),
            found => Err(found),
        })
    }

    /// The present content of the file.
    pub(crate) fn on_disk(&self) -> String {
        fs::read_to_string(&self.file).unwrap()
    }
}
