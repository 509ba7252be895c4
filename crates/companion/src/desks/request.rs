//! The requests of desks, as the main loop carries them out.

use alongside_desk::{ContextReport, Decision, FileDiagnostics, Lines, Problem, Request, ReviewId};

use crate::reviews::reviewed_text::Edit;

/// A request, without those that only a host carries out.
#[derive(Debug)]
pub(crate) enum DeskRequest {
    /// An edit of this revision of a review.
    Edit(ReviewId, u64, Edit),
    /// A decision on this revision of a review.
    Decide(ReviewId, u64, Decision),
    /// A file for the prompt of an agent; without one, the active file. Without an agent, that used last.
    Mention {
        file: Option<(String, Option<Lines>)>,
        agent: Option<u64>,
    },
    PauseContext(bool),
    Report(DeskReport),
}

/// A request that is never refused.
#[derive(Debug)]
pub(crate) enum DeskReport {
    Context(ContextReport),
    Focus,
    Problem(Problem),
    Leaves,
    /// Every edit of this review is sent.
    Flushed(ReviewId),
    /// The answer to the question of this number.
    Diagnostics(u64, Vec<FileDiagnostics>),
}

impl DeskRequest {
    /// `None` for a request that only a host carries out.
    pub(crate) fn of(request: Request) -> Option<Self> {
        let request = match request {
            Request::EditReview { id, revision, changes } => Self::Edit(id, revision, Edit::Type(changes)),
            Request::KeepHunks { id, revision, hunks, keep } => {
                Self::Edit(id, revision, Edit::Keep { hunks, keep })
            }
            Request::SplitHunk { id, revision, hunk } => Self::Edit(id, revision, Edit::Split { hunk }),
            Request::SetReason { id, revision, hunk, reason } => {
                Self::Edit(id, revision, Edit::SetReason { hunk, reason })
            }
            Request::UndoReview { id, revision } => Self::Edit(id, revision, Edit::Undo),
            Request::RedoReview { id, revision } => Self::Edit(id, revision, Edit::Redo),
            Request::DecideReview { id, revision, decision } => Self::Decide(id, revision, decision),
            Request::MentionFile { path, lines, agent } => {
                Self::Mention { file: path.map(|path| (path, lines)), agent }
            }
            Request::PauseContext { paused } => Self::PauseContext(paused),
            Request::ChangeContext(report) => Self::Report(DeskReport::Context(report)),
            Request::Focus => Self::Report(DeskReport::Focus),
            Request::Report(problem) => Self::Report(DeskReport::Problem(problem)),
            Request::Leave => Self::Report(DeskReport::Leaves),
            Request::Flushed { id } => Self::Report(DeskReport::Flushed(id)),
            Request::Diagnostics { number, files } => Self::Report(DeskReport::Diagnostics(number, files)),
            Request::ChangeRoots { .. } => return None,
        };
        Some(request)
    }
}
