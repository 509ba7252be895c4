//! The finish of a turn review, as desks offer it.

use crate::turn::Turn;

/// Whether a finish may send a message: a comment waits for it, or an agent is known that has to learn what
/// was undone. An undo alone is not a message to an agent that may never come.
pub fn can_send(turn: &Turn) -> bool {
    let has_comments = turn.unsent_comments().next().is_some();
    turn.route.as_ref().is_some_and(|route| has_comments || !route.agent.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::turn::comment::{Comment, CommentState, Route};

    #[test]
    fn an_undo_is_told_to_an_agent_that_is_known() {
        let route =
            |agent: &str| Some(Route { agent: agent.into(), words: "it is read".into(), ..Route::default() });
        let turn = |route, comments| Turn { route, comments, ..Turn::default() };
        let sent = || vec![Comment { state: CommentState::Sent, ..Comment::default() }];
        assert!(can_send(&turn(route("Codex"), Vec::new())));
        assert!(!can_send(&turn(route(""), sent())));
        assert!(can_send(&turn(route(""), vec![Comment::default()])));
        assert!(!can_send(&turn(None, vec![Comment::default()])));
    }
}
