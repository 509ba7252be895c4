//! The size of a review's proposal, in words and numbers.

use crate::review::{Hunk, HunkState, Limit, Lines, Review};
use crate::rule_acceptance::ChangeKind;

/// Returns the changes whose lines were not fully compared, if any.
pub fn coarse_changes(review: &Review) -> Option<String> {
    let mut limited = review.hunks.iter().enumerate().filter(|(_, hunk)| hunk.limit == Some(Limit::Lines));
    let (first, _) = limited.next()?;
    let limited = match limited.count() {
        0 => format!("change {}", first + 1),
        more => changes(more + 1),
    };
    Some(format!("Too much differs to compare every line of {limited}: some may be equal."))
}

/// Returns the size of a proposal: `2 changes`, `a new file`, `an empty file`, `a move`, `the whole file`,
/// `other line ends`.
pub fn size(review: &Review) -> String {
    match (&review.whole_file_only, &review.original) {
        (Some(_), _) => "the whole file".into(),
        (None, None) => "a new file".into(),
        (None, Some(_)) if review.kind == Some(ChangeKind::Move) && review.hunks.is_empty() => {
            "a move".into()
        }
        (None, Some(_)) if review.hunks.is_empty() => other_form(review).unwrap_or("no change").into(),
        (None, Some(old)) if review.kind.is_none() && review.proposed.is_empty() && !old.is_empty() => {
            "an empty file".into()
        }
        (None, Some(_)) => changes(review.hunks.len()),
    }
}

/// Returns the difference between file and proposal that no hunk shows; `None` if they have the same form.
pub fn other_form(review: &Review) -> Option<&'static str> {
    match (review.file_line_ending.is_some(), review.file_has_bom.is_some()) {
        (true, true) => Some("other line ends and another byte-order mark"),
        (true, false) => Some("other line ends"),
        (false, true) => Some("another byte-order mark"),
        (false, false) => None,
    }
}

/// Whether accepting would leave an empty file. For a deletion, a remark says so instead.
pub fn empties(review: &Review) -> bool {
    let had_text = review.original.as_ref().is_some_and(|original| !original.is_empty());
    had_text && review.current.is_empty() && review.remark.is_none()
}

/// Returns a number of hunks in words.
pub fn changes(hunks: usize) -> String {
    match hunks {
        0 => "no change".into(),
        1 => "1 change".into(),
        hunks => format!("{hunks} changes"),
    }
}

/// Returns the numbers of lines that accepting would add and remove now.
pub fn line_counts(review: &Review) -> (usize, usize) {
    if review.original.is_none() && review.hunks.is_empty() {
        let [_, _, current] = review.texts();
        return (current.len(), 0);
    }
    let taken = || review.hunks.iter().filter(|hunk| hunk.state != HunkState::Dropped);
    let sum = |lines: fn(&Hunk) -> Lines| taken().map(|hunk| lines(hunk).len()).sum::<usize>();
    let alike = lines_left_alike(review);
    (sum(|hunk| hunk.current) - alike, sum(|hunk| hunk.original) - alike)
}

/// Returns the number of unchanged lines at the beginnings and ends of edited hunks.
fn lines_left_alike(review: &Review) -> usize {
    if review.hunks.iter().all(|hunk| hunk.state != HunkState::Edited) {
        return 0;
    }
    let [original, _, current] = review.texts();
    let edited = review.hunks.iter().filter(|hunk| hunk.state == HunkState::Edited);
    let alike = edited.map(|hunk| {
        let old: Vec<_> = original.each_line(hunk.original.start..hunk.original.end).collect();
        let new: Vec<_> = current.each_line(hunk.current.start..hunk.current.end).collect();
        let start = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
        let rest = old[start..].iter().rev().zip(new[start..].iter().rev());
        start + rest.take_while(|(old, new)| old == new).count()
    });
    alike.sum()
}

/// Returns the state of a review in a list: effects of accepting that the counts of lines do not show, and
/// the number of hunks in each state: `new file`, `empties the file, 1 kept, 1 dropped`.
pub fn states(review: &Review) -> String {
    let effects = effects(review);
    let is_plain = review.hunks.len() == 1 && review.hunks[0].state == HunkState::Kept;
    // A file that is added or removed as a whole has only one, kept change.
    let hunks = if is_plain && !effects.is_empty() { String::new() } else { hunk_states(review) };
    let parts = effects.into_iter().map(str::to_owned).chain((!hunks.is_empty()).then_some(hunks));
    parts.collect::<Vec<_>>().join(", ")
}

/// Returns the effects of accepting on the file beside changed lines.
fn effects(review: &Review) -> Vec<&'static str> {
    let is_new = review.original.is_none() && review.whole_file_only.is_none();
    let whole = match review.kind {
        Some(ChangeKind::Delete) if review.current.is_empty() => Some("deletes the file"),
        Some(ChangeKind::Move) => Some("moves the file"),
        _ if is_new => Some("new file"),
        _ if review.whole_file_only.is_some() => Some("the whole file"),
        _ if empties(review) => Some("empties the file"),
        _ => None,
    };
    let is_only = review.hunks.is_empty() && review.whole_file_only.is_none();
    let form = match (review.file_line_ending.is_some(), review.file_has_bom.is_some()) {
        (true, true) if is_only => Some("line ends and byte-order mark only"),
        (true, false) if is_only => Some("line ends only"),
        (false, true) if is_only => Some("byte-order mark only"),
        _ => other_form(review),
    };
    whole.into_iter().chain(form).collect()
}

/// Returns the number of hunks in each state: `2 kept, 1 dropped`. Empty without hunks.
pub fn hunk_states(review: &Review) -> String {
    let states = [(HunkState::Kept, "kept"), (HunkState::Dropped, "dropped"), (HunkState::Edited, "edited")];
    let parts = states.map(|(state, name)| {
        let count = review.hunks.iter().filter(|hunk| hunk.state == state).count();
        (count > 0).then(|| format!("{count} {name}"))
    });
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}
