//! Consequences of the companion's events. A new review changes nothing that the person reads or types: it
//! is announced, marked and offered. When it ends, everything that showed it goes away.

use std::path::Path;

use alongside_desk::{
    Changed, Closed, Closing, Problem, Request, Review, ReviewId, harmless, messages as desk_messages,
};

use super::command_queue::ReviewCommand;
use super::document::DocumentKey;
use super::editor_ui::Question;
use super::ended_review::{self, EndedReview};
use super::one_line_messages::{Others, Reload};
use super::proposal::Proposal;
use super::{LspDesk, messages, one_line_messages};
use crate::io::{Io, RequestOrigin};
use crate::{problems, uri};
use tokio::time::Instant;

impl LspDesk {
    pub(super) fn report_problem(&self, io: &Io, problem: &Problem) {
        if self.editor.client().editor.columns.is_some() {
            return self.editor.warn(io, &one_line_messages::problem(problem));
        }
        self.editor.warn(io, &harmless::name(&problem.what));
        if let Some(hint) = &problem.hint {
            self.editor.warn(io, &harmless::text(hint));
        }
    }

    /// The companion has stopped. Mostly it has closed its reviews before.
    pub(super) fn companion_stopped(&mut self, io: &mut Io) {
        let left: Vec<ReviewId> = self.proposals.iter().map(|(id, _)| id).collect();
        for id in left {
            self.review_closed(
                io,
                &Closed { id, closing: Closing::Stopped, decided_here: false, decided_in: None, draft: None },
            );
        }
        self.report_problem(io, &problems::companion_stopped());
    }

    /// The companion waits for unsent edits.
    pub(super) fn flush(&mut self, io: &mut Io, id: ReviewId) {
        self.take_saved(io, id);
        match self.proposals.get_mut(id) {
            Some(proposal) => {
                proposal.is_flushing = true;
                self.sync(io, id);
            }
            None => io.request(RequestOrigin::Unawaited, Request::Flushed { id }),
        }
    }

    pub(super) fn review_opened(&mut self, io: &mut Io, review: Review) {
        let id = review.id;
        if let Some(known) = self.proposals.get_mut(id) {
            known.mirror.companion_changed(review.current.clone());
            known.foreign_revision = review.revision;
            known.review = review;
            return self.sync(io, id);
        }
        // The name survives a restart of the server, because the editor may still have the document open.
        let process = self.editor.client().process_id.unwrap_or_default();
        let name = format!("{process}-{}-{id}", self.host);
        let file = harmless::copy_name(&review.file);
        let file = if self.editor.client().editor.strict_uris { uri::without_escaped(&file) } else { file };
        let path = self.review_directory.as_ref().map(|directory| directory.join(name).join(file));
        let mut proposal = Proposal::new(review, path);
        if let Some(document) = proposal.path().and_then(|path| self.documents.get(path)) {
            let text = document.text.clone();
            proposal.editor_opened(&text);
        }
        self.proposals.insert(proposal);
        self.mark_target_of(io, id);
        self.mark_proposal(io, id);
        self.sync(io, id);
        self.count(io);
        match self.editor.client().opens_reviews {
            true => self.show(io, id, None),
            false => self.announce(io, id),
        }
    }

    pub(super) fn review_changed(&mut self, io: &mut Io, changed: Changed) {
        let id = changed.id;
        let Some(proposal) = self.proposals.get_mut(id) else { return };
        let (text, target) = (proposal.review.current.clone(), proposal.target_state());
        if let Err(out_of_step) = proposal.review.take(changed) {
            // The companion refuses decisions on an old revision.
            return tracing::error!(review = id.0, %out_of_step);
        }
        let is_own = proposal.mirror.companion_changed(proposal.review.current.clone())
            || proposal.commands.is_running();
        let is_about_file = target != proposal.target_state();
        let (was_stale, _) = target;
        if !is_own || is_about_file {
            proposal.mark_foreign(is_about_file);
        }
        let is_elsewhere = !is_own && text != proposal.review.current;
        // The newer change is shown before anything is accepted.
        proposal.has_overwritten &= !is_elsewhere;
        let knew = std::mem::replace(&mut proposal.knows_other_desk, is_elsewhere);
        proposal.is_change_untold |= is_elsewhere && !knew && proposal.open.is_some();
        let (review, roots) = (&proposal.review, self.editor.roots());
        let name = messages::file_name(review, roots);
        if review.stale && !was_stale {
            self.editor.warn_about(io, &name, messages::became_stale(review, roots));
        }
        self.sync(io, id);
        self.mark_proposal(io, id);
    }

    /// Tells that another desk has changed a proposal, once the editor shows that or has refused to.
    pub(super) fn tell_change(&mut self, io: &Io, id: ReviewId) {
        let Some(proposal) = self.proposals.get_mut(id).filter(|one| one.is_change_untold) else { return };
        let is_shown = proposal.mirror.shows_all();
        if is_shown || proposal.mirror.is_behind() {
            proposal.is_change_untold = false;
            let (review, roots) = (&proposal.review, self.editor.roots());
            let name = messages::file_name(review, roots);
            self.editor.warn_about(io, &name, messages::changed_elsewhere(review, roots, is_shown));
        }
    }

    /// Keeps text that the person saved in ended proposals which the editor shows without this server.
    pub(super) fn look_at_ended(&mut self, io: &Io, now: Instant) {
        for ended in self.proposals.take_ended_looks(now) {
            let late = ended.saved_apart().filter(|text| ended.is_late(text));
            match late.map(|text| ended.save(&text, &*self.drafts)).transpose() {
                Ok(Some((_, true))) => self.editor.inform(io, messages::LATE_TEXT_KEPT),
                Ok(_) => {}
                Err(error) => self.editor.warn(io, &messages::late_text_not_kept(&error)),
            }
        }
    }

    pub(super) fn review_closed(&mut self, io: &mut Io, closed: &Closed) {
        let Some(mut proposal) = self.proposals.remove(closed.id) else { return };
        self.count(io);
        for request in proposal.commands.clear() {
            self.finish_command(io, request);
        }
        let (review, roots) = (&proposal.review, self.editor.roots());
        let target = self.target(review);
        let is_open = proposal.open.is_some();
        let can_return = closed.decided_here && is_open && self.editor.can_show_documents();
        let back = if target.is_file() { Some(target.clone()) } else { proposal.shown_from.take() };
        let is_strict = self.editor.client().editor.strict_uris;
        let back = back.filter(|back| can_return && !(is_strict && uri::is_escaped(back)));
        let is_here = self.last_place.as_ref().is_some_and(|(place, _)| *place == target);
        let is_in_front = back.as_ref() == Some(&target) || closed.decided_here && is_here;
        let message = match self.editor.client().editor.columns {
            Some(_) => {
                let command = self.editor.client().editor.reload_command;
                let reload = command.map(|command| Reload { command, is_in_front });
                let (count, editor) = (self.proposals.len(), self.editor.client().editor);
                let others = editor.actions_key.zip(editor.columns);
                let others = others.map(|(key, columns)| Others { count, key, columns });
                one_line_messages::ended_beside(review, closed, roots, reload, others)
            }
            None => desk_messages::closed(review, closed, roots, false),
        };
        let name = messages::file_name(review, roots);
        match closed.decided_here || closed.closing == Closing::Accepted {
            true => self.editor.inform_about(io, &name, message),
            false => self.editor.warn_about(io, &name, message),
        }
        self.mark_target(io, &target);
        // If the editor opened the file after the review, the mark is at its other name.
        let named: DocumentKey = Path::new(&proposal.review.file).components().collect();
        if named != target {
            self.mark_target(io, &named);
        }
        if self.editor.client().editor.reload_command.is_some() {
            proposal.refresh_open_file();
        }
        self.keep_saved(io, &mut proposal);
        let is_apart = proposal.is_apart;
        let written = proposal.written().clone();
        let Some(file) = proposal.take_file().filter(|_| is_open || is_apart) else { return };
        if is_apart {
            let ended = EndedReview::new(file, &proposal.review, written);
            return self.proposals.keep_ended(ended.apart(Instant::now()));
        }
        let path = file.path().to_owned();
        if let Some(remote) = io.remote().filter(|_| closed.decided_here) {
            remote.decided(&path);
        }
        let text = self.documents.get(&path).map(|document| document.text.text().clone());
        self.proposals.keep_ended(EndedReview::new(file, &proposal.review, text.unwrap_or_default()));
        self.mark_ended(io, &path, None);
        self.editor.refresh_lenses(io);
        if let Some(uri) = back.as_deref().and_then(uri::of_path) {
            self.editor.show_document(io, &uri);
        }
    }

    /// Keeps a text that the person saved where this server sees no edits, and that nobody has taken.
    pub(super) fn keep_saved(&self, io: &Io, proposal: &mut Proposal) {
        let kept = proposal.take_saved().and_then(|is_new| {
            let text = proposal.mirror.editor_text();
            is_new.then(|| ended_review::keep_late(&proposal.review, text, &*self.drafts)).transpose()
        });
        match kept {
            Ok(None) => {}
            Ok(Some(_)) => self.editor.inform(io, messages::LATE_TEXT_KEPT),
            Err(error) => self.editor.warn(io, &messages::late_text_not_kept(&error)),
        }
    }

    /// Tells the editor how many proposals wait.
    fn count(&self, io: &Io) {
        if let Some(remote) = io.remote() {
            remote.count(self.proposals.len());
        }
    }

    /// The editor closed a proposal and has not opened it again in time.
    pub(super) fn proposal_closed(&mut self, io: &mut Io, id: ReviewId) {
        let Some(proposal) = self.proposals.get(id) else { return };
        let roots = self.editor.roots();
        if proposal.has_edits() {
            let name = messages::file_name(&proposal.review, roots);
            self.editor.warn_about(io, &name, messages::closed_with_edits(&proposal.review, roots));
        } else if self.editor.client().editor.prompts {
            // These editors also close a document to show another one.
            let message = messages::closed(&proposal.review, roots);
            self.editor.ask(io, &message, [messages::WAIT, messages::REJECT], Question::Closed(id));
        } else {
            self.queue(io, id, None, ReviewCommand::Reject);
        }
    }
}
