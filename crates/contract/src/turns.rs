//! How an agent tells its hooks of turns: the events at a person's prompt and at the end, and which of them
//! begin or end nothing. Everything in a row was measured with the agent, in the release that its file names;
//! `rig/tests/stories/turns.rs` fails where a release differs.

use std::time::Duration;

use crate::settings::Release;

/// The part of an agent that tells hooks of turns. Inputs have `hook_event_name`, `session_id`, `cwd` and
/// `prompt`.
#[derive(Debug, PartialEq, Eq)]
pub struct Turns {
    /// The event before the agent works on a prompt.
    pub prompt: &'static str,
    /// The events at the end of its work.
    pub ends: &'static [&'static str],
    /// Those of [`Self::ends`] that only newer releases know, each with its first. An older one overlooks
    /// everything in a file of settings that names such an event.
    pub newer_ends: &'static [(&'static str, Release)],
    /// The field with the agent's name of the turn, if it has one.
    pub turn: Option<&'static str>,
    /// The field that only events of subagents have, if they can be told.
    pub subagent: Option<&'static str>,
    /// Which prompts are a person's.
    pub begins: Begins,
    /// The field with the list of tasks in the background, among them subagents that still run at an end.
    pub tasks: Option<&'static str>,
    /// How it takes a text for its model at a person's prompt.
    pub answer: PromptAnswer,
    /// The longest text that it takes there whole, in UTF-16 units, with a margin.
    pub most: usize,
    /// How a hook wakes an idle session, if it can.
    pub wake: Option<Wake>,
    /// Whether a diff that its person rejects ends the turn, of which no hook hears.
    pub ends_by_rejection: bool,
}

/// The answer to a prompt event that gives the model a text beside the prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PromptAnswer {
    /// `{"hookSpecificOutput":{"hookEventName":…,"additionalContext":…}}`.
    HookSpecific,
    /// `{"additionalContext":…}`.
    Flat,
}

/// The longest text for an agent whose own limit is not known. Claude Code 2.1.332 cuts more than 10,000
/// characters to the first 2,000 and names a file instead.
pub const MOST_CONTEXT: usize = 9_000;

/// How a hook that waits beside an idle session wakes it.
#[derive(Debug, PartialEq, Eq)]
pub struct Wake {
    /// The event of an end at which the hook begins to wait.
    pub event: &'static str,
    /// The first release that does not wait for such a hook.
    pub since: Release,
    /// The field of the hook's entry that says so.
    pub field: &'static str,
    /// The exit code that wakes the session. The model reads what the hook wrote to its error output.
    pub code: u8,
    /// The variable of the hook, and its value, where a person is at the session. A session without one ends
    /// only after its hooks.
    pub attended: (&'static str, &'static str),
    /// How long the hook waits at most.
    pub patience: Duration,
}

impl Turns {
    /// How it is woken in a release, if it can be.
    pub fn wake_in(&self, release: Option<Release>) -> Option<&Wake> {
        self.wake.as_ref().filter(|wake| release.is_some_and(|release| release >= wake.since))
    }

    /// The events to register for in a release. One that does not say which it is may be an old one.
    pub fn events(&self, release: Option<Release>) -> impl Iterator<Item = &'static str> {
        let is_known = move |event: &&str| {
            let newer = self.newer_ends.iter().find(|(name, _)| name == event);
            newer.is_none_or(|(_, since)| release.is_some_and(|release| release >= *since))
        };
        std::iter::once(self.prompt).chain(self.ends.iter().copied().filter(is_known))
    }
}

/// Which prompt events are a person's. Others go on with a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Begins {
    /// All, as far as it can be told.
    Always,
    /// Those with this field.
    WithField(&'static str),
    /// Those whose prompt does not begin so.
    UnlessTagged(&'static str),
}

/// The part of an event in a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// A person's prompt: a turn begins.
    Prompt,
    /// The agent goes on by itself: a turn begins only if none is open.
    Continued,
    /// A turn ends.
    End,
}

#[cfg(test)]
mod tests {
    use crate::agents::with_turns;

    #[test]
    fn a_release_gets_the_events_that_it_knows() {
        let claude = with_turns().find(|agent| agent.id == "claude").and_then(|agent| agent.turns.as_ref());
        let events = |release| claude.unwrap().events(release).collect::<Vec<_>>();
        assert_eq!(events(Some((2, 1, 78))), ["UserPromptSubmit", "Stop", "StopFailure"]);
        assert_eq!(events(Some((2, 1, 77))), ["UserPromptSubmit", "Stop"]);
        assert_eq!(events(None), ["UserPromptSubmit", "Stop"]);
    }

    #[test]
    fn every_agent_that_tells_of_turns_runs_hooks() {
        for agent in with_turns() {
            assert!(agent.hook.is_some(), "{}", agent.id);
            let turns = agent.turns.as_ref().unwrap();
            assert!(turns.newer_ends.iter().all(|(name, _)| turns.ends.contains(name)), "{}", agent.id);
        }
    }
}
