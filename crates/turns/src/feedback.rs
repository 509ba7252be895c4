//! The comments of a working tree with the places of their lines now, and the message that waits or was read
//! last.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use alongside_companion::turns::source::{Feedback, FoundFile};
use alongside_desk::{Anchor, Comment, CommentId, CommentState, Side, TurnMessage};
use alongside_platform::directory::Entry;
use alongside_platform::paths;

use crate::anchors;
use crate::awaited::is_awaited;
use crate::blobs;
use crate::comment_log::{Comments, Round, Written};
use crate::escaped::unescape;
use crate::left_out::MAX_FILE;
use crate::log::Record;
use crate::message::Content;
use crate::route;
use crate::shelf::Shelf;
use crate::tree_place::TreePlace;
use crate::workbench::Workbench;

/// The longest message that desks are told, in UTF-16 units: they get it with every change of the list.
const MOST_TOLD: usize = 256 << 10;

/// The texts in which lines are found again.
pub(crate) struct Texts<'a> {
    top: &'a Path,
    /// Where the texts of the baseline are, and its tree.
    before: Option<(&'a Workbench, &'a str)>,
    /// The files that differ, of which some have another name now.
    changed: &'a [FoundFile],
    known: BTreeMap<(PathBuf, bool), Option<String>>,
}

impl<'a> Texts<'a> {
    /// Those on disk only.
    pub(crate) fn on_disk(top: &'a Path) -> Self {
        Self { top, before: None, changed: &[], known: BTreeMap::new() }
    }

    /// These, and those of a baseline.
    pub(crate) fn of_look(bench: &'a Workbench, before: &'a str, changed: &'a [FoundFile]) -> Self {
        let top = &bench.tree.top;
        Self { top, before: Some((bench, before)), changed, known: BTreeMap::new() }
    }

    /// The path that a file has now, for people and byte for byte, if it was renamed.
    fn renamed(&self, path: &Path) -> Option<&'a FoundFile> {
        self.changed.iter().find(|found| found.from.as_deref() == Some(path))
    }

    fn get(&mut self, path: &Path, side: Side) -> Option<&str> {
        let key = (path.to_owned(), side.is_new());
        if !self.known.contains_key(&key) {
            let text = match side {
                Side::New => self.on_disk_now(path),
                Side::Old => self.of_baseline(path),
            };
            self.known.insert(key.clone(), text.and_then(|bytes| String::from_utf8(bytes).ok()));
        }
        self.known.get(&key)?.as_deref()
    }

    fn on_disk_now(&self, path: &Path) -> Option<Vec<u8>> {
        let place = TreePlace::find(self.top, path).ok()??;
        matches!(place.entry(), Ok(Some(Entry::File))).then(|| place.read(MAX_FILE).ok())?
    }

    fn of_baseline(&self, path: &Path) -> Option<Vec<u8>> {
        let (bench, tree) = self.before?;
        blobs::read(bench, tree, path).ok()?.map(|blob| blob.bytes)
    }
}

/// A comment with the place of its lines now.
fn placed(id: CommentId, written: &Written, state: CommentState, texts: &mut Texts<'_>) -> Comment {
    let anchor = Anchor { code: written.quotation.code.clone(), ..written.anchor.clone() };
    let (text, at) = (written.text.clone(), written.at);
    let mut comment = Comment { id, anchor, text, at, now: None, lost: false, state };
    let file = written.file.as_deref().and_then(|file| paths::from_bytes(&unescape(file)));
    let Some(mut file) = file else { return comment };
    let side = comment.anchor.side;
    if side.is_new()
        && texts.get(&file, side).is_none()
        && let Some(renamed) = texts.renamed(&file)
    {
        comment.anchor.path = Some(renamed.told.path.clone());
        file.clone_from(&renamed.path);
    }
    if let Some(was) = comment.anchor.lines {
        // Where there is no baseline to look into, its lines are where they were.
        let is_unknown = !side.is_new() && texts.before.is_none();
        comment.now = match texts.get(&file, side) {
            _ if is_unknown => Some(was),
            Some(text) => anchors::find(text, was, &written.quotation),
            None => None,
        };
        comment.lost = comment.now.is_none();
    }
    comment
}

/// The content of these rounds together.
pub(crate) fn content<'a>(
    all: &Comments,
    rounds: impl IntoIterator<Item = &'a Round>,
    texts: &mut Texts<'_>,
) -> Content {
    let mut content = Content::default();
    for round in rounds {
        content.round = content.round.max(round.number);
        content.may_be_known |= round.attempts > 0;
        let comments = all.comments_of(round);
        content.comments.extend(comments.map(|(id, written)| placed(id, written, CommentState::Sent, texts)));
        content.asked.extend(round.asked.iter().cloned());
        content.undone.extend(round.undone.iter().cloned());
    }
    content
}

/// All that desks are told of a shelf.
///
/// # Errors
/// When its logs cannot be read.
pub(crate) fn of_shelf(shelf: &Shelf, texts: &mut Texts<'_>) -> io::Result<Feedback> {
    let (all, log) = (shelf.comments().read()?, shelf.log().read()?);
    let is_awaited = is_awaited(shelf, route::address(&log).as_ref(), &log);
    Ok(feedback(&all, &log, is_awaited, texts))
}

/// All that desks are told. `is_awaited`: a hook waits beside the session of the last turn.
pub(crate) fn feedback(all: &Comments, log: &[Record], is_awaited: bool, texts: &mut Texts<'_>) -> Feedback {
    let last = last_message(all);
    let sent: BTreeSet<CommentId> =
        all.waiting().chain(last.iter().copied()).flat_map(|round| round.comments.iter().copied()).collect();
    let unsent: BTreeSet<CommentId> = all.unsent().collect();
    let shown = all
        .comments
        .iter()
        .filter(|(id, comment)| !comment.is_removed && (unsent.contains(id) || sent.contains(id)));
    let state = |id| if unsent.contains(id) { CommentState::Unsent } else { CommentState::Sent };
    let comments = shown.map(|(id, comment)| placed(*id, comment, state(id), texts)).collect();
    let to = route::address(log);
    let awaits = |round: &Round| is_awaited && round.to == to;
    let message = last.last().map(|round| message(all, round, awaits(round), &last, texts));
    let route = Some(route::route(to.as_ref(), is_awaited));
    Feedback { comments, route, message, revision: all.lines }
}

/// The rounds of the message that waits; where none does, of the one that was read last.
fn last_message(all: &Comments) -> Vec<&Round> {
    if let Some(newest) = all.waiting().last() {
        return all.waiting().filter(|round| round.to == newest.to).collect();
    }
    let read = |round: &&Round| round.read.is_some();
    let newest = all.rounds.iter().filter(read).max_by_key(|round| round.read.as_ref().map(|read| read.at));
    newest.map_or(Vec::new(), |newest| all.rounds.iter().filter(|round| round.read == newest.read).collect())
}

/// All of the message with this round; without a number, of the last one.
pub(crate) fn sent_text(all: &Comments, round: Option<u64>, texts: &mut Texts<'_>) -> Option<String> {
    let rounds = match round {
        Some(number) => with_round(all, number),
        None => last_message(all),
    };
    (!rounds.is_empty()).then(|| content(all, rounds, texts).text(usize::MAX))
}

/// The rounds that were read with this one, or wait with it.
fn with_round(all: &Comments, number: u64) -> Vec<&Round> {
    let Some(found) = all.rounds.iter().find(|round| round.number == number) else { return Vec::new() };
    let is_with = |round: &&Round| match &found.read {
        Some(_) => round.read == found.read,
        None => round.read.is_none() && round.to == found.to,
    };
    all.rounds.iter().filter(is_with).collect()
}

fn message(
    all: &Comments,
    newest: &Round,
    is_awaited: bool,
    rounds: &[&Round],
    texts: &mut Texts<'_>,
) -> TurnMessage {
    let words = match &newest.read {
        Some(read) => route::read(read),
        None => route::waiting(newest.to.as_ref(), is_awaited),
    };
    let is_uncertain = newest.read.is_none() && rounds.iter().any(|round| round.attempts > 0);
    let words = if is_uncertain { format!("{words}, and may have read it already") } else { words };
    let text = content(all, rounds.iter().copied(), texts).text(MOST_TOLD);
    TurnMessage { text, words, at: newest.at, read: newest.read.as_ref().map(|read| read.at) }
}
