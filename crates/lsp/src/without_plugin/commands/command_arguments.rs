//! The commands that an editor can execute, and their arguments.

use alongside_desk::ReviewId;
use serde_json::Value;

use super::command_queue::HunkStart;

/// All commands. Each also works without arguments.
pub(crate) const COMMANDS: [&str; 12] = [
    "alongside.review",
    "alongside.accept",
    "alongside.reject",
    "alongside.keep",
    "alongside.drop",
    "alongside.next",
    "alongside.undo",
    "alongside.redo",
    "alongside.original",
    "alongside.pause",
    "alongside.send",
    "alongside.setUp",
];

/// The arguments of a command.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct CommandArguments {
    pub(crate) review: Option<ReviewId>,
    /// The revision that the person saw.
    pub(crate) revision: Option<u64>,
    pub(crate) hunks: Option<Vec<HunkStart>>,
    /// The line of the cursor.
    pub(crate) line: Option<usize>,
    /// The title of the action named the doubts about accepting.
    pub(crate) accepts_doubts: bool,
}

impl CommandArguments {
    /// Reads the parameters of `workspace/executeCommand`. A person may type the number of a review alone.
    pub(crate) fn read(params: &Value) -> Self {
        let Some(first) = params.pointer("/arguments/0") else { return Self::default() };
        let number = |name: &str| first.get(name).and_then(Value::as_u64);
        let index = |value: &Value| usize::try_from(value.as_u64()?).ok();
        let typed = first.as_str().and_then(|typed| typed.parse().ok());
        let hunks = first.get("hunks").and_then(Value::as_array).map(|hunks| {
            hunks.iter().filter_map(|hunk| Some((index(hunk.get(0)?)?, index(hunk.get(1)?)?))).collect()
        });
        Self {
            review: number("review").or(first.as_u64()).or(typed).map(ReviewId),
            revision: number("revision"),
            hunks,
            line: first.get("line").and_then(index),
            accepts_doubts: first.get("although").and_then(Value::as_bool) == Some(true),
        }
    }
}
