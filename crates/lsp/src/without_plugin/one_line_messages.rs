//! Messages for an editor that shows one line and cuts off the rest: the fact first, and short names.

use std::path::PathBuf;

use alongside_desk::{Agent, Closed, Closing, Problem, Review, harmless, messages};

use super::messages::{agent_name, dangers_briefly, file_name};
use super::shortened::shortened;

/// The longest name of an agent in a message of one line, in columns.
const MAX_AGENT: usize = 24;

/// A new proposal, in an editor where everybody opens it with these keys.
pub(crate) fn announced(review: &Review, roots: &[PathBuf], key: &str) -> String {
    let name = file_name(review, roots);
    match dangers_briefly(review).as_str() {
        "" => format!("{} proposes {name}: {key}", shortened(&agent_name(review), MAX_AGENT)),
        // They matter more than the agent's name.
        dangers => format!("{dangers}{name}: {key}"),
    }
}

/// A command names no review, and several wait.
pub(crate) fn several(actions_key: &str) -> String {
    format!("Several reviews are waiting. Choose one with {actions_key}.")
}

/// Accepting despite doubts needs a second command. The end may be cut off.
pub(crate) fn insist(doubts: &str) -> String {
    format!("Run the command again to accept anyway: {doubts}")
}

/// The end of a review, in one line: the commands of the program name the draft.
pub(crate) fn ended(review: &Review, closed: &Closed, roots: &[PathBuf]) -> String {
    let (name, agent) = (file_name(review, roots), shortened(&agent_name(review), MAX_AGENT));
    let agent = Agent { name: agent, ..review.agent.clone() };
    match (&closed.draft, closed.closing) {
        (Some(_), closing) => {
            let ended = match closing {
                Closing::Accepted => "accepted",
                Closing::Rejected | Closing::Stopped | Closing::EditorGone | Closing::Interrupted => {
                    "rejected"
                }
                Closing::AnsweredInAgent | Closing::Replaced | Closing::AgentGone => "this review has ended",
            };
            format!("{name}: {ended}. Your edits: alongside drafts")
        }
        (None, Closing::Replaced) => format!("{name}: {} proposes this file anew.", agent.name),
        (None, _) => messages::closed(&Review { agent, ..review.clone() }, closed, roots, false),
    }
}

/// A problem in one line, for the next message replaces the last one. The end may be cut off.
pub(crate) fn problem(problem: &Problem) -> String {
    let fact = harmless::name(&problem.what);
    match &problem.hint {
        Some(hint) => format!("{fact}: {}", harmless::name(hint)),
        None => fact.into_owned(),
    }
}
