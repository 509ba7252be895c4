//! A review as lines: its header, its hunks as a unified diff, its summary. Pure functions from a [`Review`]
//! to text; everything in the review is somebody else's and goes through [`harmless`].

use std::ops::Range;
use std::path::PathBuf;

use alongside_desk::review_model::notes;
use alongside_desk::{
    Agent, ChangeKind, Hunk, HunkState, Lines, Review, Text, harmless, look_alikes, messages,
};

use super::printer::{Ink, Inks};

/// Lines of context around a hunk.
const CONTEXT: usize = 3;

/// A line longer than this many characters is cut on the screen, never in the accepted text.
const LONGEST_LINE: usize = 2_000;

/// More lines than this in one go are cut on the screen, and counted.
const MOST_LINES: usize = 2_000;

/// The origin of the hunks that are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// A proposal: the current text is the one that may be accepted.
    Proposal,
    /// A turn: the proposed text is on disk, and dropped hunks are to be undone.
    Turn,
}

impl Origin {
    fn state(self, state: HunkState) -> &'static str {
        match (self, state) {
            (_, HunkState::Kept) => "",
            (Self::Proposal, HunkState::Dropped) => " dropped so far",
            (Self::Turn, HunkState::Dropped) => " marked to be undone",
            (_, HunkState::Edited) => " edited by hand",
        }
    }

    /// The first of the new lines, in the text whose lines the person knows by number.
    fn first_line(self, hunk: &Hunk) -> usize {
        match self {
            // Other hunks may have been dropped.
            Self::Proposal => hunk.current.start,
            Self::Turn => hunk.proposed.start,
        }
    }

    /// Whether `\r\n` ends lines throughout, so that `\r` is not worth showing on each.
    fn has_crlf(self, original: &str, proposed: &str) -> bool {
        match self {
            Self::Proposal => is_crlf(proposed),
            // Nothing is normalised there: line ends that changed are a change.
            Self::Turn => is_crlf(proposed) && (original.is_empty() || is_crlf(original)),
        }
    }

    /// The way to lines that are not shown.
    fn remedy(self) -> &'static str {
        match self {
            Self::Proposal => "; e shows the whole text in your editor",
            Self::Turn => "",
        }
    }
}

/// All agents in one line; those that do not listen are marked.
pub(crate) fn agents(agents: &[Agent]) -> String {
    let name = |agent: &Agent| {
        let away = if agent.listening { "" } else { " (away)" };
        messages::agent_name(agent) + away
    };
    let names: Vec<_> = agents.iter().map(name).collect();
    if names.is_empty() { "none".into() } else { names.join(", ") }
}

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
    let notes = notes(review, roots).into_iter().map(|note| note.text);
    let crlf = is_crlf(&review.proposed) && review.file_line_ending.is_none();
    let crlf = crlf.then(|| "Its line endings are CRLF, and stay so.".to_owned());
    titled(&title, notes.chain(crlf), inks)
}

/// A title, and its notes below it. All are harmless already.
pub(crate) fn titled(title: &str, notes: impl Iterator<Item = String>, inks: Inks) -> String {
    let notes = notes.map(|note| format!("  note: {note}"));
    std::iter::once(inks.ink(Ink::Mark, title)).chain(notes).collect::<Vec<_>>().join("\n")
}

/// A hunk as a unified diff, and below it why lines that look the same differ, and the person's reason. The
/// context is the file as it is, whatever other hunks make of it.
pub(crate) fn hunk(review: &Review, hunk: &Hunk, inks: Inks) -> String {
    diff(Origin::Proposal, review, hunk, inks)
}

/// The same of a file of a turn.
pub(crate) fn turn_hunk(review: &Review, hunk: &Hunk, inks: Inks) -> String {
    diff(Origin::Turn, review, hunk, inks)
}

fn diff(origin: Origin, review: &Review, hunk: &Hunk, inks: Inks) -> String {
    let original = Text::new(review.original.clone().unwrap_or_default());
    let (new_text, new) = match hunk.state {
        HunkState::Edited => (Text::new(review.current.clone()), hunk.current),
        HunkState::Kept | HunkState::Dropped => (Text::new(review.proposed.clone()), hunk.proposed),
    };
    let before = hunk.original.start.min(CONTEXT);
    let after = original.len().saturating_sub(hunk.original.end).min(CONTEXT);
    let mut lines = vec![inks.ink(Ink::Mark, &place(origin, hunk, before, after, new))];
    let show = Show { origin, inks, crlf: origin.has_crlf(original.text(), &review.proposed) };
    show.lines(' ', &original, hunk.original.start - before..hunk.original.start, &mut lines);
    show.lines('-', &original, hunk.original.start..hunk.original.end, &mut lines);
    show.lines('+', &new_text, new.start..new.end, &mut lines);
    show.lines(' ', &original, hunk.original.end..hunk.original.end + after, &mut lines);
    let (old, new) =
        (original.lines(hunk.original.start..hunk.original.end), new_text.lines(new.start..new.end));
    lines.extend(look_alikes::hard_to_see(old, new).map(|said| inks.ink(Ink::Mark, &said)));
    lines.extend(messages::why(hunk));
    lines.join("\n")
}

/// The proposal from its first to its last line, where there are no hunks to decide on.
pub(crate) fn whole(review: &Review, inks: Inks) -> String {
    let mut lines = Vec::new();
    let text = Text::new(review.current.clone());
    let show = Show { origin: Origin::Proposal, inks, crlf: is_crlf(&review.current) };
    show.lines('+', &text, 0..text.len(), &mut lines);
    lines.join("\n")
}

/// The summary at the end of a review: how many hunks are kept, dropped and edited.
pub(crate) fn summary(review: &Review, roots: &[PathBuf]) -> String {
    let name = messages::file_name(&review.file, roots);
    if review.original.as_deref() == Some(&*review.current) {
        if review.kind == Some(ChangeKind::Move) {
            return format!("{name}: none of the changes is left; the file would be moved as it is.");
        }
        return format!("{name}: nothing is left of the proposal; the file would stay as it is.");
    }
    let states = messages::hunk_states(review);
    if states.is_empty() {
        return format!("{name}: you have seen all of it.");
    }
    format!("{name}: {}: {states}.", messages::changes(review.hunks.len()))
}

fn place(origin: Origin, hunk: &Hunk, before: usize, after: usize, new: Lines) -> String {
    let range = |sign: char, lines: Lines| {
        let count = before + lines.len() + after;
        let first = lines.start.saturating_sub(before) + usize::from(count > 0);
        if count == 1 { format!("{sign}{first}") } else { format!("{sign}{first},{count}") }
    };
    let (first, state) = (origin.first_line(hunk), origin.state(hunk.state));
    let new = Lines { start: first, end: first + new.len() };
    format!("@@ {} {} @@{state}", range('-', hunk.original), range('+', new))
}

/// Writes lines of a text behind their sign.
struct Show {
    origin: Origin,
    inks: Inks,
    /// As [`Origin::has_crlf`].
    crlf: bool,
}

impl Show {
    fn lines(&self, sign: char, text: &Text, lines: Range<usize>, into: &mut Vec<String>) {
        let more = lines.end.min(text.len()).saturating_sub(lines.start).saturating_sub(MOST_LINES);
        for line in text.each_line(lines).take(MOST_LINES) {
            let (text, ended) = line.strip_suffix('\n').map_or((line, false), |text| (text, true));
            let text = if self.crlf { text.strip_suffix('\r').unwrap_or(text) } else { text };
            let shown = format!("{sign}{}", cut(text));
            into.push(match sign {
                '+' => self.inks.ink(Ink::Added, &shown),
                '-' => self.inks.ink(Ink::Removed, &shown),
                _ => shown,
            });
            if !ended {
                into.push("\\ No newline at end of file".into());
            }
        }
        if more > 0 {
            let remedy = self.origin.remedy();
            into.push(format!("... ({more} more lines, not shown here{remedy})"));
        }
    }
}

fn cut(line: &str) -> String {
    match line.char_indices().nth(LONGEST_LINE) {
        None => harmless::line(line).into_owned(),
        Some((end, _)) => {
            let more = line[end..].chars().count();
            format!("{} ... ({more} more characters)", harmless::line(&line[..end]))
        }
    }
}

fn is_crlf(text: &str) -> bool {
    let ends = text.matches('\n').count();
    ends > 0 && text.matches("\r\n").count() == ends
}

#[cfg(test)]
mod tests;
