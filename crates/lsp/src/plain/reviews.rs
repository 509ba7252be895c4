//! What follows from what the companion says. A review that comes never changes what is being read or typed: it is announced,
//! marked and offered. When it is over, everything that showed it goes away.

use std::path::PathBuf;

use alongside_desk::{
    Changed, Closed, Closing, Decision, Event, Problem, Refusal, Request, Review, ReviewId,
};
use alongside_desk::{Revised, Text, harmless};
use lsp_server::RequestId;
use lsp_types as lsp;
use serde_json::{Value, json};

use super::convention::to_lsp;
use super::documents::Key;
use super::proposal::{Proposal, What, shown};
use super::{Ended, Plain, Question, marks, texts};
use crate::editors::Documents;
use crate::io::{Asked, Io};
use crate::session::stopped;
use crate::uri;

/// The answers to a question, the harmless one first.
const LATER: &str = "Later";
const REVIEW: &str = "Review";
const WAIT: &str = "Let it wait";
const REJECT: &str = "Reject";

impl Plain {
    pub(crate) fn told(&mut self, io: &mut Io, event: Event) {
        match event {
            Event::Status(status) => (self.host, self.paused) = (status.pid, status.paused),
            Event::Opened(review) => self.opened(io, review),
            Event::Changed(changed) => self.changed(io, changed),
            Event::Closed(closed) => self.closed(io, &closed),
            Event::FlushReview { id } => match self.reviews.get_mut(&id) {
                Some(proposal) => {
                    proposal.flushing = true;
                    self.go_on(io, id);
                }
                None => io.request(Asked::Nobody, Request::Flushed { id }),
            },
            Event::Problem(problem) => self.problem(io, &problem),
        }
    }

    fn problem(&self, io: &Io, problem: &Problem) {
        self.say(io, true, &harmless::name(&problem.what));
        if let Some(hint) = &problem.hint {
            self.say(io, true, &harmless::text(hint));
        }
    }

    /// Shows a person a line.
    pub(super) fn say(&self, io: &Io, warns: bool, message: &str) {
        let kind = if warns { lsp::MessageType::Warning } else { lsp::MessageType::Info };
        let message = format!("alongside: {message}");
        io.notify("window/showMessage", lsp::ShowMessageParams { kind, message });
    }

    /// The companion has stopped; it has said what became of its reviews, mostly.
    pub(crate) fn gone(&mut self, io: &mut Io) {
        let left: Vec<ReviewId> = self.reviews.keys().copied().collect();
        for id in left {
            self.closed(io, &Closed { id, closing: Closing::Stopped, decided_here: false, draft: None });
        }
        self.problem(io, &stopped());
    }

    fn opened(&mut self, io: &mut Io, review: Review) {
        let id = review.id;
        if let Some(known) = self.reviews.get_mut(&id) {
            known.mirror.told(review.current.clone());
            known.others = review.revision;
            known.review = review;
            return self.go_on(io, id);
        }
        // The same name whenever the editor starts us again: it may have the document open still.
        let name = format!("{}-{}-{id}", self.client.process_id.unwrap_or_default(), self.host);
        let mut proposal = Proposal::new(review, self.own.as_ref().map(|own| own.join(name)));
        let open = proposal.path.as_ref().and_then(|path| self.documents.get(path));
        if let Some(document) = open {
            proposal.opened(&document.text);
        }
        self.reviews.insert(id, proposal);
        self.mark_target(io, id);
        self.mark(io, id);
        self.go_on(io, id);
        match self.client.opens_reviews {
            true => self.show(io, id, None),
            false => self.announce(io, id),
        }
    }

    fn announce(&mut self, io: &mut Io, id: ReviewId) {
        let Some(proposal) = self.reviews.get(&id) else { return };
        let by_hand = proposal.path.as_deref().filter(|_| !self.shows_documents());
        let said = texts::announced(&proposal.review, &self.client.roots, by_hand);
        if self.client.editor.prompts && by_hand.is_none() {
            self.prompt(io, said, [LATER, REVIEW], Question::Prompt(id));
        } else {
            self.say(io, false, &said);
        }
    }

    /// Asks the person something; without an answer nothing happens.
    fn prompt(&mut self, io: &mut Io, message: String, answers: [&str; 2], question: Question) {
        let actions = answers.map(|title| json!({ "title": title }));
        let params = json!({ "type": 3, "message": format!("alongside: {message}"), "actions": actions });
        let number = io.ask("window/showMessageRequest", params, true);
        self.questions.insert(number, question);
    }

    pub(super) fn shows_documents(&self) -> bool {
        match self.client.editor.documents {
            Documents::Always => true,
            Documents::IfItSays => self.client.can("window/showDocument/support"),
            Documents::Never => false,
        }
    }

    /// Shows a proposal at the first change after a line.
    pub(super) fn show(&mut self, io: &mut Io, id: ReviewId, after: Option<usize>) {
        let can = self.shows_documents();
        let Some(proposal) = self.reviews.get_mut(&id) else { return };
        proposal.refresh();
        let Some(uri) = proposal.path.as_deref().and_then(uri::of_path) else {
            let name = texts::file_name(&proposal.review, &self.client.roots);
            return self.say(io, true, &format!("{name}: the proposal cannot be written to a private file"));
        };
        if !can {
            return self.by_hand(io, id);
        }
        let lines = Text::new(proposal.review.current.clone()).len();
        let hunk = proposal.review.hunks.get(proposal.next_after(after));
        let line = hunk.map(|hunk| shown(hunk.current, lines).start).unwrap_or_default();
        let at = u32::try_from(line).unwrap_or(u32::MAX);
        let at = to_lsp(alongside_desk::Position { line: at, character: 0 });
        self.show_document(io, &uri, Some(at), Question::Show(id, line));
    }

    pub(super) fn show_document(
        &mut self,
        io: &mut Io,
        uri: &url::Url,
        at: Option<lsp::Position>,
        question: Question,
    ) {
        let selection = at.map(|at| lsp::Range { start: at, end: at });
        let params = json!({ "uri": uri, "external": false, "takeFocus": true });
        let mut params = params;
        if let Some(selection) = selection {
            params["selection"] = json!(selection);
        }
        let number = io.ask("window/showDocument", params, false);
        self.questions.insert(number, question);
    }

    /// Says which file to open, where the editor cannot be asked to.
    fn by_hand(&self, io: &Io, id: ReviewId) {
        let Some(proposal) = self.reviews.get(&id) else { return };
        let name = texts::file_name(&proposal.review, &self.client.roots);
        if let Some(path) = &proposal.path {
            self.say(io, false, &format!("{name}: open {} to see what is proposed", harmless::path(path)));
        }
    }

    /// The editor has answered one of our questions, or has not.
    pub(crate) fn replied(&mut self, io: &mut Io, number: i32, result: Option<Value>) {
        let result = result.unwrap_or_default();
        let says = |name: &str| result.get(name).and_then(Value::as_bool) == Some(true);
        let title = result.get("title").and_then(Value::as_str);
        match self.questions.remove(&number) {
            Some(Question::Show(id, line)) if says("success") => {
                let path = self.reviews.get(&id).and_then(|proposal| proposal.path.clone());
                self.place = path.map(|path| (path, Some(line))).or(self.place.take());
            }
            Some(Question::Show(id, _)) => self.by_hand(io, id),
            Some(Question::Apply(id, offer)) => {
                if let Some(proposal) = self.reviews.get_mut(&id) {
                    proposal.mirror.shown(offer, says("applied"));
                    self.go_on(io, id);
                    self.mark(io, id);
                }
            }
            Some(Question::Prompt(id)) if title == Some(REVIEW) => self.show(io, id, None),
            Some(Question::Closing(id)) if title == Some(REJECT) => self.wish(io, id, None, What::Reject),
            _ => {}
        }
    }

    fn changed(&mut self, io: &mut Io, changed: Changed) {
        let id = changed.id;
        let Some(proposal) = self.reviews.get_mut(&id) else { return };
        let before = (proposal.review.stale, proposal.review.dirty);
        if let Err(out_of_step) = proposal.review.take(changed) {
            // A decision on what is shown is refused as stale.
            return tracing::error!(review = id.0, %out_of_step);
        }
        let ours = proposal.mirror.told(proposal.review.current.clone()) || proposal.acting;
        if !ours || before != (proposal.review.stale, proposal.review.dirty) {
            proposal.others = proposal.review.revision;
        }
        self.go_on(io, id);
        self.mark(io, id);
    }

    /// Carries what was typed to the companion, what came from there into the editor, and out what was asked for.
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
    fn offer(&mut self, io: &mut Io, id: ReviewId) {
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
    fn apply(&self, io: &mut Io, key: &Key, edits: &[lsp::TextEdit]) -> Option<i32> {
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
    fn fulfil(&mut self, io: &mut Io, id: ReviewId) {
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
                    self.say(io, true, &texts::refusal(&refusal));
                }
                self.done(io, request);
                self.go_on(io, id);
            }
            Asked::Nobody | Asked::Plugin(_) => {}
        }
    }

    fn closed(&mut self, io: &mut Io, closed: &Closed) {
        let Some(mut proposal) = self.reviews.remove(&closed.id) else { return };
        for wish in std::mem::take(&mut proposal.wishes) {
            self.done(io, wish.id);
        }
        let said = texts::closed(&proposal.review, closed, &self.client.roots);
        self.say(io, !closed.decided_here && closed.closing != Closing::Accepted, &said);
        let target = self.target(&proposal.review);
        self.mark_file(io, &target);
        let Some(path) = proposal.path.clone().filter(|_| proposal.open.is_some()) else { return };
        self.publish(io, &path, &[]);
        self.refresh_lenses(io);
        let name = texts::file_name(&proposal.review, &self.client.roots);
        self.ended.insert(path, Ended { name, file: proposal, said: false });
        // Back to where the person was.
        let back = closed.decided_here && self.shows_documents() && target.is_file();
        if let Some(uri) = uri::of_path(&target).filter(|_| back) {
            self.show_document(io, &uri, None, Question::Nothing);
        }
    }

    /// The document that a review is about, as the editor knows it.
    pub(super) fn target(&self, review: &Review) -> Key {
        let path: PathBuf = PathBuf::from(&review.file).components().collect();
        if self.documents.get(&path).is_some() {
            return path;
        }
        let real = path.canonicalize().ok();
        real.filter(|real| self.documents.get(real).is_some()).unwrap_or(path)
    }

    fn mark_target(&self, io: &Io, id: ReviewId) {
        if let Some(proposal) = self.reviews.get(&id) {
            self.mark_file(io, &self.target(&proposal.review));
        }
    }

    /// Marks a file with every review that is about it.
    pub(super) fn mark_file(&self, io: &Io, key: &Key) {
        let about = self.reviews.values().filter(|proposal| self.target(&proposal.review) == *key);
        let roots = &self.client.roots;
        let marks = about.map(|proposal| marks::on_target(&proposal.review, roots, self.client.encoding));
        if key.is_file() {
            self.publish(io, key, &marks.collect::<Vec<_>>());
        }
    }

    /// Marks the changes in a proposal that the editor has open.
    pub(super) fn mark(&mut self, io: &mut Io, id: ReviewId) {
        let Some(proposal) = self.reviews.get(&id) else { return };
        // An editor that is about to be changed moves what is marked.
        let follows = proposal.mirror.awaits_editor();
        if let (Some((_, editor)), Some(path), false) = (&proposal.open, &proposal.path, follows) {
            let marks = marks::in_proposal(proposal, editor, self.client.encoding);
            self.publish(io, path, &marks);
            self.refresh_lenses(io);
        }
    }

    pub(super) fn publish(&self, io: &Io, key: &Key, marks: &[lsp::Diagnostic]) {
        let known = self.documents.get(key).map(|document| document.uri.clone());
        let uri = known.or_else(|| uri::of_path(key).map(String::from));
        if let Some(uri) = uri {
            io.notify("textDocument/publishDiagnostics", json!({ "uri": uri, "diagnostics": marks }));
        }
    }

    fn refresh_lenses(&mut self, io: &mut Io) {
        if self.client.can("workspace/codeLens/refreshSupport") {
            let number = io.ask("workspace/codeLens/refresh", Value::Null, false);
            self.questions.insert(number, Question::Nothing);
        }
    }

    /// The editor has closed a proposal, and it was long enough ago to mean it.
    pub(super) fn was_closed(&mut self, io: &mut Io, id: ReviewId) {
        let Some(proposal) = self.reviews.get(&id) else { return };
        let name = texts::file_name(&proposal.review, &self.client.roots);
        if proposal.has_edits() {
            let still =
                format!("{name}: you edited the proposal, so closing it rejects nothing: it waits still");
            self.say(io, true, &still);
        } else if self.client.editor.prompts {
            // There a document is closed also because another one took its place.
            let question = format!("{name}: the proposal was closed.");
            self.prompt(io, question, [WAIT, REJECT], Question::Closing(id));
        } else {
            self.wish(io, id, None, What::Reject);
        }
    }
}
