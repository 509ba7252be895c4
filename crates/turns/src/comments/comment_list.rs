//! Makes the list of comments that desks show: each comment with its state and the current place of its
//! lines. Beside the list is the message that waits or was read last.

use std::collections::BTreeSet;
use std::io;

use alongside_companion::turns::source::{ChangeBack, Feedback, MAX_QUOTED_BYTES, SURROUNDING_LINES};
use alongside_desk::{Anchor, Comment, CommentId, CommentState, Text, TurnMessage};
use alongside_platform::paths;

use crate::comments::answered_comments::{load, place, state, was_open};
use crate::comments::file_texts::FileTexts;
use crate::comments::message_text::{Content, undo_request};
use crate::lines::anchors::{self, Quotation};
use crate::sessions::read_moment::{ReadMoment, read_moment};
use crate::sessions::recipient;
use crate::store::comment_line::QuotedLines;
use crate::store::comment_state::{Comments, Round, StoredComment};
use crate::store::escaped_path::unescape;
use crate::store::tree_store::TreeStore;
use crate::store::turn_log::Record;

/// The longest text of a message that desks receive, in UTF-16 units. The limit exists because every change
/// of the list sends the text again.
const MAX_DESK_TEXT: usize = 256 << 10;

/// Makes the comment of desks, with the current place of its lines.
fn placed(id: CommentId, written: &StoredComment, state: CommentState, texts: &mut FileTexts<'_>) -> Comment {
    let (text, at) = (written.again.as_ref().map_or(&written.text, |again| &again.text).clone(), written.at);
    let again = written.again.is_some();
    let about = written.again.as_ref().and_then(|again| again.about.as_ref());
    let (lines, quotation) = match about {
        Some(about) => (Some(about.lines), &about.quotation),
        None => (written.anchor.lines, &written.quotation),
    };
    let anchor = Anchor { lines, code: quotation.code.clone(), ..written.anchor.clone() };
    let mut comment = Comment { id, anchor, text, at, now: None, lost: false, state, again };
    let file = written.file.as_deref().and_then(|file| paths::from_bytes(&unescape(file)));
    let Some(mut file) = file else { return comment };
    let side = comment.anchor.side;
    if side.is_new()
        && texts.get(&file, side) == Some(None)
        && let Some(renamed) = texts.renamed(&file)
    {
        comment.anchor.path = Some(renamed.told.path.clone());
        file.clone_from(&renamed.path);
    }
    if let Some(was) = comment.anchor.lines {
        comment.now = match texts.get(&file, side) {
            // If the text is not known, the lines keep their place.
            None => Some(was),
            Some(text) => text.and_then(|text| anchors::find(&text, was, quotation)),
        };
        comment.lost = comment.now.is_none();
    }
    comment
}

/// Collects the content of the message with these rounds.
pub(crate) fn content<'a>(
    all: &Comments,
    rounds: impl IntoIterator<Item = &'a Round>,
    texts: &mut FileTexts<'_>,
) -> Content {
    let mut content = Content::default();
    for round in rounds {
        content.round = content.round.max(round.number);
        content.may_be_known |= round.attempts > 0;
        for (id, written) in all.comments_of(round) {
            let comment = placed(id, written, CommentState::Sent, texts);
            let again = all.rounds.iter().any(|it| it.number < round.number && it.comments.contains(&id));
            let has_words = written.back.as_ref().is_none_or(|back| written.text != undo_request(back));
            if let Some(back) = &written.back {
                let mut back = back.clone();
                if let (Some(hunk), Some(now)) = (back.hunks.first_mut(), comment.now) {
                    hunk.line = now.first;
                }
                add_request(&mut content.asked, back);
            }
            content.comments.extend(has_words.then_some(Comment { again, ..comment }));
        }
        content.undone.extend(round.undone.iter().cloned());
    }
    content
}

/// Adds a change that the agent is asked to undo. Changes of the same file are joined in one entry.
fn add_request(asked: &mut Vec<ChangeBack>, back: ChangeBack) {
    match asked.last_mut() {
        Some(last) if last.path == back.path && !last.hunks.is_empty() && !back.hunks.is_empty() => {
            last.hunks.extend(back.hunks);
        }
        _ => asked.push(back),
    }
}

/// Reads the comments and the message of a store, as desks receive them.
///
/// # Errors
/// When the logs of the store cannot be read.
pub(crate) fn of_store(store: &TreeStore, texts: &mut FileTexts<'_>) -> io::Result<Feedback> {
    let (all, log) = (store.comments().read()?, store.log().read()?);
    Ok(feedback(store, &all, &log, texts))
}

/// Makes the comments and the message from the logs of a store, as desks receive them.
pub(crate) fn feedback(
    store: &TreeStore,
    all: &Comments,
    log: &[Record],
    texts: &mut FileTexts<'_>,
) -> Feedback {
    load(all, texts);
    let last = last_message(all);
    let sent: BTreeSet<CommentId> =
        all.waiting().chain(last.iter().copied()).flat_map(|round| round.comments.iter().copied()).collect();
    let mut comments = Vec::new();
    for (id, comment) in all.comments.iter().filter(|(_, comment)| !comment.is_removed) {
        let state = state(*id, comment, all, log, texts);
        let of_earlier = all.round_of(*id).filter(|_| !state.is_unsent() && !sent.contains(id));
        // A comment that was answered before the last round was sent is not shown again.
        let is_shown = match (of_earlier, last.last()) {
            (Some(round), Some(last)) => state.is_open() || was_open(comment, round, last, texts),
            (Some(_), None) | (None, _) => true,
        };
        if is_shown {
            comments.push(placed_or_in_place(*id, comment, state, all, texts));
        }
    }
    let to = recipient::address(log);
    let when = read_moment(store, to.as_ref(), log);
    let when_of = |round: &Round| if round.to == to { when } else { ReadMoment::NextPrompt };
    let message = last.last().map(|round| message(all, (round, when_of(round)), log, &last, texts));
    let route = Some(recipient::route(to.as_ref(), when, log));
    Feedback { comments, route, message, revision: all.lines }
}

/// Makes the comment of desks with the current place of its lines or, if they have changed, of the lines in
/// their place.
fn placed_or_in_place(
    id: CommentId,
    written: &StoredComment,
    state: CommentState,
    all: &Comments,
    texts: &mut FileTexts<'_>,
) -> Comment {
    let mut placed = placed(id, written, state, texts);
    if placed.lost
        && state == CommentState::Answered
        && let Some(place) = all.round_of(id).and_then(|round| place(written, round, texts))
    {
        (placed.now, placed.lost) = (Some(place), false);
    }
    placed
}

/// Returns the lines on which desks show a comment after its own lines have changed. Returns `None` for a
/// comment that still stands on the lines that it was written about, or on no lines.
pub(crate) fn changed_lines(
    id: CommentId,
    all: &Comments,
    log: &[Record],
    texts: &mut FileTexts<'_>,
) -> Option<QuotedLines> {
    let written = all.comments.get(&id).filter(|written| written.back.is_none())?;
    let file = paths::from_bytes(&unescape(written.file.as_deref()?))?;
    if state(id, written, all, log, texts) != CommentState::Answered || !written.anchor.side.is_new() {
        return None;
    }
    let lines = placed_or_in_place(id, written, CommentState::Answered, all, texts).now?;
    let text = Text::new(String::from_utf8(texts.now_or_renamed(&file)??).ok()?);
    let range = lines.lines();
    let stretch = |start: usize, end: usize| text.lines(start..end.min(text.len())).to_owned();
    let quotation = Quotation {
        code: stretch(range.start, range.end),
        before: stretch(range.start.saturating_sub(SURROUNDING_LINES), range.start),
        after: stretch(range.end.min(text.len()), range.end + SURROUNDING_LINES),
    };
    let is_short =
        quotation.code.len().max(quotation.before.len()).max(quotation.after.len()) <= MAX_QUOTED_BYTES;
    is_short.then_some(QuotedLines { lines, quotation })
}

/// Returns the rounds of the message that waits, or else of the message that was read last.
fn last_message(all: &Comments) -> Vec<&Round> {
    if let Some(newest) = all.waiting().last() {
        return all.waiting().filter(|round| round.to == newest.to).collect();
    }
    let read = |round: &&Round| round.read.is_some();
    let newest = all.rounds.iter().filter(read).max_by_key(|round| round.read.as_ref().map(|read| read.at));
    newest.map_or(Vec::new(), |newest| all.rounds.iter().filter(|round| round.read == newest.read).collect())
}

/// The text of a message that a person has sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentText {
    /// The whole text.
    pub text: String,
    /// Whether the agent has read another text: the log did not keep that text, so this text was made again,
    /// with the present places of the lines.
    pub is_of_now: bool,
}

/// Returns the text with which a message was delivered, if the log has kept it.
fn told<'r>(rounds: &[&'r Round]) -> Option<&'r str> {
    let newest = rounds.iter().max_by_key(|round| round.number)?;
    newest.told.as_deref().filter(|_| is_delivered(newest))
}

fn is_delivered(round: &Round) -> bool {
    round.read.is_some() || round.given.is_some()
}

/// Returns the whole text of the message with this round, or of the last message if `round` is absent.
pub(crate) fn sent_text(all: &Comments, round: Option<u64>, texts: &mut FileTexts<'_>) -> Option<SentText> {
    let rounds = match round {
        Some(number) => with_round(all, number),
        None => last_message(all),
    };
    if let Some(told) = told(&rounds) {
        return Some(SentText { text: told.to_owned(), is_of_now: false });
    }
    let is_of_now = rounds.iter().any(|round| is_delivered(round));
    (!rounds.is_empty()).then(|| SentText { text: content(all, rounds, texts).text(usize::MAX), is_of_now })
}

/// Returns the rounds that were read together with this one, or wait together with it.
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
    (newest, when): (&Round, ReadMoment),
    log: &[Record],
    rounds: &[&Round],
    texts: &mut FileTexts<'_>,
) -> TurnMessage {
    let words = match (&newest.read, &newest.given) {
        (Some(read), _) => recipient::read(read, log),
        (None, Some(given)) => recipient::given(given),
        (None, None) => recipient::waiting(newest.to.as_ref(), when),
    };
    let is_uncertain =
        newest.read.is_none() && newest.given.is_none() && rounds.iter().any(|round| round.attempts > 0);
    let words = if is_uncertain { format!("{words}, and may have read it already") } else { words };
    let text = match told(rounds) {
        Some(told) => told.to_owned(),
        None => content(all, rounds.iter().copied(), texts).text(MAX_DESK_TEXT),
    };
    let (read, ended) = match &newest.read {
        Some(read) => (Some(read.at), recipient::ended(read, log)),
        None => (None, None),
    };
    TurnMessage { text, words, at: newest.at, read, ended }
}
