//! The requests of desks, as the main loop carries them out.

use alongside_desk::{ContextReport, Decision, FileDiagnostics, Lines, Problem, Request, ReviewId, Scope};

use crate::reviews::reviewed_text::Edit;
use crate::turns::request::{CommentRequest, TurnRequest};

/// A request, but none that only a host carries out. Edits and decisions name a review and its revision.
#[derive(Debug)]
pub(crate) enum DeskRequest {
    Edit(ReviewId, u64, Edit),
    Decide(ReviewId, u64, Decision),
    Grant(ReviewId, Scope),
    WithdrawGrants,
    Turn(TurnRequest),
    Mention { file: Option<(String, Option<Lines>)>, agent: Option<u64> },
    PauseContext(bool),
    ChangeContext(ContextReport),
    Saved(String),
    Focus,
    Report(Problem),
    Leave,
    Flushed(ReviewId),
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
            Request::SplitHunk { id, revision, hunk, lines, side } => {
                let lines = lines.map(|lines| (side, lines));
                Self::Edit(id, revision, Edit::Split { hunk, lines })
            }
            Request::SetReason { id, revision, hunk, reason } => {
                Self::Edit(id, revision, Edit::SetReason { hunk, reason })
            }
            Request::UndoReview { id, revision } => Self::Edit(id, revision, Edit::Undo),
            Request::RedoReview { id, revision } => Self::Edit(id, revision, Edit::Redo),
            Request::DecideReview { id, revision, decision } => Self::Decide(id, revision, decision),
            Request::Grant { id, scope } => Self::Grant(id, scope),
            Request::WithdrawGrants {} => Self::WithdrawGrants,
            Request::ReviewTurn { directory, since } => Self::Turn(TurnRequest::Look { directory, since }),
            Request::OpenTurnFile { turn, revision, file } => {
                Self::Turn(TurnRequest::Open { turn, revision, file })
            }
            Request::MarkTurnFile { turn, revision, file, undo } => {
                Self::Turn(TurnRequest::Mark { turn, revision, file, undo })
            }
            Request::AddComment { turn, revision, file, lines, side, text } => {
                let add = CommentRequest::Add { revision, file, lines, side, text };
                Self::Turn(TurnRequest::Comment(turn, add))
            }
            Request::ChangeComment { turn, id, text } => {
                Self::Turn(TurnRequest::Comment(turn, CommentRequest::Change { id, text }))
            }
            Request::FinishTurn { turn, revision, send, ask_to_undo } => {
                Self::Turn(TurnRequest::Finish { turn, revision, send, ask_to_undo })
            }
            Request::MentionFile { path, lines, agent } => {
                Self::Mention { file: path.map(|path| (path, lines)), agent }
            }
            Request::PauseContext { paused } => Self::PauseContext(paused),
            Request::ChangeContext(report) => Self::ChangeContext(report),
            Request::Saved { path } => Self::Saved(path),
            Request::Focus => Self::Focus,
            Request::Report(problem) => Self::Report(problem),
            Request::Leave => Self::Leave,
            Request::Flushed { id } => Self::Flushed(id),
            Request::Diagnostics { number, files } => Self::Diagnostics(number, files),
            Request::ChangeRoots { .. } => return None,
        };
        Some(request)
    }
}
