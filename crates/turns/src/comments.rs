//! Carries out a person's work on comments: adds, changes, removes and sends them. Each function returns once
//! its result is on disk.

pub(crate) mod answered_comments;
pub(crate) mod comment_list;
pub(crate) mod compaction;
pub(crate) mod file_texts;
pub(crate) mod message_text;
pub(crate) mod round_size;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use alongside_companion::turns::source::{ChangeBack, Feedback, NewComment, NewRound, TurnLook};
use alongside_desk::{Anchor, CommentId, LineRange, Lines, Refusal, Side, TurnMessage, now_ms};
use alongside_platform::paths;

use crate::comments::comment_list::SentText;
use crate::comments::compaction::compact_large;
use crate::comments::file_texts::FileTexts;
use crate::comments::message_text::undo_request;
use crate::error::Error;
use crate::lines::anchors::Quotation;
use crate::sessions::recipient;
use crate::snapshots::compared_trees::baseline;
use crate::snapshots::tree_access::TreeAccess;
use crate::store::comment_line::{Line, Trees};
use crate::store::comment_log::CommentLog;
use crate::store::comment_state::Comments;
use crate::store::escaped_path::escape;
use crate::store::file_lock::FileLock;
use crate::store::tree_store::{COMMENTS_LOCK, TreeStore};
use crate::store::turn_dirs::TurnDirs;
use crate::store::turn_log::Record;
use crate::working_tree::WorkingTree;

/// The longest wait for another process that writes a line.
const PATIENCE: Duration = Duration::from_secs(5);
/// The time limit of git for reading the texts of snapshots.
const GIT_PATIENCE: Duration = Duration::from_secs(30);

/// Takes the lock of comments. While a process holds it, no other process writes a comment or delivers a
/// message of this working tree.
pub(crate) fn lock(store: &TreeStore) -> Result<FileLock, Error> {
    let lock = store.try_lock(COMMENTS_LOCK, Instant::now() + PATIENCE)?;
    lock.ok_or("another alongside writes comments here all the time".into())
}

/// Opens the store of a working tree, which is created if it is missing, and its log of comments.
fn open_store(dirs: &TurnDirs, top: &Path) -> Result<(TreeStore, CommentLog), Error> {
    let store = TreeStore::of(dirs.state(), top);
    store.make(dirs.state(), top)?;
    if let Err(fault) = compact_large(&store, Instant::now() + PATIENCE) {
        tracing::warn!(%fault, "a large log of comments stays as it is");
    }
    let log = store.comments();
    Ok((store, log))
}

fn comment_not_kept(fault: impl Into<Error>) -> Refusal {
    Refusal::CommentNotKept { reason: fault.into().to_string() }
}

/// Writes a new comment into the log.
///
/// # Errors
/// When the comment cannot be written.
pub(crate) fn add(dirs: &TurnDirs, top: &Path, new: &NewComment) -> Result<(), Refusal> {
    let (store, log) = open_store(dirs, top).map_err(comment_not_kept)?;
    let _lock = lock(&store).map_err(comment_not_kept)?;
    let id = log.read().map_err(comment_not_kept)?.next_comment();
    let NewComment { file, lines, side, code, before, after, text } = new.clone();
    let path = file.as_ref().map(|file| match (side, &file.from) {
        (Side::Old, Some(from)) => from,
        _ => &file.path,
    });
    let line = Line::Written {
        id,
        file: path.map(|path| escape(&paths::to_bytes(path))),
        anchor: Anchor { path: file.map(|file| file.told.path), lines, side, code: String::new() },
        quotation: Quotation { code, before, after },
        text,
        back: None,
        at: now_ms(),
    };
    log.append([&line]).map_err(comment_not_kept)
}

/// Replaces the text of a comment, or removes the comment if `text` is empty. A comment that an agent has
/// read is asked again with the new text, or closed. If its lines have changed since, the comment is then
/// about the lines in their place, which the person sees.
///
/// # Errors
/// When there is no such comment, or the change cannot be written.
pub(crate) fn change(
    dirs: &TurnDirs,
    top: &Path,
    id: CommentId,
    text: &str,
    texts: Option<&mut FileTexts<'_>>,
) -> Result<(), Refusal> {
    let (store, log) = open_store(dirs, top).map_err(comment_not_kept)?;
    // This runs before the lock is taken, because git may be slow and hooks wait for the lock.
    let about = texts.filter(|_| !text.is_empty()).and_then(|texts| {
        let (all, records) = (log.read().ok()?, store.log().read().ok()?);
        comment_list::changed_lines(id, &all, &records, texts)
    });
    let _lock = lock(&store).map_err(comment_not_kept)?;
    let all = log.read().map_err(comment_not_kept)?;
    match all.comments.get(&id) {
        Some(comment) if !comment.is_removed => {}
        _ => return Err(Refusal::NoSuchComment),
    }
    log.append([&Line::Changed { id, text: text.to_owned(), about, at: now_ms() }]).map_err(comment_not_kept)
}

/// Sends a round to the session of the last turn: the comments that the person has confirmed, the changes
/// that they have undone, and the changes that the agent is asked to undo, each of which becomes a comment.
/// Returns the message that waits now; `None` if the round is empty.
///
/// # Errors
/// When the round cannot be written.
pub(crate) fn send(
    dirs: &TurnDirs,
    look: &TurnLook,
    round: &NewRound,
    trees: Option<Trees>,
) -> Result<Option<TurnMessage>, Error> {
    let (store, log) = open_store(dirs, &look.root)?;
    {
        let _lock = lock(&store)?;
        let all = log.read()?;
        let NewRound { mut undone, mut asked, comments } = round.clone();
        round_size::cut_texts(asked.iter_mut().chain(&mut undone));
        let is_confirmed = |id: &CommentId| comments.as_ref().is_none_or(|comments| comments.contains(id));
        let mut comments: Vec<CommentId> = all.unsent().filter(is_confirmed).collect();
        let (first, at) = (all.next_comment().0, now_ms());
        let changes = asked.into_iter().flat_map(split_hunks);
        let ids = (first..).map(CommentId);
        let mut lines: Vec<Line> =
            changes.zip(ids).map(|(back, id)| undo_comment(id, back, look, at)).collect();
        comments.extend((first..).map(CommentId).take(lines.len()));
        if comments.is_empty() && undone.is_empty() {
            return Ok(None);
        }
        let records = store.log().read()?;
        let to = recipient::address(&records);
        let (round, beside) = (all.next_round(), recipient::beside(to.as_ref(), &records));
        // Another desk may send a round between the promise and its own round. That round does not keep the
        // promise.
        let keeps = all.promise.filter(|promise| promise.look == look.snapshot).and_then(|it| it.number);
        lines.push(Line::Sent { round, comments, undone, to, beside, trees, keeps, at });
        log.append(&lines)?;
    }
    // The round is sent, even if the log cannot be read again.
    let feedback = comment_list::of_store(&store, &mut FileTexts::on_disk(&look.root));
    let unknown = || TurnMessage { words: "it is sent".to_owned(), at: now_ms(), ..TurnMessage::default() };
    Ok(feedback.map_or_else(|_| Some(unknown()), |feedback| feedback.message))
}

/// Splits a change into one for each hunk. A change without hunks is about the whole file, and is not split.
fn split_hunks(change: ChangeBack) -> Vec<ChangeBack> {
    if change.hunks.is_empty() {
        return vec![change];
    }
    let ChangeBack { path, hunks, whole } = change;
    let one = |hunk| ChangeBack { path: path.clone(), hunks: vec![hunk], whole: whole.clone() };
    hunks.into_iter().map(one).collect()
}

/// Makes the comment that asks the agent to undo a change.
fn undo_comment(id: CommentId, back: ChangeBack, look: &TurnLook, at: u64) -> Line {
    let found = look.files.iter().find(|file| file.told.path == back.path);
    let path = found.map(|file| paths::to_bytes(&file.path));
    let hunk = back.hunks.first();
    let code = hunk.map(|hunk| hunk.changed.clone()).unwrap_or_default();
    let lines = hunk.and_then(|hunk| {
        let start = hunk.line.saturating_sub(1);
        LineRange::of(Lines { start, end: start + code.lines().count() })
    });
    Line::Written {
        id,
        file: path.map(|path| escape(&path)),
        anchor: Anchor { path: Some(back.path.clone()), lines, ..Anchor::default() },
        quotation: Quotation { code, ..Quotation::default() },
        text: undo_request(&back),
        back: Some(back),
        at,
    }
}

/// Returns the comments of the working tree around a directory, and the top of the tree.
///
/// # Errors
/// When the directory is in no working tree, or the log cannot be read.
pub fn feedback_in(dirs: &TurnDirs, directory: &Path) -> Result<(PathBuf, Feedback), Error> {
    let tree = dirs.working_tree(directory)?;
    let (store, top) = (TreeStore::of(dirs.state(), &tree.top), tree.top.clone());
    let (all, log) = (store.comments().read()?, store.log().read()?);
    let read = |texts: &mut FileTexts<'_>| comment_list::feedback(&store, &all, &log, texts);
    Ok((top, with_texts(dirs, tree, &all, &log, read)))
}

/// Returns the whole text of the message with a round, as it was delivered, or as it waits. Without `round`,
/// returns that of the last round. `None` if there is no such round.
///
/// # Errors
/// As [`feedback_in`].
pub fn sent_text(dirs: &TurnDirs, directory: &Path, round: Option<u64>) -> Result<Option<SentText>, Error> {
    let tree = dirs.working_tree(directory)?;
    let store = TreeStore::of(dirs.state(), &tree.top);
    let (all, log) = (store.comments().read()?, store.log().read()?);
    let read = |texts: &mut FileTexts<'_>| comment_list::sent_text(&all, round, texts);
    Ok(with_texts(dirs, tree, &all, &log, read))
}

/// Calls `read` with the texts of a working tree. Opens the snapshots only if a comment needs one.
fn with_texts<T>(
    dirs: &TurnDirs,
    tree: WorkingTree,
    all: &Comments,
    log: &[Record],
    read: impl FnOnce(&mut FileTexts<'_>) -> T,
) -> T {
    let before = baseline(log).and_then(|place| log.get(place)?.tree.clone());
    let has_old = all.comments.values().any(|comment| comment.anchor.side == Side::Old);
    let is_read = all.rounds.iter().any(|round| round.read.is_some());
    let top = tree.top.clone();
    let access = (has_old && before.is_some() || is_read)
        .then(|| TreeAccess::open(dirs, tree, Instant::now() + GIT_PATIENCE).ok())
        .flatten();
    match &access {
        Some(access) => read(&mut FileTexts::of_look(access, before.as_deref(), &[])),
        None => read(&mut FileTexts::on_disk(&top)),
    }
}
