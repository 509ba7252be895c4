//! Prints the header, the pages and the summary of a review. Pure functions from a [`Review`] to text;
//! `harmless` escapes all text of the review, which comes from outside.

use std::path::PathBuf;

use alongside_desk::review_model::{Note, SeenPart, notes};
use alongside_desk::{Agent, ChangeKind, Review, messages};

use super::hunk_lines::{Origin, hunk_page, text_page};
use super::pages::{Page, Spot, layout_below};
use super::printer::{Ink, Inks, Layout, wrapped};

/// Returns all agents as one line. An agent without a stream has a remark.
pub(crate) fn agents(agents: &[Agent]) -> String {
    let name = |agent: &Agent| {
        let away = if agent.listening { "" } else { " (away)" };
        messages::agent_name(agent) + away
    };
    let names: Vec<_> = agents.iter().map(name).collect();
    if names.is_empty() { "none".into() } else { names.join(", ") }
}

/// The fewest rows of the screen in which another hunk begins: its header, some context, some lines, the
/// prompt.
const MIN_ROWS_FOR_HUNK: usize = 10;

/// The note about a change that leaves the file empty.
pub(crate) const EMPTIES: &str = "It empties the file.";

/// Returns the header of a review: its file, its agent, its size, and the notes.
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
    let [_, proposed, _] = review.texts();
    let crlf = proposed.is_crlf() && review.file_line_ending.is_none();
    let crlf = crlf.then(|| "Its line endings are CRLF, and stay so.".to_owned());
    let empties = messages::empties(review).then(|| inks.ink(Ink::Warning, EMPTIES));
    titled(&title, notes.chain(empties).chain(crlf), inks)
}

/// Returns a title with notes below it, which are escaped already.
pub(crate) fn titled(title: &str, notes: impl Iterator<Item = String>, inks: Inks) -> String {
    let notes = notes.map(|note| format!("  note: {note}"));
    std::iter::once(inks.ink(Ink::Heading, title)).chain(notes).collect::<Vec<_>>().join("\n")
}

/// Prints the pages at the person's place in a proposal, from a spot on. After the last hunk, there is none.
pub(super) fn place(review: &Review, hunk: usize, from: Spot, layout: Layout) -> Vec<Page> {
    match review.hunks.get(hunk) {
        Some(hunk) => vec![hunk_page(Origin::Proposal, review, hunk, from, layout)],
        None if review.whole_file_only.is_some() => whole(Origin::Proposal, review, from, layout),
        None => Vec::new(),
    }
}

/// Prints the pages of a review without hunks to decide on, from a spot on: a page of its text, or pages of
/// as many hunks as fit the screen.
pub(super) fn whole(origin: Origin, review: &Review, from: Spot, mut layout: Layout) -> Vec<Page> {
    if review.hunks.is_empty() {
        return vec![text_page(review, from, layout)];
    }
    let (mut pages, mut at) = (Vec::new(), from);
    while let Some(hunk) = review.hunks.get(at.hunk) {
        let mut page = hunk_page(origin, review, hunk, at, layout);
        layout = layout_below(layout, &page.text);
        at = Spot { hunk: at.hunk + 1, ..Spot::default() };
        let left = review.hunks.len() - at.hunk;
        let is_full = page.next.is_some() || layout.rows.is_some_and(|rows| rows < MIN_ROWS_FOR_HUNK);
        if page.next.is_none() && is_full && left > 0 {
            page.next = Some(at);
            let more = format!("... ({} more; m shows the next ones)", messages::changes(left));
            page.text += &format!("\n{}", wrapped(&more, layout));
        }
        pages.push(page);
        if is_full {
            break;
        }
    }
    pages
}

/// Returns the summary at the end of a review: the numbers of kept, dropped and edited hunks, and the seen
/// part.
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
