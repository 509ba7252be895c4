//! The one action that is under way between the person and the companion: a change, a decision, or an open
//! editor.
//!
//! The screen only shows states that the companion has confirmed. So keys that touch a review wait for the
//! change before them, and keys after a decision do nothing.

use std::io;
use std::process::ExitStatus;

use alongside_desk::review_model::{Acceptances, ReviewNews};
use alongside_desk::{Request, ReviewId, Side};

use crate::editor::Editing;
use crate::overlays::reason_input::ReasonEdit;
use crate::unsaved_texts::UnsavedText;

/// The action that is under way, if any.
#[derive(Debug, Default)]
pub(crate) enum PendingEdit {
    /// Nothing: keys act at once.
    #[default]
    Idle,
    /// The companion was asked for a change; keys that touch a review wait for it.
    Change(PendingChange),
    /// The companion was asked for a decision. Keys that touch a review do nothing, since they were not
    /// meant for the next review.
    Decision(ReviewId),
    /// The companion was asked for several acceptances.
    Acceptances(Acceptances),
    /// The loop is about to start the editor.
    OpeningEditor,
    /// The editor has the terminal.
    Editor(Box<OpenEditor>),
}

/// A change that the companion was asked for.
#[derive(Debug)]
pub(crate) struct PendingChange {
    id: ReviewId,
    kind: EditKind,
    progress: Progress,
}

/// The kind of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EditKind {
    /// Keep or drop a hunk.
    KeepOrDrop {
        hunk: usize,
    },
    /// Keep or drop so many hunks, of which the person had edited some. They are at `hunk`.
    KeepOrDropAll {
        hunk: usize,
        hunks: usize,
        keep: bool,
        edits: usize,
    },
    /// Split a hunk; there were `before` hunks.
    Split {
        hunk: usize,
        before: usize,
    },
    /// Split a hunk around lines of a text, of which this is the first; there were `before` hunks.
    SplitLines {
        hunk: usize,
        before: usize,
        side: Side,
        line: usize,
    },
    Undo,
    Redo,
    /// Set a reason, or remove it.
    Reason(ReasonEdit),
    /// Drop the hunk that has a reason now.
    DropWithReason {
        hunk: usize,
    },
    /// One empty line in place of nothing, which is then accepted.
    SingleNewline,
    /// The text from the editor.
    Edited,
}

impl EditKind {
    /// Whether the review has the same hunks after the change.
    fn keeps_hunks(self) -> bool {
        matches!(self, Self::KeepOrDrop { .. } | Self::KeepOrDropAll { .. })
    }
}

/// The progress of a change. Its reply and its new revision arrive apart, in either order.
#[derive(Debug)]
enum Progress {
    /// No reply yet.
    Asked {
        /// The revisions that came before the reply. Each may be this change, or one of another desk.
        unjudged: Vec<ReviewNews>,
        typed: Option<Typed>,
    },
    /// The companion has carried out the change as this revision.
    Made(u64),
}

/// The words that a change carries: they must not be lost if the companion refuses it.
#[derive(Debug)]
pub(crate) enum Typed {
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

/// A saved text on its way, and what happened meanwhile.
#[derive(Debug)]
pub(crate) struct Upload {
    pub(crate) text: String,
    /// Whether the agent waits to take the review, so that a text that was saved meanwhile must be sent, too.
    pub(crate) flush: bool,
    /// The editor ended.
    pub(crate) exit: Option<io::Result<ExitStatus>>,
}

impl PendingEdit {
    /// A change that the companion is asked for. `typed`: the words that it carries.
    pub(crate) fn change(id: ReviewId, kind: EditKind, typed: Option<Typed>) -> Self {
        Self::Change(PendingChange { id, kind, progress: Progress::Asked { unjudged: Vec::new(), typed } })
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

    /// Whether a change is under way that makes other hunks, so that keys that go to a hunk wait.
    pub(crate) fn is_change_of_hunks(&self) -> bool {
        matches!(self, Self::Change(change) if !change.kind.keeps_hunks())
    }

    /// Returns news that the person does not know. News that comes before the reply is kept until then,
    /// since it may be of the person's own change.
    pub(crate) fn judge(&mut self, news: ReviewNews) -> Option<ReviewNews> {
        if let Self::Change(PendingChange { id, progress: Progress::Asked { unjudged, .. }, .. }) = self
            && *id == news.id
        {
            unjudged.push(news);
            return None;
        }
        Some(news)
    }

    /// Notes that the companion has carried out the change as `revision`. Returns the news that waited for
    /// the reply, and the words that the companion has now, too.
    pub(crate) fn mark_made(&mut self, id: ReviewId, revision: u64) -> (Vec<ReviewNews>, Option<Typed>) {
        match self {
            Self::Change(change) if change.id == id => {
                match std::mem::replace(&mut change.progress, Progress::Made(revision)) {
                    Progress::Asked { unjudged, typed } => (unjudged, typed),
                    Progress::Made(_) => (Vec::new(), None),
                }
            }
            _ => (Vec::new(), None),
        }
    }

    /// Ends a change that the companion has refused. Returns the news that waited, and the words that only
    /// this desk has.
    pub(crate) fn take_refused(&mut self) -> (Vec<ReviewNews>, Option<Typed>) {
        match std::mem::take(self) {
            Self::Change(PendingChange { progress: Progress::Asked { unjudged, typed }, .. }) => {
                (unjudged, typed)
            }
            Self::Change(_) => (Vec::new(), None),
            other => {
                *self = other;
                (Vec::new(), None)
            }
        }
    }

    /// Takes the change if this desk has its revision. `known` gives the revision that a waiting review has
    /// at this desk.
    pub(crate) fn take_settled(
        &mut self,
        known: impl Fn(ReviewId) -> Option<u64>,
    ) -> Option<(ReviewId, EditKind)> {
        match self {
            &mut Self::Change(PendingChange { id, kind, progress: Progress::Made(made) })
                if known(id).is_none_or(|revision| revision >= made) =>
            {
                *self = Self::Idle;
                Some((id, kind))
            }
            _ => None,
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

    /// Takes the end of the editor. Returns the editor with its status, unless they wait for an upload.
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

    /// Takes the editor, which has ended or is to end.
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
        let has_text = |change: &PendingChange| {
            matches!(change.progress, Progress::Asked { typed: Some(Typed::Text(_)), .. })
        };
        self.is_uploading() || matches!(self, Self::Change(change) if has_text(change))
    }

    /// Waits until the editor ends. Cancel safe; never returns without one, or once its end is known.
    pub(crate) async fn editor_exit(&mut self) -> io::Result<ExitStatus> {
        match self {
            Self::Editor(editor) if !editor.has_ended() => editor.editing.ended().await,
            _ => std::future::pending().await,
        }
    }
}

impl OpenEditor {
    /// Whether the editor ended and waits for an upload.
    fn has_ended(&self) -> bool {
        self.upload.as_ref().is_some_and(|upload| upload.exit.is_some())
    }

    /// The request that hands a newly saved text to the companion. One text is on its way at a time.
    pub(crate) fn upload(&mut self) -> Option<(ReviewId, Request)> {
        if self.upload.is_some() {
            return None;
        }
        let (id, text) = (self.editing.id, self.editing.unsent()?);
        self.upload = Some(Upload { text: text.clone(), flush: false, exit: None });
        Some((id, Request::replace_text(id, self.editing.revision, text)))
    }

    /// Ends the upload, which the companion has answered. A refused text stays in its file, and is sent
    /// again when the editor ends.
    pub(crate) fn end_upload(&mut self) -> Option<Upload> {
        self.upload.take()
    }

    /// Lets an agent that is to take the review wait for an upload. Returns whether there is one.
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
    fn keys_wait_until_a_change_is_here() {
        let mut pending = PendingEdit::change(ID, EditKind::KeepOrDrop { hunk: 0 }, None);
        assert!(!pending.is_idle() && pending.is_change());
        assert!(pending.take_settled(|_| Some(9)).is_none(), "there is no reply yet");
        assert!(pending.judge(news(2)).is_none());
        assert_eq!(pending.mark_made(ID, 2).0, [news(2)]);
        assert!(pending.take_settled(|_| Some(1)).is_none(), "the revision is not here yet");
        assert_eq!(pending.take_settled(|_| Some(2)), Some((ID, EditKind::KeepOrDrop { hunk: 0 })));
        assert!(pending.is_idle());
    }

    #[test]
    fn a_move_waits_while_the_hunks_are_about_to_be_others() {
        let mut splitting = PendingEdit::change(ID, EditKind::Split { hunk: 0, before: 1 }, None);
        assert!(splitting.is_change_of_hunks());
        splitting.mark_made(ID, 2);
        assert!(splitting.is_change_of_hunks());
        splitting.take_settled(|_| Some(2)).unwrap();
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
        let mut pending = PendingEdit::change(ID, EditKind::Edited, Some(Typed::Text(text)));
        assert!(pending.has_text_under_way());
        let (_, typed) = pending.take_refused();
        assert!(matches!(typed, Some(Typed::Text(UnsavedText { text, .. })) if text == "mine"));
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
