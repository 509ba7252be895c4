//! A whole agent in a pane, and the person who types to it.

use std::time::Duration;

use anyhow::{Result, bail};

use crate::cli::Cli;
use crate::install::Rig;
use crate::model::{FakeModel, Script};
use crate::sandbox::Sandbox;
use crate::tmux::Pane;

/// A whole agent in its pane.
pub struct Agent {
    /// Where it runs.
    pub pane: Pane,
    /// What it talks to.
    pub model: FakeModel,
    cli: Cli,
}

impl Agent {
    /// Installs an agent whose model plays `script`, to be started in `pane`. Two of one kind have a model
    /// each.
    ///
    /// # Errors
    /// When the sandbox cannot be written.
    pub fn install(sandbox: &Sandbox, rig: &Rig, cli: Cli, script: Script, pane: Pane) -> Result<Self> {
        let model = FakeModel::start(script)?;
        cli.set_up(sandbox, rig, &model)?;
        Ok(Self { pane, model, cli })
    }

    /// Types the agent's name and waits for its prompt.
    ///
    /// # Errors
    /// When its pane never shows it.
    pub fn start(&self) -> Result<()> {
        self.start_with(self.cli.command())
    }

    /// The same with another command line.
    ///
    /// # Errors
    /// When its pane never shows it.
    pub fn start_with(&self, command: &str) -> Result<()> {
        self.pane.enter(command)?;
        self.wait_until_free()
    }

    /// Types `/ide enable` until `is_connected_within` some time. The agent offers that only once it has
    /// noticed that it lost its companion, seconds after the stream's end.
    ///
    /// # Errors
    /// When it does not connect, asked again and again.
    pub fn enable_ide_until(&self, is_connected_within: impl Fn(Duration) -> bool) -> Result<()> {
        for _ in 0..10 {
            self.ask("/ide enable")?;
            if is_connected_within(Duration::from_secs(3)) {
                return Ok(());
            }
        }
        bail!("it was told to enable its IDE again and again, and did not connect:\n{}", self.pane.screen()?)
    }

    /// The same, until the agent itself says so.
    ///
    /// # Errors
    /// When its pane never shows it.
    pub fn enable_ide_until_it_says(&self, words: &str) -> Result<()> {
        let says = |screen: &str| screen.contains(words);
        self.enable_ide_until(|deadline| self.pane.wait_within(deadline, words, says).is_ok())
    }

    /// Types a message.
    ///
    /// # Errors
    /// When its pane never shows it.
    pub fn ask(&self, words: &str) -> Result<()> {
        self.pane.enter(words)
    }

    /// Waits until `words` are on its screen.
    ///
    /// # Errors
    /// When its pane never shows it.
    pub fn wait_until_it_says(&self, words: &str) -> Result<()> {
        self.pane.wait_for(&format!("{words:?}"), |screen| screen.contains(words)).map(drop)
    }

    /// Waits until it asks in its own pane whether to apply the change. Its prompt is gone meanwhile.
    ///
    /// # Errors
    /// When its pane never shows it.
    pub fn wait_until_it_asks(&self) -> Result<()> {
        self.wait_until_it_says("Apply this change?")
    }

    /// Waits until its prompt is there, empty: a wedged agent never gets so far.
    ///
    /// # Errors
    /// When its pane never shows it.
    pub fn wait_until_free(&self) -> Result<()> {
        self.pane.wait_for("its prompt", |screen| self.cli.is_ready(screen)).map(drop)
    }
}
