//! A review as lines: its header, its pages, its summary. Pure functions from a [`Review`] to text;
//! everything in the review is somebody else's and goes through `harmless`.

use std::path::PathBuf;

use alongside_desk::review_model::{Note, Seen, notes};
use alongside_desk::{Agent, ChangeKind, Hunk, Review, messages};

use super::hunk_lines::{Origin, Page, hunk_page, is_crlf, pages, text_page};
use super::printer::{Ink, Inks, Look};

/// All agents in one line; those that do not listen are marked.
pub(crate) fn agents(agents: &[Agent]) -> String {
    let name = |agent: &Agent| {
        let away = if agent.listening { "" } else { " (away)" };
        messages::agent_name(agent) + away
    };
    let names: Vec<_> = agents.iter().map(name).collect();
    if names.is_empty() { "none".into() } else { names.join(", ") }
}

/// The note of a file that loses all its text.
pub(crate) const EMPTIES: &str = "It empties the file.";

/// The header of a review: file, agent, size, and the notes.
pub(crate) fn header(review: &Review, roots: &[PathBuf], inks: Inks) -> String {
    let name = messages::file_name(&review.file, roots);
    let (agent, size) = (messages::agent_name(&review.agent), messages::size(review));
    let (added, removed) = messages::line_counts(review);
    let title = if review.current == review.proposed {
        format!("{name}: {agent} proposes {size} (+{added} -{removed})")
    } else {
        format!("{name}: {agent}'s proposal, {size} now (+{added} -{removed})")
    };
    let note = |note: Note| match note.warning {
        true => inks.ink(Ink::Warning, &note.text),
        false => note.text,
    };
    let notes = notes(review, roots).into_iter().map(note);
    let crlf = is_crlf(&review.proposed) && review.file_line_ending.is_none();
    let crlf = crlf.then(|| "Its line endings are CRLF, and stay so.".to_owned());
    let empties = messages::empties(review).then(|| inks.ink(Ink::Warning, EMPTIES));
    titled(&title, notes.chain(empties).chain(crlf), inks)
}

/// A title, and its notes below it. All are harmless already.
pub(crate) fn titled(title: &str, notes: impl Iterator<Item = String>, inks: Inks) -> String {
    let notes = notes.map(|note| format!("  note: {note}"));
    std::iter::once(inks.ink(Ink::Mark, title)).chain(notes).collect::<Vec<_>>().join("\n")
}

/// A page of a hunk of a proposal.
pub(super) fn hunk(review: &Review, hunk: &Hunk, page: usize, look: Look) -> Page {
    hunk_page(Origin::Proposal, review, hunk, page, look)
}

/// The pages of a review without hunks to decide on: those of the hunks that are long enough, or that of its
/// text.
pub(super) fn whole(review: &Review, page: usize, look: Look) -> Vec<Page> {
    let has_page = |hunk: &&Hunk| page < pages(hunk, look);
    match &*review.hunks {
        [] => vec![text_page(review, page, look)],
        hunks => hunks.iter().filter(has_page).map(|of| hunk(review, of, page, look)).collect(),
    }
}

/// A hunk of a file of a turn as a unified diff, as far as its first page goes.
pub(crate) fn turn_hunk(review: &Review, hunk: &Hunk, inks: Inks) -> String {
    hunk_page(Origin::Turn, review, hunk, 0, Look { inks, columns: None, rows: None }).text
}

/// The summary at the end of a review: how many hunks are kept, dropped and edited, and how much was printed.
pub(super) fn summary(review: &Review, seen: Seen, roots: &[PathBuf]) -> String {
    let name = messages::file_name(&review.file, roots);
    if review.original.as_deref() == Some(&*review.current) {
        if review.kind == Some(ChangeKind::Move) {
            return format!("{name}: none of the changes is left; the file would be moved as it is.");
        }
        return format!("{name}: nothing is left of the proposal; the file would stay as it is.");
    }
    let states = messages::hunk_states(review);
    let changes = messages::changes(review.hunks.len());
    match (states.is_empty(), seen.is_all()) {
        (true, true) => format!("{name}: you have seen all of it."),
        (true, false) => format!("{name}: {}", seen.unseen()),
        (false, true) => format!("{name}: {changes}: {states}."),
        (false, false) => format!("{name}: {changes}: {states}; {}.", seen.text()),
    }
}

#[cfg(test)]
mod tests;
