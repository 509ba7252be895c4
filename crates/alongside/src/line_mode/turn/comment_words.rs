//! The sentences about comments on a turn, and about the message to the agent. [`harmless`] escapes all text
//! of a person or an agent.

use alongside_desk::messages::{capital, sentence};
use alongside_desk::review_model::comment_place::{place, place_in_file};
use alongside_desk::review_model::comment_state::{answers, state_words};
use alongside_desk::{Comment, CommentId, CommentState, LineRange, Turn, TurnMessage, harmless};

use super::comments::{About, CommentRefusal};
use super::walk::Walk;
use crate::age::age;

/// The instruction for a comment of several lines.
pub(super) const HOW_TO_TYPE: &str = "Type the comment; an empty line ends it.";

/// The instruction for new words of a comment that has a number.
pub(super) const HOW_TO_RETYPE: &str =
    "Type the comment anew; an empty line ends it. An empty first line changes nothing; - alone removes it.";

/// The prompt of each line of a comment.
pub(super) const PROMPT: &str = "comment>";

/// The answer to an empty comment.
pub(super) const NOTHING_TYPED: &str = "No comment was saved.";

/// The answer to a comment on a change that has changed meanwhile.
pub(super) const OTHER_PLACE: &str = "This change has changed meanwhile: the comment was not saved.";

/// The sentence after words that the next comment begins with.
pub(super) const WORDS_COME_BACK: &str = "Nothing was saved yet: c alone brings your words back as they are.";

/// The answer to a comment that the companion has, but the list does not show.
const SAVED: &str = "Comment saved.";

/// The sentence of [`route`] if no agent reads comments.
const NO_AGENT_READS: &str = "No known agent reads comments: they wait here until one does.";

/// The most ranges of lines that an answer names.
const MAX_RANGES: usize = 4;

/// Returns the instruction for a comment that begins with words that the companion has not received.
pub(super) fn how_to_resume(words: &str) -> String {
    let how = "Type the lines that follow; an empty line ends it. - alone drops these words.";
    format!("You typed this before:\n{}\n{how}", harmless::text(words))
}

/// Returns the sentence on how and when an agent reads a comment.
pub(super) fn route(turn: &Turn) -> String {
    turn.route.as_ref().map_or_else(|| NO_AGENT_READS.to_owned(), |route| sentence(&route.words))
}

/// Returns the sentence of [`route`] for a time before the finish, which sends the comments.
pub(super) fn route_after_finish(turn: &Turn) -> String {
    let after = if turn.route.is_some() { "After f: " } else { "" };
    format!("{after}{}", route(turn))
}

/// Returns the introduction to comments, with the sentence of [`route_after_finish`].
pub(super) fn introduction(turn: &Turn) -> String {
    format!("c comments on a change, for the agent. {}", route_after_finish(turn))
}

/// Returns the answer to a comment that is refused.
pub(super) fn refusal(refusal: &CommentRefusal) -> String {
    let answer = match refusal {
        CommentRefusal::OtherLines(asked, known) => return other_lines(*asked, known),
        CommentRefusal::NoWords => "Type the comment after the line numbers: `c 4-7: words`.",
        CommentRefusal::NoFile => "You are at no file here; C comments on the whole turn.",
        CommentRefusal::NoComment => "No comment has that number; l lists them.",
        CommentRefusal::NotRead => "No agent has read this comment yet, so there is nothing to ask again.",
    };
    answer.to_owned()
}

/// Returns the answer to a comment on lines that do not belong to the change.
fn other_lines(asked: LineRange, known: &[LineRange]) -> String {
    let known: Vec<_> = known.iter().take(MAX_RANGES).map(LineRange::to_string).collect();
    match known.is_empty() {
        true => format!("This change has no {asked}: it only removes lines."),
        false => format!("This change has no {asked}, but {}.", known.join(", ")),
    }
}

/// Returns the answer to a comment that the companion has added, changed or removed.
pub(super) fn change_reply(walk: &Walk, about: About, words: &str) -> String {
    let is_listed = |id| walk.turn().comments.iter().any(|comment| comment.id == id);
    match (about, walk.turn().comments.last()) {
        // Removing a comment that is asked again only withdraws the question.
        (About::Known(id), _) if words == "-" && is_listed(id) => {
            format!("Comment {} is not asked again; it stays as it was. `c{} -` closes it.", id.0, id.0)
        }
        (About::Known(id), _) if words == "-" => format!("Comment {} removed.", id.0),
        (About::Known(id), _) => format!("Comment {} changed.", id.0),
        (_, Some(last)) => {
            format!("Comment {} on {} saved. c{} changes it.", last.id.0, place(last), last.id.0)
        }
        (_, None) => SAVED.to_owned(),
    }
}

/// Returns the answer to the undo of a comment.
pub(super) fn taken_back(comment: &Comment) -> String {
    format!("Comment {} taken back: {}", comment.id.0, harmless::text(&comment.text))
}

/// Returns the words of a comment that the companion has not received, so that the person does not lose them.
pub(super) fn not_saved(words: &str) -> String {
    format!("This is your comment, which was not saved:\n{}\nc alone brings it back.", harmless::text(words))
}

/// Returns a comment with its number: `Comment 3 on lines 4–7: …`. `shows_code`: as in [`comment_list`].
fn comment_text(comment: &Comment, turn: &Turn, shows_code: bool) -> String {
    let location = place_in_file(comment);
    let lost = if comment.lost { "; this code is nowhere in the file now" } else { "" };
    // The lines of an answered comment have changed, so the file does not have their old code.
    let shows_code = comment.lost || shows_code && comment.state != CommentState::Answered;
    let code = comment.anchor.code.lines().filter(|_| shows_code);
    let code: String = code.map(|line| format!("  {}\n", harmless::name(line))).collect();
    let lines: Vec<_> = comment.text.lines().map(harmless::name).collect();
    let title = format!("Comment {} on {location}{}{lost}:", comment.id.0, state_words(comment, turn));
    match (code.is_empty(), &lines[..]) {
        (true, [line]) => format!("{title} {line}"),
        _ => format!("{title}\n{code}  {}", lines.join("\n  ")),
    }
}

/// Returns comments, each with its lines. `shows_code`: whether to print the code that they are about.
pub(super) fn comment_list<'c>(
    comments: impl IntoIterator<Item = &'c Comment>,
    turn: &Turn,
    shows_code: bool,
) -> Option<String> {
    let texts: Vec<_> = comments.into_iter().map(|comment| comment_text(comment, turn, shows_code)).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

/// Returns the comments that a finish would send, for the person to confirm.
pub(super) fn to_send(turn: &Turn) -> Option<String> {
    let lines = |comment: &Comment| format!("  {}: {}", place(comment), indented(comment));
    let comments: Vec<_> = turn.unsent_comments().map(lines).collect();
    let title = if turn.route.is_some() { "To be sent:" } else { "Comments that wait:" };
    (!comments.is_empty()).then(|| format!("{title}\n{}", comments.join("\n")))
}

/// Returns the open comments: an agent has read them, and their lines have not changed. The title has the
/// commands for them.
pub(super) fn open_comments(turn: &Turn) -> Option<String> {
    let open: Vec<_> = turn.comments.iter().filter(|comment| comment.state.is_open()).collect();
    let first = open.first()?.id.0;
    let how = format!("a{first} asks again, `c{first} -` closes it.");
    let line = |comment: &&Comment| format!("  {}. {}: {}", comment.id.0, place(comment), indented(comment));
    let lines = open.iter().map(line);
    let title = format!("Open, with nothing changed there: {how}");
    Some(std::iter::once(title).chain(lines).collect::<Vec<_>>().join("\n"))
}

/// Returns the words of a comment for a list. All lines but the first are indented.
fn indented(comment: &Comment) -> String {
    comment.text.lines().map(harmless::name).collect::<Vec<_>>().join("\n    ")
}

/// Returns the answer to a comment that is asked again.
pub(super) fn asked_again(id: CommentId) -> String {
    format!("Comment {} is asked again: f sends it. `c{} -` takes that back.", id.0, id.0)
}

/// Returns how many comments have changed lines, and how many are open.
pub(super) fn answers_seen(turn: &Turn) -> Option<String> {
    answers(&turn.comments).map(|text| format!("{}.", capital(&text)))
}

/// Returns a number with its noun: `3 comments`.
pub(super) fn comment_count(comments: usize) -> String {
    if comments == 1 { "1 comment".into() } else { format!("{comments} comments") }
}

/// Returns the latest message to an agent, and when it was read.
pub(super) fn last_message(message: &TurnMessage) -> String {
    let read = message.ended.or(message.read);
    let when = read.map_or_else(|| format!("sent, and not read yet, {}", age(message.at)), age);
    format!("Your last message: {} ({when})", harmless::name(&message.words))
}

/// Returns the news that an agent has read the message.
pub(super) fn message_was_read(message: &TurnMessage) -> String {
    format!("Your message was read: {}", sentence(&message.words))
}
