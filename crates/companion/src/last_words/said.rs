//! A last word, and its consequences for the draft and for desks.

use std::path::PathBuf;
use std::sync::Arc;

use alongside_desk::{self as desk, LastWord, ReviewId, Word, messages};

use crate::persistence::drafts::NewDraft;
use crate::reviews::decided_text::DecidedText;

/// A last word about a decision, and its consequences.
#[derive(Debug)]
pub(crate) struct Said {
    pub(super) file: String,
    pub(super) agent: String,
    pub(super) says: Says,
    /// The draft to save.
    pub(crate) keep: Option<NewDraft>,
    /// Whether a draft may go: the file holds its text.
    pub(crate) settles: bool,
    /// The text that a person accepted at a desk, if the file holds it.
    pub(crate) accepted: Option<Arc<DecidedText>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Says {
    Word(ReviewId, Word),
    EditsLeftOut,
    /// The agent was answered in its own prompt, and has written the text.
    WrittenAsProposed,
    /// The agent was answered in its own prompt, and the file is as before so far.
    NotWritten,
    /// A word that a person need not know.
    Nothing,
}

impl Said {
    /// The event for desks, if a person has to know the word.
    pub(crate) fn event(&self, roots: &[PathBuf]) -> Option<desk::Event> {
        let Self { file, agent, says, .. } = self;
        let message = match *says {
            Says::Word(id, word) => {
                tracing::info!(review = id.0, ?word, file, "the last word of a review");
                let message = messages::last_word(word, file, agent, roots);
                return Some(desk::Event::LastWord(LastWord { id, file: file.clone(), word, message }));
            }
            Says::EditsLeftOut => messages::edits_left_out(file, agent, roots),
            Says::WrittenAsProposed => messages::written_as_proposed(file, roots),
            Says::NotWritten => messages::not_written(file, agent, roots),
            Says::Nothing => return None,
        };
        Some(desk::Event::Notice { message })
    }
}
