//! A hook of turns, as an agent runs it.

use std::process::Child;
use std::time::{Duration, Instant};

use anyhow::Result;
use rustix::process::{Pid, Signal};

use crate::chaos::record::TurnHook;
use crate::program::turn_hook;
use crate::sandbox::Sandbox;

/// The agents, whose sessions never change.
const AGENTS: [&str; 2] = ["codex", "claude"];

pub(super) struct RunningHook {
    child: Child,
    since: Instant,
    is_prompt: bool,
}

/// Starts the hook of an agent at its prompt, or at an end.
pub(super) fn start(sandbox: &Sandbox, agent: usize, is_prompt: bool) -> Result<RunningHook> {
    let name = if is_prompt { "UserPromptSubmit" } else { "Stop" };
    let (agent, session) = (AGENTS[agent % AGENTS.len()], format!("session-{agent}"));
    let since = Instant::now();
    let child = turn_hook(sandbox, agent, &session, name)?;
    Ok(RunningHook { child, since, is_prompt })
}

impl RunningHook {
    /// Kills it after so many milliseconds: alone, or with the programs that it has started.
    pub(super) fn kill_after(&mut self, ms: u64) {
        std::thread::sleep(Duration::from_millis(ms));
        let Some(pid) = Pid::from_raw(self.child.id().cast_signed()) else { return };
        // It may have ended.
        let _ = match ms % 2 {
            0 => rustix::process::kill_process(pid, Signal::KILL),
            _ => rustix::process::kill_process_group(pid, Signal::KILL),
        };
    }

    pub(super) fn wait(self) -> Result<TurnHook> {
        let (since, is_prompt) = (self.since, self.is_prompt);
        let output = self.child.wait_with_output()?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ok(TurnHook {
            is_prompt,
            code: output.status.code(),
            said: text(&output.stdout),
            complained: text(&output.stderr),
            took: since.elapsed().as_millis() as u64,
        })
    }
}
