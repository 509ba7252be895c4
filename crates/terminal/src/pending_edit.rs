//! The one thing under way between the person and the companion: a change, a decision, or an open editor.
//!
//! The screen shows the companion's state, never a hope: keys that touch a review wait for the change before
//! them, and count for nothing after a decision.

use std::collections::VecDeque;
use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;

use alongside_desk::review_model::{Acceptances, ReviewNews};
use alongside_desk::{Request, ReviewId};
use crossterm::event::KeyEvent;
use tokio::time::Instant;

use crate::editor::Editing;
use crate::keys::{self, Action};
use crate::reason_input::ReasonEdit;

/// The thing under way. There is one at a time.
#[derive(Debug, Default)]
pub(crate) enum PendingEdit {
    /// Nothing: keys act at once.
    #[default]
    Idle,
    /// The companion was asked for a change; keys that touch a review wait for it.
    Change(PendingChange),
    /// The companion was asked for a decision; keys that touch a review were not meant for the next one.
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
    pub(crate) id: ReviewId,
    pub(crate) kind: EditKind,
    progress: Progress,
    /// Keys that wait, with their times.
    held: VecDeque<(KeyEvent, Instant)>,
}

/// Which change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EditKind {
    /// Keep or drop a hunk.
    KeepOrDrop {
        hunk: usize,
    },
    /// Split a hunk; there were `before` hunks.
    Split {
        hunk: usize,
        before: usize,
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

/// How far a change has come. The reply and the new revision arrive apart, in any order.
#[derive(Debug)]
enum Progress {
    /// No reply yet.
    Asked {
        /// Revisions that came meanwhile: they may be this change or another desk's.
        unjudged: Vec<ReviewNews>,
        /// A text from the editor, which must not be lost if the companion refuses it.
        unsaved: Option<UnsavedText>,
    },
    /// The companion made this revision of it.
    Made(u64),
}

/// A text that only this desk has.
#[derive(Debug)]
pub(crate) struct UnsavedText {
    pub(crate) file: String,
    pub(crate) agent: String,
    pub(crate) text: String,
    /// The file of a refused text that this one replaces.
    pub(crate) replaces: Option<PathBuf>,
}

/// The person's editor, and a saved text on its way to the companion.
#[derive(Debug)]
pub(crate) struct OpenEditor {
    pub(crate) editing: Editing,
    upload: Option<Upload>,
}

/// A saved text on its way, and what happened meanwhile.
#[derive(Debug)]
struct Upload {
    text: String,
    /// The agent waits to take the review, and more may have been saved since.
    flush: bool,
    /// The editor ended.
    exit: Option<io::Result<ExitStatus>>,
}

/// The events that came during an upload.
#[derive(Debug)]
pub(crate) struct AfterUpload {
    /// The file of a refused text that the new one replaces.
    pub(crate) replaced: Option<PathBuf>,
    pub(crate) flush: Option<ReviewId>,
    pub(crate) exit: Option<io::Result<ExitStatus>>,
}

/// A change that is over, with the keys that waited for it.
pub(crate) type Settled = (ReviewId, EditKind, VecDeque<(KeyEvent, Instant)>);

impl PendingEdit {
    pub(crate) fn change(id: ReviewId, kind: EditKind, unsaved: Option<UnsavedText>) -> Self {
        let progress = Progress::Asked { unjudged: Vec::new(), unsaved };
        Self::Change(PendingChange { id, kind, progress, held: VecDeque::new() })
    }

    pub(crate) fn editor(editing: Editing) -> Self {
        Self::Editor(Box::new(OpenEditor { editing, upload: None }))
    }

    /// Whether a key that touches a review acts now. During a change it is held.
    pub(crate) fn admits(&mut self, key: KeyEvent, at: Instant) -> bool {
        if let Self::Change(change) = self {
            change.held.push_back((key, at));
        }
        matches!(self, Self::Idle)
    }

    /// Whether a key that goes to another hunk waits, because the hunks are about to be others.
    pub(crate) fn holds_move(&mut self, key: KeyEvent, at: Instant) -> bool {
        match self {
            Self::Change(change) if !matches!(change.kind, EditKind::KeepOrDrop { .. }) => {
                change.held.push_back((key, at));
                true
            }
            _ => false,
        }
    }

    /// Whether a key waits because the key before it opens an input: it is a letter of a reason.
    pub(crate) fn holds_letter(&mut self, key: KeyEvent, at: Instant) -> bool {
        let opens_input = |(key, _): &(KeyEvent, Instant)| keys::action(*key) == Some(Action::Reason);
        match self {
            Self::Change(change) if change.held.iter().any(opens_input) => {
                change.held.push_back((key, at));
                true
            }
            _ => false,
        }
    }

    /// Puts keys back that wait for the change that is pending now. Otherwise they are gone.
    pub(crate) fn hold_all(&mut self, keys: VecDeque<(KeyEvent, Instant)>) {
        if let Self::Change(change) = self {
            change.held.extend(keys);
        }
    }

    /// The screen changed: waiting keys were meant for the screen before.
    pub(crate) fn drop_held_keys(&mut self) {
        if let Self::Change(change) = self {
            change.held.clear();
        }
    }

    /// Returns news that the person does not know. Until the reply comes, nobody can tell: it is kept.
    pub(crate) fn judge(&mut self, news: ReviewNews) -> Option<ReviewNews> {
        if let Self::Change(PendingChange { id, progress: Progress::Asked { unjudged, .. }, .. }) = self
            && *id == news.id
        {
            unjudged.push(news);
            return None;
        }
        Some(news)
    }

    /// The companion made `revision` of the change. Returns the news that waited for this, and the text that
    /// the companion has now, too.
    pub(crate) fn mark_made(
        &mut self,
        id: ReviewId,
        revision: u64,
    ) -> (Vec<ReviewNews>, Option<UnsavedText>) {
        match self {
            Self::Change(change) if change.id == id => {
                match std::mem::replace(&mut change.progress, Progress::Made(revision)) {
                    Progress::Asked { unjudged, unsaved } => (unjudged, unsaved),
                    Progress::Made(_) => (Vec::new(), None),
                }
            }
            _ => (Vec::new(), None),
        }
    }

    /// The companion refused the change. Returns the news that waited and the text that only this desk has.
    pub(crate) fn take_refused(&mut self) -> (Vec<ReviewNews>, Option<UnsavedText>) {
        let Self::Change(_) = self else { return (Vec::new(), None) };
        match std::mem::take(self) {
            Self::Change(PendingChange { progress: Progress::Asked { unjudged, unsaved }, .. }) => {
                (unjudged, unsaved)
            }
            _ => (Vec::new(), None),
        }
    }

    /// Takes the change if this desk has its revision; `known` is the revision a review has here, if it
    /// waits.
    pub(crate) fn take_settled(&mut self, known: impl Fn(ReviewId) -> Option<u64>) -> Option<Settled> {
        let Self::Change(change) = self else { return None };
        let Progress::Made(made) = change.progress else { return None };
        if known(change.id).is_some_and(|revision| revision < made) {
            return None;
        }
        let settled = (change.id, change.kind, std::mem::take(&mut change.held));
        *self = Self::Idle;
        Some(settled)
    }

    /// The decision on this review is over.
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

    /// Takes the editor, which has ended.
    pub(crate) fn take_editor(&mut self) -> Option<Editing> {
        let Self::Editor(_) = self else { return None };
        if let Self::Editor(editor) = std::mem::take(self) { Some(editor.editing) } else { None }
    }

    /// Takes the text that only this desk has.
    pub(crate) fn take_unsaved(&mut self) -> Option<UnsavedText> {
        self.take_refused().1
    }

    /// Whether a saved text is on its way, so that the next revision is the person's own.
    pub(crate) fn is_uploading(&self) -> bool {
        matches!(self, Self::Editor(editor) if editor.upload.is_some())
    }

    /// Whether a text that the person typed is on its way to the companion.
    pub(crate) fn has_text_under_way(&self) -> bool {
        let unsaved =
            |change: &PendingChange| matches!(change.progress, Progress::Asked { unsaved: Some(_), .. });
        self.is_uploading() || matches!(self, Self::Change(change) if unsaved(change))
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

    /// The companion answered the upload: `revision` if it took the text. A refused text stays in the file
    /// and is offered again when the editor ends.
    pub(crate) fn uploaded(&mut self, revision: Option<u64>) -> AfterUpload {
        let Some(Upload { text, flush, exit }) = self.upload.take() else {
            return AfterUpload { replaced: None, flush: None, exit: None };
        };
        let replaced = revision.and_then(|revision| self.editing.taken_over(text, revision));
        AfterUpload { replaced, flush: flush.then_some(self.editing.id), exit }
    }

    /// The agent waits to take the review. True if that waits for an upload.
    pub(crate) fn delays_flush(&mut self) -> bool {
        self.upload.as_mut().map(|upload| upload.flush = true).is_some()
    }

    /// The editor ended. Gives the status back unless it waits for an upload.
    pub(crate) fn delay_exit(&mut self, status: io::Result<ExitStatus>) -> Option<io::Result<ExitStatus>> {
        match &mut self.upload {
            Some(upload) => {
                upload.exit = Some(status);
                None
            }
            None => Some(status),
        }
    }
}

#[cfg(test)]
mod tests {
    use crossterm::event::{KeyCode, KeyModifiers};

    use super::*;

    const ID: ReviewId = ReviewId(1);

    fn key() -> KeyEvent {
        KeyEvent::new(KeyCode::Char('a'), KeyModifiers::NONE)
    }

    fn news(revision: u64) -> ReviewNews {
        ReviewNews { id: ID, revision, content_changed: true, became_stale: false, became_dirty: false }
    }

    #[test]
    fn keys_wait_for_a_change_and_come_back_with_it() {
        let mut pending = PendingEdit::change(ID, EditKind::KeepOrDrop { hunk: 0 }, None);
        assert!(!pending.admits(key(), Instant::now()));
        assert!(pending.take_settled(|_| Some(9)).is_none(), "there is no reply yet");
        assert!(pending.judge(news(2)).is_none());
        assert_eq!(pending.mark_made(ID, 2).0, [news(2)]);
        assert!(pending.take_settled(|_| Some(1)).is_none(), "the revision is not here yet");
        let (id, kind, held) = pending.take_settled(|_| Some(2)).unwrap();
        assert_eq!((id, kind, held.len()), (ID, EditKind::KeepOrDrop { hunk: 0 }, 1));
        assert!(pending.admits(key(), Instant::now()));
    }

    #[test]
    fn a_move_waits_while_the_hunks_are_about_to_be_others() {
        let mut splitting = PendingEdit::change(ID, EditKind::Split { hunk: 0, before: 1 }, None);
        assert!(splitting.holds_move(key(), Instant::now()));
        splitting.mark_made(ID, 2);
        let (_, _, held) = splitting.take_settled(|_| Some(2)).unwrap();
        assert_eq!(held.len(), 1);
        let mut dropping = PendingEdit::change(ID, EditKind::KeepOrDrop { hunk: 0 }, None);
        assert!(
            !dropping.holds_move(key(), Instant::now())
                && !PendingEdit::Idle.holds_move(key(), Instant::now())
        );
    }

    #[test]
    fn letters_wait_behind_a_waiting_key_that_opens_an_input() {
        let letter = |c| KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE);
        let mut pending = PendingEdit::change(ID, EditKind::KeepOrDrop { hunk: 0 }, None);
        assert!(!pending.holds_letter(letter('w'), Instant::now()));
        assert!(!pending.admits(letter('R'), Instant::now()));
        assert!(pending.holds_letter(letter('w'), Instant::now()));
        pending.drop_held_keys();
        assert!(!pending.holds_letter(letter('w'), Instant::now()));
    }

    #[test]
    fn a_refused_change_gives_the_text_back() {
        let text = UnsavedText {
            file: "/a".into(),
            agent: "Gemini CLI".into(),
            text: "mine".into(),
            replaces: None,
        };
        let mut pending = PendingEdit::change(ID, EditKind::Edited, Some(text));
        assert!(pending.has_text_under_way());
        let (_, unsaved) = pending.take_refused();
        assert_eq!(unsaved.unwrap().text, "mine");
        assert!(matches!(pending, PendingEdit::Idle));
    }

    #[test]
    fn after_a_decision_keys_count_for_nothing() {
        let mut pending = PendingEdit::Decision(ID);
        assert!(!pending.admits(key(), Instant::now()));
        pending.end_decision(ReviewId(2));
        assert!(matches!(pending, PendingEdit::Decision(_)));
        pending.end_decision(ID);
        assert!(pending.admits(key(), Instant::now()));
    }
}
