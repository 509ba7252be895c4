//! Finds the changes of a turn that a person accepted before they were written. The notes hold each accepted
//! text of a file, before and after. Where these texts lead from the text of the baseline to the text on
//! disk, the change was accepted. Every other change was not.

use std::ops::Range;
use std::path::Path;

use alongside_desk::Lines;
use alongside_platform::paths;

use crate::error::Error;
use crate::git::tree_diff::{Difference, SideKind};
use crate::lines::line_changes::{LineChanges, lines};
use crate::snapshots::blobs;
use crate::snapshots::tree_access::TreeAccess;
use crate::turn_review::notes::{Note, NoteKind};

/// The largest number of accepted texts of a file that count, the newest ones. Earlier changes count as not
/// accepted.
const MAX_TEXTS: usize = 40;

/// The git objects of an accepted change: the object of the text before, if there was a file, and that of the
/// text after.
type AcceptedObjects<'a> = (Option<&'a str>, &'a str);

fn steps<'a>(notes: &'a [Note], path: &[u8]) -> Vec<AcceptedObjects<'a>> {
    let of_file = notes.iter().filter(|note| note.path() == path);
    let step = |note: &'a Note| match &note.kind {
        NoteKind::Accepted { before, after } => Some((before.as_deref(), &**after)),
        NoteKind::Saved | NoteKind::Other => None,
    };
    of_file.filter_map(step).collect()
}

/// Whether the accepted changes lead from the earlier side of a difference to the later one.
pub(crate) fn is_all_accepted(notes: &[Note], difference: &Difference) -> bool {
    let Difference { path, from, before, now, .. } = difference;
    let start = match before.kind() {
        SideKind::Nothing => None,
        SideKind::File | SideKind::Program if before.mode == now.mode => Some(&*before.object),
        SideKind::File | SideKind::Program | SideKind::Link | SideKind::Repository => return false,
    };
    // A proposal changes text only. It turns no file into a program or a link, and renames no file.
    if from.is_some() || !matches!((start, now.kind()), (Some(_), _) | (None, SideKind::File)) {
        return false;
    }
    let steps = steps(notes, path);
    let mut at = None;
    for (before, after) in steps {
        let goes_on = at.is_some_and(|at| before == Some(at));
        at = (goes_on || before == start).then_some(after);
    }
    at == Some(&*now.object)
}

/// Returns the lines on disk whose change was accepted: see
/// [`OpenedTurnFile::accepted`](alongside_desk::OpenedTurnFile::accepted).
///
/// # Errors
/// When git fails.
pub(crate) fn accepted_lines(
    access: &TreeAccess,
    notes: &[Note],
    path: &Path,
    before: Option<&[u8]>,
    now: Option<&[u8]>,
) -> Result<Vec<Lines>, Error> {
    let all = steps(notes, &paths::to_bytes(path));
    let Some(now) = now.filter(|_| !all.is_empty()) else { return Ok(Vec::new()) };
    let newest = &all[all.len().saturating_sub(MAX_TEXTS)..];
    let objects: Vec<&str> =
        newest.iter().flat_map(|(before, after)| before.iter().chain([after])).copied().collect();
    let mut texts = blobs::read_objects(access, &objects)?.into_iter();
    let mut read = Vec::new();
    for (before, _) in newest {
        let before = match before {
            None => Some(Vec::new()),
            Some(_) => texts.next().flatten(),
        };
        // Without one of the texts, the changes cannot be followed.
        let (Some(before), Some(after)) = (before, texts.next().flatten()) else { return Ok(Vec::new()) };
        read.push((before, after));
    }
    Ok(of_texts(before.unwrap_or_default(), &read, now).unwrap_or_default())
}

/// Returns the lines of `now` whose change was accepted; `None` if one of the contents is not UTF-8.
fn of_texts(start: &[u8], steps: &[(Vec<u8>, Vec<u8>)], now: &[u8]) -> Option<Vec<Lines>> {
    let mut history = TextHistory::default();
    let mut at = std::str::from_utf8(start).ok()?;
    for (before, after) in steps {
        let (before, after) = (std::str::from_utf8(before).ok()?, std::str::from_utf8(after).ok()?);
        history.change(at, before, false);
        history.change(before, after, true);
        at = after;
    }
    let now = std::str::from_utf8(now).ok()?;
    history.change(at, now, false);
    Some(history.accepted(lines(now).len()))
}

/// The lines that changes of a text have touched, as ranges of lines of the newest text.
#[derive(Debug, Default)]
struct TextHistory {
    accepted: Vec<Range<usize>>,
    others: Vec<Range<usize>>,
}

impl TextHistory {
    /// Applies a change of the text: moves the known ranges to their new places, and adds the changed ones.
    fn change(&mut self, from: &str, to: &str, is_accepted: bool) {
        let changes = LineChanges::between(from, to);
        for place in self.accepted.iter_mut().chain(&mut self.others) {
            *place = changes.place(place);
        }
        let to = if is_accepted { &mut self.accepted } else { &mut self.others };
        to.extend(changes.all().iter().map(|change| change.new.clone()));
    }

    /// Returns the lines of accepted changes that no other change has touched; all lines, if there was no
    /// other change.
    fn accepted(mut self, all: usize) -> Vec<Lines> {
        if self.others.is_empty() {
            return vec![Lines { start: 0, end: all }];
        }
        self.accepted.retain(|place| !self.others.iter().any(|other| touches(place, other)));
        self.accepted.sort_by_key(|place| (place.start, place.end));
        let mut found: Vec<Lines> = Vec::new();
        for Range { start, end } in self.accepted {
            match found.last_mut() {
                Some(last) if start <= last.end => last.end = last.end.max(end),
                _ => found.push(Lines { start, end }),
            }
        }
        found
    }
}

/// Whether two runs of lines share a line. An empty run counts as touching the lines above and below it.
fn touches(one: &Range<usize>, other: &Range<usize>) -> bool {
    match one.is_empty() || other.is_empty() {
        true => one.start <= other.end && other.start <= one.end,
        false => one.start < other.end && other.start < one.end,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepted(start: &str, steps: &[(&str, &str)], now: &str) -> Vec<(usize, usize)> {
        let steps = steps.iter().map(|(from, to)| (from.as_bytes().to_vec(), to.as_bytes().to_vec()));
        let found = of_texts(start.as_bytes(), &steps.collect::<Vec<_>>(), now.as_bytes()).unwrap();
        found.into_iter().map(|lines| (lines.start, lines.end)).collect()
    }

    #[test]
    fn all_lines_are_accepted_if_nothing_else_has_changed() {
        assert_eq!(accepted("a\nb\n", &[("a\nb\n", "A\nb\n"), ("A\nb\n", "A\nB\n")], "A\nB\n"), [(0, 2)]);
        assert_eq!(accepted("", &[("", "new\n")], "new\n"), [(0, 1)]);
    }

    #[test]
    fn lines_that_changed_otherwise_are_not_accepted() {
        let (start, middle) = ("a\nb\nc\nd\ne\n", "A\nb\nc\nd\ne\n");
        // A shell command has changed a line afterwards.
        assert_eq!(accepted(start, &[(start, middle)], "A\nb\nc\nd\nE\n"), [(0, 1)]);
        // A line had changed before: the proposal was for a changed text.
        assert_eq!(accepted(start, &[("a\nb\nc\nd\nE\n", "A\nb\nc\nd\nE\n")], "A\nb\nc\nd\nE\n"), [(0, 1)]);
        // A line has changed between two proposals, and lines have moved since.
        let now = "new\nA\nb\nc\nd\nE\n";
        assert_eq!(accepted(start, &[(start, middle), ("new\nA\nb\nc\nd\ne\n", now)], now), [(1, 2), (5, 6)]);
    }

    #[test]
    fn an_accepted_line_that_changed_again_is_not_accepted() {
        let start = "a\nb\nc\n";
        assert_eq!(accepted(start, &[(start, "a\nB\nc\n")], "a\nBB\nc\n"), []);
        assert_eq!(accepted(start, &[("a\nx\nc\n", "a\nB\nc\n")], "a\nB\nc\n"), []);
        // A line next to it is gone.
        assert_eq!(accepted(start, &[(start, "a\nB\nc\n")], "a\nB\n"), []);
        // Only the line ends have changed.
        assert_eq!(accepted(start, &[(start, "a\nB\nc\n")], "a\r\nB\r\nc\r\n"), []);
    }
}
