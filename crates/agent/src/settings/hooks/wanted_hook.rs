//! A hook of ours that an installation is to write into a file.

use alongside_contract::agent::HookAgent;
use alongside_contract::hook::WindowsShell;
use alongside_contract::settings::Release;
use alongside_platform::{Os, shell};

use super::command_line;
use super::registration::{OurHook, Registration};

/// A hook of ours as an installation makes it for a release.
#[derive(Debug, Clone)]
pub struct WantedHook {
    /// The agent.
    pub agent: HookAgent,
    /// The hook.
    pub hook: OurHook,
    /// The agent's release, if it is known.
    pub release: Option<Release>,
    /// The command line. No shell reads it if the entry has the program and its arguments in separate fields:
    /// see [`Self::has_argument_list`].
    pub command: String,
    /// The operating system that the agent runs on.
    pub os: Os,
}

impl WantedHook {
    /// Makes the hook that starts `program`, a name or a path.
    pub fn new(hook: OurHook, agent: HookAgent, release: Option<Release>, os: Os, program: &str) -> Self {
        Self { agent, hook, release, command: command_line::command(os, program, agent, hook), os }
    }

    /// Whether its entries have the program and its arguments in separate fields: either of two shells may
    /// read a line, and no quotation marks work in both.
    pub fn has_argument_list(&self) -> bool {
        match self.agent.hook.windows_shell {
            WindowsShell::BashIfThere { list_since } => {
                let is_quoted = self.command.starts_with('\'');
                self.os == Os::Windows
                    && is_quoted
                    && self.release.is_some_and(|release| release >= list_since)
            }
            WindowsShell::PowerShell | WindowsShell::Cmd => false,
        }
    }

    /// Returns the reason why no entry can start the program, if there is one.
    pub(super) fn refusal(&self) -> Option<&'static str> {
        let is_replaced = self.os == Os::Windows
            && self.agent.hook.windows_shell == WindowsShell::Cmd
            && shell::is_replaced_by_cmd(&self.command);
        is_replaced.then_some(
            "the command prompt would replace a name between two % in the path of alongside: install it in \
             a directory without them",
        )
    }

    /// Returns the registrations of its entries.
    pub fn registrations(&self) -> Vec<Registration> {
        self.hook.registrations(self.agent, self.release)
    }
}
