//! A whole agent in a terminal pane, and the person who types to it.

use std::time::Duration;

use anyhow::{Result, bail};

use crate::agent_cli::{self, Cli};
use crate::install::Rig;
use crate::model::{FakeModel, Script};
use crate::sandbox::Sandbox;
use crate::tmux::Pane;

/// The text in a pane after the end of an agent without a screen.
const END_TEXT: &str = "the agent has ended";

/// A whole agent in its pane.
pub struct Agent {
    /// The pane of the agent.
    pub pane: Pane,
    /// The agent's fake model.
    pub model: FakeModel,
    cli: Cli,
}

impl Agent {
    /// Installs an agent whose fake model plays `script`, to be started in `pane`.
    pub fn install(sandbox: &Sandbox, rig: &Rig, cli: Cli, script: Script, pane: Pane) -> Result<Self> {
        let model = FakeModel::start(script)?;
        cli.set_up(sandbox, rig, &model)?;
        Ok(Self { pane, model, cli })
    }

    /// Installs an agent that is signed in and otherwise new: IDE mode is off by default.
    pub fn install_as_new(
        sandbox: &Sandbox,
        rig: &Rig,
        cli: Cli,
        script: Script,
        pane: Pane,
    ) -> Result<Self> {
        let model = FakeModel::start(script)?;
        cli.set_up_as_new(sandbox, rig, &model)?;
        Ok(Self { pane, model, cli })
    }

    /// Enters alongside's hook into the agent's settings.
    pub fn set_hook_up(&self, sandbox: &Sandbox) -> Result<()> {
        agent_cli::set_hook_up(sandbox, self.cli.command())
    }

    /// Enters alongside's turn hooks into the agent's settings.
    pub fn set_turns_up(&self, sandbox: &Sandbox) -> Result<()> {
        agent_cli::set_turns_up(sandbox, self.cli.command())
    }

    /// Installs a release of Claude Code, which the shell command `launch` starts.
    pub fn install_claude(sandbox: &Sandbox, launch: &str, script: Script, pane: Pane) -> Result<Self> {
        let model = FakeModel::start(script)?;
        agent_cli::set_claude_up(sandbox, &model, launch, true)?;
        Ok(Self { pane, model, cli: Cli::Claude })
    }

    /// Types the agent's name and waits for its prompt.
    pub fn start(&self) -> Result<()> {
        self.start_with(self.cli.command())
    }

    /// Types a command line that starts the agent, and waits for its prompt.
    pub fn start_with(&self, command: &str) -> Result<()> {
        self.pane.enter(command)?;
        self.wait_until_free()
    }

    /// Runs the agent with one message and without a screen, in a mode without questions before edits. Its
    /// pane shows [`END_TEXT`] afterwards.
    pub fn run_unattended(&self, message: &str) -> Result<()> {
        self.run_unattended_with("", message)
    }

    /// As [`run_unattended`](Self::run_unattended), with further arguments after the message.
    pub fn run_unattended_with(&self, more: &str, message: &str) -> Result<()> {
        let command = match self.cli {
            Cli::Claude => format!("claude --permission-mode auto -p '{message}'"),
            Cli::Gemini => format!("gemini --approval-mode yolo -p '{message}'"),
            Cli::Qwen => format!("qwen --approval-mode auto-edit -p '{message}'"),
            // Codex cannot make its own sandbox in the test's, and no person could confirm its trust.
            Cli::Codex => format!(
                "codex exec --skip-git-repo-check --dangerously-bypass-approvals-and-sandbox \
                 --dangerously-bypass-hook-trust '{message}'"
            ),
            Cli::OpenCode => bail!("OpenCode runs no hooks"),
        };
        // The typed line must not contain the text that it prints.
        let (first, rest) = END_TEXT.split_at(4);
        self.pane.enter(&format!("{command} {more} </dev/null; echo '{first}''{rest}'"))
    }

    /// Waits for the end of the agent after [`run_unattended`](Self::run_unattended).
    pub fn wait_until_ended(&self) -> Result<()> {
        self.wait_until_it_says(END_TEXT)
    }

    /// Types `/ide enable` until `is_connected_within` returns true, which waits 3 s at most. The agent has
    /// this command only once it has detected the loss of its companion, seconds after the end of the stream.
    pub fn enable_ide_until(&self, is_connected_within: impl Fn(Duration) -> bool) -> Result<()> {
        for _ in 0..10 {
            self.ask("/ide enable")?;
            if is_connected_within(Duration::from_secs(3)) {
                return Ok(());
            }
        }
        bail!("the agent did not connect after ten times `/ide enable`:\n{}", self.pane.screen()?)
    }

    /// Types a message.
    pub fn ask(&self, message: &str) -> Result<()> {
        self.pane.enter(message)
    }

    /// Waits until a text is on the agent's screen.
    pub fn wait_until_it_says(&self, text: &str) -> Result<()> {
        self.pane.wait_for(&format!("{text:?}"), |screen| screen.contains(text)).map(drop)
    }

    /// Waits until the agent asks in its pane whether to apply the change. Its input field is hidden
    /// meanwhile.
    pub fn wait_until_it_asks(&self) -> Result<()> {
        self.wait_until_it_says(self.cli.question())
    }

    /// Types a message, and waits until the agent asks whether to apply its change.
    pub fn ask_for_change(&self, message: &str) -> Result<()> {
        self.ask(message)?;
        self.wait_until_it_asks()
    }

    /// Answers yes to the agent's question, if that is the first choice.
    pub fn say_yes(&self) -> Result<()> {
        self.answer(self.cli.question())
    }

    /// Confirms the selected answer to a question with this text. Presses Enter repeatedly, because a
    /// question ignores keys at first.
    pub fn answer(&self, question: &str) -> Result<()> {
        for _ in 0..5 {
            self.pane.press("Enter")?;
            let is_gone = |screen: &str| !screen.contains(question);
            if self.pane.wait_within(Duration::from_secs(3), "the end of the question", is_gone).is_ok() {
                return Ok(());
            }
        }
        bail!("its question stays after five times Enter:\n{}", self.pane.screen()?)
    }

    /// Waits for the agent's empty input field, which a blocked agent never shows.
    pub fn wait_until_free(&self) -> Result<()> {
        self.pane.wait_for("its prompt", |screen| screen.contains(self.cli.input_hint())).map(drop)
    }
}
