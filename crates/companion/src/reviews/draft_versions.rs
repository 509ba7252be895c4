//! The draft that a review has on disk, with its reasons in words.

use alongside_desk::{Closing, Reasons, ReviewId};

use super::remarks;
use super::review::PendingReview;
use crate::persistence::drafts::NewDraft;

/// The names of drafts, and the number of the last version of any draft.
#[derive(Debug, Default)]
pub(super) struct DraftVersions {
    /// The beginning of each draft's id: the companion's start, in milliseconds since the Unix epoch.
    started: u64,
    last: u64,
}

/// The change that the draft of a review needs on disk.
#[derive(Debug)]
pub(crate) enum DraftChange {
    /// Delete the draft of this id, because no edit is left.
    Delete(String),
    Save(NewDraft),
}

impl DraftVersions {
    pub(super) fn new(started: u64) -> Self {
        Self { started, last: 0 }
    }

    pub(super) fn id(&self, review: ReviewId) -> String {
        format!("{}-{review}", self.started)
    }

    /// Returns the change of the draft of an open review, which follows every edit; `None` if it never had a
    /// draft.
    pub(super) fn of_open(&mut self, review: &mut PendingReview) -> Option<DraftChange> {
        if !review.text.has_edits() && !review.text.has_reasons() {
            return self.without_text(review);
        }
        review.has_draft = true;
        let draft = self.next(review, "its review is still open", reasons(review));
        Some(DraftChange::Save(NewDraft { is_open: true, ..draft }))
    }

    /// Returns the change of the draft of an ended review; `None` if it never had a draft.
    pub(super) fn of_ended(&mut self, review: &PendingReview, closing: Closing) -> Option<DraftChange> {
        let why = match closing {
            Closing::Accepted => "it was accepted, and the file does not hold it",
            Closing::Rejected => "it was rejected",
            Closing::AnsweredInAgent => "it was answered in the agent, and the file does not hold it",
            Closing::Replaced => "the agent proposed the file anew",
            Closing::AgentGone => "the agent went away",
            Closing::Stopped => "the companion was stopped",
            Closing::EditorGone => "the editor went away",
            Closing::Interrupted => "the companion was interrupted",
            Closing::TimedOut => "the agent waited no longer",
        };
        // With such a decision, the model gets the reasons.
        let are_sent = match closing {
            Closing::Rejected => true,
            Closing::Accepted => review.reasons() == Reasons::Always,
            _ => false,
        };
        if !review.text.has_edits() && (!review.text.has_reasons() || are_sent) {
            return self.without_text(review);
        }
        let reasons = if are_sent { String::new() } else { reasons(review) };
        // An accepted text stays until the agent has written it. An answer in the agent is unknown here, and
        // some agents write the text as it was at the desks.
        let awaited = matches!(closing, Closing::Accepted | Closing::AnsweredInAgent);
        Some(DraftChange::Save(NewDraft { awaited, ..self.next(review, why, reasons) }))
    }

    /// Returns the draft of an accepted text, for the case that its file finally holds something else.
    pub(super) fn of_unwritten(&mut self, review: &PendingReview) -> NewDraft {
        let why = "it was accepted, and the file does not hold it";
        NewDraft { awaited: true, ..self.next(review, why, String::new()) }
    }

    fn without_text(&self, review: &PendingReview) -> Option<DraftChange> {
        review.has_draft.then(|| DraftChange::Delete(self.id(review.text.id())))
    }

    fn next(&mut self, review: &PendingReview, why: &str, reasons: String) -> NewDraft {
        self.last += 1;
        NewDraft {
            id: self.id(review.text.id()),
            number: self.last,
            file: review.text.file_path().to_owned(),
            agent: review.agent.name.clone(),
            why: why.to_owned(),
            reasons,
            is_only_dropped: review.text.is_only_dropped(),
            text: review.text.current().clone(),
            ..NewDraft::default()
        }
    }
}

/// Returns the reasons for the draft of a review, in words. Each key writes the draft, so the hunks are
/// computed only if there are reasons.
fn reasons(review: &PendingReview) -> String {
    if review.text.has_reasons() { remarks::reasons(&review.review()) } else { String::new() }
}
