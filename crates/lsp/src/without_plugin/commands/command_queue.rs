//! The commands that a person gave about one review, carried out one at a time, after everything typed
//! before has arrived.

use std::collections::VecDeque;

use lsp_server::RequestId;
use serde_json::Value;

use crate::io::Io;

/// A hunk, by the lines where it starts in the original and in the proposal: these stay while other hunks
/// change.
pub(crate) type HunkStart = (usize, usize);

/// A command about a review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ReviewCommand {
    Keep(Vec<HunkStart>),
    Drop(Vec<HunkStart>),
    Undo,
    Redo,
    Accept,
    Reject,
}

/// A queued command.
#[derive(Debug)]
pub(crate) struct PendingCommand {
    /// The editor's request, which gets an answer afterwards.
    pub(crate) request: Option<RequestId>,
    pub(crate) command: ReviewCommand,
}

/// The command that has no reply yet.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Running {
    /// The command replaces text that the person typed.
    pub(crate) drops_edit: bool,
    /// The state of the target when the companion got the command.
    pub(crate) target_state: (bool, bool),
}

#[derive(Debug, Default)]
pub(crate) struct CommandQueue {
    pending: VecDeque<PendingCommand>,
    /// The command that the companion has and has not replied to.
    running: Option<Running>,
}

impl CommandQueue {
    pub(crate) fn push(&mut self, command: PendingCommand) {
        self.pending.push_back(command);
    }

    /// Returns the next command, unless one is running.
    pub(crate) fn pop(&mut self) -> Option<PendingCommand> {
        if self.is_running() { None } else { self.pending.pop_front() }
    }

    pub(crate) fn is_running(&self) -> bool {
        self.running.is_some()
    }

    /// Records that the companion has the last command.
    pub(crate) fn mark_running(&mut self, running: Running) {
        self.running = Some(running);
    }

    /// Handles the companion's reply to the returned command.
    pub(crate) fn mark_finished(&mut self) -> Option<Running> {
        self.running.take()
    }

    /// Removes all commands and returns the editor's requests for them.
    pub(crate) fn clear(&mut self) -> Vec<Option<RequestId>> {
        self.pending.drain(..).map(|command| command.request).collect()
    }
}

/// Answers the editor's request for a command, if it made one.
pub(crate) fn finish(io: &Io, request: Option<RequestId>) {
    if let Some(request) = request {
        io.reply(request, Value::Null);
    }
}
