//! What is typed goes to the companion, what others did goes into the editor, and what was asked for is done:
//! each when what came before has arrived.

use alongside_desk::{Decision, Refusal, Request, ReviewId, Revised, Text, messages};
use lsp_server::RequestId;
use lsp_types as lsp;
use serde_json::{Value, json};

use super::documents::Key;
use super::proposal::What;
use super::{Plain, Question};
use crate::io::{Asked, Io};

impl Plain {
    /// Carries what was typed to the companion, what came from there into the editor, and out what was asked
    /// for.
    pub(super) fn go_on(&mut self, io: &mut Io, id: ReviewId) {
        self.offer(io, id);
        let Some(proposal) = self.reviews.get_mut(&id) else { return };
        let changes = proposal.outgoing();
        if !changes.is_empty() {
            let revision = proposal.review.revision;
            io.request(Asked::Edit(id), Request::EditReview { id, revision, changes });
        }
        let Some(proposal) = self.reviews.get_mut(&id) else { return };
        if proposal.mirror.is_unsent() {
            return;
        }
        if std::mem::take(&mut proposal.flushing) {
            io.request(Asked::Nobody, Request::Flushed { id });
        }
        self.fulfil(io, id);
    }

    /// Asks the editor to take what came from elsewhere.
    pub(super) fn offer(&mut self, io: &mut Io, id: ReviewId) {
        let encoding = self.client.encoding;
        let Some(proposal) = self.reviews.get_mut(&id) else { return };
        let Some((convention, editor)) = &proposal.open else {
            return proposal.mirror.closed();
        };
        let Some((goal, offer)) = proposal.mirror.incoming() else { return };
        let ours = Text::new(proposal.mirror.here().clone());
        let edits = convention.edits(editor, &ours, &Text::new(goal), encoding);
        let key = proposal.path.clone().unwrap_or_default();
        if let Some(number) = self.apply(io, &key, &edits) {
            self.questions.insert(number, Question::Apply(id, offer));
        }
    }

    /// Asks the editor to change a document; the number of the question.
    pub(super) fn apply(&self, io: &mut Io, key: &Key, edits: &[lsp::TextEdit]) -> Option<i32> {
        let document = self.documents.get(key)?;
        let edit = match self.client.can("workspace/workspaceEdit/documentChanges") {
            true => {
                let named = json!({ "uri": document.uri, "version": document.version });
                json!({ "documentChanges": [{ "textDocument": named, "edits": edits }] })
            }
            false => json!({ "changes": { &document.uri: edits } }),
        };
        let params = json!({ "label": "alongside", "edit": edit });
        Some(io.ask("workspace/applyEdit", params, false))
    }

    /// Carries out the next thing that was asked for; what was typed before has arrived.
    pub(super) fn fulfil(&mut self, io: &mut Io, id: ReviewId) {
        let Some(proposal) = self.reviews.get_mut(&id) else { return };
        if proposal.acting {
            return;
        }
        let Some(wish) = proposal.wishes.pop_front() else { return };
        let revision = proposal.review.revision;
        let behind = proposal.open.is_some() && *proposal.mirror.here() != proposal.review.current;
        let request = match wish.what {
            What::Keep(starts, keep) => {
                Request::KeepHunks { id, revision, hunks: proposal.indexes(&starts), keep }
            }
            What::Undo => Request::UndoReview { id, revision },
            What::Accept if behind => {
                let said = "what the editor shows is not what would be accepted: something has changed \
                            elsewhere, and the editor has not taken it; look again, or open it anew";
                self.say(io, true, said);
                return self.done(io, wish.id);
            }
            What::Accept => Request::DecideReview { id, revision, decision: Decision::Accept },
            What::Reject => Request::DecideReview { id, revision, decision: Decision::Reject },
        };
        proposal.acting = true;
        io.request(Asked::Command(wish.id, id), request);
    }

    /// Answers a command.
    pub(super) fn done(&self, io: &Io, id: Option<RequestId>) {
        if let Some(id) = id {
            io.reply(id, Value::Null);
        }
    }

    /// The companion has answered.
    pub(crate) fn answered(&mut self, io: &mut Io, asked: Asked, answer: Result<Revised, Refusal>) {
        match asked {
            Asked::Edit(id) => {
                if let Some(proposal) = self.reviews.get_mut(&id) {
                    proposal.mirror.answered(answer.is_ok());
                }
                match answer {
                    Ok(_) | Err(Refusal::Stale { .. }) => {}
                    Err(refusal) => tracing::warn!(review = id.0, %refusal, "what was typed is not taken"),
                }
                self.go_on(io, id);
            }
            Asked::Command(request, id) => {
                if let Some(proposal) = self.reviews.get_mut(&id) {
                    proposal.acting = false;
                }
                if let Err(refusal) = answer {
                    self.say(io, true, &messages::refusal(&refusal));
                }
                self.done(io, request);
                self.go_on(io, id);
            }
            Asked::Nobody | Asked::Plugin(_) => {}
        }
    }
}
