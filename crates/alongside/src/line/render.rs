//! What a review looks like in lines: its header, its hunks as a unified diff, its summary. Pure functions
//! from a [`Review`] to text; everything in the review is somebody else's and goes through
//! [`harmless`](alongside_desk::harmless).

use std::ops::Range;
use std::path::PathBuf;

use alongside_desk::{Agent, Hunk, HunkState, LineEnding, Lines, Review, Text};
use alongside_desk::{harmless, words};
use alongside_terminal::words::{agent_name, file_name};

use super::paper::{Ink, Inks};

/// Lines of context around a hunk.
const CONTEXT: usize = 3;

/// A line longer than this many characters is cut in what is shown, never in what is accepted.
const LONGEST_LINE: usize = 2_000;

/// More lines than this in one go are cut in what is shown, and it is said how many there are.
const MOST_LINES: usize = 2_000;

/// Agents in a line, with those that are away: what they were proposed or decided waits for them.
pub(crate) fn agents(agents: &[Agent]) -> String {
    let name = |agent: &Agent| {
        let away = if agent.listening { "" } else { " (away)" };
        agent_name(agent) + away
    };
    let names: Vec<_> = agents.iter().map(name).collect();
    if names.is_empty() { "none".into() } else { names.join(", ") }
}

/// How much a review is about, in words.
pub(crate) fn size(review: &Review) -> String {
    match (&review.whole_file_only, &review.original, review.hunks.len()) {
        (Some(_), ..) => "the whole file".into(),
        (None, None, _) => "a new file".into(),
        (None, Some(_), 1) => "1 change".into(),
        (None, Some(_), n) => format!("{n} changes"),
    }
}

/// What is said of a review before its first hunk.
pub(crate) fn header(review: &Review, roots: &[PathBuf], inks: Inks) -> String {
    let name = file_name(&review.file, roots);
    let (agent, changes) = (agent_name(&review.agent), size(review));
    let in_changes = review.original.is_some() && review.whole_file_only.is_none();
    let title = if in_changes && review.current != review.proposed {
        let (added, removed) = counts_now(review);
        format!("{name}: {agent}'s proposal, {changes} now (+{added} -{removed})")
    } else {
        let (added, removed) = counts(review);
        format!("{name}: {agent} proposes {changes} (+{added} -{removed})")
    };
    let mut lines = vec![inks.ink(Ink::Mark, &title)];
    lines.extend(notes(review).into_iter().map(|note| format!("  note: {note}")));
    lines.join("\n")
}

/// What a person should know before deciding, in whole sentences.
pub(crate) fn notes(review: &Review) -> Vec<String> {
    let dangers = words::dangers(review).map(|danger| format!("{danger}. Accepting writes there!"));
    let mut notes: Vec<String> = dangers.collect();
    if let Some(why) = &review.whole_file_only {
        notes.push(format!("it can only be accepted or rejected as a whole: {}.", harmless::name(why)));
    }
    match review.file_line_ending {
        Some(LineEnding::Crlf) => {
            notes.push(
                "the file has CRLF line endings, the proposal LF; that difference is not shown below.".into(),
            );
        }
        Some(LineEnding::Lf) => {
            notes.push(
                "the file has LF line endings, the proposal CRLF; that difference is not shown below.".into(),
            );
        }
        None if is_crlf(&review.proposed) => notes.push("its line endings are CRLF, and stay so.".into()),
        None => {}
    }
    match review.file_has_bom {
        Some(true) => notes.push("the file begins with a byte-order mark, the proposal does not.".into()),
        Some(false) => notes.push("the proposal begins with a byte-order mark, the file does not.".into()),
        None => {}
    }
    if review.stale {
        notes.push(
            "the file on disk has changed since this was proposed; accepting undoes that change.".into(),
        );
    }
    if review.dirty {
        notes.push("an editor holds unsaved changes to the file.".into());
    }
    notes
}

/// A hunk as a unified diff. The context is the text as it would be accepted now.
pub(crate) fn hunk(review: &Review, hunk: &Hunk, inks: Inks) -> String {
    let original = Text::new(review.original.clone().unwrap_or_default());
    let current = Text::new(review.current.clone());
    let (new_text, new) = match hunk.state {
        HunkState::Edited => (current.clone(), hunk.current),
        HunkState::Kept | HunkState::Dropped => (Text::new(review.proposed.clone()), hunk.proposed),
    };
    let before = hunk.current.start.min(CONTEXT);
    let after = current.len().saturating_sub(hunk.current.end).min(CONTEXT);
    let mut lines = vec![inks.ink(Ink::Mark, &place(hunk, before, after, new))];
    let show = Show { inks, crlf: is_crlf(&review.proposed) };
    show.lines(' ', &current, hunk.current.start - before..hunk.current.start, &mut lines);
    show.lines('-', &original, hunk.original.start..hunk.original.end, &mut lines);
    show.lines('+', &new_text, new.start..new.end, &mut lines);
    show.lines(' ', &current, hunk.current.end..hunk.current.end + after, &mut lines);
    lines.join("\n")
}

/// The proposal from its first to its last line, where there are no hunks to decide on.
pub(crate) fn whole(review: &Review, inks: Inks) -> String {
    let mut lines = Vec::new();
    let text = Text::new(review.current.clone());
    Show { inks, crlf: is_crlf(&review.current) }.lines('+', &text, 0..text.len(), &mut lines);
    lines.join("\n")
}

/// What accepting would do, hunk by hunk counted.
pub(crate) fn summary(review: &Review, roots: &[PathBuf]) -> String {
    let count = |state| review.hunks.iter().filter(|hunk| hunk.state == state).count();
    let (kept, dropped, edited) =
        (count(HunkState::Kept), count(HunkState::Dropped), count(HunkState::Edited));
    let name = file_name(&review.file, roots);
    if review.original.as_deref() == Some(&*review.current) {
        return format!("{name}: nothing is left of the proposal; the file would stay as it is.");
    }
    let parts = [(kept, "kept"), (dropped, "dropped"), (edited, "edited")];
    let parts: Vec<_> = parts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
    if parts.is_empty() {
        return format!("{name}: all seen.");
    }
    let s = if review.hunks.len() == 1 { "" } else { "s" };
    format!("{name}: {} change{s}: {}.", review.hunks.len(), parts.join(", "))
}

fn place(hunk: &Hunk, before: usize, after: usize, new: Lines) -> String {
    let range = |sign: char, lines: Lines| {
        let count = before + lines.len() + after;
        let first = lines.start.saturating_sub(before) + usize::from(count > 0);
        if count == 1 { format!("{sign}{first}") } else { format!("{sign}{first},{count}") }
    };
    let state = match hunk.state {
        HunkState::Kept => "",
        HunkState::Dropped => " dropped so far",
        HunkState::Edited => " edited by hand",
    };
    // Where the lines stand in the current text, not in the proposal: other hunks may have been dropped.
    let new = Lines { start: hunk.current.start, end: hunk.current.start + new.len() };
    format!("@@ {} {} @@{state}", range('-', hunk.original), range('+', new))
}

/// Writes lines of a text behind their sign.
struct Show {
    inks: Inks,
    /// Whether `\r\n` ends lines throughout, so that `\r` is not worth showing on each.
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
            into.push(format!(
                "... ({more} more lines, not shown here; e shows the whole text in your editor)"
            ));
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

/// What accepting adds and removes as it stands.
fn counts_now(review: &Review) -> (usize, usize) {
    let taken = || review.hunks.iter().filter(|hunk| hunk.state != HunkState::Dropped);
    (taken().map(|hunk| hunk.current.len()).sum(), taken().map(|hunk| hunk.original.len()).sum())
}

/// What is proposed to be added and removed.
fn counts(review: &Review) -> (usize, usize) {
    if review.hunks.is_empty() && review.original.is_none() {
        return (Text::new(review.proposed.clone()).len(), 0);
    }
    let sum = |lines: fn(&Hunk) -> Lines| review.hunks.iter().map(|hunk| lines(hunk).len()).sum();
    (sum(|hunk| hunk.proposed), sum(|hunk| hunk.original))
}

#[cfg(test)]
mod tests;
