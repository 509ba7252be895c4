//! The consequences of a last word for the draft and for desks.

use std::path::PathBuf;
use std::sync::Arc;

use alongside_desk::{self as desk, LastWord, ReviewId, Word, messages};

use crate::persistence::drafts::NewDraft;
use crate::reviews::decided_text::DecidedText;

/// The consequences of a last word about a decision.
#[derive(Debug)]
pub(crate) struct LastWordEffect {
    pub(super) file: String,
    pub(super) agent: String,
    pub(super) report: Report,
    /// The draft to save.
    pub(crate) draft_to_save: Option<NewDraft>,
    /// Whether drafts of written texts are to be removed, because the file holds its text.
    pub(crate) settles_drafts: bool,
    /// The text that a person accepted at a desk, if the file holds it.
    pub(crate) accepted: Option<Arc<DecidedText>>,
}

/// The report about a decided file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Report {
    Word(ReviewId, Word),
    EditsLeftOut,
    /// The agent was answered in its own prompt, and has written the text.
    WrittenAsProposed,
    /// The agent was answered in its own prompt, and the file is still unchanged.
    NotWritten,
    /// The person need not know the word.
    Nothing,
}

impl LastWordEffect {
    /// Returns the event for desks, if a person has to know the word.
    pub(crate) fn event(&self, roots: &[PathBuf]) -> Option<desk::Event> {
        let Self { file, agent, report, .. } = self;
        let message = match *report {
            Report::Word(id, word) => {
                tracing::info!(review = id.0, ?word, file, "the last word of a review");
                let message = messages::last_word(word, file, agent, roots);
                return Some(desk::Event::LastWord(LastWord { id, file: file.clone(), word, message }));
            }
            Report::EditsLeftOut => messages::edits_left_out(file, agent, roots),
            Report::WrittenAsProposed => messages::written_as_proposed(file, roots),
            Report::NotWritten => messages::not_written(file, agent, roots),
            Report::Nothing => return None,
        };
        Some(desk::Event::Notice { message })
    }
}
