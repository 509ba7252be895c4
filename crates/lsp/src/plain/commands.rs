//! What a person asks for by a code action, a lens, or a command typed by hand.

use alongside_desk::{Request, ReviewId, harmless};
use lsp_server::{ErrorCode, RequestId};
use serde_json::{Value, json};

use super::actions::{self, Arguments};
use super::proposal::{What, Wish};
use super::{Plain, Question, texts};
use crate::io::{Asked, Io};

impl Plain {
    /// `workspace/executeCommand`.
    pub(super) fn execute(&mut self, io: &mut Io, id: &RequestId, params: &Value) {
        let name = params.get("command").and_then(Value::as_str).unwrap_or_default();
        let arguments = Arguments::read(params);
        if name == "alongside.pause" {
            self.pause(io);
            return self.done(io, Some(id.clone()));
        }
        let Some(verb) = name.strip_prefix("alongside.").filter(|_| actions::COMMANDS.contains(&name)) else {
            let said = format!("there is no command {:?}", harmless::name(name));
            return io.refuse(id.clone(), ErrorCode::InvalidParams as i64, said, None);
        };
        let Some(review) = self.meant(io, &arguments, name) else {
            return self.done(io, Some(id.clone()));
        };
        match verb {
            "review" => self.show(io, review, None),
            "next" => {
                let line = arguments.line.or_else(|| self.line_in(review));
                self.show(io, review, line);
            }
            "original" => self.show_original(io, review),
            "accept" => return self.accept(io, id, review, &arguments),
            "reject" => {
                if self.has_seen(io, review, &arguments) {
                    return self.wish(io, review, Some(id.clone()), What::Reject);
                }
            }
            "undo" => return self.wish(io, review, Some(id.clone()), What::Undo),
            _ => return self.keep(io, id, review, arguments, verb == "keep"),
        }
        self.done(io, Some(id.clone()));
    }

    /// Notes what was asked for; it is done as soon as what was typed before has arrived.
    pub(super) fn wish(&mut self, io: &mut Io, review: ReviewId, id: Option<RequestId>, what: What) {
        let Some(proposal) = self.reviews.get_mut(&review) else { return self.done(io, id) };
        // Some editors let themselves be changed only while a command of theirs runs.
        proposal.mirror.ask_again();
        proposal.wishes.push_back(Wish { id, what });
        self.go_on(io, review);
    }

    /// The review that is meant: the one that was named, that of the document the person is in, or the only
    /// one.
    fn meant(&self, io: &Io, arguments: &Arguments, command: &str) -> Option<ReviewId> {
        if let Some(id) = arguments.review {
            if self.reviews.contains_key(&id) {
                return Some(id);
            }
            self.say(io, true, "this review has already ended");
            return None;
        }
        let here = self.place.as_ref().map(|(key, _)| key);
        let mut about = self.reviews.iter().filter(|(_, proposal)| {
            proposal.path.as_ref() == here || here == Some(&self.target(&proposal.review))
        });
        if let (Some((id, _)), None) = (about.next(), about.next()) {
            return Some(*id);
        }
        match self.reviews.len() {
            0 => self.say(io, false, "no review waits"),
            1 => return self.reviews.keys().next().copied(),
            _ => {
                let roots = &self.client.roots;
                let all = self.reviews.iter().map(|(id, proposal)| {
                    let review = &proposal.review;
                    let (name, agent) = (texts::file_name(review, roots), texts::agent_name(review));
                    format!("{id}: {name} ({agent}, {})", texts::changes(review))
                });
                let all: Vec<_> = all.collect();
                let said = format!("several reviews wait; `{command} NUMBER` names one: {}", all.join("; "));
                self.say(io, false, &said);
            }
        }
        None
    }

    /// Whether what the person decides on is what they were shown.
    fn has_seen(&self, io: &Io, review: ReviewId, arguments: &Arguments) -> bool {
        let others = self.reviews.get(&review).map(|proposal| proposal.others).unwrap_or_default();
        let has = arguments.revision.is_none_or(|seen| seen >= others);
        if !has {
            self.say(io, true, "the review has changed since that was offered: look at it again");
        }
        has
    }

    fn accept(&mut self, io: &mut Io, id: &RequestId, review: ReviewId, arguments: &Arguments) {
        let seen = self.has_seen(io, review, arguments);
        let Some(proposal) = self.reviews.get_mut(&review).filter(|_| seen) else {
            return self.done(io, Some(id.clone()));
        };
        let now = proposal.review.revision;
        let insists = arguments.although || proposal.warned == Some(now);
        if let Some(doubts) = texts::doubts(&proposal.review, &self.client.roots).filter(|_| !insists) {
            proposal.warned = Some(now);
            self.say(io, true, &format!("{doubts}; to accept all the same, say it again"));
            return self.done(io, Some(id.clone()));
        }
        self.wish(io, review, Some(id.clone()), What::Accept);
    }

    fn keep(&mut self, io: &mut Io, id: &RequestId, review: ReviewId, arguments: Arguments, keep: bool) {
        let line = arguments.line.or_else(|| self.line_in(review));
        let hunks = arguments.hunks.or_else(|| {
            let proposal = self.reviews.get(&review)?;
            let at = proposal.hunks_in(line?, line?);
            let hunks = at.filter_map(|index| proposal.review.hunks.get(index));
            Some(hunks.map(|hunk| (hunk.original.start, hunk.proposed.start)).collect())
        });
        match hunks.filter(|hunks| !hunks.is_empty()) {
            Some(hunks) => self.wish(io, review, Some(id.clone()), What::Keep(hunks, keep)),
            None => {
                self.say(io, false, "no change of the proposal is where the cursor was seen last");
                self.done(io, Some(id.clone()));
            }
        }
    }

    /// Where the person was seen last in a proposal.
    fn line_in(&self, review: ReviewId) -> Option<usize> {
        let proposal = self.reviews.get(&review)?;
        let (key, line) = self.place.as_ref()?;
        line.filter(|_| proposal.path.as_ref() == Some(key))
    }

    fn pause(&mut self, io: &mut Io) {
        let paused = !self.paused;
        self.paused = paused;
        io.request(Asked::Nobody, Request::PauseContext { paused });
        let said = match paused {
            true => "agents are told nothing about your files, until alongside.pause is said again",
            false => "agents are told about your files again",
        };
        self.say(io, false, said);
    }

    /// Shows what was there before, in an editor that can be given texts without a file.
    fn show_original(&mut self, io: &mut Io, id: ReviewId) {
        let Some(proposal) = self.reviews.get(&id) else { return };
        let name = proposal.path.as_deref().and_then(|path| path.file_name()).unwrap_or_default();
        let uri = url::Url::parse(&format!("alongside:/original/{id}/")).ok();
        let uri = uri.and_then(|uri| uri.join(&name.to_string_lossy()).ok());
        match uri.filter(|_| self.shows_documents()) {
            Some(uri) => self.show_document(io, &uri, None, Question::Nothing),
            None => self.say(io, false, "this editor cannot be asked to show it"),
        }
    }

    /// `workspace/textDocumentContent`.
    pub(super) fn content(&self, io: &Io, id: &RequestId, params: &Value) {
        let uri = params.get("uri").and_then(Value::as_str).unwrap_or_default();
        let review = uri.strip_prefix("alongside:/original/").and_then(|rest| rest.split('/').next());
        let review = review.and_then(|id| id.parse().ok()).map(ReviewId);
        match review.and_then(|review| self.reviews.get(&review)) {
            Some(proposal) => {
                let text = proposal.review.original.clone().unwrap_or_default();
                io.reply(id.clone(), json!({ "text": &*text }));
            }
            None => {
                let said = "there is no such review any more";
                io.refuse(id.clone(), ErrorCode::InvalidParams as i64, said, None);
            }
        }
    }
}
