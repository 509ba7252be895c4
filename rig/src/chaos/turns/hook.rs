//! A run of the turn hook by an agent.

use std::process::Child;
use std::time::{Duration, Instant};

use anyhow::Result;
use rustix::process::{Pid, Signal};

use crate::chaos::record::TurnHook;
use crate::program::turn_hook;
use crate::sandbox::Sandbox;

/// The identifiers of the agents.
const AGENTS: [&str; 2] = ["codex", "claude"];

pub(super) struct RunningHook {
    child: Child,
    started_at: Instant,
    is_prompt: bool,
}

/// Starts the turn hook of an agent, at a prompt or at the end of a turn.
pub(super) fn start(sandbox: &Sandbox, agent: usize, is_prompt: bool) -> Result<RunningHook> {
    let name = if is_prompt { "UserPromptSubmit" } else { "Stop" };
    let (agent, session) = (AGENTS[agent % AGENTS.len()], format!("session-{agent}"));
    let started_at = Instant::now();
    let child = turn_hook(sandbox, agent, &session, name)?;
    Ok(RunningHook { child, started_at, is_prompt })
}

impl RunningHook {
    /// Kills the hook after so many milliseconds; if the number is odd, with the programs that the hook has
    /// started.
    pub(super) fn kill_after(&mut self, ms: u64) {
        std::thread::sleep(Duration::from_millis(ms));
        let Some(pid) = Pid::from_raw(self.child.id().cast_signed()) else { return };
        // Fails if the hook has ended.
        let _ = match ms % 2 {
            0 => rustix::process::kill_process(pid, Signal::KILL),
            _ => rustix::process::kill_process_group(pid, Signal::KILL),
        };
    }

    pub(super) fn wait(self) -> Result<TurnHook> {
        let (started_at, is_prompt) = (self.started_at, self.is_prompt);
        let output = self.child.wait_with_output()?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ok(TurnHook {
            is_prompt,
            code: output.status.code(),
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
            took: started_at.elapsed().as_millis() as u64,
        })
    }
}
