//! The sentences that only the terminal desk shows. The sentences of all desks are in
//! `alongside_desk::messages`.

use alongside_desk::review_model::HookAgent;
use alongside_desk::{harmless, messages};

use crate::review_page::ReviewKind;

/// The lines on the screen while no agent is connected.
pub(crate) const NO_AGENT: &[&str] = &[
    "No agent is connected yet.",
    "",
    "Start an agent in this project, in another terminal (Claude Code as",
    "claude --ide). It finds this desk by itself. One that already runs",
    "finds it when restarted, or with /ide enable (Claude Code: /ide).",
    "",
    "A change that it asks about appears here, and is not written before",
    "you accept it. T shows the changes that it made without asking.",
    "An agent that only has hooks, as Codex, is known from its first prompt.",
];

/// Returns the lines on the screen beside an agent that only has hooks, before its first prompt.
pub(crate) fn was_started(agent: &str) -> Vec<String> {
    let known = format!("{agent} was started with this desk; it is known here from its first prompt.");
    vec![known, String::new(), "T shows the changes that it makes without asking.".into()]
}

/// Returns the lines on the screen while no agent is connected and IDE mode is off in these agents.
pub(crate) fn ide_mode_is_off(agents: &str) -> Vec<String> {
    vec![
        format!("IDE mode is off in {agents}."),
        String::new(),
        "An agent connects to this desk only while its IDE mode is on.".into(),
        "Press i to see the change to its settings; y makes it.".into(),
        "Then start the agent in this project, in another terminal. In one".into(),
        "that runs already, type /ide enable.".into(),
    ]
}

/// The lines on the screen while agents are connected and no review waits.
pub(crate) const NO_REVIEW: &[&str] = &[
    "Nothing to review.",
    "",
    "A change that an agent asks about appears here, and is not written",
    "before you accept it. T shows the changes that it made without asking.",
];

/// The lines on the screen while no review waits and the hooks of all known agents only record turns.
pub(crate) const NO_PROPOSAL: &[&str] = &["Nothing to review."];

/// Returns the text about an agent that is not connected, but whose hook has sent a proposal or begun a turn.
pub(crate) fn by_hook(HookAgent { name, proposes }: &HookAgent) -> String {
    match proposes {
        true => format!("{name} is there: its hook brings its changes here."),
        false => format!("{name} notes its turns here: T shows what changed since your last look."),
    }
}

/// The lines on the screen if the settings switch reviews off.
pub(crate) const CONTEXT_ONLY: &[&str] = &[
    "Reviews are off in the settings.",
    "",
    "Agents learn about your files, and ask in their own prompts",
    "([reviews] enabled = false).",
];

/// The message while the desk searches for agents, after the person pressed the key for their set-up.
pub(crate) const SEARCHING_FOR_AGENTS: &str = "Looking for agents…";

/// The message if the search found no agent whose settings keep its proposals from the desk.
pub(crate) const NOTHING_TO_SET_UP: &str = "The installed agents are set up already.";

/// The message if no installed agent needs a change of its settings, and no agent is connected.
pub(crate) const SET_UP_BUT_NOT_STARTED: &str =
    "The installed agents are set up already. Start one in this project.";

/// The message if no agent is installed whose settings could keep its proposals from the desk.
pub(crate) const NO_AGENT_INSTALLED: &str =
    "No agent is installed that alongside knows: Gemini CLI, Qwen Code, Claude Code or Codex.";

/// The message in place of an empty list of messages.
pub(crate) const NO_MESSAGES: &str = "There are no messages so far.";

/// The message if a key would act on a hunk that was not on the screen. The desk now shows the hunk.
pub(crate) const LOOK_FIRST: &str = "The key acts on this change. Press it again.";

/// The message if the review on the screen has no hunk on which the key could act.
pub(crate) const NO_CHANGE_HERE: &str = "There is no change to decide on here.";

/// The message if the person tries to edit a proposal that can only be decided as a whole.
pub(crate) const WHOLE_ONLY: &str = "You can only accept or reject this proposal as a whole.";

/// The message after an edited hunk was dropped.
pub(crate) const EDIT_DROPPED: &str = "Edit dropped; u brings it back.";

/// Returns the message after several hunks were dropped or kept again. `edits`: the number of edited hunks
/// among them.
pub(crate) fn all_dropped(hunks: usize, is_kept: bool, edits: usize) -> String {
    let done = if is_kept { "Kept" } else { "Dropped" };
    let edits = match edits {
        0 => String::new(),
        1 => ", your edit too".into(),
        edits => format!(", {edits} of your edits too"),
    };
    format!("{done} {}{edits}; u undoes it.", alongside_desk::messages::changes(hunks))
}

/// The message after a number before a key that accepts no number.
pub(crate) const NO_NUMBER: &str = "A number goes with j, k, g and G; nothing was done.";

/// The message after the key that accepted ahead in an earlier release.
pub(crate) const F_MOVED: &str = "f only finishes the review of a turn; F accepts ahead.";

/// Returns the message after a key without a meaning.
pub(crate) fn unknown_key(key: char) -> String {
    format!("{} does nothing here; ? lists the keys.", harmless::name(&key.to_string()))
}

/// The message after scrolling to the side: long lines now begin at their first column, and not at their
/// change.
pub(crate) const SIDEWAYS: &str = "Scrolled to the side: 0 shows each long line at its change again.";

/// The message after a change was dropped together with its reason.
pub(crate) const DROPPED_WITH_REASON: &str = "Dropped, with your reason.";

/// The message if a review ended while the person typed a reason for it.
pub(crate) const REVIEW_ENDED: &str = "The review has ended.";

/// The sentence behind a message, if the companion does not have a reason that the person typed.
pub(crate) const REASON_COMES_BACK: &str = " R brings back what you typed.";

/// Returns the message after the person undid their last step in a review of this kind.
pub(crate) fn undone(kind: ReviewKind) -> &'static str {
    match kind {
        ReviewKind::Proposal => messages::UNDONE,
        // "Undone" would suggest that the file has changed on disk.
        ReviewKind::TurnFile => "Your last step is taken back.",
    }
}

/// Returns the message after the person redid a step in a review of this kind.
pub(crate) fn redone(kind: ReviewKind) -> &'static str {
    match kind {
        ReviewKind::Proposal => messages::REDONE,
        ReviewKind::TurnFile => "Your step is made again.",
    }
}

/// Returns the age of `since`, in a few letters. Both times are in ms since the Unix epoch.
pub(crate) fn ago(since: u64, now: u64) -> String {
    match now.saturating_sub(since) / 60_000 {
        0 => "now".into(),
        minutes @ 1..60 => format!("{minutes} min"),
        minutes @ 60..1440 => format!("{} h", minutes / 60),
        minutes => format!("{} d", minutes / 1440),
    }
}

/// Returns the message that the screen now shows `lines` unchanged lines around each change.
pub(crate) fn context_lines(lines: usize) -> String {
    format!("{lines} lines around each change.")
}

/// The message if the screen already shows all unchanged lines.
pub(crate) const ALL_CONTEXT: &str = "All lines are in sight.";

/// The message if the screen already shows the least number of unchanged lines.
pub(crate) const LEAST_CONTEXT: &str = "No fewer lines are shown around a change.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_short() {
        let minute = 60_000;
        for (passed, said) in
            [(0, "now"), (1, "1 min"), (59, "59 min"), (60, "1 h"), (1439, "23 h"), (2880, "2 d")]
        {
            assert_eq!(ago(minute, minute + passed * minute), said);
        }
        assert_eq!(ago(5, 0), "now", "a clock that was put back");
    }
}
