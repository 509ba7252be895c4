//! The message that goes to the agent with a finish.

use alongside_desk::{CommentId, TurnMessage, UndoneFile};

use super::source::{ChangeBack, NewRound};

/// The content of a message, before the files are undone.
#[derive(Debug)]
pub(super) struct PendingMessage {
    /// The changes that are undone or that the agent is asked to undo, in the order of their files.
    pub(super) back: Vec<ChangeBack>,
    /// Whether the agent is asked to undo the changes; otherwise the companion undoes them.
    pub(super) asks: bool,
    /// The unsent comments of the list that the person has confirmed.
    pub(super) comments: Vec<CommentId>,
}

impl PendingMessage {
    /// Returns the round that is sent if every change can be undone.
    pub(super) fn promised_round(&self) -> NewRound {
        let (undone, comments) = (self.back.clone(), Some(self.comments.clone()));
        NewRound { undone, comments, ..NewRound::default() }
    }

    /// Returns the round that is sent after these answers: without the changes that could not be undone.
    pub(super) fn round(self, undone: &[UndoneFile]) -> NewRound {
        let comments = Some(self.comments);
        if self.asks {
            return NewRound { asked: self.back, comments, ..NewRound::default() };
        }
        let done = self.back.into_iter().zip(undone).filter(|(_, file)| file.refused.is_none());
        NewRound { undone: done.map(|(back, _)| back).collect(), comments, ..NewRound::default() }
    }
}

/// The message that was sent, `None` if there was nothing to send, or why no message was sent.
pub(super) type SendResult = Result<Option<TurnMessage>, String>;
