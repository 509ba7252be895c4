//! The descriptions of the states of comments on a turn.

use crate::turn::Turn;
use crate::turn::comment::{Comment, CommentState};

/// Returns the state of a comment, to stand behind its name: ` (open)`. Empty for a new comment that waits
/// for the finish.
pub fn state_words(comment: &Comment, turn: &Turn) -> &'static str {
    let is_read = turn.message.as_ref().is_some_and(|message| message.read.is_some());
    match comment.state {
        CommentState::Unsent if comment.again => " (asked again)",
        CommentState::Unsent => "",
        CommentState::Answered => " (lines changed)",
        CommentState::Open => " (open)",
        CommentState::Sent if is_read => " (read)",
        CommentState::Sent | CommentState::Other => " (sent)",
    }
}

/// Returns the numbers of comments with changed lines, of open ones and of those that are asked again, in
/// words; `None` if there are none of these. Only the person can say whether the agent did as it was asked.
pub fn answers<'c>(comments: impl IntoIterator<Item = &'c Comment>) -> Option<String> {
    let (mut changed, mut open, mut again) = (0, 0, 0);
    for comment in comments {
        match comment.state {
            CommentState::Answered => changed += 1,
            CommentState::Open => open += 1,
            CommentState::Unsent if comment.again => again += 1,
            CommentState::Unsent | CommentState::Sent | CommentState::Other => {}
        }
    }
    let all = [(changed, "with changed lines"), (open, "open"), (again, "asked again")];
    let count =
        |comments: usize| if comments == 1 { "1 comment".into() } else { format!("{comments} comments") };
    let mut said = Vec::new();
    for (comments, words) in all.into_iter().filter(|(comments, _)| *comments > 0) {
        said.push(if said.is_empty() {
            format!("{} {words}", count(comments))
        } else {
            format!("{comments} {words}")
        });
    }
    (!said.is_empty()).then(|| said.join(", "))
}

/// Returns a sentence about the comments that wait for the finish of their review, and how to send them;
/// `None` if none waits.
pub fn not_sent<'c>(comments: impl IntoIterator<Item = &'c Comment>) -> Option<String> {
    match comments.into_iter().filter(|comment| comment.state.is_unsent()).count() {
        0 => None,
        1 => Some("1 comment is not sent. Finish the review to send it.".to_owned()),
        count => Some(format!("{count} comments are not sent. Finish the review to send them.")),
    }
}

/// Returns a sentence about the comments that still wait after a finish that sent none, or after the end of a
/// desk; `None` if none waits.
pub fn waits_on<'c>(comments: impl IntoIterator<Item = &'c Comment>) -> Option<String> {
    match comments.into_iter().filter(|comment| comment.state.is_unsent()).count() {
        0 => None,
        1 => Some("1 comment waits on, and is not sent.".to_owned()),
        count => Some(format!("{count} comments wait on, and are not sent.")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::turn::comment::{Comment, TurnMessage};

    #[test]
    fn each_state_has_its_words() {
        let comment = |state, again| Comment { state, again, ..Comment::default() };
        let message = |read| Some(TurnMessage { read, ..TurnMessage::default() });
        let turn = |read| Turn { message: message(read), ..Turn::default() };
        let words = |state, again| state_words(&comment(state, again), &turn(Some(1)));
        assert_eq!(
            (words(CommentState::Unsent, false), words(CommentState::Unsent, true)),
            ("", " (asked again)")
        );
        assert_eq!(
            (words(CommentState::Open, false), words(CommentState::Sent, false)),
            (" (open)", " (read)")
        );
        assert_eq!(state_words(&comment(CommentState::Sent, false), &turn(None)), " (sent)");
        let all = [
            comment(CommentState::Open, false),
            comment(CommentState::Answered, false),
            comment(CommentState::Unsent, true),
            comment(CommentState::Open, false),
            comment(CommentState::Unsent, false),
        ];
        assert_eq!(answers(&all).as_deref(), Some("1 comment with changed lines, 2 open, 1 asked again"));
        assert_eq!((answers(&all[..1]).as_deref(), answers([])), (Some("1 comment open"), None));
        let said = Some("2 comments are not sent. Finish the review to send them.");
        assert_eq!((not_sent(&all).as_deref(), not_sent(&all[..2])), (said, None));
        let said = Some("2 comments wait on, and are not sent.");
        assert_eq!((waits_on(&all).as_deref(), waits_on(&all[..2])), (said, None));
    }
}
