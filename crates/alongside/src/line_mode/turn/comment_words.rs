//! The words about comments on a turn, and about the message to the agent. All text of a person or an
//! agent goes through [`harmless`].

use alongside_desk::review_model::comment_place::{place, place_in_file};
use alongside_desk::review_model::comment_state::{answers, state_words};
use alongside_desk::{Comment, CommentId, CommentState, LineRange, Turn, TurnMessage, harmless};

use super::comments::{self, About, Misplaced};
use super::walk::Walk;
use crate::age::age;

/// Below the prompt of a comment of several lines.
pub(super) const HOW: &str = "Type the comment; an empty line ends it.";

/// Below the prompt of a comment that has a number.
pub(super) const HOW_AGAIN: &str =
    "Type the comment anew; an empty line ends it. An empty line at once leaves it, and - alone removes it.";

/// The prompt of each line of a comment.
pub(super) const PROMPT: &str = "comment>";

/// The person typed no comment.
pub(super) const NOTHING_TYPED: &str = "No comment is written.";

/// The change that the comment is about has become another one.
pub(super) const OTHER_PLACE: &str = "This change is another one now: the comment is not kept.";

/// Words that the companion has not taken, with which the next comment begins.
pub(super) fn resumed(words: &str) -> String {
    let how = "Type the lines that follow; an empty line ends it. - alone drops these words.";
    format!("You typed this before:\n{}\n{how}", harmless::text(words))
}

/// The companion has the comment.
const KEPT: &str = "Comment kept.";

/// Below the list of what is sent, where nothing can be.
const NO_ROUTE: &str = "No agent is known that reads comments: they wait here until one is.";

/// A text as a sentence: with a capital letter, and a full stop if it has no end.
fn sentence(text: &str) -> String {
    let text = capital(&harmless::name(text));
    if text.ends_with(['.', '!', '?']) { text } else { format!("{text}.") }
}

/// A text with a capital letter at its start.
pub(super) fn capital(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    first + chars.as_str()
}

/// By which way and when an agent reads a comment.
pub(super) fn route(turn: &Turn) -> String {
    turn.route.as_ref().map_or_else(|| NO_ROUTE.to_owned(), |route| sentence(&route.words))
}

/// The same before the finish, which is when comments are sent.
pub(super) fn route_after_finish(turn: &Turn) -> String {
    let after = if turn.route.is_some() { "After f: " } else { "" };
    format!("{after}{}", route(turn))
}

/// The same for a person who has written no comment yet.
pub(super) fn head(turn: &Turn) -> String {
    format!("c comments on a change, for the agent. {}", route_after_finish(turn))
}

/// Why a comment does not belong here.
pub(super) fn misplaced(misplaced: &Misplaced) -> String {
    let said = match misplaced {
        Misplaced::OtherLines(asked, known) => return other_lines(*asked, known),
        Misplaced::NoWords => "Type the words behind the lines: `c 4-7: words`.",
        Misplaced::NoFile => "You are at no file here; C comments on the whole turn.",
        Misplaced::NoComment => "No comment has that number; l lists them.",
        Misplaced::NotRead => "No agent has read this comment yet, so there is nothing to ask again.",
    };
    said.to_owned()
}

/// So many runs of lines are named at most.
const MOST_RANGES: usize = 4;

/// The lines that were chosen are not of the change.
fn other_lines(asked: LineRange, known: &[LineRange]) -> String {
    let known: Vec<_> = known.iter().take(MOST_RANGES).map(LineRange::to_string).collect();
    match known.is_empty() {
        true => format!("This change has no {asked}: it only removes lines."),
        false => format!("This change has no {asked}, but {}.", known.join(", ")),
    }
}

/// The next comment begins with the words that were typed.
pub(super) const WORDS_COME_BACK: &str = "Nothing is kept yet: c alone brings your words back as they are.";

/// The companion has a comment, or has changed or removed one.
pub(super) fn kept(walk: &Walk, about: About, words: &str) -> String {
    let stays = |id| walk.turn().comments.iter().any(|comment| comment.id == id);
    match (about, walk.turn().comments.last()) {
        // It was asked again, and only that is taken back.
        (About::Known(id), _) if words == "-" && stays(id) => {
            format!("Comment {} is not asked again; it stays as it was. `c{} -` closes it.", id.0, id.0)
        }
        (About::Known(id), _) if words == "-" => format!("Comment {} removed.", id.0),
        (About::Known(id), _) => format!("Comment {} changed.", id.0),
        (_, Some(last)) => {
            format!("Comment {} on {} kept. c{} changes it.", last.id.0, place(last), last.id.0)
        }
        (_, None) => KEPT.to_owned(),
    }
}

/// A comment was taken back.
pub(super) fn taken_back(comment: &Comment) -> String {
    format!("Comment {} taken back: {}", comment.id.0, harmless::text(&comment.text))
}

/// The companion has not taken a comment: the person must not lose it.
pub(super) fn not_kept(words: &str) -> String {
    format!("This is your comment, which is not kept:\n{}\nc alone brings it back.", harmless::text(words))
}

/// A comment with its number: `Comment 3 on lines 4–7: …`. `shows_code`: as in [`all`].
fn comment(comment: &Comment, turn: &Turn, shows_code: bool) -> String {
    let on = place_in_file(comment);
    let gone = if comment.lost { "; this code is nowhere in the file now" } else { "" };
    // The lines of an answered comment have changed: their old code is nowhere in the file.
    let shows_code = comment.lost || shows_code && comment.state != CommentState::Answered;
    let code = comment.anchor.code.lines().filter(|_| shows_code);
    let code: String = code.map(|line| format!("  {}\n", harmless::name(line))).collect();
    let lines: Vec<_> = comment.text.lines().map(harmless::name).collect();
    let title = format!("Comment {} on {on}{}{gone}:", comment.id.0, state_words(comment, turn));
    match (code.is_empty(), &lines[..]) {
        (true, [line]) => format!("{title} {line}"),
        _ => format!("{title}\n{code}  {}", lines.join("\n  ")),
    }
}

/// Several comments, each on its lines. `shows_code`: no change on the page shows these lines.
pub(super) fn all<'c>(
    comments: impl IntoIterator<Item = &'c Comment>,
    turn: &Turn,
    shows_code: bool,
) -> Option<String> {
    let all: Vec<_> = comments.into_iter().map(|it| comment(it, turn, shows_code)).collect();
    (!all.is_empty()).then(|| all.join("\n"))
}

/// All that a finish would send, for the person to confirm.
pub(super) fn to_send(turn: &Turn) -> Option<String> {
    let lines = |comment: &Comment| format!("  {}: {}", place(comment), indented(comment));
    let comments: Vec<_> = comments::unsent(turn).map(lines).collect();
    let title = if turn.route.is_some() { "To be sent:" } else { "Comments that wait:" };
    (!comments.is_empty()).then(|| format!("{title}\n{}", comments.join("\n")))
}

/// The comments that agents have read and whose lines are as they were, with what can be done about them.
pub(super) fn open(turn: &Turn) -> Option<String> {
    let open: Vec<_> = turn.comments.iter().filter(|comment| comment.state.is_open()).collect();
    let first = open.first()?.id.0;
    let how = format!("a{first} asks again, `c{first} -` closes it.");
    let line = |it: &&Comment| format!("  {}. {}: {}", it.id.0, place(it), indented(it));
    let lines = open.iter().map(line);
    let title = format!("Open, with nothing changed there: {how}");
    Some(std::iter::once(title).chain(lines).collect::<Vec<_>>().join("\n"))
}

/// The words of a comment in a list: the lines behind the first one are indented.
fn indented(comment: &Comment) -> String {
    comment.text.lines().map(harmless::name).collect::<Vec<_>>().join("\n    ")
}

/// A comment that an agent has read is to be sent again.
pub(super) fn asked_again(id: CommentId) -> String {
    format!("Comment {} is asked again: f sends it. `c{} -` takes that back.", id.0, id.0)
}

/// Of how many comments the lines have changed, and how many are open.
pub(super) fn answers_seen(turn: &Turn) -> Option<String> {
    answers(&turn.comments).map(|said| format!("{}.", capital(&said)))
}

/// A number of comments.
pub(super) fn count(comments: usize) -> String {
    if comments == 1 { "1 comment".into() } else { format!("{comments} comments") }
}

/// The last message to an agent, and whether it was read.
pub(super) fn message(message: &TurnMessage) -> String {
    let since = message.ended.or(message.read);
    let since = since.map_or_else(|| format!("sent, and not read yet, {}", age(message.at)), age);
    format!("Your last message: {} ({since})", harmless::name(&message.words))
}

/// An agent has read the message.
pub(super) fn read(message: &TurnMessage) -> String {
    format!("Your message was read: {}", sentence(&message.words))
}
