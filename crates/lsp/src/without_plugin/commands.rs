//! The commands of a person, from a code action, a lens or by name.

use std::path::Path;

use alongside_desk::{Request, Review, ReviewId, harmless};
use lsp_server::{ErrorCode, RequestId};
use serde_json::{Value, json};

use super::code_actions::{self, Named};
use super::command_arguments::{COMMANDS, CommandArguments};
use super::command_queue::{HunkStart, ReviewCommand};
use super::lsp_types as lsp;
use super::proposal::start_of;
use super::{LspDesk, messages, one_line_messages};
use crate::io::{Io, RequestOrigin};
use crate::uri;

/// The error of a request with wrong parameters.
const INVALID_PARAMS: i64 = ErrorCode::InvalidParams as i64;

impl LspDesk {
    /// The code actions for a document and its selected lines. Those about the document come first, because
    /// editors run the first action by default.
    pub(super) fn code_actions(&self, key: Option<&Path>, lines: (usize, usize)) -> Vec<lsp::Command> {
        let roots = self.editor.roots();
        let (mut actions, mut about, mut others) = (Vec::new(), Vec::new(), Vec::new());
        for proposal in self.proposals.values() {
            let review = &proposal.review;
            let name = messages::file_name(review, roots);
            let fitted = |command: lsp::Command| lsp::Command {
                title: self.editor.fitted_title(&name, command.title),
                ..command
            };
            if key.is_some() && proposal.path() == key {
                let shows_original = self.editor.can_show_documents();
                let here =
                    code_actions::in_proposal(proposal, roots, lines, self.named(review), shows_original);
                actions.extend(here.into_iter().map(fitted));
                continue;
            }
            let is_about = key == Some(&self.target(review));
            let here = if is_about { &mut about } else { &mut others };
            here.push(fitted(code_actions::show(review, roots, self.named(review))));
            if is_about || proposal.is_apart {
                here.extend(
                    code_actions::decide(review, roots, self.named(review).max(Named::File)).map(fitted),
                );
            }
        }
        actions.extend(about);
        actions.extend(others);
        actions
    }

    /// How the titles of decisions name a review.
    pub(super) fn named(&self, review: &Review) -> Named {
        let others =
            || self.proposals.values().map(|other| &other.review).filter(|other| other.id != review.id);
        let agent = messages::agent_name(review);
        let of_file = || others().filter(|other| other.file == review.file);
        match of_file().next() {
            Some(_) if of_file().any(|other| messages::agent_name(other) == agent) => {
                Named::FileAndAgentNumber
            }
            Some(_) => Named::FileAndAgent,
            None if others().next().is_some() => Named::File,
            None => Named::Nothing,
        }
    }

    /// `workspace/executeCommand`.
    pub(super) fn execute(&mut self, io: &mut Io, id: &RequestId, params: &Value) {
        let name = params.get("command").and_then(Value::as_str).unwrap_or_default();
        let arguments = CommandArguments::read(params);
        if name == "alongside.pause" {
            self.toggle_pause(io);
            return io.reply(id.clone(), Value::Null);
        }
        if name == "alongside.send" {
            self.send(io, params);
            return io.reply(id.clone(), Value::Null);
        }
        if name == "alongside.setUp" {
            self.set_agent_up(io, params);
            return io.reply(id.clone(), Value::Null);
        }
        let Some(verb) = name.strip_prefix("alongside.").filter(|_| COMMANDS.contains(&name)) else {
            let message = format!("there is no command {:?}", harmless::name(name));
            return io.refuse(id.clone(), INVALID_PARAMS, message, None);
        };
        let Some(review) = self.find_review(io, &arguments, name) else {
            return io.reply(id.clone(), Value::Null);
        };
        let command = match verb {
            "accept" => self.accept(io, review, &arguments),
            "reject" => self.admit_seen(io, review, &arguments).then_some(ReviewCommand::Reject),
            "undo" => Some(ReviewCommand::Undo),
            "redo" => Some(ReviewCommand::Redo),
            "keep" => self.hunks_to_change(io, review, arguments).map(ReviewCommand::Keep),
            "drop" => self.hunks_to_change(io, review, arguments).map(ReviewCommand::Drop),
            "next" => {
                let line = arguments.line.or_else(|| self.line_in(review));
                self.show(io, review, line);
                None
            }
            "original" => {
                self.show_original(io, review);
                None
            }
            _ => {
                self.show(io, review, None);
                None
            }
        };
        match command {
            Some(command) => self.queue(io, review, Some(id.clone()), command),
            None => io.reply(id.clone(), Value::Null),
        }
    }

    /// Queues a command until everything typed before has arrived.
    pub(super) fn queue(
        &mut self,
        io: &mut Io,
        review: ReviewId,
        request: Option<RequestId>,
        command: ReviewCommand,
    ) {
        self.take_saved(io, review);
        let Some(proposal) = self.proposals.get_mut(review) else {
            return self.finish_command(io, request);
        };
        proposal.knows_other_desk = false;
        // Some editors accept edits only while one of their commands runs.
        proposal.mirror.allow_offer();
        proposal.commands.push(request, command);
        self.sync(io, review);
    }

    /// The review that a command is about: the named one, that of the person's document, or the only one.
    fn find_review(&self, io: &Io, arguments: &CommandArguments, command: &str) -> Option<ReviewId> {
        if let Some(id) = arguments.review {
            if self.proposals.get(id).is_some() {
                return Some(id);
            }
            self.editor.warn(io, messages::ENDED);
            return None;
        }
        let here = self.last_place.as_ref().map(|(key, _)| key);
        let mut about = self.proposals.iter().filter(|(_, proposal)| {
            here.is_some_and(|here| proposal.is_shown_at(here))
                || here == Some(&self.target(&proposal.review))
        });
        if let (Some((id, _)), None) = (about.next(), about.next()) {
            return Some(id);
        }
        let mut all = self.proposals.iter();
        match (all.next(), all.next()) {
            (None, _) => self.editor.inform(io, messages::NO_REVIEW),
            (Some((id, _)), None) => return Some(id),
            _ => {
                let reviews = self.proposals.values().map(|proposal| &proposal.review);
                let message = match self.editor.client().editor.actions_key {
                    Some(key) => one_line_messages::several(key),
                    None => messages::several(command, reviews, self.editor.roots()),
                };
                self.editor.inform(io, &message);
            }
        }
        None
    }

    /// True if the person has seen the revision that they decide on; else the editor gets it.
    fn admit_seen(&mut self, io: &mut Io, review: ReviewId, arguments: &CommandArguments) -> bool {
        let Some(proposal) = self.proposals.get_mut(review) else { return true };
        let has_seen = arguments.revision.is_none_or(|seen| seen >= proposal.foreign_revision);
        if !has_seen {
            self.editor.warn(io, proposal.reason_to_look());
            proposal.knows_other_desk = false;
            proposal.mirror.allow_offer();
            self.sync(io, review);
        }
        has_seen
    }

    fn accept(
        &mut self,
        io: &mut Io,
        review: ReviewId,
        arguments: &CommandArguments,
    ) -> Option<ReviewCommand> {
        let has_seen = self.admit_seen(io, review, arguments);
        let proposal = self.proposals.get_mut(review).filter(|_| has_seen)?;
        if std::mem::take(&mut proposal.has_overwritten) {
            self.editor.warn(io, messages::LOOK_BEFORE);
            return None;
        }
        let now = proposal.review.revision;
        let insists = arguments.accepts_doubts || proposal.warned_revision == Some(now);
        if let Some(doubts) = messages::doubts(&proposal.review, self.editor.roots()).filter(|_| !insists) {
            proposal.warned_revision = Some(now);
            let message = match self.editor.client().editor.columns {
                Some(_) => one_line_messages::insist(&doubts),
                None => messages::insist(&doubts),
            };
            let name = messages::file_name(&proposal.review, self.editor.roots());
            self.editor.warn_about(io, &name, message);
            return None;
        }
        Some(ReviewCommand::Accept)
    }

    /// The hunks that a command names, or those at the cursor.
    fn hunks_to_change(
        &self,
        io: &Io,
        review: ReviewId,
        arguments: CommandArguments,
    ) -> Option<Vec<HunkStart>> {
        let line = arguments.line.or_else(|| self.line_in(review));
        let hunks = arguments.hunks.or_else(|| {
            let proposal = self.proposals.get(review)?;
            let at = proposal.hunks_at((line?, line?));
            let hunks = at.into_iter().filter_map(|index| proposal.review.hunks.get(index));
            Some(hunks.map(start_of).collect())
        });
        let hunks = hunks.filter(|hunks| !hunks.is_empty());
        if hunks.is_none() {
            self.editor.inform(io, messages::NO_CHANGE_HERE);
        }
        hunks
    }

    /// The last known line of the person in a proposal.
    fn line_in(&self, review: ReviewId) -> Option<usize> {
        let proposal = self.proposals.get(review)?;
        let (key, line) = self.last_place.as_ref()?;
        line.filter(|_| proposal.path() == Some(key))
    }

    fn toggle_pause(&mut self, io: &mut Io) {
        let paused = !self.is_paused;
        self.is_paused = paused;
        io.request(RequestOrigin::Unawaited, Request::PauseContext { paused });
        self.editor.inform(io, messages::paused(paused));
    }

    /// Shows the text before the proposal: as a document of ours, or as a file in editors that know only
    /// those.
    fn show_original(&mut self, io: &mut Io, id: ReviewId) {
        let Some(proposal) = self.proposals.get_mut(id) else { return };
        if proposal.review.original.is_none() {
            return self.editor.inform(io, messages::NO_ORIGINAL);
        }
        if self.editor.can_show_documents() && self.editor.knows_our_documents() {
            let name = proposal.path().and_then(Path::file_name).unwrap_or_default();
            if let Some(uri) = uri::of_original(id, &name.to_string_lossy()) {
                return self.editor.show_document(io, &uri);
            }
        }
        let Some(path) = proposal.write_original() else {
            return self.editor.warn(io, messages::CANNOT_WRITE_ORIGINAL);
        };
        match uri::of_path(&path).filter(|_| self.editor.can_show_documents()) {
            Some(uri) => self.editor.show_document(io, &uri),
            None => self.editor.inform(io, &messages::original_by_hand(&path)),
        }
    }

    /// `workspace/textDocumentContent`.
    pub(super) fn answer_original(&self, io: &Io, id: &RequestId, params: &Value) {
        let uri = params.get("uri").and_then(Value::as_str).unwrap_or_default();
        let review = uri.strip_prefix("alongside:/original/").and_then(|rest| rest.split('/').next());
        let review = review.and_then(|id| id.parse().ok()).map(ReviewId);
        match review.and_then(|review| self.proposals.get(review)) {
            Some(proposal) => {
                let text = proposal.review.original.clone().unwrap_or_default();
                io.reply(id.clone(), json!({ "text": &*text }));
            }
            None => io.refuse(id.clone(), INVALID_PARAMS, messages::ENDED, None),
        }
    }
}
