//! A review as a desk sees it: three texts and the hunks between them.

pub(crate) mod decision;
pub(crate) mod hook_proposal;
mod known_lines;
pub(crate) mod last_word;
pub(crate) mod moved_lines;
pub(crate) mod packed_texts;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use self::known_lines::KnownLines;
use crate::context::Range;
use crate::rule_acceptance::ChangeKind;
use crate::status::Agent;
use crate::text::{Change, Text};

/// The id of a review, which no other review gets while the companion lives.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ReviewId(pub u64);

impl std::fmt::Display for ReviewId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// A proposed file and the person's edits so far.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Review {
    /// The id of the review.
    pub id: ReviewId,
    /// The agent that proposes.
    pub agent: Agent,
    /// The file, exactly as the agent spells it: render it harmless before showing it.
    pub file: String,
    /// The file as it was when the proposal came, with line endings and byte-order mark as in the proposal.
    /// Absent when there is no such file, or it is not text (see [`whole_file_only`](Self::whole_file_only)).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub original: Option<Arc<str>>,
    /// The proposed text.
    pub proposed: Arc<str>,
    /// The text that accepting would hand to the agent now.
    pub current: Arc<str>,
    /// Rises with every change of this review. Edits and decisions name the one they were made on.
    pub revision: u64,
    /// The hunks, in which the three texts differ, in order.
    pub hunks: Vec<Hunk>,
    /// The reason why the person can only accept or reject the proposal as a whole, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub whole_file_only: Option<String>,
    /// The line ending of the file on disk, where the proposal uses another one throughout.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_line_ending: Option<LineEnding>,
    /// Whether the file on disk and the proposal differ in having a byte-order mark: true if the file has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_has_bom: Option<bool>,
    /// The file on disk has changed since the proposal.
    pub stale: bool,
    /// An editor holds unsaved changes to the file.
    pub dirty: bool,
    /// The real target of a write, if that is outside the project: through links and `..` as they were when
    /// the proposal came. Two places with ` or ` between them if it depends on how the agent reads `..`. Tell
    /// the person before anything else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outside: Option<String>,
    /// The real target of a write, if git runs or obeys that file, as a hook. Warn the person as for
    /// [`outside`](Self::outside).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_git: Option<String>,
    /// The real target of a write, if agents take settings or instructions from that file, as from
    /// `.claude/settings.json`. Tell the person as loudly.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of_agents: Option<String>,
    /// The real target of a write, if a link within the project leads there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leads_to: Option<String>,
    /// The reason why a person is asked, where rules or grants accept some changes and not this one; for
    /// people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<String>,
    /// The outcomes with which the agent's model reads a reason.
    #[serde(default, skip_serializing_if = "Reasons::are_lost")]
    pub reasons: Reasons,
    /// The person's reason for the decision on the whole review.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The number of files that the agent writes together, this one among them, if it writes none of them
    /// before all are decided; otherwise 0 or 1.
    #[serde(default, skip_serializing_if = "is_alone")]
    pub parts: usize,
    /// A deletion, or a move of a file to here; absent where the agent only writes the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<ChangeKind>,
    /// The path of a moved file before, exactly as the agent spells it. The file is removed there. Where
    /// there is nothing at its new path yet, [`original`](Self::original) is its text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The agent's next step, if that is more than writing the proposed text; for people, and harmless to
    /// show.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remark: Option<String>,
    /// The next call of an agent whose call was answered without a decision; absent while the agent waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unawaited: Option<Unawaited>,
    /// The lines of the texts as far as they are known, for [`texts`](Self::texts).
    #[serde(skip)]
    pub known_lines: KnownLines,
}

/// The next call of an agent that waits for a review no longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Unawaited {
    /// The agent's model is asked to call the tool again.
    CallsAgain,
    /// The agent's model was asked to end its turn, and calls again once the person asks it to go on.
    TurnOver,
    /// A call that only a later version knows.
    #[serde(other)]
    Other,
}

/// The outcomes with which an agent's model reads the person's reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Reasons {
    /// With no outcome: the way to the agent carries no reason.
    #[default]
    Never,
    /// With a rejection. An acceptance reaches the agent without its reason.
    WithRejection,
    /// With a rejection, and with an acceptance.
    Always,
}

impl Reasons {
    /// Whether no model reads a reason.
    pub fn are_lost(&self) -> bool {
        *self == Self::Never
    }
}

fn is_alone(parts: &usize) -> bool {
    *parts < 2
}

impl Review {
    /// Returns a copy without the texts, and without what is known of them.
    pub fn without_texts(&self) -> Self {
        let (proposed, current, known_lines) = Default::default();
        Self { original: None, proposed, current, known_lines, ..self.clone() }
    }

    /// Whether the text is another one than the agent proposes: then it becomes a draft where the review ends
    /// without it.
    pub fn is_edited(&self) -> bool {
        self.current != self.proposed
    }

    /// Returns the original, the proposed and the current text, with their lines, which are found once for
    /// each text. Without an original, that is empty.
    pub fn texts(&self) -> [Text; 3] {
        let known = &self.known_lines;
        [known.original(self.original.as_ref()), known.proposed(&self.proposed), self.current_text()]
    }

    fn current_text(&self) -> Text {
        self.known_lines.current(&self.proposed, &self.current)
    }

    /// Takes a change: afterwards this is the review at the new revision.
    ///
    /// # Errors
    /// [`OutOfStep`] if the change was made on another revision than this; nothing has changed then. On an
    /// orderly connection that does not happen.
    pub fn take(&mut self, changed: Changed) -> Result<(), OutOfStep> {
        if changed.id != self.id || changed.from != self.revision {
            return Err(OutOfStep);
        }
        if !changed.changes.is_empty() {
            let text = self.current_text().changed(&changed.changes).map_err(|_| OutOfStep)?;
            self.current = text.text().clone();
            self.known_lines.set_current(text);
        }
        self.revision = changed.revision;
        self.hunks = changed.hunks;
        self.stale = changed.stale;
        self.dirty = changed.dirty;
        self.reason = changed.reason;
        self.unawaited = changed.unawaited;
        Ok(())
    }
}

/// A new revision of a review, as the difference to the one before.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Changed {
    /// Which review.
    pub id: ReviewId,
    /// The revision that `changes` were made on: the last one this desk was told.
    pub from: u64,
    /// The revision now.
    pub revision: u64,
    /// Changes of the current text, applied in order; empty if it stays.
    pub changes: Vec<Change>,
    /// All hunks at the new revision.
    pub hunks: Vec<Hunk>,
    /// [`Review::stale`] at the new revision.
    pub stale: bool,
    /// [`Review::dirty`] at the new revision.
    pub dirty: bool,
    /// As [`Review::reason`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// As [`Review::unawaited`]. Where only this differs, the revision stays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unawaited: Option<Unawaited>,
}

/// A change was made on another revision than the one that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a change of a review does not follow on what is known of it")]
pub struct OutOfStep;

/// A line ending.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LineEnding {
    /// `\n`
    Lf,
    /// `\r\n`
    Crlf,
}

/// A stretch where the texts differ.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hunk {
    /// Its lines in the original.
    pub original: Lines,
    /// Its lines in the proposal.
    pub proposed: Lines,
    /// Its lines in the current text.
    pub current: Lines,
    /// Whether it is kept, dropped or edited.
    pub state: HunkState,
    /// The words that differ. Absent for added or removed lines, unlike lines, and too many lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<Words>,
    /// The limit that the comparison reached, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<Limit>,
    /// The person's reason for dropping or editing it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A limit on comparing a hunk. The texts are whole and exact nevertheless.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Limit {
    /// Too many lines differ: some of the hunk's lines may be equal on both sides.
    Lines,
    /// Too much text differs for its words to be compared.
    Words,
}

/// The words of a hunk that differ. Every range lies within one line, without its line end.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Words {
    /// Ranges of the original text.
    pub removed: Vec<Range>,
    /// Ranges of the current text of an [edited](HunkState::Edited) hunk, otherwise of the proposed text.
    pub added: Vec<Range>,
}

/// A stretch of lines: 0-based, `end` exclusive. A line is what ends in `\n`, or the rest of the text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lines {
    /// First line.
    pub start: usize,
    /// First line after it.
    pub end: usize,
}

impl From<std::ops::Range<usize>> for Lines {
    fn from(lines: std::ops::Range<usize>) -> Self {
        Self { start: lines.start, end: lines.end }
    }
}

impl Lines {
    /// Returns the number of lines.
    pub fn len(self) -> usize {
        self.end.saturating_sub(self.start)
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }
}

/// Whether a hunk is kept, dropped or edited.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HunkState {
    /// The current text has the proposal's lines.
    #[default]
    Kept,
    /// The current text has the original's lines.
    Dropped,
    /// The person wrote something else.
    Edited,
}
