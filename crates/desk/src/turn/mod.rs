//! The turn review as desks get it: the changes in a working tree since its baseline, file by file.
//!
//! A turn review is not a proposal: no agent has asked for it, and none waits. The list of files goes to
//! every desk that shows turns. The texts of a file go only to the desk that opens the file, as a [`Review`]
//! whose original is the text of the baseline and whose proposal is the text on disk. Dropping a hunk marks
//! it to be undone.

pub(crate) mod comment;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use self::comment::{Comment, Route, TurnMessage, is_false};
use crate::harmless;
use crate::review::{Hunk, Lines, Review};

/// The id of a turn review, which no other turn review gets while the companion lives.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TurnId(pub u64);

/// The changes in a working tree since its baseline.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Turn {
    /// Its name.
    pub id: TurnId,
    /// The top of the working tree, for people: bytes that are not text are replaced.
    pub root: String,
    /// Rises when the files, their marks, or the words that a finish sends are others; a new remark alone
    /// leaves it. An index into [`files`](Self::files) names it.
    pub revision: u64,
    /// The beginning of the changes.
    pub baseline: Baseline,
    /// The files that differ, by path; those that the person knows already come last. Empty if none does.
    pub files: Vec<TurnFile>,
    /// Warnings about the list, each in one line. Harmless to show.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
    /// The comments that wait for the finish, those that wait for the agent, those of the message that was
    /// read last, and older ones that are open or were answered since; in the order in which they were
    /// written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub comments: Vec<Comment>,
    /// How a message would reach the agent now; absent where none can be sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub route: Option<Route>,
    /// The last message that was sent, and whether it was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<TurnMessage>,
    /// The agents whose turns have begun and not ended: more may change at any moment. Most agents tell
    /// nothing of a turn that Esc has stopped.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub at_work: Vec<AtWork>,
}

impl Turn {
    /// Whether this is the review that a desk has asked for, with a real directory and a revision. A host
    /// tells every desk of the reviews of all its working trees.
    pub fn is_of(&self, directory: Option<&str>, since: Option<&str>) -> bool {
        let is_here = directory.is_none_or(|directory| Path::new(directory).starts_with(&self.root));
        is_here && self.baseline.asked.as_deref() == since
    }

    /// Returns the comments on a file; without a path, those on the whole turn.
    pub fn comments_on(&self, path: Option<&str>) -> impl Iterator<Item = &Comment> {
        self.comments.iter().filter(move |comment| comment.anchor.path.as_deref() == path)
    }

    /// Returns the comments that a finish would send.
    pub fn unsent_comments(&self) -> impl Iterator<Item = &Comment> {
        self.comments.iter().filter(|comment| comment.state.is_unsent())
    }

    /// Returns a sentence on the agents that are at work; none if nobody is. `at_work`: the words for that,
    /// with their time or without. `rejected`: the turns that a rejection may have ended.
    #[must_use]
    pub fn at_work_words(&self, at_work: &str, rejected: &[AtWork]) -> Option<String> {
        let agents: Vec<_> = self.at_work.iter().map(|agent| harmless::name(&agent.agent)).collect();
        let are = match agents.len() {
            0 => return None,
            1 => "is",
            _ => "are",
        };
        let at_work = format!("{} {are} {at_work}", agents.join(" and "));
        Some(match self.at_work.iter().any(|agent| rejected.contains(agent)) {
            true => format!("{at_work}, unless the rejection has ended its turn: more changes may come."),
            false => format!("{at_work}: more changes may come, unless Esc has stopped it."),
        })
    }
}

/// An agent in its turn.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AtWork {
    /// Its name, for people and harmless.
    pub agent: String,
    /// The time at which its turn began, in milliseconds since the Unix epoch.
    pub since: u64,
}

/// The beginning of the changes that a turn review shows.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Baseline {
    /// The revision that a desk asked for, as it spelled it; absent for the baseline that turns left behind,
    /// or for the last commit where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<String>,
    /// Its description, for people and harmless: `the end of the last turn of Codex`, `the commit 1a2b3c4`.
    pub name: String,
    /// The time of the snapshot, in milliseconds since the Unix epoch; absent for a commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<u64>,
}

/// A file that differs from its baseline.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TurnFile {
    /// Its path below the root, with `/`. Render it harmless before showing it; bytes that are not text are
    /// replaced, so that it may name no file.
    pub path: String,
    /// The path that it had, if it was renamed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The kind of its change.
    pub change: FileChange,
    /// Whether it can be executed now and could not before, or the reverse; absent if neither, and for a file
    /// that is new, gone or of another kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub executable: Option<bool>,
    /// The number of added lines; 0 if they were not counted.
    pub added: usize,
    /// The number of removed lines; 0 if they were not counted.
    pub removed: usize,
    /// The reason why its texts cannot be shown, if there is one: it is binary, too large, a link, excluded.
    /// Harmless to show.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub without_text: Option<String>,
    /// Whether it cannot be marked, because its earlier text is not kept, for the reason of `without_text`.
    #[serde(default, skip_serializing_if = "is_false")]
    pub without_undo: bool,
    /// The author of its change.
    #[serde(default, skip_serializing_if = "Author::is_agent")]
    pub author: Author,
    /// The part of it that is marked to be undone.
    #[serde(default, skip_serializing_if = "Marked::is_nothing")]
    pub marked: Marked,
    /// Whether it is unchanged since the person sent the last round: such files come after the others.
    #[serde(default, skip_serializing_if = "is_false")]
    pub known: bool,
    /// Whether the person accepted all of its change before it was written: such files come after the others,
    /// too.
    #[serde(default, skip_serializing_if = "is_false")]
    pub accepted: bool,
    /// Whether the person has saved it in an editor since the baseline: a part of its change may be theirs.
    #[serde(default, skip_serializing_if = "is_false")]
    pub saved: bool,
    /// Whether it was renamed, and git's index has its new name. An undo leaves the index as it is.
    #[serde(default, skip_serializing_if = "is_false")]
    pub staged: bool,
}

impl TurnFile {
    /// Whether its change is news for the person: not their own, not accepted before the write, and not the
    /// same as when they sent their last round.
    #[must_use]
    pub fn is_news(&self) -> bool {
        self.author != Author::Person && !self.accepted && !self.known
    }

    /// Whose change it is, as people are told: a text that they accepted before the write was an agent's
    /// proposal, also where the store cannot tell.
    #[must_use]
    pub fn told_author(&self) -> Author {
        if self.accepted { Author::Agent } else { self.author }
    }

    /// Whether a step that marks all files marks it.
    #[must_use]
    pub fn is_of_rest(&self) -> bool {
        self.is_news() && self.marked.is_nothing() && !self.without_undo
    }

    /// For people: why it takes no mark, as the rest of a sentence that begins with its name.
    #[must_use]
    pub fn no_undo_words(&self) -> Option<String> {
        let why = self.without_text.as_deref().unwrap_or("its earlier text is not kept");
        self.without_undo.then(|| format!("cannot be undone: {}", crate::harmless::name(why)))
    }

    /// For people: whether it can be executed now, if that has changed.
    #[must_use]
    pub fn executable_words(&self) -> Option<&'static str> {
        self.executable.map(|now| if now { "now executable" } else { "no longer executable" })
    }
}

/// The part of a file that is marked to be undone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Marked {
    /// Nothing: it stays as it is on disk.
    #[default]
    Nothing,
    /// So many of its hunks.
    Hunks(usize),
    /// All of it: it becomes what it was.
    Whole,
}

impl Marked {
    /// Whether the file stays as it is on disk.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        *self == Self::Nothing
    }
}

/// The kind of change of a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum FileChange {
    /// It is new.
    Added,
    /// It is gone.
    Deleted,
    /// Its content differs.
    #[default]
    Modified,
    /// It has another name, and perhaps another content.
    Renamed,
    /// Only whether it can be executed differs.
    Mode,
    /// It was a file, and is a link, a directory, a repository, a pipe or the like now, or the reverse.
    Kind,
    /// It is new, or its content differs: nothing is known of it at the baseline.
    #[serde(other)]
    Unknown,
}

/// The author of a change, as far as the store knows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Author {
    /// The agent's: it was made during a turn.
    #[default]
    Agent,
    /// Not the agent's: it was made between a turn's end and the next prompt.
    Person,
    /// Both have changed the file.
    Both,
    /// It cannot be told: an end is missing, no turn is known, or only the time of the last change is.
    #[serde(other)]
    Unknown,
}

impl Author {
    /// Whether it is the agent's.
    #[must_use]
    pub fn is_agent(&self) -> bool {
        *self == Self::Agent
    }
}

/// The report of a hook that it has taken a snapshot, or has given its agent a message. The hook sends it to
/// a host, which informs desks, and waits for no answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SnapshotTaken {
    /// A directory in the working tree, absolute.
    pub directory: PathBuf,
    /// The moment of the snapshot.
    #[serde(default)]
    pub kind: SnapshotKind,
}

/// The moment of a snapshot.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum SnapshotKind {
    /// A prompt: a turn begins.
    Prompt,
    /// The end of a turn.
    #[default]
    End,
    /// No snapshot was taken: an agent has read a person's message.
    Message,
    /// A moment that only later programs know.
    #[serde(other)]
    Other,
}

/// The texts of a file of a turn, for the desk that opened it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OpenedTurnFile {
    /// The turn review.
    pub turn: TurnId,
    /// The revision whose list [`file`](Self::file) points into.
    pub revision: u64,
    /// The file, as an index into [`Turn::files`].
    pub file: usize,
    /// Its texts and hunks. `original` is the baseline, `proposed` what is on disk, `current` what is wanted.
    pub review: Review,
    /// The lines on disk that have changed since the last round, from 0; without lines, a place where some
    /// went. Absent where all of it is new, or that cannot be told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new: Option<Vec<Lines>>,
    /// The lines on disk whose change the person accepted before it was written, from 0; without lines, a
    /// place where some went. None where nothing was accepted, or that cannot be told.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accepted: Vec<Lines>,
}

impl OpenedTurnFile {
    /// Whether the person accepted all of a hunk before it was written.
    #[must_use]
    pub fn is_accepted(accepted: &[Lines], hunk: &Hunk) -> bool {
        let of = hunk.proposed;
        accepted.iter().any(|lines| lines.start <= of.start && of.end <= lines.end)
    }

    /// Whether a hunk has changed since the last round, where some of the file has not.
    #[must_use]
    pub fn is_new(new: &[Lines], hunk: &Hunk) -> bool {
        let of = hunk.proposed;
        new.iter().any(|new| match new.start == new.end || of.start == of.end {
            true => new.start <= of.end && of.start <= new.end,
            false => new.start < of.end && of.start < new.end,
        })
    }
}

/// The end of a turn review at a desk: what was undone, file by file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TurnFinished {
    /// The turn review.
    pub turn: TurnId,
    /// Every file that had a mark, in the order of the list; none if the agent is asked to undo them.
    pub files: Vec<UndoneFile>,
    /// The paths that the agent is asked to undo, as [`TurnFile::path`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asked: Vec<String>,
    /// The message that was sent; absent if none was to be, or there was nothing to say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent: Option<TurnMessage>,
    /// The reason why no message was sent although one should have been: comments still wait, and marked
    /// changes stay marked if the agent should have been asked to undo them. In one line, harmless to show.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_sent: Option<String>,
}

impl TurnFinished {
    /// Whether a file could not be undone. A review since the last one stays open then.
    #[must_use]
    pub fn has_refused(&self) -> bool {
        self.files.iter().any(|file| file.refused.is_some())
    }
}

/// A file that was marked to be undone.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UndoneFile {
    /// As [`TurnFile::path`].
    pub path: String,
    /// The reason why it could not be undone, if it was not. In one line, harmless to show.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    /// The draft that holds the text of before the undo, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draft: Option<String>,
}
