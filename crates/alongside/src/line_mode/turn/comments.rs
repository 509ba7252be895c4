//! The comments of a person on a turn: parses the commands that write a comment, and makes the requests for
//! them.

use alongside_desk::review_model::can_send;
use alongside_desk::review_model::comment_place::{is_on, lines_now};
use alongside_desk::{Comment, CommentId, Hunk, LineRange, Request, Side, Turn};

use super::walk::{Place, Walk};

/// The subject of a comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum About {
    /// The change where the person is.
    Change,
    /// The file where the person is.
    File,
    /// The whole turn.
    Whole,
    /// A known comment, which gets other words.
    Known(CommentId),
}

/// The way of finishing a turn review.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Finish {
    /// Undoes the marked changes, and sends this and the comments to the agent.
    Send,
    /// Asks the agent to undo the marked changes, and sends the comments.
    AskToUndo,
    /// Undoes the marked changes, and sends nothing. Comments keep waiting.
    WithoutMessage,
}

/// Returns the ways to finish, each with its letter, in the order of the prompt.
pub(super) fn ways_to_finish(walk: &Walk) -> &'static [(&'static str, Finish)] {
    let has_comments = walk.turn().unsent_comments().next().is_some();
    match (walk.has_marks(), has_comments, can_send(walk.turn())) {
        (true, _, true) => &[("y", Finish::Send), ("a", Finish::AskToUndo), ("o", Finish::WithoutMessage)],
        (false, true, true) => &[("y", Finish::Send), ("o", Finish::WithoutMessage)],
        (_, _, false) | (false, false, true) => &[("y", Finish::WithoutMessage)],
    }
}

/// The reason why a comment is not written, or not asked again.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum CommentRefusal {
    NoFile,
    NoComment,
    NotRead,
    /// The comment begins with lines that do not belong to the change. The ranges are the lines of the
    /// change.
    OtherLines(LineRange, Vec<LineRange>),
    /// The comment has lines, but no words after them.
    NoWords,
}

/// Parses a command for a comment, `c`, `cf`, `C` or `c3`, with the words after it, if any.
pub(super) fn parse_command(line: &str) -> Option<(About, &str)> {
    let (command, words) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let about = match command {
        "c" | "comment" => About::Change,
        "cf" => About::File,
        "C" => About::Whole,
        known => About::Known(CommentId(known.strip_prefix('c')?.parse().ok()?)),
    };
    Some((about, words.trim()))
}

/// Parses a line like `a3`, which asks a comment again.
pub(super) fn parse_ask_again(line: &str) -> Option<CommentId> {
    Some(CommentId(line.strip_prefix('a')?.parse().ok()?))
}

/// Returns the request that asks a comment again, which an agent must have read.
pub(super) fn ask_again_request(turn: &Turn, id: CommentId) -> Result<Request, CommentRefusal> {
    let comment = turn.comments.iter().find(|comment| comment.id == id).ok_or(CommentRefusal::NoComment)?;
    match comment.state.is_read() {
        true => Ok(Request::ChangeComment { turn: turn.id, id, text: comment.text.clone() }),
        false => Err(CommentRefusal::NotRead),
    }
}

/// Whether the turn has changes to review, or comments to send or to ask again.
pub(super) fn has_work(turn: &Turn) -> bool {
    let needs_person = |comment: &Comment| comment.state.is_unsent() || comment.state.is_open();
    !turn.files.is_empty() || turn.comments.iter().any(needs_person)
}

/// Returns the request that adds, changes or removes a comment; the words of a removal are a dash. `is_text`:
/// the words are text only, also if they begin like lines of another place.
pub(super) fn request(
    walk: &Walk,
    about: About,
    words: &str,
    is_text: bool,
) -> Result<Request, CommentRefusal> {
    let turn = walk.turn();
    let new = |file, (side, lines), text: &str| Request::AddComment {
        turn: turn.id,
        revision: turn.revision,
        file,
        lines,
        side,
        text: text.to_owned(),
    };
    let no_lines = (Side::New, None);
    let file = (walk.file() < turn.files.len()).then(|| walk.file());
    match (about, walk.place()) {
        (About::Known(id), _) if turn.comments.iter().any(|comment| comment.id == id) => {
            let text = if removes(about, words) { String::new() } else { words.to_owned() };
            Ok(Request::ChangeComment { turn: turn.id, id, text })
        }
        (About::Known(_), _) => Err(CommentRefusal::NoComment),
        (About::Whole, _) | (About::Change, Place::End) => Ok(new(None, no_lines, words)),
        (About::File, Place::End) => Err(CommentRefusal::NoFile),
        (About::File, _) => Ok(new(file, no_lines, words)),
        (About::Change, Place::Hunk(_, _, hunk)) => {
            let (lines, text) = split_lines(words, std::slice::from_ref(hunk), is_text)?;
            Ok(new(file, lines.map_or_else(|| lines_of(hunk), |lines| (Side::New, Some(lines))), text))
        }
        (About::Change, Place::Whole(_, open)) => {
            let hunks = open.map_or(&[][..], |open| &open.review().hunks);
            let (lines, text) = split_lines(words, hunks, is_text)?;
            Ok(new(file, (Side::New, lines), text))
        }
    }
}

/// Whether the words remove a comment.
pub(super) fn removes(about: About, words: &str) -> bool {
    matches!(about, About::Known(_)) && words == "-"
}

/// Returns the added lines of a change, or else the removed ones.
fn lines_of(hunk: &Hunk) -> (Side, Option<LineRange>) {
    match LineRange::of(hunk.proposed) {
        Some(lines) => (Side::New, Some(lines)),
        None => (Side::Old, LineRange::of(hunk.original)),
    }
}

/// Splits words that begin with lines, as in `4-7: why?`. The lines must belong to one of these changes.
/// `is_text`: as in [`request`].
fn split_lines<'w>(
    words: &'w str,
    hunks: &[Hunk],
    is_text: bool,
) -> Result<(Option<LineRange>, &'w str), CommentRefusal> {
    let Some((range, text)) = parse_lines(words) else { return Ok((None, words)) };
    let has_lines = |hunk: &Hunk| {
        let lines = range.lines();
        hunk.proposed.start <= lines.start && lines.start < lines.end && lines.end <= hunk.proposed.end
    };
    match range.first > 0 && hunks.iter().any(has_lines) {
        true if !text.is_empty() => Ok((Some(range), text)),
        _ if is_text => Ok((None, words)),
        true => Err(CommentRefusal::NoWords),
        false => {
            let known = hunks.iter().filter_map(|hunk| LineRange::of(hunk.proposed));
            Err(CommentRefusal::OtherLines(range, known.collect()))
        }
    }
}

/// Parses the lines that words begin with, of any place. Returns them, and the words after them.
fn parse_lines(words: &str) -> Option<(LineRange, &str)> {
    let (lines, text) = words.split_once(':')?;
    let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
    let range = LineRange { first: first.trim().parse().ok()?, last: last.trim().parse().ok()? };
    Some((range, text.trim()))
}

/// Returns the comments on the change where the person is. In a file that is undone as a whole, returns all
/// comments on lines.
pub(super) fn on_change<'w>(walk: &'w Walk) -> Vec<&'w Comment> {
    let of_file = |path: &'w str| walk.turn().comments_on(Some(path));
    match walk.place() {
        Place::Hunk(file, _, hunk) => of_file(&file.path).filter(|comment| is_on(comment, hunk)).collect(),
        Place::Whole(file, _) => of_file(&file.path).filter(|comment| lines_now(comment).is_some()).collect(),
        Place::End => Vec::new(),
    }
}

/// Returns the comments on the person's file that are about none of its changes, or whose lines are lost.
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
    walk.turn().comments_on(Some(&file.path)).filter(is_elsewhere).collect()
}

#[cfg(test)]
mod tests {
    use alongside_desk::Lines;

    use super::*;

    #[test]
    fn a_line_is_a_command_for_a_comment_by_its_first_word() {
        assert_eq!(parse_command("c why? "), Some((About::Change, "why?")));
        assert_eq!(parse_command("c"), Some((About::Change, "")));
        assert_eq!(parse_command("C run the tests"), Some((About::Whole, "run the tests")));
        assert_eq!(parse_command("cf too long"), Some((About::File, "too long")));
        assert_eq!(parse_command("c12 -"), Some((About::Known(CommentId(12)), "-")));
        assert_eq!((parse_command("check"), parse_command("k"), parse_command("c-1 x")), (None, None, None));
    }

    #[test]
    fn words_begin_with_lines_only_if_the_change_has_them() {
        let hunk = Hunk { proposed: Lines { start: 3, end: 7 }, ..Hunk::default() };
        let split = |words, is_text| super::split_lines(words, std::slice::from_ref(&hunk), is_text);
        let range = |first, last| LineRange { first, last };
        assert_eq!(split("4-5: why?", false), Ok((Some(range(4, 5)), "why?")));
        assert_eq!(split("7:why", true), Ok((Some(range(7, 7)), "why")));
        for words in ["note: this", "4 files", "a-b: c", "5"] {
            assert_eq!(split(words, false), Ok((None, words)));
        }
        for (words, first, last) in
            [("3: too many", 3, 3), ("5-4: no", 5, 4), ("7-8: no", 7, 8), ("0: no", 0, 0), ("9:", 9, 9)]
        {
            let other = CommentRefusal::OtherLines(range(first, last), vec![range(4, 7)]);
            assert_eq!(split(words, false), Err(other));
            assert_eq!(split(words, true), Ok((None, words)), "the words are text only");
        }
        assert_eq!(split("5:", false), Err(CommentRefusal::NoWords));
    }
}
