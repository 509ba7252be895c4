//! The messages between a desk and the companion: requests one way, events the other.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::context::ContextReport;
use crate::diagnostics::FileDiagnostics;
use crate::review::decision::{Closed, Decision};
use crate::review::last_word::LastWord;
use crate::review::{Changed, Lines, Review, ReviewId};
use crate::rule_acceptance::{RuleAcceptance, Scope};
use crate::status::{Problem, Status};
use crate::text::Change;
use crate::turn::comment::{CommentId, LineRange, Side, is_false};
use crate::turn::{OpenedTurnFile, Turn, TurnFinished, TurnId};

/// A desk's request. The companion replies with [`Revised`](crate::Revised) or a [`Refusal`](crate::Refusal).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "method", content = "params")]
pub enum Request {
    /// The person's open files; replaces everything this desk reported before.
    #[serde(rename = "alongside/didChangeContext")]
    ChangeContext(ContextReport),
    /// The person has saved a file in an editor, under this absolute path. A turn review shows that.
    #[serde(rename = "alongside/didSave", rename_all = "camelCase")]
    Saved {
        /// Absolute path.
        path: String,
    },
    /// The person typed.
    #[serde(rename = "alongside/editReview", rename_all = "camelCase")]
    EditReview {
        /// Which review.
        id: ReviewId,
        /// The revision the changes were made on.
        revision: u64,
        /// Applied in order, each on the result of the one before (as LSP's `didChange`).
        changes: Vec<Change>,
    },
    /// Keeps or drops hunks.
    #[serde(rename = "alongside/keepHunks", rename_all = "camelCase")]
    KeepHunks {
        /// Which review.
        id: ReviewId,
        /// The revision whose hunks are meant.
        revision: u64,
        /// Indexes into [`Review::hunks`] of that revision.
        hunks: Vec<usize>,
        /// True to take the proposal's lines, false to take the original's.
        keep: bool,
    },
    /// Splits a hunk into smaller ones, so that they can be decided separately. The text stays as it is. With
    /// `lines`, these lines and those that they replace become one hunk, and the others of the hunk form
    /// further ones.
    #[serde(rename = "alongside/splitHunk", rename_all = "camelCase")]
    SplitHunk {
        /// Which review.
        id: ReviewId,
        /// The revision whose hunk is meant.
        revision: u64,
        /// Index into [`Review::hunks`].
        hunk: usize,
        /// Lines of the hunk; absent: the hunk is split wherever possible.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        lines: Option<Lines>,
        /// The text to which these lines belong: the original, or the proposal.
        #[serde(default, skip_serializing_if = "Side::is_new")]
        side: Side,
    },
    /// Sets the reason that the agent's model reads with the decision, or removes it. The text stays.
    /// Refused where the way to the agent carries no reason: see [`Review::reasons`].
    #[serde(rename = "alongside/setReason", rename_all = "camelCase")]
    SetReason {
        /// Which review.
        id: ReviewId,
        /// The revision on the screen.
        revision: u64,
        /// Index into [`Review::hunks`]; absent: the reason for the whole review.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        hunk: Option<usize>,
        /// The reason; empty to remove it.
        reason: String,
    },
    /// Undoes the last edit, of any desk.
    #[serde(rename = "alongside/undoReview", rename_all = "camelCase")]
    UndoReview {
        /// Which review.
        id: ReviewId,
        /// The revision on the screen.
        revision: u64,
    },
    /// Redoes the last undone edit, unless the review has changed since.
    #[serde(rename = "alongside/redoReview", rename_all = "camelCase")]
    RedoReview {
        /// Which review.
        id: ReviewId,
        /// The revision on the screen.
        revision: u64,
    },
    /// Ends a review. Only sent on a command of the person.
    #[serde(rename = "alongside/decideReview", rename_all = "camelCase")]
    DecideReview {
        /// Which review.
        id: ReviewId,
        /// The revision the person saw.
        revision: u64,
        /// The person's decision.
        decision: Decision,
    },
    /// Accepts all that the same session of the agent still proposes for the file of a review, or for its
    /// folder, until the agent ends. The review itself waits on. Refused where a rule always asks.
    #[serde(rename = "alongside/grant", rename_all = "camelCase")]
    Grant {
        /// Which review.
        id: ReviewId,
        /// The file or its folder.
        scope: Scope,
    },
    /// Withdraws every grant.
    #[serde(rename = "alongside/withdrawGrants")]
    WithdrawGrants {},
    /// Compares a working tree with its baseline. [`Event::Turn`] comes before the reply, whose revision is
    /// that of the turn review.
    #[serde(rename = "alongside/reviewTurn", rename_all = "camelCase")]
    ReviewTurn {
        /// A directory in the working tree, absolute; absent: the first root that the companion serves.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        directory: Option<String>,
        /// A revision of the repository, as git names it; absent: the baseline that turns left behind, or the
        /// last commit where there is none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        since: Option<String>,
    },
    /// Opens a file of a turn review. [`Event::TurnFile`] comes before the reply, for this desk only. The
    /// file is a review afterwards: hunks are dropped, kept and split by their requests.
    #[serde(rename = "alongside/openTurnFile", rename_all = "camelCase")]
    OpenTurnFile {
        /// Which turn review.
        turn: TurnId,
        /// The revision on the screen.
        revision: u64,
        /// Index into [`Turn::files`] of that revision.
        file: usize,
    },
    /// Marks a whole file of a turn review to be undone, or removes its marks. Single hunks of an open file
    /// are marked by dropping them.
    #[serde(rename = "alongside/markTurnFile", rename_all = "camelCase")]
    MarkTurnFile {
        /// Which turn review.
        turn: TurnId,
        /// The revision on the screen.
        revision: u64,
        /// Index into [`Turn::files`] of that revision.
        file: usize,
        /// Whether to undo the file.
        undo: bool,
    },
    /// Adds a comment to a turn review, or to lines of a file of it. The comment is on disk, and
    /// [`Event::Turn`] has told it, before the reply.
    #[serde(rename = "alongside/addComment", rename_all = "camelCase")]
    AddComment {
        /// Which turn review.
        turn: TurnId,
        /// The revision on the screen.
        revision: u64,
        /// Index into [`Turn::files`] of that revision; absent: the whole turn.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        file: Option<usize>,
        /// The lines of that file; absent: all of it. The companion takes their text from its own.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        lines: Option<LineRange>,
        /// The text in which these lines are.
        #[serde(default, skip_serializing_if = "Side::is_new")]
        side: Side,
        /// The person's words.
        text: String,
    },
    /// Changes the words of a comment that no agent has read, or removes any comment. [`Event::Turn`] comes
    /// before the reply.
    #[serde(rename = "alongside/changeComment", rename_all = "camelCase")]
    ChangeComment {
        /// Which turn review.
        turn: TurnId,
        /// Which comment.
        id: CommentId,
        /// The words; empty to remove it.
        text: String,
    },
    /// Undoes all marked changes, and nothing else. [`Event::TurnFinished`] and the new list come before the
    /// reply. Only sent on a command of a person who has seen the list.
    #[serde(rename = "alongside/finishTurn", rename_all = "camelCase")]
    FinishTurn {
        /// Which turn review.
        turn: TurnId,
        /// The revision on the screen.
        revision: u64,
        /// Whether the agent gets a message of what was undone, with the comments.
        #[serde(default, skip_serializing_if = "is_false")]
        send: bool,
        /// Whether nothing is written, and the message asks the agent to undo what is marked. Without
        /// `send`, it counts as if that were there.
        #[serde(default, skip_serializing_if = "is_false")]
        ask_to_undo: bool,
    },
    /// Stops or resumes the reports of the person's files to agents.
    #[serde(rename = "alongside/pauseContext")]
    PauseContext {
        /// True to stop.
        paused: bool,
    },
    /// Adds a file, or lines of it, to the prompt of an agent that takes them. Refused where no agent does,
    /// and for files that agents never learn of.
    #[serde(rename = "alongside/mentionFile", rename_all = "camelCase")]
    MentionFile {
        /// Absolute path; absent: the active file that agents know, with its selected lines.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        path: Option<String>,
        /// 0-based lines, `end` exclusive; absent: the whole file.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        lines: Option<Lines>,
        /// The number of the agent; absent: the one that the person used last, of those that take files.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent: Option<u64>,
    },
    /// The person uses this desk: among several companions, agents get this one.
    #[serde(rename = "alongside/didFocus")]
    Focus,
    /// The editor's projects have changed. Only editors send this, no program that embeds the companion.
    #[serde(rename = "alongside/didChangeRoots", rename_all = "camelCase")]
    ChangeRoots {
        /// Directories that are projects from now on.
        #[serde(default)]
        added: Vec<PathBuf>,
        /// Directories that are none any more.
        #[serde(default)]
        removed: Vec<PathBuf>,
    },
    /// A problem that this desk found, for the person at any desk.
    #[serde(rename = "alongside/reportProblem")]
    Report(Problem),
    /// The desk leaves on a command of its person. For a desk that vanishes, the host waits.
    #[serde(rename = "exit")]
    Leave,
    /// Answers [`Event::FlushReview`]: every edit the desk had is sent.
    #[serde(rename = "alongside/didFlushReview", rename_all = "camelCase")]
    Flushed {
        /// Which review.
        id: ReviewId,
    },
    /// Answers [`Event::DiagnosticsWanted`].
    #[serde(rename = "alongside/didFindDiagnostics", rename_all = "camelCase")]
    Diagnostics {
        /// The number of the question.
        number: u64,
        /// The problems, as far as the editor knows them. Each file once.
        files: Vec<FileDiagnostics>,
    },
}

impl Request {
    /// Returns the edit that replaces the whole text of a review.
    #[must_use]
    pub fn replace_text(id: ReviewId, revision: u64, text: String) -> Self {
        Self::EditReview { id, revision, changes: vec![Change { range: None, text }] }
    }

    /// Returns the split of a hunk wherever it can be.
    #[must_use]
    pub fn split(id: ReviewId, revision: u64, hunk: usize) -> Self {
        Self::SplitHunk { id, revision, hunk, lines: None, side: Side::New }
    }
}

/// A message to a desk that it did not ask for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "method", content = "params")]
pub enum Event {
    /// Port, roots, agents; sent on joining and whenever one of them changes.
    #[serde(rename = "alongside/didChangeStatus")]
    Status(Status),
    /// A review waits. Joining replays the open ones.
    #[serde(rename = "alongside/didOpenReview")]
    Opened(Review),
    /// The text, the hunks or the state of the target changed, by any desk: see [`Review::take`].
    #[serde(rename = "alongside/didChangeReview")]
    Changed(Changed),
    /// A review ended.
    #[serde(rename = "alongside/didCloseReview")]
    Closed(Closed),
    /// A rule or a grant has accepted a change, and nobody reviewed it. Joining replays the newest ones.
    #[serde(rename = "alongside/didAcceptByRule")]
    AcceptedByRule(RuleAcceptance),
    /// The content of the file of a decided review, at most ten minutes after its end.
    #[serde(rename = "alongside/lastWord")]
    LastWord(LastWord),
    /// The changes since a baseline: to the desk that asked, and on every change of the list to all desks
    /// that show turns.
    #[serde(rename = "alongside/didChangeTurn")]
    Turn(Turn),
    /// The texts of a file of a turn review: to the desk that opened it. [`Event::Changed`] follows for them.
    /// When the file has other changes while it is open, this event comes again with another id, and the
    /// earlier review has ended.
    #[serde(rename = "alongside/didOpenTurnFile")]
    TurnFile(OpenedTurnFile),
    /// The changes that were undone: to the desk that finished.
    #[serde(rename = "alongside/didFinishTurn")]
    TurnFinished(TurnFinished),
    /// The agent takes the text: send what is unsent, then [`Request::Flushed`], within 150 ms.
    #[serde(rename = "alongside/flushReview", rename_all = "camelCase")]
    FlushReview {
        /// Which review.
        id: ReviewId,
    },
    /// An agent asks for the problems in files: answer with [`Request::Diagnostics`] within 400 ms. Only a
    /// desk that has said that it knows them is asked.
    #[serde(rename = "alongside/getDiagnostics", rename_all = "camelCase")]
    DiagnosticsWanted {
        /// The number of the question.
        number: u64,
    },
    /// A problem that the person can act on.
    #[serde(rename = "alongside/problem")]
    Problem(Problem),
    /// Something that happened, for the person: one line, shown once.
    #[serde(rename = "alongside/notice", rename_all = "camelCase")]
    Notice {
        /// Harmless to show.
        message: String,
    },
}
