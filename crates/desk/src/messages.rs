//! The sentences that all desks use. Every text from outside goes through [`harmless`].

mod ends;
mod names;
mod reasons;
mod rules;
mod sentences;
mod size;

use std::path::{Path, PathBuf};

pub use ends::{
    closed, edits_left_out, last_word, not_written, unawaited, waits_again, waits_for_its_person,
    waits_no_longer, written_as_proposed,
};
pub use names::{agent_name, file_name, may_end_turn_by_rejection, short_name};
pub use reasons::{
    REASON_REMOVED, REASON_RESTORED, dropped_with_reason, no_reason, reason_in_one_line, reason_noted,
    reason_of_change_noted, why,
};
pub use rules::{
    GRANTS_WITHDRAWN, NOTHING_ACCEPTED, accept_ahead, acceptance, accepted_by_rule, broken_off, granted,
    granted_place,
};
pub use sentences::{capital, sentence};
pub use size::{changes, coarse_changes, empties, hunk_states, line_counts, other_form, size, states};

use crate::error_text::without_error_codes;
use crate::harmless;
use crate::review::decision::Refusal;
use crate::review::moved_lines::Moved;
use crate::review::{Hunk, Lines, Review};

/// The companion stopped while the desk was open.
pub const COMPANION_STOPPED: &str = "The companion has stopped; open reviews are rejected.";

/// The desk ends while its editor is open, and the companion has the text that the person saved there.
pub const SAVED_TEXT_IN_DRAFTS: &str = "Your saved text is in `alongside drafts`.";

/// The editor ended without a change.
pub const EDITOR_CHANGED_NOTHING: &str = "You changed nothing in the editor.";

/// The review ended after it received the saved text, and before the editor ended.
pub const SAVED_BEFORE_THE_END: &str = "The review ended after it took your saved text.";

/// The reason why the companion refuses a text from the person's editor.
pub const CHANGED_WHILE_EDITED: &str = "another desk changed the review while you edited";

/// The person typed before they could see the text on which the input would act.
pub const TYPED_TOO_SOON: &str = "Ignored: you typed that before this was on the screen.";

/// There is no review to act on.
pub const NO_REVIEW: &str = "Nothing to review.";

/// An undo was carried out.
pub const UNDONE: &str = "Undone.";

/// A redo was carried out.
pub const REDONE: &str = "Redone.";

/// There is no hunk before this one.
pub const FIRST_CHANGE: &str = "This is the first change.";

/// A finish of a turn review could not undo all marked changes: a new baseline would hide those that are
/// left.
pub const REVIEW_STAYS: &str =
    "A refused change is not forgotten: the review stays open until a finish refuses none.";

/// A rename that is also in git's index is undone only on disk.
pub const INDEX_STAYS: &str = "Git's index stays as it is: `git restore --staged` takes a git mv out of it.";

/// Returns the message that the person has added a file, or lines of it, to the prompt of an agent.
pub fn mentioned(file: &str, lines: Option<Lines>, agent: &str, roots: &[PathBuf]) -> String {
    let (name, agent) = (file_name(file, roots), harmless::name(agent));
    let lines = lines.map_or_else(String::new, |lines| match (lines.start + 1, lines.end) {
        (first, last) if last > first => format!(", lines {first} to {last}"),
        (first, _) => format!(", line {first}"),
    });
    format!("{name}{lines}: added to your prompt in {agent}.")
}

/// Returns the reasons why accepting may do harm, each as a sentence and in a few capitals: the write would
/// leave the project, or git or agents would obey the file.
pub fn dangers(review: &Review) -> impl Iterator<Item = (String, &'static str)> {
    let real = review.in_git.as_deref().map(harmless::name);
    let in_git = real.map(|real| (format!("Git runs or obeys this file: {real}"), "RUN BY GIT"));
    let real = review.of_agents.as_deref().map(harmless::name);
    let of_agents = real.map(|real| {
        (format!("Agents take settings or instructions from this file: {real}"), "OBEYED BY AGENTS")
    });
    let outside = outside(review).map(|said| (said, "OUTSIDE THE PROJECT"));
    outside.into_iter().chain(in_git).chain(of_agents)
}

/// Returns the warning about a write outside the project.
fn outside(review: &Review) -> Option<String> {
    let real = review.outside.as_deref()?;
    let shown = harmless::name(real);
    Some(if real == review.file {
        format!("This file is outside the project: {shown}")
    } else {
        format!("This path leads outside the project, to {shown}")
    })
}

/// Returns the message that reviews still wait when the person leaves. `kept_by`: the names of the parties
/// that keep them; without a `screen`, none of these parties shows reviews.
pub fn stays_open(waiting: usize, kept_by: &[String], screen: bool) -> String {
    if !screen {
        return match waiting {
            1 => "1 review still waits; `alongside` opens it again.".into(),
            _ => format!("{waiting} reviews still wait; `alongside` opens them again."),
        };
    }
    let stay = if waiting == 1 { "1 review stays".into() } else { format!("{waiting} reviews stay") };
    match keepers(kept_by) {
        Some(keepers) => format!("{stay} open in {keepers}."),
        None => format!("{stay} open."),
    }
}

/// Returns what becomes of these reviews, some of them of hooks, once no desk is open.
pub fn refused_alone(all: usize, by_hook: usize) -> String {
    match by_hook {
        1 if all == 1 => "without a desk its agent is refused after 30 s".into(),
        _ if by_hook == all => "without a desk their agents are refused after 30 s".into(),
        1 => "without a desk, 1 of them is refused after 30 s".into(),
        _ => format!("without a desk, {by_hook} of them are refused after 30 s"),
    }
}

/// Returns the names of the parties that keep a companion, in a few words.
pub fn keepers(names: &[String]) -> Option<String> {
    let shown = |name: &String| harmless::name(name).into_owned();
    Some(match names {
        [] => return None,
        [one] => shown(one),
        [one, other] => format!("{} and {}", shown(one), shown(other)),
        [one, others @ ..] => format!("{} and {} others", shown(one), others.len()),
    })
}

/// Returns a refusal as a sentence.
pub fn refusal(refusal: &Refusal) -> String {
    format!("{}.", harmless::name(&capital(&refusal.to_string())))
}

/// Returns the message that a review arrived. `waiting`: the number of waiting reviews; if there are several,
/// the person reads another one, and `key` goes to this one: `Tab: next`.
pub fn arrived(review: &Review, roots: &[PathBuf], waiting: usize, key: &str) -> String {
    let (name, agent) = (file_name(&review.file, roots), agent_name(&review.agent));
    match waiting {
        1 => format!("New review: {name} by {agent}."),
        _ => format!("New review: {name} by {agent}; {waiting} are waiting ({key})."),
    }
}

/// The most names in an announcement.
const MAX_NAMES: usize = 3;

/// Returns the message that several reviews arrived together. The parameters are those of [`arrived`].
pub fn arrived_together(reviews: &[&Review], roots: &[PathBuf], waiting: usize, key: &str) -> String {
    let mut names: Vec<_> = reviews.iter().map(|review| file_name(&review.file, roots)).collect();
    if names.len() > MAX_NAMES + 1 {
        let more = names.len() - MAX_NAMES;
        names.truncate(MAX_NAMES);
        names.push(format!("{more} more"));
    }
    let mut agents: Vec<_> = reviews.iter().map(|review| agent_name(&review.agent)).collect();
    agents.sort();
    agents.dedup();
    let agents = if agents.len() > 2 { format!("{} agents", agents.len()) } else { agents.join(" and ") };
    let (count, names) = (reviews.len(), names.join(", "));
    format!("{count} new reviews: {names} by {agents}; {waiting} are waiting ({key}).")
}

/// Returns the message about a new proposal, mostly shorter than a line.
pub fn proposes(review: &Review) -> String {
    proposes_for(review, &short_name(review))
}

/// Returns the message about a new proposal for the file with this name.
pub fn proposes_for(review: &Review, name: &str) -> String {
    format!("{}{name}: {} proposes {}", dangers_briefly(review), agent_name(&review.agent), size(review))
}

/// Returns the dangers of accepting, in capitals, to stand before the file's name; mostly empty.
pub fn dangers_briefly(review: &Review) -> String {
    let outside = if review.outside.is_some() { "OUTSIDE THE PROJECT: " } else { "" };
    let in_git = if review.in_git.is_some() { "RUN BY GIT: " } else { "" };
    format!("{outside}{in_git}")
}

/// Returns the message that the person paused or resumed the context. `key`: the key for both at this desk.
pub fn paused(paused: bool, key: char) -> String {
    match paused {
        true => format!("Context is paused: agents learn nothing about your files ({key} resumes)."),
        false => "Context is on: agents learn about your files.".into(),
    }
}

/// An edited hunk cannot be split into smaller ones.
pub const EDITED_NOT_SPLIT: &str = "An edited change cannot be split.";

/// Returns the message that the person split a hunk. There were `before` hunks, and there are `now`.
pub fn split(before: usize, now: usize) -> String {
    format!("Split into {}.", changes((now + 1).saturating_sub(before)))
}

/// Returns the heading of a dropped change, above the lines that the agent proposed.
pub fn dropped(hunk: &Hunk) -> String {
    format!("dropped: {}", new_lines(hunk))
}

/// Returns the heading of a marked change of a turn, above the lines that the finish undoes.
pub fn to_be_undone(hunk: &Hunk) -> String {
    format!("to be undone: {}", new_lines(hunk))
}

/// Returns the remark on a moved block, below the change that removes it.
pub fn moved_away(block: &Moved) -> String {
    format!("Lines {} moved to lines {}.", numbers(block.original), numbers(block.current))
}

/// Returns the remark on a moved block, below the change that adds it.
pub fn moved_here(block: &Moved) -> String {
    format!("Lines {} moved here from lines {}.", numbers(block.current), numbers(block.original))
}

/// Returns the numbers of several lines: `4–7`.
fn numbers(lines: Lines) -> String {
    format!("{}–{}", lines.start + 1, lines.end)
}

/// Returns the number of lines that a change adds, in words.
fn new_lines(hunk: &Hunk) -> String {
    let lines = |lines: usize| if lines == 1 { "1 line".to_owned() } else { format!("{lines} lines") };
    match (hunk.original.len(), hunk.proposed.len()) {
        (removed, 0) => format!("the removal of {}", lines(removed)),
        (0, 1) => "1 added line".to_owned(),
        (0, added) => format!("{added} added lines"),
        (removed, added) => format!("{} in place of {removed}", lines(added)),
    }
}

/// Returns the message that the review has the text that the person typed in the editor. `hunks`: the
/// number of its hunks now; `None` if the review has ended since.
pub fn edit_taken(hunks: Option<usize>) -> String {
    match hunks {
        Some(hunks) => format!("Edit applied: {}.", changes(hunks)),
        None => SAVED_BEFORE_THE_END.to_owned(),
    }
}

/// Returns the message that the editor failed. `left`: the file with the text that the person typed, if there
/// is any.
pub fn editor_failed(why: &str, left: Option<&Path>) -> String {
    let why = without_error_codes(&harmless::name(why));
    match left {
        None => format!("The review is unchanged: {why}."),
        Some(path) => format!("The review is unchanged: {why}. Your text is in {}.", harmless::path(path)),
    }
}

/// Returns the message that the companion refused the typed text, which `e` opens again. `place` is harmless.
pub fn text_refused(name: &str, place: &str) -> String {
    format!("{name}: {CHANGED_WHILE_EDITED}. e opens your text again; a copy is in {place}.")
}

/// Returns the message that no companion received the typed text. `place` is harmless; without it, the
/// message contains the text.
pub fn text_kept(name: &str, why: &str, place: Option<&str>, text: &str) -> String {
    match place {
        Some(place) => format!("{name}: {why}. Your text is in {place}."),
        None => format!("{name}: {why}. This is your text:\n{}", harmless::text(text)),
    }
}

#[cfg(test)]
mod tests;
