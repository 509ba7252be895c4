//! A coding agent: a row of the [table](crate::agents) with every difference between agents.
//!
//! Some parts of a row are optional: an agent that finds companions has a [family](Family), and an agent that
//! runs a hook has a [hook](Hook). Code that needs a part takes the agent together with it, or only the part.

use std::ops::Deref;

use crate::family::Family;
use crate::hook::Hook;
use crate::settings::SettingsFiles;
use crate::turns::Turns;

/// A coding agent.
#[derive(Debug, PartialEq, Eq)]
pub struct Agent {
    /// The short identifier, such as `gemini`, used on the command line, in tokens, and as the name of the
    /// row's file.
    pub id: &'static str,
    /// The name for people.
    pub display_name: &'static str,
    /// The commands that start it.
    pub commands: &'static [&'static str],
    /// Its npm packages.
    pub packages: &'static [&'static str],
    /// Its own settings files, if they are known and decide whether it works with a companion.
    pub settings: Option<&'static SettingsFiles>,
    /// The names of files and directories with its settings, commands or instructions, in its home or in a
    /// project, apart from those in [`Self::settings`] and [`Self::hook`]. A `*` stands for any ending.
    pub own_files: &'static [&'static str],
    /// The way in which it finds a companion and communicates with it. `None` if it connects to no companion.
    pub family: Option<Family>,
    /// The way in which it runs a hook before a tool writes a file. `None` if it runs none.
    pub hook: Option<Hook>,
    /// The way in which it reports turns to its hooks. `None` if that is not known.
    pub turns: Option<Turns>,
}

impl Agent {
    /// Returns the agent with its family, if it has one.
    pub fn with_family(&'static self) -> Option<FamilyAgent> {
        self.family.as_ref().map(|family| FamilyAgent { row: self, family })
    }

    /// Returns the agent with its hook, if it runs one.
    pub fn with_hook(&'static self) -> Option<HookAgent> {
        self.hook.as_ref().map(|hook| HookAgent { row: self, hook })
    }

    /// Returns the command that starts it.
    pub fn command(&self) -> &'static str {
        self.commands.first().copied().unwrap_or(self.id)
    }

    /// Whether it has settings or a hook to set up.
    pub fn can_be_set_up(&self) -> bool {
        self.settings.is_some() || self.hook.is_some()
    }

    /// Returns the variables that replace the directories below home in which it finds a companion.
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
    /// Whether the rig tests that its releases find a companion, for which npm must have them.
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
