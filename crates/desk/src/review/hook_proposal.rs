//! A proposal that an agent's hook brings, and the answer to it.
//!
//! A hook is a program that an agent runs before a tool writes a file, and whose answer the agent obeys. It
//! asks for one review of one file, and waits for its end.

use std::path::PathBuf;
use std::sync::Arc;

use alongside_contract::shared_text;
use serde::{Deserialize, Serialize};

use crate::review::Reasons;

/// The text that an agent's tool is about to write, for a person to review.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HookProposal {
    /// The agent's name for people.
    pub agent: String,
    /// The agent's own name of its session: a repeated call comes from the same one.
    #[serde(default)]
    pub session: String,
    /// Absolute path of the file.
    pub file: String,
    /// The whole text that the tool would write.
    #[serde(deserialize_with = "shared_text::deserialize")]
    pub proposed: Arc<str>,
    /// The tool's operation on the file; paths in it are absolute.
    #[serde(default)]
    pub operation: Operation,
    /// A description of the tool's work for people, if the tool does more than write this text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remark: Option<String>,
    /// The process of the agent, if the hook can tell: a grant ends with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_pid: Option<u32>,
    /// How many files the same tool call changes: see [`Review::parts`](crate::Review::parts).
    #[serde(default)]
    pub parts: usize,
    /// The identifier of the tool call, if it changes several files: the agent writes none of them if a
    /// review of one ends without a decision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch: Option<String>,
    /// The time that the hook waits for the decision, in milliseconds.
    pub patience_ms: u64,
    /// Whether the agent may send the same edit once more, by another way or by the hook: the person is not
    /// asked again.
    #[serde(default)]
    pub comes_twice: bool,
    /// Whether the review stays open for a repeated call when the patience is over. Otherwise it ends.
    #[serde(default)]
    pub calls_again: bool,
    /// Whether the agent asks its person itself if the hook has no answer: by `openDiff` of its session here,
    /// or in its own prompt.
    #[serde(default)]
    pub asks_itself: bool,
    /// Whether the agent may ask in its own prompt after an acceptance.
    #[serde(default)]
    pub asks_afterwards: bool,
    /// Whether no review is opened: the answer is a recent one, or [`Verdict::NotReviewed`].
    #[serde(default)]
    pub only_if_decided: bool,
    /// Whether the agent writes the person's text if they changed the proposed one. Otherwise it is asked to
    /// propose that text.
    #[serde(default)]
    pub takes_text: bool,
    /// The outcomes with which its model reads a reason.
    #[serde(default)]
    pub reasons: Reasons,
}

/// The operation of an agent's tool on a file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "operation", rename_all = "camelCase")]
pub enum Operation {
    /// The tool writes the text.
    #[default]
    Write,
    /// The tool deletes the file.
    Delete,
    /// The tool writes the text, and deletes another file.
    Move {
        /// The other file.
        from: String,
    },
}

/// The answer to a [`HookProposal`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "camelCase")]
pub enum Verdict {
    /// The person accepted the proposal.
    #[serde(rename_all = "camelCase")]
    Accepted {
        /// With this text.
        #[serde(deserialize_with = "shared_text::deserialize")]
        text: Arc<str>,
        /// The changes of the person and the reasons for them, for the model; absent without either.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<String>,
    },
    /// The person rejected the proposal.
    Rejected {
        /// The reasons, for the model.
        message: String,
    },
    /// The review ended without a decision.
    Undecided {
        /// The reason, for the model.
        message: String,
        /// The text that the person typed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        draft: Option<PathBuf>,
    },
    /// The patience is over, and the review is still open: a repeated call gets its outcome.
    StillOpen,
    /// The companion reviews nothing now: its editor is closed, or the settings say so.
    NotReviewed,
    /// The companion shows no such proposal.
    Refused {
        /// The reason, for the model.
        message: String,
    },
}
