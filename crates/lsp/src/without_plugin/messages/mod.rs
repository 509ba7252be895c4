//! All messages to the person at an editor without a plugin. Text from outside passes through [`harmless`].

pub(super) mod one_line_messages;
pub(super) mod plain_text;

use std::io;
use std::path::{Path, PathBuf};

use alongside_desk::agent_setup::SettingsOffer;
use alongside_desk::messages::short_name;
use alongside_desk::{
    HunkState, LineEnding, Lines, Refusal, Review, harmless, look_alikes, messages, without_error_codes,
};

/// Returns the file for a person: relative to its project, if it lies in one.
pub(crate) fn file_name(review: &Review, roots: &[PathBuf]) -> String {
    messages::file_name(&review.file, roots)
}

/// Returns the agent for a person.
pub(crate) fn agent_name(review: &Review) -> String {
    messages::agent_name(&review.agent)
}

/// Returns the size of a proposal, such as "2 changes".
pub(crate) fn changes(review: &Review) -> String {
    messages::size(review)
}

/// Returns the title of the action that shows a proposal.
pub(crate) fn show(review: &Review, roots: &[PathBuf], agent: &str) -> String {
    format!("Review: {} ({agent}, {})", file_name(review, roots), changes(review))
}

/// Returns a new proposal. `path` is its file if the editor cannot show it on request. `some`: this server
/// serves only some files.
pub(crate) fn announced(review: &Review, roots: &[PathBuf], path: Option<&Path>, some: bool) -> String {
    let (name, agent, changes) = (file_name(review, roots), agent_name(review), changes(review));
    let how = match path {
        Some(path) => format!("Open {} to see it.", harmless::path(path)),
        None if some => "Run the code action `Review: …` in a file that alongside serves.".into(),
        None => "Run the code action `Review: …` in any file.".into(),
    };
    let dangers: String = messages::dangers(review).map(|(danger, _)| format!(" {danger}!")).collect();
    format!("{name}: {agent} proposes {changes}. {how}{dangers}")
}

/// Returns the differences between proposal and file that no hunk shows, if any; mostly in less than a line.
pub(crate) fn hidden_differences(review: &Review) -> Option<String> {
    let endings = review.file_line_ending.map(|ending| match ending {
        LineEnding::Crlf => "CRLF in the file, LF proposed",
        LineEnding::Lf => "LF in the file, CRLF proposed",
    });
    let mark = review.file_has_bom.map(|has| match has {
        true => "BOM in the file, none proposed",
        false => "BOM proposed, none in the file",
    });
    let said: Vec<_> = endings.into_iter().chain(mark).collect();
    (!said.is_empty()).then(|| format!("{}: {}", short_name(review), said.join("; ")))
}

/// Returns the message that the proposal differs too much to be compared line by line; editors mark no words.
pub(crate) fn coarse_changes(review: &Review) -> Option<String> {
    let coarse = messages::coarse_changes(review)?;
    Some(format!("{}: {coarse}", short_name(review)))
}

/// Returns the message that some lines differ from the original and look the same.
pub(crate) fn hard_to_see(review: &Review) -> Option<String> {
    let said = look_alikes::hard_to_see_in(review)?;
    Some(format!("{}: {said}", short_name(review)))
}

/// Returns the message that the editor shows a proposal without this server; mostly in less than a line.
/// `command` gives its language to this server.
pub(crate) fn shown_without_server(review: &Review, command: Option<&str>) -> String {
    let name = short_name(review);
    let said = format!("{name} has no actions here. Save your text, decide in another file.");
    match command {
        Some(command) => format!("{said} (`{command}` gives this language to alongside.)"),
        None => said,
    }
}

/// Returns the message that the text that the person saved in such a proposal cannot be read.
pub(crate) fn saved_text_unread(error: &io::Error) -> String {
    without_error_codes(&format!("The text that you saved does not count: cannot read it ({error})."))
}

/// Returns the message that the proposal has no file.
pub(crate) fn no_file(review: &Review, roots: &[PathBuf]) -> String {
    format!("{}: cannot write the proposal to a private file.", file_name(review, roots))
}

/// Returns the message that the editor cannot show the proposal on request.
pub(crate) fn open_by_hand(review: &Review, roots: &[PathBuf], path: &Path) -> String {
    format!("{}: open {} to see the proposal.", file_name(review, roots), harmless::path(path))
}

/// Another desk has changed a proposal that the person has open, and the editor shows that or not.
pub(crate) fn changed_elsewhere(review: &Review, roots: &[PathBuf], is_shown: bool) -> String {
    let name = file_name(review, roots);
    match is_shown {
        true => format!("{name}: changed at another desk; this is how it stands now."),
        false => format!("{name}: changed at another desk; your next action on it shows that."),
    }
}

/// Returns the message that the file has changed since the proposal, which waits.
pub(crate) fn became_stale(review: &Review, roots: &[PathBuf]) -> String {
    format!("{}: changed on disk; accepting undoes that change.", file_name(review, roots))
}

/// Returns the message that the companion does not take the person's text, and the editor keeps it.
pub(crate) fn edit_refused(refusal: &Refusal) -> String {
    format!("Your text is only in this buffer. {}", messages::refusal(refusal))
}

/// Returns the message that the person has saved a proposal, which is rejected when it is closed without
/// edits.
pub(crate) fn saved(has_edits: bool, actions_key: Option<&str>) -> String {
    let closing = if has_edits { "the proposal waits" } else { "closing rejects the proposal" };
    let actions = actions_key.unwrap_or("A code action");
    format!("Saving accepts nothing, and {closing}. {actions} decides.")
}

/// Returns the message that the person has closed a proposal; the editor asks whether that rejects it.
pub(crate) fn closed(review: &Review, roots: &[PathBuf]) -> String {
    format!("{}: you closed the proposal.", file_name(review, roots))
}

/// Returns the message that the person has closed a proposal that has their edits.
pub(crate) fn closed_with_edits(review: &Review, roots: &[PathBuf]) -> String {
    let name = file_name(review, roots);
    format!("{name}: not rejected: the proposal has your edits. It still waits.")
}

/// Returns the message that a command names no review, and several wait.
pub(crate) fn several<'a>(
    command: &str,
    reviews: impl Iterator<Item = &'a Review>,
    roots: &[PathBuf],
) -> String {
    let reviews: Vec<_> = reviews
        .map(|review| {
            let (name, agent) = (file_name(review, roots), agent_name(review));
            format!("{}: {name} ({agent}, {})", review.id, changes(review))
        })
        .collect();
    format!("Several reviews are waiting. Choose one with `{command} NUMBER`: {}", reviews.join("; "))
}

/// Accepting despite doubts needs a second command.
pub(crate) fn insist(doubts: &str) -> String {
    format!("{doubts}. Run the command again to accept anyway.")
}

/// Returns the message that the person has paused or resumed context.
pub(crate) fn paused(is_paused: bool) -> &'static str {
    match is_paused {
        true => "Paused: agents learn nothing about your files. alongside.pause resumes.",
        false => "Resumed: agents learn about your files again.",
    }
}

/// The answers to the announcement of a review; the first one changes nothing.
pub(crate) const LATER: &str = "Later";
pub(crate) const REVIEW: &str = "Review";
/// The answers to a closed proposal; the first one changes nothing.
pub(crate) const WAIT: &str = "Let it wait";
pub(crate) const REJECT: &str = "Reject";

/// These agents find no editor.
pub(crate) fn ide_mode_is_off(agents: &str, actions_key: Option<&str>) -> String {
    match actions_key {
        Some(key) => format!("IDE mode is off in {agents}: {key}"),
        None => format!("IDE mode is off in {agents}; a code action switches it on."),
    }
}

/// Returns the title of a change of an agent's settings. It fits into a menu of 80 columns, with the file.
pub(crate) fn agent_change(offer: &SettingsOffer) -> String {
    match offer.summary.as_str() {
        // The settings cannot be read; the attempt says why.
        "" => format!("alongside: {}", offer.question.trim_end_matches('?')),
        summary if offer.connects => format!("alongside: IDE mode on: {summary}"),
        summary => format!("alongside: Ask first: {summary}"),
    }
}

/// Returns the title of the action that sends lines to an agent.
pub(crate) fn send(lines: Lines, agent: &str) -> String {
    match (lines.start + 1, lines.end) {
        (first, last) if last > first => format!("alongside: Send lines {first} to {last} to {agent}"),
        (first, _) => format!("alongside: Send line {first} to {agent}"),
    }
}

pub(crate) const NOTHING_TO_SET_UP: &str = "The installed agents are set up already.";
pub(crate) const NO_REVIEW: &str = "Nothing to review.";
pub(crate) const ENDED: &str = "This review has already ended.";
/// The mark in a proposal whose review has ended, and that in the line that the person types there.
pub(crate) const ENDED_MARK: &str = "this review has ended";
pub(crate) const TYPED_LATE_MARK: &str = "this review has ended; text typed here goes to drafts";
/// The person types in a proposal whose review has ended. It fits into 80 columns, as do the next two.
pub(crate) const TYPED_LATE: &str = "This review has ended. Saving moves your text to `alongside drafts`.";
/// The text that the person typed after the end is among the drafts.
pub(crate) const LATE_TEXT_KEPT: &str =
    "This review has ended. Your text is in drafts: run `alongside drafts`.";
/// The person saves a proposal whose review has ended, without late text.
pub(crate) const SAVED_LATE: &str = "This review has ended: saving the proposal changes nothing.";

/// Returns the message that the text that the person typed after the end cannot be kept.
pub(crate) fn late_text_not_kept(error: &io::Error) -> String {
    let said = format!("This review has ended, and your text is not saved ({error}). Copy it to the file.");
    without_error_codes(&said)
}

pub(crate) const CHANGED_ELSEWHERE: &str = "Another desk changed this proposal since. Look at it again.";
pub(crate) const OVERWRITTEN: &str =
    "Your text has replaced what another desk typed in the same lines; undo there brings it back.";
pub(crate) const LOOK_BEFORE: &str =
    "Another desk had typed in the lines of your edit. Accept again if yours is right.";
pub(crate) const FILE_CHANGED: &str = "The file itself has changed since. Look at the proposal again.";
pub(crate) const EDIT_DROPPED: &str = "Your edit is no longer in the proposal. Undo brings it back.";
pub(crate) const NO_CHANGE_HERE: &str = "There is no change at the last known cursor position.";
pub(crate) const NO_ORIGINAL: &str = "There is no original: the file is new, or no text.";
pub(crate) const CANNOT_WRITE_ORIGINAL: &str = "Cannot write the original to a private file.";
pub(crate) const NOT_SHOWN: &str = "You would accept another text than you see. Reopen the proposal.";
/// Before the agent's lines, where the person has typed others.
pub(crate) const AGENT_PROPOSED: &str = "The agent proposed:";

/// Returns the message that the original is a file, in an editor that shows no documents on request.
pub(crate) fn original_by_hand(path: &Path) -> String {
    format!("Open {} to see the original.", harmless::path(path))
}

/// Returns a proposal, marked in its file. `lacks_actions`: this server offers no actions there.
pub(crate) fn mark(
    review: &Review,
    roots: &[PathBuf],
    actions_key: Option<&str>,
    lacks_actions: bool,
) -> String {
    let (name, agent, changes) = (file_name(review, roots), agent_name(review), changes(review));
    match actions_key {
        Some(key) => format!("{agent} proposes {changes}: {key}"),
        None if lacks_actions => {
            format!("{agent} proposes {changes}. Run `Review: {name}` in a file that alongside serves.")
        }
        None => format!("{agent} proposes {changes}. Run the code action `Review: {name}`."),
    }
}

/// Returns the hover on the announcement of a proposal. `actions` opens the code actions.
pub(crate) fn waiting_here(size: &str, actions: &str) -> String {
    format!("Proposed here: {size}. Open the proposal with {actions}.")
}

/// Returns the changes that the hover on an announcement leaves out, if any.
pub(crate) fn changes_left_out(count: usize) -> Option<String> {
    let noun = if count == 1 { "change" } else { "changes" };
    (count > 0).then(|| format!("… {count} more {noun} in the proposal"))
}

/// Returns a hunk among all, and its state.
pub(crate) fn change_state(
    number: usize,
    count: usize,
    state: HunkState,
    is_typed: bool,
    is_deleted: bool,
) -> String {
    let state = match state {
        HunkState::Kept => "kept",
        HunkState::Dropped => "dropped",
        HunkState::Edited if is_deleted => "deleted by you",
        HunkState::Edited if is_typed => "typed by you",
        HunkState::Edited => "edited by you",
    };
    format!("Change {number} of {count}: {state}.")
}

/// How to change the state of a hunk. `actions` opens the code actions.
pub(crate) fn change_again(state: HunkState, is_typed: bool, actions: &str) -> String {
    match state {
        HunkState::Kept => format!("Drop it with {actions}, or type your own text."),
        HunkState::Dropped => format!("Keep it with {actions}."),
        HunkState::Edited if is_typed => format!("Take it out with {actions}."),
        HunkState::Edited => {
            format!("Drop it or take the agent's text with {actions}; both drop your edit.")
        }
    }
}

/// Returns a proposal without hunks that a person can change.
pub(crate) fn decide_whole(actions: &str) -> String {
    format!("Accept or reject the whole file with {actions}.")
}

/// Returns the way from a line without a change to the next one, or to the last one.
pub(crate) fn change_elsewhere(is_next: bool, line: usize, number: usize, count: usize) -> String {
    let which = if is_next { "next" } else { "last" };
    format!("The {which} change ({number} of {count}) is at line {line}.")
}

/// Returns the reasons for a second look before accepting, if any.
pub(crate) fn doubts(review: &Review, roots: &[PathBuf]) -> Option<String> {
    let name = file_name(review, roots);
    let outside = review.outside.as_deref();
    let outside = outside.map(|real| format!("leads outside the project, to {}", harmless::name(real)));
    let in_git = review.in_git.as_deref();
    let in_git = in_git.map(|real| format!("leads to {}, which git runs or obeys", harmless::name(real)));
    let stale = review.stale.then(|| "has changed on disk since".to_owned());
    let dirty = review.dirty.then(|| "has unsaved changes".to_owned());
    let doubts: Vec<_> = outside.into_iter().chain(in_git).chain(stale).chain(dirty).collect();
    (!doubts.is_empty()).then(|| format!("{name} {}", doubts.join(" and ")))
}
