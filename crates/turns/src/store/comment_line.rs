//! The lines of the log of comments, in their form on disk.

use alongside_companion::turns::source::ChangeBack;
use alongside_desk::{Anchor, CommentId, LineRange};
use serde::{Deserialize, Serialize};

use crate::lines::anchors::Quotation;
use crate::store::delivery_way::Delivery;
use crate::store::session_address::Address;

/// A line of the log. Times are in milliseconds since the Unix epoch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub(crate) enum Line {
    /// A person has written a comment.
    Written {
        id: CommentId,
        /// The place of the comment, without the code, which the quotation has.
        anchor: Anchor,
        quotation: Quotation,
        /// The path of the file, escaped.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        file: Option<String>,
        text: String,
        /// The change that the comment asks the agent to undo.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        back: Option<ChangeBack>,
        at: u64,
    },
    /// The person has changed the text of a comment, or removed the comment, if `text` is empty. A comment
    /// that an agent has read is to be asked again with this text or, without a text, not to be asked again.
    Changed {
        id: CommentId,
        text: String,
        /// The lines that the comment is about from then on.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        about: Option<QuotedLines>,
        at: u64,
    },
    /// The person has sent these comments.
    Sent {
        round: u64,
        comments: Vec<CommentId>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        undone: Vec<ChangeBack>,
        /// The session that gets the message; absent if no turn was known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<Address>,
        /// The keys of the agent's other sessions at that time, which do not get the message.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        beside: Vec<String>,
        /// The files at that time. Later looks compare them with the disk to find the agent's answer.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        trees: Option<Trees>,
        /// The number of the promise that this round keeps.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        keeps: Option<u64>,
        at: u64,
    },
    /// The person has confirmed a finish: its changes are about to be undone, and a round will report them. A
    /// round follows, or a line of this kind without a promise. If neither follows, the process has died, and
    /// the next look sends the list of undone changes.
    Promised {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        promise: Option<Promise>,
        at: u64,
    },
    /// The whole text of the message with these rounds, as it is delivered next.
    Told { rounds: Vec<u64>, text: String, at: u64 },
    /// The delivery of these rounds begins. If no line about its end follows, it is unknown whether the agent
    /// has read them.
    Delivering { rounds: Vec<u64>, at: u64 },
    /// A hook has given these rounds to its session, beside a prompt. They count as read once the turn of the
    /// prompt ends: a prompt that is blocked, or that the person takes back, reaches no model.
    Given {
        rounds: Vec<u64>,
        by: Address,
        at: u64,
        /// The agent's process.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        process: Option<u32>,
    },
    /// The delivery of these rounds has failed before the agent could read them.
    NotDelivered { rounds: Vec<u64>, at: u64 },
    /// The person has taken the undo of a file back before an agent has read this round. The round no longer
    /// lists that undo.
    TakenBack {
        round: u64,
        /// The path of the file, escaped.
        path: String,
        at: u64,
    },
    /// A session has read these rounds, or a person has copied them.
    Read {
        rounds: Vec<u64>,
        delivery: Delivery,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<Address>,
        at: u64,
    },
    /// Compaction has removed older lines. The line has their number, and the last ids that they used.
    Compacted { comment: CommentId, round: u64, lines: u64 },
    /// A line of a newer version.
    #[serde(other)]
    Other,
}

/// The lines that a comment is about, with their text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct QuotedLines {
    pub(crate) lines: LineRange,
    pub(crate) quotation: Quotation,
}

/// The promise of a round that is sent once its changes are undone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Promise {
    pub(crate) undone: Vec<ChangeBack>,
    #[serde(default)]
    pub(crate) comments: Option<Vec<CommentId>>,
    /// The name of the look that the person has seen.
    pub(crate) look: String,
    /// The number of the promise, which the round that keeps the promise repeats. A promise of an older
    /// version has no number, and the next round keeps it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) number: Option<u64>,
}

/// The two trees of a round, in our repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Trees {
    /// The files as the person saw them, before anything was undone.
    pub(crate) shown: String,
    /// The files after the undo.
    pub(crate) sent: String,
}
