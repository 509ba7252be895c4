//! The way in which an agent reports turns to its hooks: the events at a person's prompt and at the end, and
//! which of them begin or end no turn. Every part of a row was measured with the agent, in the release that
//! its file lists; `rig/tests/stories/turns.rs` fails if a release differs.

use std::time::Duration;

use crate::settings::Release;

/// The part of an agent that reports turns to hooks. The inputs contain `hook_event_name`, `session_id`,
/// `cwd` and `prompt`.
#[derive(Debug, PartialEq, Eq)]
pub struct Turns {
    /// The event before the agent works on a prompt.
    pub prompt: &'static str,
    /// The events at the end of its work.
    pub ends: &'static [&'static str],
    /// The events of [`Self::ends`] that only newer releases know, each with its first release. An older
    /// release ignores the whole settings file if it contains such an event.
    pub newer_ends: &'static [(&'static str, Release)],
    /// The field with the agent's id of the turn, if there is one.
    pub turn: Option<&'static str>,
    /// The field that only events of subagents contain, if there is one.
    pub subagent: Option<&'static str>,
    /// The prompts that are a person's.
    pub begins: Begins,
    /// The field with the list of background tasks, which contains the subagents that still run at an end.
    pub tasks: Option<&'static str>,
    /// The form in which it accepts a text for its model at a person's prompt.
    pub answer: PromptAnswer,
    /// The longest text that it accepts whole there, in UTF-16 units, with a margin.
    pub most: usize,
    /// The way in which a hook wakes an idle session, if it can.
    pub wake: Option<Wake>,
    /// Whether the turn ends without an event when the person rejects a diff.
    pub ends_by_rejection: bool,
}

/// The form of the answer to a prompt event that gives the model a text with the prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PromptAnswer {
    /// `{"hookSpecificOutput":{"hookEventName":…,"additionalContext":…}}`.
    HookSpecific,
    /// `{"additionalContext":…}`.
    Flat,
}

/// The longest text for an agent whose own limit is not known. Claude Code 2.1.332 cuts a text of more than
/// 10,000 characters to the first 2,000 and refers to a file for the rest.
pub const MOST_CONTEXT: usize = 9_000;

/// The way in which a hook that waits beside an idle session wakes it.
#[derive(Debug, PartialEq, Eq)]
pub struct Wake {
    /// The event at an end at which the hook begins to wait.
    pub event: &'static str,
    /// The first release that does not wait for such a hook.
    pub since: Release,
    /// The field of the hook's entry that keeps the agent from waiting.
    pub field: &'static str,
    /// The exit code that wakes the session. The model reads the hook's error output.
    pub code: u8,
    /// The variable of the hook, with its value if a person attends the session. An unattended session ends
    /// only after its hooks.
    pub attended: (&'static str, &'static str),
    /// The longest time that the hook waits.
    pub patience: Duration,
}

impl Turns {
    /// Returns the way to wake a session of a release, if there is one.
    pub fn wake_in(&self, release: Option<Release>) -> Option<&Wake> {
        self.wake.as_ref().filter(|wake| release.is_some_and(|release| release >= wake.since))
    }

    /// Returns the events to register for in a release. An unknown release may be an old one.
    pub fn events(&self, release: Option<Release>) -> impl Iterator<Item = &'static str> {
        let is_known = move |event: &&str| {
            let newer = self.newer_ends.iter().find(|(name, _)| name == event);
            newer.is_none_or(|(_, since)| release.is_some_and(|release| release >= *since))
        };
        std::iter::once(self.prompt).chain(self.ends.iter().copied().filter(is_known))
    }
}

/// The prompt events that are a person's. Other events continue a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Begins {
    /// All events, as far as is known.
    Always,
    /// The events with this field.
    WithField(&'static str),
    /// The events whose prompt does not begin with this.
    UnlessTagged(&'static str),
}

/// The meaning of an event for a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// A person's prompt: a turn begins.
    Prompt,
    /// The agent continues by itself. A turn begins only if none is open.
    Continued,
    /// A turn ends.
    End,
}

#[cfg(test)]
mod tests {
    use crate::agents::with_turns;

    #[test]
    fn a_release_gets_only_the_events_that_it_knows() {
        let claude = with_turns().find(|agent| agent.id == "claude").and_then(|agent| agent.turns.as_ref());
        let events = |release| claude.unwrap().events(release).collect::<Vec<_>>();
        assert_eq!(events(Some((2, 1, 78))), ["UserPromptSubmit", "Stop", "StopFailure"]);
        assert_eq!(events(Some((2, 1, 77))), ["UserPromptSubmit", "Stop"]);
        assert_eq!(events(None), ["UserPromptSubmit", "Stop"]);
    }

    #[test]
    fn every_agent_that_reports_turns_runs_hooks() {
        for agent in with_turns() {
            assert!(agent.hook.is_some(), "{}", agent.id);
            let turns = agent.turns.as_ref().unwrap();
            assert!(turns.newer_ends.iter().all(|(name, _)| turns.ends.contains(name)), "{}", agent.id);
        }
    }
}
