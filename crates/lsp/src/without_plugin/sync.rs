//! Carries edits between the editor and the companion, and runs queued commands: each step after the one
//! before it has arrived.

use alongside_desk::{
    Decision, HunkState, Refusal, Request, ReviewId, Revised, Text, messages as desk_messages,
};
use lsp_server::RequestId;
use serde_json::Value;

use super::command_queue::{HunkStart, ReviewCommand, Running};
use super::editor_ui::Question;
use super::{LspDesk, messages};
use crate::io::{Io, RequestOrigin};

impl LspDesk {
    /// Does everything that a review is ready for. Every event about it calls this.
    pub(super) fn sync(&mut self, io: &mut Io, id: ReviewId) {
        self.offer_to_editor(io, id);
        self.tell_change(io, id);
        let Some(proposal) = self.proposals.get_mut(id) else { return };
        let changes = proposal.outgoing();
        if proposal.mirror.take_overwritten() {
            proposal.has_overwritten = true;
            let name = messages::file_name(&proposal.review, self.editor.roots());
            self.editor.warn_about(io, &name, messages::OVERWRITTEN.to_owned());
        }
        if !changes.is_empty() {
            let revision = proposal.review.revision;
            io.request(RequestOrigin::Edit(id), Request::EditReview { id, revision, changes });
        }
        if proposal.mirror.is_unsent() {
            return;
        }
        if self.editor.client().editor.reload_command.is_some() {
            proposal.refresh_open_file();
        }
        if std::mem::take(&mut proposal.is_flushing) {
            io.request(RequestOrigin::Unawaited, Request::Flushed { id });
        }
        self.run_next_command(io, id);
    }

    /// Offers changes from elsewhere to the editor.
    fn offer_to_editor(&mut self, io: &mut Io, id: ReviewId) {
        let Some(proposal) = self.proposals.get_mut(id) else { return };
        let Some((normalization, editor)) = &proposal.open else {
            return proposal.mirror.close();
        };
        let Some((goal, offer)) = proposal.mirror.incoming() else { return };
        let ours = Text::new(proposal.mirror.editor_text().clone());
        let edits = normalization.edits(editor, &ours, &Text::new(goal), self.editor.encoding());
        if let Some(document) = proposal.path().and_then(|path| self.documents.get(path)) {
            self.editor.apply_edits(io, document, &edits, Question::Apply(id, offer));
        }
    }

    fn run_next_command(&mut self, io: &mut Io, id: ReviewId) {
        let Some(proposal) = self.proposals.get_mut(id) else { return };
        let Some(next) = proposal.commands.pop() else { return };
        let revision = proposal.review.revision;
        let is_behind = proposal.open.is_some() && !proposal.mirror.shows(&proposal.review.current);
        let mut running = Running { target_state: proposal.target_state(), ..Running::default() };
        let mut take = |starts: &[HunkStart], keep: bool| {
            let hunks = proposal.indexes(starts);
            let is_edited = |index: &usize| {
                proposal.review.hunks.get(*index).is_some_and(|hunk| hunk.state == HunkState::Edited)
            };
            running.drops_edit = hunks.iter().any(is_edited);
            Request::KeepHunks { id, revision, hunks, keep }
        };
        let request = match next.command {
            ReviewCommand::Keep(starts) => take(&starts, true),
            ReviewCommand::Drop(starts) => take(&starts, false),
            ReviewCommand::Undo => Request::UndoReview { id, revision },
            ReviewCommand::Redo => Request::RedoReview { id, revision },
            ReviewCommand::Accept if is_behind => {
                // The offer that this command allowed shows the text.
                let is_coming = proposal.mirror.awaits_editor();
                self.editor
                    .warn(io, if is_coming { messages::CHANGED_ELSEWHERE } else { messages::NOT_SHOWN });
                return self.finish_command(io, next.request);
            }
            ReviewCommand::Accept => Request::DecideReview { id, revision, decision: Decision::Accept },
            ReviewCommand::Reject => Request::DecideReview { id, revision, decision: Decision::Reject },
        };
        proposal.commands.mark_running(running);
        io.request(RequestOrigin::Command(next.request, id), request);
    }

    /// Answers the editor's request for a command.
    pub(super) fn finish_command(&self, io: &Io, request: Option<RequestId>) {
        if let Some(request) = request {
            io.reply(request, Value::Null);
        }
    }

    /// The companion has replied to edits.
    pub(super) fn edit_replied(&mut self, io: &mut Io, id: ReviewId, reply: Result<Revised, Refusal>) {
        if let Some(proposal) = self.proposals.get_mut(id) {
            proposal.mirror.companion_replied(reply.is_ok());
        }
        match reply {
            // The text is merged into the new revision and sent again, or the end of the review is told.
            Ok(_) | Err(Refusal::Stale { .. } | Refusal::NoSuchReview | Refusal::Stopped) => {}
            Err(refusal) => {
                tracing::warn!(review = id.0, %refusal, "the companion refuses edits");
                self.editor.warn(io, &messages::edit_refused(&refusal));
            }
        }
        self.sync(io, id);
    }

    /// The companion has replied to a command.
    pub(super) fn command_replied(
        &mut self,
        io: &mut Io,
        request: Option<RequestId>,
        id: ReviewId,
        reply: Result<Revised, Refusal>,
    ) {
        let proposal = self.proposals.get_mut(id);
        let finished = proposal.and_then(|proposal| Some((proposal.commands.mark_finished()?, proposal)));
        match (reply, finished) {
            (Err(Refusal::Stale { .. }), Some((finished, proposal))) => {
                proposal.mark_foreign(finished.target_state != proposal.target_state());
                self.editor.warn(io, proposal.reason_to_look());
            }
            (Err(refusal), _) => self.editor.warn(io, &desk_messages::refusal(&refusal)),
            (Ok(_), Some((finished, _))) if finished.drops_edit => {
                self.editor.inform(io, messages::EDIT_DROPPED);
            }
            (Ok(_), _) => {}
        }
        self.finish_command(io, request);
        self.sync(io, id);
    }
}
