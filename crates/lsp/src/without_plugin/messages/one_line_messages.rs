//! Messages for an editor that shows one line and cuts off the rest: the fact first, and short names.

use std::path::PathBuf;

use alongside_desk::messages::dangers_briefly;
use alongside_desk::path_fit::{fitted, shortened};
use alongside_desk::{Agent, Closed, Closing, Problem, Review, harmless, messages};
use unicode_width::UnicodeWidthStr as _;

use super::{agent_name, file_name};

/// The longest name of an agent in a message of one line, in columns.
const MAX_AGENT: usize = 24;

/// Returns a new proposal, in an editor where everybody opens it with these keys. `others` wait besides: this
/// message replaces theirs.
pub(crate) fn announced(review: &Review, roots: &[PathBuf], key: &str, others: usize) -> String {
    let name = file_name(review, roots);
    let others = if others == 0 { String::new() } else { format!(" ({})", waiting(others)) };
    match dangers_briefly(review).as_str() {
        "" => format!("{} proposes {name}{others}: {key}", shortened(&agent_name(review), MAX_AGENT)),
        // The keys matter more than the agent's name.
        dangers => format!("{dangers}{name}{others}: {key}"),
    }
}

/// Returns the number of the other proposals that wait.
fn waiting(others: usize) -> String {
    let verb = if others == 1 { "waits" } else { "wait" };
    format!("{others} more {verb}")
}

/// The other reviews that still wait, and the line that names them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Others {
    pub(crate) count: usize,
    pub(crate) key: &'static str,
    pub(crate) columns: usize,
}

/// Returns the end of a review, and the keys for the others that still wait: shorter forms of the end where
/// both would not fit.
pub(crate) fn ended_beside(
    review: &Review,
    closed: &Closed,
    roots: &[PathBuf],
    reload: Option<Reload>,
    others: Option<Others>,
) -> String {
    let said = ended(review, closed, roots, reload);
    // These end all reviews, and the newer proposal is announced by itself.
    let is_one = !matches!(
        closed.closing,
        Closing::Replaced | Closing::Stopped | Closing::EditorGone | Closing::Interrupted | Closing::TimedOut
    );
    let Some(Others { count, key, columns }) = others.filter(|others| is_one && others.count > 0) else {
        return said;
    };
    let others = format!("{}: {key}", waiting(count));
    let name = file_name(review, roots);
    let reload = reload.filter(|_| !closed.follows.needs_another_call());
    let short = match (closed.closing, &closed.draft, reload) {
        (Closing::Accepted, None, Some(reload)) if closed.decided_here => {
            format!("{name}: accepted ({}).", reload.remedy(review.dirty))
        }
        _ => said.clone(),
    };
    let said = if said.ends_with('.') { said } else { format!("{said}.") };
    let fits = |said: &String| fitted(said.clone(), &name, columns).width() <= columns;
    [format!("{said} {others}"), format!("{short} {others}")].into_iter().find(fits).unwrap_or(said)
}

/// Returns the message that a command names no review, and several wait.
pub(crate) fn several(actions_key: &str) -> String {
    format!("Several reviews are waiting. Choose one with {actions_key}.")
}

/// Accepting despite doubts needs a second command. The end may be cut off.
pub(crate) fn insist(doubts: &str) -> String {
    format!("Run the command again to accept anyway: {doubts}")
}

/// The command by which a person sees the text that an agent writes, in an editor that does not read files
/// again by itself.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reload {
    /// Reads the file in front again, and drops unsaved text in it.
    pub(crate) command: &'static str,
    /// The file is in front.
    pub(crate) is_in_front: bool,
}

impl Reload {
    fn remedy(self, is_dirty: bool) -> String {
        let Self { command, is_in_front } = self;
        match (is_in_front, is_dirty) {
            (true, false) => format!("{command} shows it"),
            (true, true) => format!("{command} shows it, drops unsaved text"),
            (false, false) => format!("open it and {command}"),
            (false, true) => format!("open it; {command} drops unsaved text"),
        }
    }
}

/// Returns the end of a review, in one line: the commands of the program name the draft.
pub(crate) fn ended(review: &Review, closed: &Closed, roots: &[PathBuf], reload: Option<Reload>) -> String {
    let (name, agent) = (file_name(review, roots), shortened(&agent_name(review), MAX_AGENT));
    let agent = Agent { name: agent, ..review.agent.clone() };
    let reload = reload.filter(|_| !closed.follows.needs_another_call());
    let without_draft = Closed { draft: None, ..closed.clone() };
    let said =
        messages::closed(&Review { agent: agent.clone(), ..review.clone() }, &without_draft, roots, false);
    // The second half says how the agent learns of the end, or why it came.
    let after_name = said.strip_prefix(&format!("{name}: ")).unwrap_or(&said);
    let fact = match closed.closing {
        Closing::Replaced => format!("{} proposes this file anew", agent.name),
        _ => {
            let first = after_name.split([';', ',']).next().unwrap_or_default();
            first.trim_end_matches('.').to_owned()
        }
    };
    let fact = format!("{name}: {fact}");
    match (&closed.draft, closed.closing, reload) {
        // The companion reports edits that the agent left out.
        (_, Closing::AnsweredInAgent, _) => said,
        (Some(_), ..) => format!("{fact}. Your edits: alongside drafts"),
        (None, Closing::Replaced, _) => format!("{fact}."),
        (None, Closing::Accepted, Some(reload)) if closed.decided_here => {
            format!("{} ({}).", said.trim_end_matches('.'), reload.remedy(review.dirty))
        }
        (None, Closing::Accepted, Some(reload)) => format!("{fact}; {}.", reload.remedy(review.dirty)),
        (None, ..) => said,
    }
}

/// Returns a problem in one line, for the next message replaces the last one. The end may be cut off.
pub(crate) fn problem(problem: &Problem) -> String {
    let fact = harmless::name(&problem.what);
    match &problem.hint {
        Some(hint) => format!("{fact}: {}", harmless::name(hint)),
        None => fact.into_owned(),
    }
}
