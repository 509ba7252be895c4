//! Makes the log of comments smaller: removes rounds that were read long ago. Otherwise the log would grow
//! until it is too large to be read.

use std::collections::BTreeSet;
use std::time::Instant;

use alongside_companion::private;
use alongside_desk::CommentId;

use crate::error::Error;
use crate::store::comment_line::Line;
use crate::store::comment_state::Comments;
use crate::store::json_lines;
use crate::store::tree_store::{COMMENTS_LOCK, TreeStore};

/// The size, in bytes, from which on a log keeps only the last of the rounds that were read. Each look reads
/// the log, and cannot read one that is too large.
const COMPACTION_THRESHOLD: u64 = 16 << 20;

/// Compacts the log of a store if its size has reached [`COMPACTION_THRESHOLD`].
///
/// # Errors
/// As [`compact`].
pub(crate) fn compact_large(store: &TreeStore, until: Instant) -> Result<(), Error> {
    match store.comments().path().metadata() {
        Ok(found) if found.len() >= COMPACTION_THRESHOLD => compact(store, 0, until),
        Ok(_) | Err(_) => Ok(()),
    }
}

/// Removes the rounds of a store that were read before `oldest`, in milliseconds since the Unix epoch, with
/// their comments. Ids of removed comments are not used again.
///
/// # Errors
/// When the log cannot be read or written, or other processes write comments all the time.
pub(crate) fn compact(store: &TreeStore, oldest: u64, until: Instant) -> Result<(), Error> {
    let log = store.comments();
    if !log.path().exists() {
        return Ok(());
    }
    let _lock = store.lock(COMMENTS_LOCK, until)?;
    let is_large = log.path().metadata()?.len() >= COMPACTION_THRESHOLD;
    let lines: Vec<Line> = json_lines::read_large(log.path())?;
    let oldest = if is_large { last_read(&lines).unwrap_or(oldest) } else { oldest };
    if let Some(lines) = compacted(lines, oldest) {
        private::write(log.path(), &json_lines::text(&lines)?)?;
    }
    Ok(())
}

/// Returns the time at which the last message was read.
fn last_read(lines: &[Line]) -> Option<u64> {
    let read = |line: &Line| match line {
        Line::Read { at, .. } => Some(*at),
        _ => None,
    };
    lines.iter().filter_map(read).max()
}

/// Returns the lines that stay; `None` if all lines stay. A line of a newer version keeps all others, since
/// that version may need them.
fn compacted(mut lines: Vec<Line>, oldest: u64) -> Option<Vec<Line>> {
    let state = Comments::of(lines.iter().cloned());
    let waiting: BTreeSet<u64> = state.waiting().map(|round| round.number).collect();
    let (gone, kept): (Vec<_>, Vec<_>) = state.rounds.iter().partition(|round| {
        round.read.as_ref().map_or(round.at, |read| read.at) < oldest && !waiting.contains(&round.number)
    });
    let mut in_kept: BTreeSet<CommentId> =
        kept.iter().flat_map(|round| round.comments.iter().copied()).collect();
    // A comment that is asked again belongs to a kept or a removed round, and stays.
    in_kept.extend(state.unsent());
    let mut comments: BTreeSet<CommentId> =
        gone.iter().flat_map(|round| round.comments.iter().copied()).collect();
    comments.extend(state.comments.iter().filter(|(_, comment)| comment.is_removed).map(|(id, _)| *id));
    comments.retain(|id| !in_kept.contains(id));
    let gone: BTreeSet<u64> = gone.iter().map(|round| round.number).collect();
    let is_promise = |line: &&Line| matches!(line, Line::Promised { .. });
    let (promises, live) = (lines.iter().filter(is_promise).count(), usize::from(state.promise.is_some()));
    let nothing_goes = comments.is_empty() && gone.is_empty() && promises == live;
    if nothing_goes || lines.contains(&Line::Other) {
        return None;
    }
    // Of the lines with promises, only the newest one may stay, and only if its promise is not kept yet.
    let mut over = promises - live;
    lines.retain_mut(|line| match line {
        Line::Written { id, .. } | Line::Changed { id, .. } => !comments.contains(id),
        Line::Sent { round, .. } | Line::TakenBack { round, .. } => !gone.contains(round),
        Line::Promised { .. } if over > 0 => {
            over -= 1;
            false
        }
        Line::Promised { .. } => true,
        Line::Told { rounds, .. }
        | Line::Delivering { rounds, .. }
        | Line::Given { rounds, .. }
        | Line::NotDelivered { rounds, .. }
        | Line::Read { rounds, .. } => {
            rounds.retain(|round| !gone.contains(round));
            !rounds.is_empty()
        }
        Line::Compacted { .. } | Line::Other => false,
    });
    let (comment, round) = (CommentId(state.next_comment().0 - 1), state.next_round() - 1);
    // The total number of lines must not fall: desks compare it to find the newer of two states.
    let dropped = (state.lines + 1).saturating_sub(u64::try_from(lines.len()).unwrap_or(u64::MAX));
    lines.insert(0, Line::Compacted { comment, round, lines: dropped });
    Some(lines)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::comment_line::Promise;
    use crate::store::sample_comment_lines::{read, removed, sent, written};
    use crate::store::session_address::Address;

    #[test]
    fn only_rounds_that_were_read_long_ago_are_removed() {
        let lines = vec![
            written(1, "x"),
            written(2, "x"),
            written(3, "x"),
            written(4, "x"),
            written(5, "x"),
            removed(5),
            sent(1, &[1]),
            read(1, 10),
            sent(2, &[2]),
            read(2, 99),
            sent(3, &[3]),
        ];
        let before = Comments::of(lines.clone());
        let kept = compacted(lines, 50).unwrap();
        let after = Comments::of(kept.clone());
        assert_eq!(after.comments.keys().map(|id| id.0).collect::<Vec<_>>(), [2, 3, 4]);
        assert_eq!(after.rounds, before.rounds[1..]);
        assert_eq!((after.next_comment(), after.next_round()), (CommentId(6), 4));
        assert_eq!(after.lines, before.lines + 1);
        assert_eq!(compacted(kept.clone(), 50), None, "nothing else is to go");
        let last = Comments::of(compacted(kept, 100).unwrap());
        assert_eq!((last.rounds.len(), last.next_comment(), last.lines), (1, CommentId(6), before.lines + 2));
    }

    #[test]
    fn lines_of_a_newer_version_keep_all_others() {
        assert_eq!(compacted(vec![written(1, "x"), sent(1, &[1]), read(1, 10), Line::Other], 50), None);
    }

    #[test]
    fn only_the_newest_promise_stays() {
        let promised = |look: &str| {
            let (undone, comments, look) = (Vec::new(), None, look.to_owned());
            Line::Promised { promise: Some(Promise { undone, comments, look, number: None }), at: 1 }
        };
        let over = Line::Promised { promise: None, at: 1 };
        let lines = vec![written(1, "x"), promised("a"), over.clone(), promised("b")];
        let kept = compacted(lines, 0).unwrap();
        assert_eq!(kept[1..], [written(1, "x"), promised("b")]);
        assert_eq!(compacted(vec![written(1, "x"), promised("b")], 0), None);
        let kept = compacted(vec![written(1, "x"), promised("a"), over], 0).unwrap();
        assert_eq!(kept[1..], [written(1, "x")]);
    }

    #[test]
    fn a_comment_that_was_removed_and_asked_again_stays() {
        let changed = |text: &str| Line::Changed { id: CommentId(1), text: text.into(), about: None, at: 2 };
        let lines = vec![
            written(1, "x"),
            sent(1, &[1]),
            read(1, 1),
            changed("again"),
            changed(""),
            changed("at last"),
        ];
        let kept = Comments::of(compacted(lines, 100).unwrap());
        assert_eq!(kept.comments[&CommentId(1)].text, "at last");
        assert_eq!(kept.unsent().collect::<Vec<_>>(), [CommentId(1)]);
    }

    #[test]
    fn a_comment_changed_while_the_agent_works_is_asked_again() {
        let by = Address::new("Codex", "s");
        let given = Line::Given { rounds: vec![1], by, at: 2, process: None };
        let changed = Line::Changed { id: CommentId(1), text: "other words".into(), about: None, at: 3 };
        let state = Comments::of([written(1, "x"), sent(1, &[1]), given, changed, read(1, 4)]);
        let comment = &state.comments[&CommentId(1)];
        assert_eq!(
            (&*comment.text, comment.again.as_ref().map(|again| &*again.text)),
            ("x", Some("other words"))
        );
        assert_eq!(state.unsent().collect::<Vec<_>>(), [CommentId(1)]);
    }
}
