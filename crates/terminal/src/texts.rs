//! What the desk says, in one place. Everything that came from outside goes through [`harmless`].

use std::path::{Component, Path, PathBuf};

use alongside_desk::{Hunk, HunkState, LineEnding, Lines, Review, Text, harmless, words};

pub(crate) use crate::words::{agent_name, closed, file_name, refusal};

/// What to do when nothing is connected.
pub(crate) const NO_AGENT: &[&str] = &[
    "No agent is connected yet.",
    "",
    "Start gemini or qwen in this project, in another terminal: it finds",
    "this desk by itself. One that already runs finds it when restarted,",
    "or with /ide enable.",
    "",
    "What it proposes appears here, and nothing is written before you",
    "accept it.",
];

/// What to do when agents are there and propose nothing.
pub(crate) const NO_REVIEW: &[&str] = &[
    "No review waits.",
    "",
    "As soon as an agent proposes a change it appears here, and nothing",
    "is written before you accept it.",
];

/// Said when a key that changes or decides was pressed too soon.
pub(crate) const TOO_SOON: &str = "That was pressed before this review stood here, so it does not count.";

/// Said when the screen shows no change that a key could mean.
pub(crate) const LOOK_FIRST: &str = "This is the change that is meant: press again.";

/// How long ago, in a few letters. Both are milliseconds since the Unix epoch.
pub(crate) fn ago(since: u64, now: u64) -> String {
    match now.saturating_sub(since) / 60_000 {
        0 => "now".into(),
        minutes @ 1..60 => format!("{minutes} min"),
        minutes @ 60..1440 => format!("{} h", minutes / 60),
        minutes => format!("{} d", minutes / 1440),
    }
}

/// Lines that accepting would add and remove as the review stands.
pub(crate) fn counts(review: &Review) -> (usize, usize) {
    if review.original.is_none() && review.hunks.is_empty() {
        return (Text::new(review.current.clone()).len(), 0);
    }
    let taken = || review.hunks.iter().filter(|hunk| hunk.state != HunkState::Dropped);
    let sum = |lines: fn(&Hunk) -> Lines| taken().map(|hunk| lines(hunk).len()).sum();
    (sum(|hunk| hunk.current), sum(|hunk| hunk.original))
}

/// What has become of the hunks, where something has.
pub(crate) fn states(review: &Review) -> String {
    let count = |state| review.hunks.iter().filter(|hunk| hunk.state == state).count();
    let parts = [(HunkState::Kept, "kept"), (HunkState::Dropped, "dropped"), (HunkState::Edited, "edited")];
    let parts = parts.map(|(state, what)| (count(state), what));
    let parts: Vec<_> = parts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
    parts.join(", ")
}

/// What a person should know before deciding, loudest first; true for what may do harm.
pub(crate) fn notes(review: &Review, roots: &[PathBuf]) -> Vec<(bool, String)> {
    let mut notes: Vec<_> = words::dangers(review).map(|danger| (true, danger)).collect();
    let path = Path::new(&review.file);
    let real = harmless::name(&review.file);
    if review.outside.is_some() {
        // That is said.
    } else if path.components().any(|part| part == Component::ParentDir) {
        notes.push((true, format!("The path leads through `..`: {real}")));
    } else if !roots.is_empty() && !roots.iter().any(|root| path.starts_with(root)) {
        notes.push((true, format!("This file is outside the project: {real}")));
    }
    if review.stale {
        notes.push((true, "The file on disk has changed since; accepting undoes that change.".into()));
    }
    if review.dirty {
        notes.push((true, "An editor holds unsaved changes to the file.".into()));
    }
    if let Some(why) = &review.whole_file_only {
        notes.push((true, format!("Only to be accepted or rejected as a whole: {}.", harmless::name(why))));
    }
    match review.file_line_ending {
        Some(LineEnding::Crlf) => {
            notes.push((false, "The file has CRLF line endings, the proposal LF (not shown below).".into()));
        }
        Some(LineEnding::Lf) => {
            notes.push((false, "The file has LF line endings, the proposal CRLF (not shown below).".into()));
        }
        None => {}
    }
    match review.file_has_bom {
        Some(true) => {
            notes.push((false, "The file begins with a byte-order mark, the proposal does not.".into()));
        }
        Some(false) => {
            notes.push((false, "The proposal begins with a byte-order mark, the file does not.".into()));
        }
        None => {}
    }
    notes
}

/// What leaving does to the reviews that wait, and to what was edited in them.
pub(crate) fn leave(waiting: usize, rehearsal: bool) -> String {
    let what =
        if waiting == 1 { "1 review waits and is".into() } else { format!("{waiting} reviews wait and are") };
    let edits = if rehearsal { "goes with this demo" } else { "is kept in drafts" };
    format!("{what} rejected when you leave; what you edited {edits}. Leave?")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rehearsal_promises_no_drafts() {
        assert!(leave(1, false).contains("drafts"));
        assert!(!leave(2, true).contains("drafts"));
    }

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
