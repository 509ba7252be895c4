//! A real Neovim with the plugin, in a terminal, and the agents at its companion.

use std::ffi::OsString;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};

use super::agents::Agents;
use super::discovery_watch::{self, Watch};
use super::plan::PATIENCE;
use super::timed_screen::TimedScreen;
use crate::adapters;
use crate::agent_cli::bin;
use crate::editors::{Editor, Generation, install_editors};
use crate::sandbox::Sandbox;

/// The lines of the file that is open.
const LINES: usize = 10_000;

/// Neovim with an open file.
pub(super) struct Neovim {
    pub(super) screen: TimedScreen,
    /// The agents, none of which is connected at first.
    pub(super) agents: Agents,
    /// The time from the start of Neovim until the last discovery file was written.
    pub(super) time_to_found: Duration,
    /// Dropped last: the sandbox ends the processes that are left.
    pub(super) sandbox: Sandbox,
}

impl Neovim {
    /// Starts Neovim with the plugin and these lines of settings, and waits until agents can find its
    /// companion.
    pub(super) fn start(program: &Path, settings: &str) -> Result<Self> {
        let editor = install_editors()?.neovim(Generation::Newest);
        let sandbox = Sandbox::new();
        adapters::neovim(&sandbox, settings)?;
        let path = sandbox.write("open.rs", "a line\n".repeat(LINES));
        let mut watch = Watch::begin(&sandbox)?;
        let variables = variables(&editor, &sandbox, Some(program))?;
        let words = [OsString::from(&editor.program), path.into()];
        let started_at = Instant::now();
        let screen = TimedScreen::start(&sandbox, variables, words)?;
        while !watch.collect(Duration::from_millis(20)) {
            ensure!(started_at.elapsed() < PATIENCE, "Neovim's companion cannot be found");
        }
        let files = watch.files();
        let (address, _) = discovery_watch::read(files.first().context("the discovery files are gone")?)?;
        let written_at = watch.last_written().context("no discovery file was written")?;
        Ok(Self {
            screen,
            agents: Agents::new(&address)?,
            time_to_found: written_at.saturating_duration_since(started_at),
            sandbox,
        })
    }
}

/// Returns the variables of an editor in a sandbox. With a program, `alongside` is that program.
pub(super) fn variables(
    editor: &Editor,
    sandbox: &Sandbox,
    program: Option<&Path>,
) -> Result<Vec<(String, OsString)>> {
    let mut variables = editor.environment.clone();
    if let Some(program) = program {
        let bin = bin(sandbox);
        std::fs::create_dir_all(&bin)?;
        std::os::unix::fs::symlink(program, bin.join("alongside"))?;
        let others = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths([bin].into_iter().chain(std::env::split_paths(&others)))?;
        variables.push(("PATH".into(), path));
    }
    Ok(variables)
}
