//! The comments of a person on a turn, line by line: the commands that write one, and the request that keeps
//! it.

use alongside_desk::review_model::can_send;
use alongside_desk::review_model::comment_place::{is_on, lines_now};
use alongside_desk::{Comment, CommentId, Hunk, LineRange, Request, Side, Turn};

use super::walk::{Place, Walk};

/// The thing that a comment is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum About {
    /// The change where the person is.
    Change,
    /// The file where they are.
    File,
    /// The whole turn.
    Whole,
    /// A comment that is there gets other words.
    Known(CommentId),
}

/// The way in which the person finishes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Finish {
    /// The marked changes are undone, and the agent is told that, with the comments.
    Send,
    /// The agent is asked to undo what is marked.
    AskToUndo,
    /// The agent is told nothing: comments wait on.
    Quietly,
}

/// The ways to finish, each with its letter, in the order of the prompt.
pub(super) fn finishes(walk: &Walk) -> &'static [(&'static str, Finish)] {
    let has_comments = unsent(walk.turn()).next().is_some();
    match (walk.has_marks(), has_comments, can_send(walk.turn())) {
        (true, _, true) => &[("y", Finish::Send), ("a", Finish::AskToUndo), ("o", Finish::Quietly)],
        (false, true, true) => &[("y", Finish::Send), ("o", Finish::Quietly)],
        (_, _, false) | (false, false, true) => &[("y", Finish::Quietly)],
    }
}

/// There is nothing here to which such a comment could belong.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Misplaced {
    NoFile,
    NoComment,
    NotRead,
    /// The words begin with lines that are not of the change; those that are.
    OtherLines(LineRange, Vec<LineRange>),
    /// The words have lines, and nothing behind them.
    NoWords,
}

/// The command for a comment that a line is: `c`, `cf`, `C` or `c3`, with the words behind it, if any.
pub(super) fn command(line: &str) -> Option<(About, &str)> {
    let (command, words) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let about = match command {
        "c" | "comment" => About::Change,
        "cf" => About::File,
        "C" => About::Whole,
        known => About::Known(CommentId(known.strip_prefix('c')?.parse().ok()?)),
    };
    Some((about, words.trim()))
}

/// The comment that a line like `a3` asks again.
pub(super) fn again(line: &str) -> Option<CommentId> {
    Some(CommentId(line.strip_prefix('a')?.parse().ok()?))
}

/// The request that asks again what an agent has read.
pub(super) fn ask_again(turn: &Turn, id: CommentId) -> Result<Request, Misplaced> {
    let comment = turn.comments.iter().find(|comment| comment.id == id).ok_or(Misplaced::NoComment)?;
    match comment.state.is_read() {
        true => Ok(Request::ChangeComment { turn: turn.id, id, text: comment.text.clone() }),
        false => Err(Misplaced::NotRead),
    }
}

/// Whether a person has something to look at or to send.
pub(super) fn has_work(turn: &Turn) -> bool {
    let waits = |comment: &Comment| comment.state.is_unsent() || comment.state.is_open();
    !turn.files.is_empty() || turn.comments.iter().any(waits)
}

/// The request that keeps a comment with these words; those of a comment that goes are a dash. `is_text`: the
/// words are nothing but text, also where they begin with lines of another place.
pub(super) fn request(walk: &Walk, about: About, words: &str, is_text: bool) -> Result<Request, Misplaced> {
    let turn = walk.turn();
    let new = |file, (side, lines), text: &str| Request::AddComment {
        turn: turn.id,
        revision: turn.revision,
        file,
        lines,
        side,
        text: text.to_owned(),
    };
    let nowhere = (Side::New, None);
    let file = (walk.file() < turn.files.len()).then(|| walk.file());
    match (about, walk.place()) {
        (About::Known(id), _) if turn.comments.iter().any(|comment| comment.id == id) => {
            let text = if words == "-" { String::new() } else { words.to_owned() };
            Ok(Request::ChangeComment { turn: turn.id, id, text })
        }
        (About::Known(_), _) => Err(Misplaced::NoComment),
        (About::Whole, _) | (About::Change, Place::End) => Ok(new(None, nowhere, words)),
        (About::File, Place::End) => Err(Misplaced::NoFile),
        (About::File, _) => Ok(new(file, nowhere, words)),
        (About::Change, Place::Hunk(_, _, hunk)) => {
            let (lines, text) = chosen(words, std::slice::from_ref(hunk), is_text)?;
            Ok(new(file, lines.map_or_else(|| all(hunk), |lines| (Side::New, Some(lines))), text))
        }
        (About::Change, Place::Whole(_, open)) => {
            let hunks = open.map_or(&[][..], |open| &open.review().hunks);
            let (lines, text) = chosen(words, hunks, is_text)?;
            Ok(new(file, (Side::New, lines), text))
        }
    }
}

/// The lines of a change: those that came, or else those that went.
fn all(hunk: &Hunk) -> (Side, Option<LineRange>) {
    match LineRange::of(hunk.proposed) {
        Some(lines) => (Side::New, Some(lines)),
        None => (Side::Old, LineRange::of(hunk.original)),
    }
}

/// The lines that words begin with, as in `4-7: why?`, which must be of one of these changes; and the words
/// behind them. `is_text`: as in [`request`].
fn chosen<'w>(
    words: &'w str,
    hunks: &[Hunk],
    is_text: bool,
) -> Result<(Option<LineRange>, &'w str), Misplaced> {
    let Some((range, text)) = lines_before(words) else { return Ok((None, words)) };
    let is_of = |hunk: &Hunk| {
        let lines = range.lines();
        hunk.proposed.start <= lines.start && lines.start < lines.end && lines.end <= hunk.proposed.end
    };
    match range.first > 0 && hunks.iter().any(is_of) {
        true if !text.is_empty() => Ok((Some(range), text)),
        _ if is_text => Ok((None, words)),
        true => Err(Misplaced::NoWords),
        false => {
            let known = hunks.iter().filter_map(|hunk| LineRange::of(hunk.proposed));
            Err(Misplaced::OtherLines(range, known.collect()))
        }
    }
}

/// The lines that words begin with, of whatever place, and the words behind them.
fn lines_before(words: &str) -> Option<(LineRange, &str)> {
    let (lines, text) = words.split_once(':')?;
    let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
    let range = LineRange { first: first.trim().parse().ok()?, last: last.trim().parse().ok()? };
    Some((range, text.trim()))
}

/// The comments on the change where the person is; of a file without several, all on its lines.
pub(super) fn on_change<'w>(walk: &'w Walk) -> Vec<&'w Comment> {
    let of_file = |path: &'w str| of_file(walk.turn(), path);
    match walk.place() {
        Place::Hunk(file, _, hunk) => of_file(&file.path).filter(|comment| is_on(comment, hunk)).collect(),
        Place::Whole(file, _) => of_file(&file.path).filter(|comment| lines_now(comment).is_some()).collect(),
        Place::End => Vec::new(),
    }
}

/// The comments on the file where the person is that are about none of its changes, or whose lines are lost.
pub(super) fn on_file(walk: &Walk) -> Vec<&Comment> {
    let (file, open) = match walk.place() {
        Place::Hunk(file, open, _) => (file, Some(open)),
        Place::Whole(file, open) => (file, open),
        Place::End => return Vec::new(),
    };
    let hunks = open.map_or(&[][..], |open| &open.review().hunks);
    let is_whole = matches!(walk.place(), Place::Whole(..));
    let is_elsewhere = |comment: &&Comment| match lines_now(comment) {
        None => true,
        Some(_) => !is_whole && !hunks.iter().any(|hunk| is_on(comment, hunk)),
    };
    of_file(walk.turn(), &file.path).filter(is_elsewhere).collect()
}

/// The comments on a file.
pub(super) fn of_file<'t>(turn: &'t Turn, path: &'t str) -> impl Iterator<Item = &'t Comment> {
    turn.comments.iter().filter(move |comment| comment.anchor.path.as_deref() == Some(path))
}

/// The comments on the whole turn.
pub(super) fn on_whole(turn: &Turn) -> impl Iterator<Item = &Comment> {
    turn.comments.iter().filter(|comment| comment.anchor.path.is_none())
}

/// The comments that a finish would send.
pub(super) fn unsent(turn: &Turn) -> impl Iterator<Item = &Comment> {
    turn.comments.iter().filter(|comment| comment.state.is_unsent())
}

#[cfg(test)]
mod tests {
    use alongside_desk::Lines;

    use super::*;

    #[test]
    fn a_comment_is_one_line_or_begins_one() {
        assert_eq!(command("c why? "), Some((About::Change, "why?")));
        assert_eq!(command("c"), Some((About::Change, "")));
        assert_eq!(command("C run the tests"), Some((About::Whole, "run the tests")));
        assert_eq!(command("cf too long"), Some((About::File, "too long")));
        assert_eq!(command("c12 -"), Some((About::Known(CommentId(12)), "-")));
        assert_eq!((command("check"), command("k"), command("c-1 x")), (None, None, None));
    }

    #[test]
    fn lines_are_chosen_only_where_they_are_lines_of_the_change() {
        let hunk = Hunk { proposed: Lines { start: 3, end: 7 }, ..Hunk::default() };
        let chosen = |words, is_text| super::chosen(words, std::slice::from_ref(&hunk), is_text);
        let range = |first, last| LineRange { first, last };
        assert_eq!(chosen("4-5: why?", false), Ok((Some(range(4, 5)), "why?")));
        assert_eq!(chosen("7:why", true), Ok((Some(range(7, 7)), "why")));
        for words in ["note: this", "4 files", "a-b: c", "5"] {
            assert_eq!(chosen(words, false), Ok((None, words)));
        }
        for (words, first, last) in
            [("3: too many", 3, 3), ("5-4: no", 5, 4), ("7-8: no", 7, 8), ("0: no", 0, 0), ("9:", 9, 9)]
        {
            let other = Misplaced::OtherLines(range(first, last), vec![range(4, 7)]);
            assert_eq!(chosen(words, false), Err(other));
            assert_eq!(chosen(words, true), Ok((None, words)), "they are the person's words");
        }
        assert_eq!(chosen("5:", false), Err(Misplaced::NoWords));
    }
}
