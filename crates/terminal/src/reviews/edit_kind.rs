//! The kinds of changes of a review: the request for each change of a hunk, and the state of the screen once
//! the companion has made a change.

use alongside_desk::{HunkState, Request, Side, messages};

use crate::demo_guide::DemoStep;
use crate::keys::Action;
use crate::overlays::reason_input::ReasonEdit;
use crate::review_view::ReviewView;
use crate::words::messages::{DROPPED_WITH_REASON, all_dropped, redone, undone};

/// The kind of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EditKind {
    /// Keep or drop a hunk.
    KeepOrDrop {
        hunk: usize,
    },
    /// Keep or drop `hunks` hunks, of which the person had edited `edits`. Keys act on `hunk`.
    KeepOrDropAll {
        hunk: usize,
        hunks: usize,
        keep: bool,
        edits: usize,
    },
    /// Split a hunk. The review had `before` hunks.
    Split {
        hunk: usize,
        before: usize,
    },
    /// Split a hunk around chosen lines, which begin at `line` of the text `side`. The review had `before`
    /// hunks.
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
    /// Drop the hunk for which the person has just set a reason.
    DropWithReason {
        hunk: usize,
    },
    /// Replace an empty text with a single newline, and then accept it.
    SingleNewline,
    /// Replace the text with the text from the editor, which was opened at `hunk`; `None` if the steps of its
    /// saved texts are noted already.
    Edited {
        hunk: Option<usize>,
    },
}

impl EditKind {
    /// The change that a key makes of the hunk that keys act on, which has this state, and the request for
    /// it.
    pub(super) fn of_hunk(action: Action, view: &ReviewView, state: HunkState) -> (Self, Request) {
        let (id, revision, hunk) = (view.review().id, view.meant_revision(), view.hunk());
        let (all, keep) = (&view.review().hunks, state == HunkState::Dropped);
        let from = match action {
            Action::Split => {
                return (Self::Split { hunk, before: all.len() }, Request::split(id, revision, hunk));
            }
            Action::KeepOrDropAll => 0,
            Action::KeepOrDropRest => hunk,
            _ => {
                let request = Request::KeepHunks { id, revision, hunks: vec![hunk], keep };
                return (Self::KeepOrDrop { hunk }, request);
            }
        };
        let rest = || all.iter().enumerate().skip(from);
        let changed = rest().filter(|(_, hunk)| (hunk.state == HunkState::Dropped) == keep);
        let hunks: Vec<_> = changed.map(|(at, _)| at).collect();
        let edits = rest().filter(|(_, hunk)| hunk.state == HunkState::Edited && !keep).count();
        let kind = Self::KeepOrDropAll { hunk, hunks: hunks.len(), keep, edits };
        (kind, Request::KeepHunks { id, revision, hunks, keep })
    }

    /// Whether the review has the same hunks after the change.
    pub(super) fn keeps_hunks(self) -> bool {
        matches!(self, Self::KeepOrDrop { .. } | Self::KeepOrDropAll { .. })
    }

    /// Notes in the view that the companion has made the change. Returns the message for the person, and the
    /// step of the demo that they have done.
    pub(super) fn mark_made(self, view: &mut ReviewView) -> (Option<String>, Option<DemoStep>) {
        let hunks = view.review().hunks.len();
        match self {
            Self::KeepOrDrop { hunk } | Self::KeepOrDropAll { hunk, .. } | Self::DropWithReason { hunk } => {
                view.open_mut().push_step(hunk, true);
                view.show_dropped();
                let said = match self {
                    Self::KeepOrDropAll { hunks, keep, edits, .. } => Some(all_dropped(hunks, keep, edits)),
                    Self::DropWithReason { .. } => Some(DROPPED_WITH_REASON.to_owned()),
                    _ => None,
                };
                (said, Some(DemoStep::Drop))
            }
            Self::Undo => {
                view.mark_undone();
                (Some(undone(view.kind()).to_owned()), None)
            }
            Self::Redo => {
                view.mark_redone();
                (Some(redone(view.kind()).to_owned()), None)
            }
            Self::Split { hunk, before } => {
                view.open_mut().push_step(hunk, true);
                (Some(messages::split(before, hunks)), Some(DemoStep::Edit))
            }
            Self::SplitLines { hunk, before, side, line } => {
                view.open_mut().push_step(hunk, true);
                view.go_to_hunk(hunk_of(view, side, line).unwrap_or(hunk));
                (Some(messages::split(before, hunks)), None)
            }
            Self::Edited { hunk } => {
                if let Some(hunk) = hunk {
                    view.open_mut().push_step(hunk, true);
                }
                (Some(messages::edit_taken(Some(hunks))), Some(DemoStep::Edit))
            }
            Self::Reason(_) | Self::SingleNewline => (None, None),
        }
    }
}

/// The hunk that contains a line, as an index.
fn hunk_of(view: &ReviewView, side: Side, line: usize) -> Option<usize> {
    view.review().hunks.iter().position(|hunk| {
        let lines = if side == Side::Old { hunk.original } else { hunk.proposed };
        (lines.start..lines.end).contains(&line)
    })
}
