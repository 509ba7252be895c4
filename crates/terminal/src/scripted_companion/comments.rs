//! The comments of the scripted companion, which keeps them in memory and sends them by the route of the
//! turn.

use alongside_desk::{
    Anchor, Comment, CommentId, CommentState, Refusal, Request, Turn, TurnFinished, TurnMessage,
};

/// Adds, changes or removes a comment. `now`: the present time in ms since the Unix epoch.
pub(crate) fn comment(turn: &mut Turn, request: &Request, now: u64) -> Result<(), Refusal> {
    match request {
        Request::AddComment { file, lines, side, text, .. } => {
            let path = file.map(|file| turn.files.get(file).map(|file| file.path.clone()));
            let path = match path {
                Some(path) => Some(path.ok_or(Refusal::NoSuchTurn)?),
                None => None,
            };
            let anchor = Anchor { path, lines: *lines, side: *side, code: "the code".into() };
            let id = CommentId(turn.comments.len() as u64 + 1);
            let (text, state) = (text.clone(), CommentState::Unsent);
            let (lost, again) = (false, false);
            turn.comments.push(Comment { id, anchor, text, at: now, now: *lines, lost, state, again });
        }
        Request::ChangeComment { id, text, .. } => {
            let at = turn.comments.iter().position(|comment| comment.id == *id);
            let at = at.ok_or(Refusal::NoSuchComment)?;
            let comment = &mut turn.comments[at];
            match (text.is_empty(), comment.again || comment.state.is_read()) {
                (true, true) if comment.again => {
                    (comment.again, comment.state) = (false, CommentState::Open);
                }
                (true, _) => _ = turn.comments.remove(at),
                (false, true) => {
                    (comment.again, comment.state) = (true, CommentState::Unsent);
                    comment.text.clone_from(text);
                }
                (false, false) => comment.text.clone_from(text),
            }
        }
        _ => {}
    }
    Ok(())
}

/// Sends all comments. `asks_to_undo`: whether the agent is asked to undo the marked files.
pub(crate) fn send(turn: &mut Turn, finished: &mut TurnFinished, asks_to_undo: bool, now: u64) {
    let Some(route) = &turn.route else {
        finished.not_sent = Some("no agent is known".into());
        return;
    };
    if asks_to_undo {
        finished.asked = finished.files.drain(..).map(|file| file.path).collect();
    }
    for comment in &mut turn.comments {
        (comment.state, comment.again) = (CommentState::Sent, false);
    }
    let message = TurnMessage {
        text: format!("{} comments\nand more", turn.comments.len()),
        words: route.words.clone(),
        at: now,
        ..TurnMessage::default()
    };
    finished.sent = Some(message.clone());
    turn.message = Some(message);
}
