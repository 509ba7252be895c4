//! A review as lines: its header, its pages, its summary. Pure functions from a [`Review`] to text;
//! everything in the review is somebody else's and goes through `harmless`.

use std::path::PathBuf;

use alongside_desk::review_model::{Note, SeenPart, notes};
use alongside_desk::{Agent, ChangeKind, Review, messages};

use super::hunk_lines::{Origin, hunk_page, is_crlf, text_page};
use super::pages::{Page, Spot, below};
use super::printer::{Ink, Inks, Look, wrapped};

/// All agents in one line; those that do not listen are marked.
pub(crate) fn agents(agents: &[Agent]) -> String {
    let name = |agent: &Agent| {
        let away = if agent.listening { "" } else { " (away)" };
        messages::agent_name(agent) + away
    };
    let names: Vec<_> = agents.iter().map(name).collect();
    if names.is_empty() { "none".into() } else { names.join(", ") }
}

/// A change begins in no fewer rows than these: its place, some context, some lines, and the prompt.
const FEWEST_ROWS_FOR_HUNK: usize = 10;

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

/// The pages at the person's place in a proposal, from a spot on; none behind its last hunk.
pub(super) fn place(review: &Review, hunk: usize, from: Spot, look: Look) -> Vec<Page> {
    match review.hunks.get(hunk) {
        Some(hunk) => vec![hunk_page(Origin::Proposal, review, hunk, from, look)],
        None if review.whole_file_only.is_some() => whole(Origin::Proposal, review, from, look),
        None => Vec::new(),
    }
}

/// The pages of a review without hunks to decide on, from a spot on: those of as many hunks as there are rows
/// for, or that of its text.
pub(super) fn whole(origin: Origin, review: &Review, from: Spot, mut look: Look) -> Vec<Page> {
    if review.hunks.is_empty() {
        return vec![text_page(review, from, look)];
    }
    let (mut pages, mut at) = (Vec::new(), from);
    while let Some(of) = review.hunks.get(at.hunk) {
        let mut page = hunk_page(origin, review, of, at, look);
        look = below(look, &page.text);
        at = Spot { hunk: at.hunk + 1, ..Spot::default() };
        let left = review.hunks.len() - at.hunk;
        let is_full = page.next.is_some() || look.rows.is_some_and(|rows| rows < FEWEST_ROWS_FOR_HUNK);
        if page.next.is_none() && is_full && left > 0 {
            page.next = Some(at);
            let more = format!("... ({} more; m shows the next ones)", messages::changes(left));
            page.text += &format!("\n{}", wrapped(&more, look));
        }
        pages.push(page);
        if is_full {
            break;
        }
    }
    pages
}

/// The summary at the end of a review: how many hunks are kept, dropped and edited, and how much was printed.
pub(super) fn summary(review: &Review, seen: SeenPart, roots: &[PathBuf]) -> String {
    let name = messages::file_name(&review.file, roots);
    if review.original.as_deref() == Some(&*review.current) {
        if review.kind == Some(ChangeKind::Move) {
            return format!("{name}: none of the changes is left; the file would be moved as it is.");
        }
        if let Some(form) = messages::other_form(review).filter(|_| review.current == review.proposed) {
            return format!("{name}: nothing but {form}.");
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
