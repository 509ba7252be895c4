//! A hook of ours that an installation is to enter into a file.

use alongside_contract::agent::HookAgent;
use alongside_contract::settings::Release;
use alongside_platform::Os;

use super::command_line;
use super::registration::{OurHook, Registration};

/// A hook of ours as an installation makes it in a release.
#[derive(Debug, Clone)]
pub struct WantedHook {
    /// The agent.
    pub agent: HookAgent,
    /// Which one it is.
    pub hook: OurHook,
    /// The agent's release, if it is known.
    pub release: Option<Release>,
    /// The command line.
    pub command: String,
}

impl WantedHook {
    /// The hook that starts `program`, its name or path.
    pub fn new(hook: OurHook, agent: HookAgent, release: Option<Release>, os: Os, program: &str) -> Self {
        Self { agent, hook, release, command: command_line::command(os, program, agent, hook) }
    }

    /// Its entries.
    pub fn registrations(&self) -> Vec<Registration> {
        self.hook.registrations(self.agent, self.release)
    }
}
