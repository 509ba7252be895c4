//! The one pending action of the desk: a change or a decision that the companion has not confirmed, or an
//! open editor.
//!
//! The screen only shows states that the companion has confirmed. So keys that touch a review wait for the
//! reply to the pending change, before which its revision comes, and keys after a decision do nothing.

use std::io;
use std::process::ExitStatus;

use alongside_desk::review_model::{Acceptances, ReviewNews};
use alongside_desk::{Request, ReviewId};

use super::edit_kind::EditKind;
use crate::editor::Editing;
use crate::unsaved_texts::UnsavedText;

/// The pending action, if there is one.
#[derive(Debug, Default)]
pub(crate) enum PendingEdit {
    /// No action is pending, so keys act at once.
    #[default]
    Idle,
    /// A change was requested. Keys that touch a review wait for its result.
    Change(PendingChange),
    /// A decision was requested. Keys that touch a review do nothing, because they were not meant for the
    /// next review.
    Decision(ReviewId),
    /// Several acceptances were requested.
    Acceptances(Acceptances),
    /// The main loop is about to start the editor.
    OpeningEditor,
    /// The editor has the terminal.
    Editor(Box<OpenEditor>),
}

/// A change that was requested from the companion.
#[derive(Debug)]
pub(crate) struct PendingChange {
    id: ReviewId,
    pub(crate) kind: EditKind,
    /// The news of revisions that came before the reply. Each may come from this change, or from another
    /// desk.
    pub(crate) waiting_news: Vec<ReviewNews>,
    /// The typed text in the request.
    pub(crate) typed: Option<TypedText>,
}

/// The typed text in the request of a change. It must not be lost if the companion refuses the change.
#[derive(Debug)]
pub(crate) enum TypedText {
    /// A text from the editor.
    Text(UnsavedText),
    Reason(String),
}

/// The person's editor, and a saved text on its way to the companion.
#[derive(Debug)]
pub(crate) struct OpenEditor {
    pub(crate) editing: Editing,
    upload: Option<Upload>,
}

/// A saved text on its way to the companion, and the events that wait for the reply.
#[derive(Debug)]
pub(crate) struct Upload {
    pub(crate) text: String,
    /// Whether the companion waits for a flush, so that a text that was saved meanwhile must be sent, too.
    pub(crate) flush: bool,
    /// The exit status of the editor, if it has ended meanwhile.
    pub(crate) exit: Option<io::Result<ExitStatus>>,
}

impl PendingEdit {
    /// Creates a pending change. `typed`: the typed text in its request.
    pub(crate) fn change(id: ReviewId, kind: EditKind, typed: Option<TypedText>) -> Self {
        Self::Change(PendingChange { id, kind, waiting_news: Vec::new(), typed })
    }

    pub(crate) fn editor(editing: Editing) -> Self {
        Self::Editor(Box::new(OpenEditor { editing, upload: None }))
    }

    /// Whether keys that touch a review act at once.
    pub(crate) fn is_idle(&self) -> bool {
        matches!(self, Self::Idle)
    }

    /// Whether keys that touch a review wait for a change.
    pub(crate) fn is_change(&self) -> bool {
        matches!(self, Self::Change(_))
    }

    /// Whether the pending change may change the list of hunks, so that keys that go to a hunk wait.
    pub(crate) fn is_change_of_hunks(&self) -> bool {
        matches!(self, Self::Change(change) if !change.kind.keeps_hunks())
    }

    /// Returns the news if it can be shown now. Keeps news of the reviewed text until the reply to the
    /// pending change comes, because the news may be about that change.
    pub(crate) fn filter_news(&mut self, news: ReviewNews) -> Option<ReviewNews> {
        if let Self::Change(change) = self
            && change.id == news.id
        {
            change.waiting_news.push(news);
            return None;
        }
        Some(news)
    }

    /// Ends the change, to which the companion has replied. The news that waited can be shown now; after a
    /// refusal, only this desk has the typed text.
    pub(crate) fn take_change(&mut self) -> Option<PendingChange> {
        match std::mem::take(self) {
            Self::Change(change) => Some(change),
            other => {
                *self = other;
                None
            }
        }
    }

    /// Ends the decision on this review.
    pub(crate) fn end_decision(&mut self, of: ReviewId) {
        if matches!(self, Self::Decision(id) if *id == of) {
            *self = Self::Idle;
        }
    }

    pub(crate) fn has_editor(&self) -> bool {
        matches!(self, Self::Editor(_))
    }

    pub(crate) fn open_editor(&mut self) -> Option<&mut OpenEditor> {
        if let Self::Editor(editor) = self { Some(editor) } else { None }
    }

    /// Handles the end of the editor. Returns the editor with its status; `None` while an upload is pending.
    pub(crate) fn end_editor(
        &mut self,
        status: io::Result<ExitStatus>,
    ) -> Option<(Editing, io::Result<ExitStatus>)> {
        if let Self::Editor(editor) = self
            && let Some(upload) = &mut editor.upload
        {
            upload.exit = Some(status);
            return None;
        }
        Some((self.take_editor()?, status))
    }

    /// Removes and returns the open editor.
    pub(crate) fn take_editor(&mut self) -> Option<Editing> {
        match std::mem::take(self) {
            Self::Editor(editor) => Some(editor.editing),
            other => {
                *self = other;
                None
            }
        }
    }

    /// Whether a saved text is on its way, so that the next revision is the person's own.
    pub(crate) fn is_uploading(&self) -> bool {
        matches!(self, Self::Editor(editor) if editor.upload.is_some())
    }

    /// Whether a text that the person typed is on its way to the companion.
    pub(crate) fn has_text_under_way(&self) -> bool {
        let has_text = |change: &PendingChange| matches!(change.typed, Some(TypedText::Text(_)));
        self.is_uploading() || matches!(self, Self::Change(change) if has_text(change))
    }

    /// Waits until the editor ends. Cancel safe; never returns without an editor, or after its end.
    pub(crate) async fn editor_exit(&mut self) -> io::Result<ExitStatus> {
        match self {
            Self::Editor(editor) if !editor.has_ended() => editor.editing.ended().await,
            _ => std::future::pending().await,
        }
    }
}

impl OpenEditor {
    /// Whether the editor has ended while an upload is pending.
    fn has_ended(&self) -> bool {
        self.upload.as_ref().is_some_and(|upload| upload.exit.is_some())
    }

    /// Returns the request that sends a newly saved text to the companion. One upload is pending at a time.
    pub(crate) fn upload(&mut self) -> Option<(ReviewId, Request)> {
        if self.upload.is_some() {
            return None;
        }
        let (id, text) = (self.editing.id, self.editing.unsent()?);
        self.upload = Some(Upload { text: text.clone(), flush: false, exit: None });
        Some((id, Request::replace_text(id, self.editing.revision, text)))
    }

    /// Ends the upload after the companion's reply. A refused text stays in its file, and is sent again when
    /// the editor ends.
    pub(crate) fn end_upload(&mut self) -> Option<Upload> {
        self.upload.take()
    }

    /// Delays a flush until the end of the upload. Returns whether an upload is pending.
    pub(crate) fn delay_flush(&mut self) -> bool {
        if let Some(upload) = &mut self.upload {
            upload.flush = true;
        }
        self.upload.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: ReviewId = ReviewId(1);

    fn news(revision: u64) -> ReviewNews {
        ReviewNews { id: ID, revision, content_changed: true, became_stale: false, became_dirty: false }
    }

    #[test]
    fn keys_and_news_wait_for_the_reply_to_a_change() {
        let mut pending = PendingEdit::change(ID, EditKind::KeepOrDrop { hunk: 0 }, None);
        assert!(!pending.is_idle() && pending.is_change());
        assert!(pending.filter_news(news(2)).is_none());
        let change = pending.take_change().unwrap();
        assert_eq!((change.kind, change.waiting_news), (EditKind::KeepOrDrop { hunk: 0 }, vec![news(2)]));
        assert!(pending.is_idle() && pending.take_change().is_none());
        assert_eq!(pending.filter_news(news(3)), Some(news(3)));
    }

    #[test]
    fn a_move_waits_while_the_hunks_are_about_to_be_others() {
        let mut splitting = PendingEdit::change(ID, EditKind::Split { hunk: 0, before: 1 }, None);
        assert!(splitting.is_change_of_hunks());
        splitting.take_change().unwrap();
        let dropping = PendingEdit::change(ID, EditKind::KeepOrDrop { hunk: 0 }, None);
        assert!(!splitting.is_change_of_hunks() && !dropping.is_change_of_hunks());
    }

    #[test]
    fn a_refused_change_gives_the_text_back() {
        let text = UnsavedText {
            file: "/a".into(),
            agent: "Gemini CLI".into(),
            text: "mine".into(),
            replaces: None,
        };
        let mut pending =
            PendingEdit::change(ID, EditKind::Edited { hunk: None }, Some(TypedText::Text(text)));
        assert!(pending.has_text_under_way());
        let typed = pending.take_change().unwrap().typed;
        assert!(matches!(typed, Some(TypedText::Text(UnsavedText { text, .. })) if text == "mine"));
        assert!(pending.is_idle());
    }

    #[test]
    fn after_a_decision_keys_count_for_nothing() {
        let mut pending = PendingEdit::Decision(ID);
        assert!(!pending.is_idle() && !pending.is_change());
        pending.end_decision(ReviewId(2));
        assert!(matches!(pending, PendingEdit::Decision(_)));
        pending.end_decision(ID);
        assert!(pending.is_idle());
    }
}
