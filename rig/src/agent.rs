//! A whole agent in a terminal pane, and the person who types to it.

use std::time::Duration;

use anyhow::{Result, bail};

use crate::agent_cli::{self, Cli};
use crate::install::Rig;
use crate::model::{FakeModel, Script};
use crate::sandbox::Sandbox;
use crate::tmux::Pane;

/// The words in a pane after the end of an agent without a screen.
const ENDED: &str = "the agent has ended";

/// A whole agent in its pane.
pub struct Agent {
    /// Its pane.
    pub pane: Pane,
    /// Its fake model.
    pub model: FakeModel,
    cli: Cli,
}

impl Agent {
    /// Installs an agent whose own model plays `script`, to be started in `pane`.
    pub fn install(sandbox: &Sandbox, rig: &Rig, cli: Cli, script: Script, pane: Pane) -> Result<Self> {
        let model = FakeModel::start(script)?;
        cli.set_up(sandbox, rig, &model)?;
        Ok(Self { pane, model, cli })
    }

    /// Installs an agent that is signed in and otherwise new: IDE mode is off, as it comes.
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

    /// Enters the hook of alongside into its settings, as a person does by hand.
    pub fn set_hook_up(&self, sandbox: &Sandbox) -> Result<()> {
        agent_cli::set_hook_up(sandbox, self.cli.command())
    }

    /// Has it note its turns.
    pub fn set_turns_up(&self, sandbox: &Sandbox) -> Result<()> {
        agent_cli::set_turns_up(sandbox, self.cli.command())
    }

    /// Installs a release of Claude Code, which the shell words `launch` start.
    pub fn install_claude(sandbox: &Sandbox, launch: &str, script: Script, pane: Pane) -> Result<Self> {
        let model = FakeModel::start(script)?;
        agent_cli::set_claude_up(sandbox, &model, launch, true)?;
        Ok(Self { pane, model, cli: Cli::Claude })
    }

    /// Types the agent's name and waits for its prompt.
    pub fn start(&self) -> Result<()> {
        self.start_with(self.cli.command())
    }

    /// Starts it with another command line.
    pub fn start_with(&self, command: &str) -> Result<()> {
        self.pane.enter(command)?;
        self.wait_until_free()
    }

    /// Runs it without a screen of its own on one message, in a mode in which it asks nobody before it edits.
    /// Its pane shows [`ENDED`] afterwards.
    pub fn run_unattended(&self, words: &str) -> Result<()> {
        self.run_unattended_with("", words)
    }

    /// The same with more arguments behind the message.
    pub fn run_unattended_with(&self, more: &str, words: &str) -> Result<()> {
        let command = match self.cli {
            Cli::Claude => format!("claude --permission-mode auto -p '{words}'"),
            Cli::Gemini => format!("gemini --approval-mode yolo -p '{words}'"),
            Cli::Qwen => format!("qwen --approval-mode auto-edit -p '{words}'"),
            // There is no sandbox within the one of the test, and nobody who could be asked for trust.
            Cli::Codex => format!(
                "codex exec --skip-git-repo-check --dangerously-bypass-approvals-and-sandbox \
                 --dangerously-bypass-hook-trust '{words}'"
            ),
            Cli::OpenCode => bail!("OpenCode runs no hooks"),
        };
        // The line that is typed does not hold the words that it prints.
        let (first, rest) = ENDED.split_at(4);
        self.pane.enter(&format!("{command} {more} </dev/null; echo '{first}''{rest}'"))
    }

    /// Waits until it has ended after [`run_unattended`](Self::run_unattended).
    pub fn wait_until_ended(&self) -> Result<()> {
        self.wait_until_it_says(ENDED)
    }

    /// Types `/ide enable` until the agent has connected, as `is_connected_within` tells after 3 s at most.
    /// The agent offers that command only after it has noticed the loss of its companion, seconds after the
    /// stream's end.
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
    pub fn ask(&self, words: &str) -> Result<()> {
        self.pane.enter(words)
    }

    /// Waits until `words` are on its screen.
    pub fn wait_until_it_says(&self, words: &str) -> Result<()> {
        self.pane.wait_for(&format!("{words:?}"), |screen| screen.contains(words)).map(drop)
    }

    /// Waits until it asks in its pane whether to apply the change. Its prompt is gone meanwhile.
    pub fn wait_until_it_asks(&self) -> Result<()> {
        self.wait_until_it_says(self.cli.asks())
    }

    /// Types a message, and waits until the agent asks whether to apply its change.
    pub fn ask_for_change(&self, words: &str) -> Result<()> {
        self.ask(words)?;
        self.wait_until_it_asks()
    }

    /// Says yes to its question, where that is the first choice.
    pub fn say_yes(&self) -> Result<()> {
        self.answer(self.cli.asks())
    }

    /// Takes the chosen answer to a question with these words. A question takes no key in its first moment.
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

    /// Waits for its empty prompt, which a wedged agent never shows.
    pub fn wait_until_free(&self) -> Result<()> {
        self.pane.wait_for("its prompt", |screen| screen.contains(self.cli.free())).map(drop)
    }
}
