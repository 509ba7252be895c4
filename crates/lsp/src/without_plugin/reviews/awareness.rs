//! The person's knowledge of a review: the changes from other desks, and the explanations that they have
//! read.

use crate::without_plugin::messages;

#[derive(Debug, Default)]
pub(super) struct Awareness {
    /// The newest revision that another desk made, or a change of the file: a person who gives a command on
    /// an older revision has not seen it.
    foreign_revision: u64,
    foreign: Foreign,
    /// Whether another desk has changed the text, and the editor has not yet answered whether it shows the
    /// change.
    pub(super) is_change_untold: bool,
    /// Whether the person knows that another desk changes the text, and has done nothing since.
    pub(super) knows_other_desk: bool,
    /// Whether the person's text has replaced text that another desk typed in the same lines, and the person
    /// does not know.
    pub(crate) has_overwritten: bool,
    /// The revision at which the person was warned, and may insist.
    warned_revision: Option<u64>,
    /// Whether the person has read the message at opening, and the one at saving.
    has_opened: bool,
    has_saved: bool,
}

/// The kind of a change from elsewhere.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Foreign {
    #[default]
    Text,
    File,
}

impl Awareness {
    /// Records that the person can see this revision.
    pub(crate) fn of(revision: u64) -> Self {
        Self { foreign_revision: revision, ..Self::default() }
    }

    /// Records that the person has not seen this revision.
    pub(super) fn mark_foreign(&mut self, revision: u64, foreign: Foreign) {
        (self.foreign_revision, self.foreign) = (revision, foreign);
    }

    /// Whether the person has seen every change from elsewhere, in the revision `seen` or the present one.
    pub(super) fn has_seen(&self, seen: Option<u64>) -> bool {
        seen.is_none_or(|seen| seen >= self.foreign_revision)
    }

    /// Returns the reason why the person has to look at the proposal again.
    pub(super) fn reason_to_look(&self) -> &'static str {
        match self.foreign {
            Foreign::Text => messages::CHANGED_ELSEWHERE,
            Foreign::File => messages::FILE_CHANGED,
        }
    }

    /// Records a change of the review. `is_elsewhere`: whether another desk has changed its text.
    pub(super) fn review_changed(&mut self, is_elsewhere: bool, is_open: bool) {
        // The newer change is shown before anything is accepted.
        self.has_overwritten &= !is_elsewhere;
        let knew = std::mem::replace(&mut self.knows_other_desk, is_elsewhere);
        self.is_change_untold |= is_elsewhere && !knew && is_open;
    }

    /// Records a warning before this revision is accepted. Returns true if the person was warned of it
    /// before.
    pub(super) fn warn_at(&mut self, revision: u64) -> bool {
        self.warned_revision.replace(revision) == Some(revision)
    }

    /// Returns true the first time that the person opens the proposal.
    pub(super) fn mark_opened(&mut self) -> bool {
        !std::mem::replace(&mut self.has_opened, true)
    }

    /// Returns true the first time that they save it.
    pub(crate) fn mark_saved(&mut self) -> bool {
        !std::mem::replace(&mut self.has_saved, true)
    }
}
