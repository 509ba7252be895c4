//! Finds an agent's answer to a round on disk: compares the files at the moment of sending with the current
//! files. If the store no longer has the files of that moment, no comment counts as answered or open.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

use alongside_desk::{CommentId, CommentState, LineRange, Side, harmless};
use alongside_platform::paths;

use crate::comments::file_texts::FileTexts;
use crate::lines::anchors;
use crate::lines::line_changes::{Change, LineChanges, count, lines};
use crate::store::comment_line::Trees;
use crate::store::comment_state::{Comments, Read, Round, StoredComment};
use crate::store::delivery_way::Delivery;
use crate::store::escaped_path::{escape, unescape};
use crate::store::turn_log::{Kind, Record};

/// The largest number of files that remarks name because they hold undone text again.
const MAX_NAMED: usize = 5;

/// Loads all texts of snapshots that the state of the comments depends on, so that git is started for each
/// tree and not for each file.
pub(crate) fn load(all: &Comments, texts: &mut FileTexts<'_>) {
    let last = all.rounds.last().and_then(|round| round.trees.as_ref());
    let mut wanted: BTreeMap<&str, BTreeSet<PathBuf>> = BTreeMap::new();
    for (id, comment) in all.comments.iter().filter(|(_, comment)| !comment.is_removed) {
        let round = all.round_of(*id).filter(|round| round.read.is_some());
        let file = comment.file.as_deref().and_then(|file| paths::from_bytes(&unescape(file)));
        let Some((trees, path)) = round.and_then(|round| round.trees.as_ref()).zip(file) else { continue };
        for tree in [&trees.shown, &trees.sent].into_iter().chain(last.map(|last| &last.sent)) {
            wanted.entry(tree).or_default().insert(path.clone());
        }
    }
    for (tree, paths) in wanted {
        texts.load(tree, paths);
    }
}

/// Returns the state of a comment: unsent, sent, or, after an agent has read it, open or answered.
pub(crate) fn state(
    id: CommentId,
    comment: &StoredComment,
    all: &Comments,
    log: &[Record],
    texts: &mut FileTexts<'_>,
) -> CommentState {
    let Some(round) = all.round_of(id).filter(|_| comment.again.is_none()) else {
        return CommentState::Unsent;
    };
    let (Some(read), Some(trees)) = (&round.read, &round.trees) else { return CommentState::Sent };
    match is_touched(comment, trees, None, texts) {
        Some(true) => CommentState::Answered,
        Some(false) if has_turn_ended(log, read) => CommentState::Open,
        Some(false) | None => CommentState::Sent,
    }
}

/// Whether a comment of an earlier round was still open when the later round was sent, so that desks go on
/// showing it. False if the store no longer has the files of one of the rounds.
pub(crate) fn was_open(
    comment: &StoredComment,
    of: &Round,
    later: &Round,
    texts: &mut FileTexts<'_>,
) -> bool {
    let (Some(trees), Some(then)) = (&of.trees, &later.trees) else { return false };
    is_touched(comment, trees, Some(&then.sent), texts) == Some(false)
}

/// Whether the turn that has read a message has ended, or another turn of the session has begun.
fn has_turn_ended(log: &[Record], read: &Read) -> bool {
    let is_reader = |record: &&Record| read.by.as_ref().is_none_or(|by| record.is_of(by));
    let later = log.iter().filter(|record| record.at >= read.at && record.is_of_turn());
    let mut later = later.filter(is_reader);
    // The snapshot of the end that woke the session may be taken after the message was read. That end is not
    // the end of the turn that the message begins.
    let begins = |record: &Record| record.kind == Kind::Prompt;
    (read.delivery != Delivery::Wake || later.any(begins)) && later.next().is_some()
}

/// Whether the lines that a comment is about have changed between the moment of a round and the tree `until`.
/// Without `until`, compares with the files on disk. `None` if a text is not known.
fn is_touched(
    comment: &StoredComment,
    trees: &Trees,
    until: Option<&str>,
    texts: &mut FileTexts<'_>,
) -> Option<bool> {
    // Only the person can say whether a comment on the whole turn is answered.
    let Some(file) = &comment.file else { return comment.anchor.path.is_none().then_some(false) };
    let path = paths::from_bytes(&unescape(file))?;
    let before = texts.in_tree(&trees.sent, &path)?;
    let now = match until {
        Some(tree) => texts.in_tree(tree, &path)?,
        None => texts.now_or_renamed(&path)?,
    };
    if before == now {
        return Some(false);
    }
    let hunk = comment.back.as_ref().and_then(|back| back.hunks.first());
    if comment.anchor.lines.is_none() && hunk.is_none() {
        return Some(true);
    }
    // Where one of the two texts is missing, all lines have changed.
    let (Some(before), Some(now)) = (text(before), text(now)) else { return Some(true) };
    if comment.anchor.side == Side::Old {
        let wanted = lines(&comment.quotation.code);
        return Some(count(&lines(&now), &wanted) > count(&lines(&before), &wanted));
    }
    let shown = text(texts.in_tree(&trees.shown, &path)?)?;
    // Lines that were already missing when the comment was sent cannot change.
    let Some(was) = sent_lines(comment, &shown, &before) else { return Some(false) };
    Some(LineChanges::between(&before, &now).touches(&was, hunk.is_none()))
}

/// Returns the lines that a comment is about, in the text `sent`, which is the file after the undo of the
/// round.
fn sent_lines(comment: &StoredComment, shown: &str, sent: &str) -> Option<Range<usize>> {
    let hunk = comment.back.as_ref().and_then(|back| back.hunks.first());
    let was = match (hunk, comment.anchor.lines) {
        (Some(hunk), _) => {
            let start = hunk.line.saturating_sub(1);
            start..start + lines(&hunk.changed).len()
        }
        (None, Some(was)) => {
            let found = anchors::find(shown, was, &comment.quotation)?.lines();
            found.start..found.end
        }
        (None, None) => return None,
    };
    Some(LineChanges::between(shown, sent).place(&was))
}

/// Returns the lines on disk that have replaced the lines of a comment; `None` if no lines are in their
/// place, or a text is not known.
pub(crate) fn place(comment: &StoredComment, of: &Round, texts: &mut FileTexts<'_>) -> Option<LineRange> {
    let trees = of.trees.as_ref().filter(|_| comment.anchor.side.is_new())?;
    let path = paths::from_bytes(&unescape(comment.file.as_ref()?))?;
    let shown = text(texts.in_tree(&trees.shown, &path)?)?;
    let sent = text(texts.in_tree(&trees.sent, &path)?)?;
    let now = text(texts.now_or_renamed(&path)?)?;
    let lines = LineChanges::between(&sent, &now).place(&sent_lines(comment, &shown, &sent)?);
    LineRange::of(lines.into())
}

fn text(bytes: Option<Vec<u8>>) -> Option<String> {
    String::from_utf8(bytes?).ok()
}

/// Returns remarks on files that again hold text which the person undid in the last round with an undo. A
/// later finish of a review ends these remarks. `now`: the tree of the files on disk.
pub(crate) fn written_again(
    all: &Comments,
    log: &[Record],
    now: &str,
    texts: &mut FileTexts<'_>,
) -> Vec<String> {
    let Some(round) = all.rounds.iter().rev().find(|round| !round.undone.is_empty()) else {
        return Vec::new();
    };
    // A finish has the time of its look, so that the finish that sent this round is earlier than the round.
    let is_later = |record: &Record| record.kind == Kind::Finish && record.at > round.at;
    let Some(trees) = round.trees.as_ref().filter(|_| !log.iter().any(is_later)) else {
        return Vec::new();
    };
    // If the person has taken the undo back, the person has restored the text.
    let is_back = |path: &str| {
        let name = escape(path.as_bytes());
        let mut undone = log.iter().rev().filter_map(|record| record.undone.as_ref());
        undone.find(|undone| undone.path == name).is_some_and(|undone| undone.is_back)
    };
    // Few files have changed since the round, so only their texts are read.
    let Some(changed) = texts.differing(&trees.sent, now) else { return Vec::new() };
    let is_changed = |path: &&str| changed.contains(path.as_bytes()) && !is_back(path);
    let paths: Vec<&str> = round.undone.iter().map(|change| &*change.path).filter(is_changed).collect();
    for tree in [&trees.shown, &trees.sent] {
        texts.load(tree, paths.iter().map(PathBuf::from));
    }
    let is_again = |path: &&str| is_again(Path::new(path), trees, texts) == Some(true);
    let found: Vec<&str> = paths.into_iter().filter(is_again).collect();
    let named = found.iter().take(MAX_NAMED);
    let mut remarks: Vec<String> = named
        .map(|path| format!("{} holds again what you have undone in your last round.", harmless::name(path)))
        .collect();
    let more = found.len().saturating_sub(MAX_NAMED);
    remarks.extend((more > 0).then(|| format!("So do {more} more files.")));
    remarks
}

/// Whether a file holds some of its undone text again; `None` if a text is not known.
fn is_again(path: &Path, trees: &Trees, texts: &mut FileTexts<'_>) -> Option<bool> {
    let (shown, sent) = (texts.in_tree(&trees.shown, path)?, texts.in_tree(&trees.sent, path)?);
    let now = texts.now_or_renamed(path)?;
    if shown == sent || sent == now {
        return Some(false);
    }
    if shown == now {
        return Some(true);
    }
    let (sent, shown, now) = (text(sent)?, text(shown)?, text(now)?);
    let (changes, since) = (LineChanges::between(&sent, &shown), LineChanges::between(&sent, &now));
    let (old, undone, now) = (lines(&sent), lines(&shown), lines(&now));
    let is_back = |change: &Change| {
        let undone = &undone[change.new.clone()];
        // The text is back in its old place, or anywhere else in the file.
        let place = since.place(&change.old);
        let is_in_place = !change.old.is_empty() && now.get(place).is_some_and(|now| now == undone);
        let is_distinctive = undone.iter().any(|line| anchors::is_distinctive(line));
        is_in_place || is_distinctive && count(&now, undone) > count(&old, undone)
    };
    Some(changes.all().iter().any(is_back))
}
