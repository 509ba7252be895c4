//! A coding agent: one row of the [table](crate::agents), with everything in which agents differ.
//!
//! A row has parts that not every agent has: a [family](Family) if it finds companions, a [hook](Hook) if it
//! runs one. Code that needs a part takes the agent together with it, or the part alone.

use std::ops::Deref;

use crate::family::Family;
use crate::hook::Hook;
use crate::settings::SettingsFiles;
use crate::turns::Turns;

/// A coding agent.
#[derive(Debug, PartialEq, Eq)]
pub struct Agent {
    /// Short identifier, such as `gemini`: on the command line, in tokens, and the name of the row's file.
    pub id: &'static str,
    /// Name for people.
    pub display_name: &'static str,
    /// Commands that start it.
    pub commands: &'static [&'static str],
    /// Its npm packages.
    pub packages: &'static [&'static str],
    /// Its own settings files, if they decide whether it works with a companion and are known.
    pub settings: Option<&'static SettingsFiles>,
    /// Files and directories of these names hold its settings, commands or instructions, in its home or in a
    /// project, beside those that [`Self::settings`] and [`Self::hook`] name. A `*` stands for any
    /// ending.
    pub own_files: &'static [&'static str],
    /// How it finds a companion and speaks to it; `None`: it connects to none.
    pub family: Option<Family>,
    /// How it runs a hook before a tool writes a file; `None`: it runs none.
    pub hook: Option<Hook>,
    /// How it tells its hooks of turns; `None`: not known.
    pub turns: Option<Turns>,
}

impl Agent {
    /// The agent with its family, if it has one.
    pub fn with_family(&'static self) -> Option<FamilyAgent> {
        self.family.as_ref().map(|family| FamilyAgent { row: self, family })
    }

    /// The agent with its hook, if it runs one.
    pub fn with_hook(&'static self) -> Option<HookAgent> {
        self.hook.as_ref().map(|hook| HookAgent { row: self, hook })
    }

    /// The command that starts it.
    pub fn command(&self) -> &'static str {
        self.commands.first().copied().unwrap_or(self.id)
    }

    /// Whether something of it can be set up: its settings, or a hook.
    pub fn can_be_set_up(&self) -> bool {
        self.settings.is_some() || self.hook.is_some()
    }

    /// The variables that lead it to other directories than those below home, to find a companion.
    pub fn directory_variables(&self) -> impl Iterator<Item = &'static str> {
        let settings = self.settings.into_iter().flat_map(|table| {
            let variables = [table.home_variable, table.base_variable];
            variables.into_iter().flatten().map(|(name, _)| name)
        });
        settings.chain(self.family.iter().flat_map(Family::directory_variables))
    }
}

/// An agent that finds companions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FamilyAgent {
    /// Its row.
    pub row: &'static Agent,
    /// The part of the row.
    pub family: &'static Family,
}

impl FamilyAgent {
    /// Whether its releases are proven to find a companion: npm has them, and the rig runs them.
    pub fn is_proven(&self) -> bool {
        !self.packages.is_empty()
    }
}

impl Deref for FamilyAgent {
    type Target = Agent;

    fn deref(&self) -> &Agent {
        self.row
    }
}

/// An agent that runs hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HookAgent {
    /// Its row.
    pub row: &'static Agent,
    /// The part of the row.
    pub hook: &'static Hook,
}

impl Deref for HookAgent {
    type Target = Agent;

    fn deref(&self) -> &Agent {
        self.row
    }
}
