//! How an agent tells its hooks of turns: the events at a person's prompt and at the end, and which of them
//! begin or end nothing. Everything in a row was measured with the agent.

/// The part of an agent that tells hooks of turns. Inputs have `hook_event_name`, `session_id`, `cwd` and
/// `prompt`.
#[derive(Debug, PartialEq, Eq)]
pub struct Turns {
    /// The event before the agent works on a prompt.
    pub prompt: &'static str,
    /// The events at the end of its work.
    pub ends: &'static [&'static str],
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
}

/// The answer to a prompt event that gives the model a text beside the prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PromptAnswer {
    /// `{"hookSpecificOutput":{"hookEventName":…,"additionalContext":…}}`.
    HookSpecific,
    /// `{"additionalContext":…}`.
    Flat,
}

/// The longest text for an agent of which no other limit was measured. Claude Code cuts more than 10,000
/// characters to the first 2,000 and names a file instead.
pub const MOST_CONTEXT: usize = 9_000;

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

/// What an event is for a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// A person's prompt: a turn begins.
    Prompt,
    /// The agent goes on by itself: a turn begins only if none is open.
    Continued,
    /// A turn ends.
    End,
}
