//! Desks join, ask, are told, and leave. A desk that leaves decides nothing.

use std::path::PathBuf;

use alongside_desk::{self as desk, Problem, Request, ReviewId, Revised, Status};
use tokio::time::Instant;

use super::{DeskId, STATUS_EVERY, Seated, State};

impl State {
    pub(super) fn desk_joined(&mut self, id: DeskId, desk: Seated) {
        let (events, observes) = (desk.events.clone(), desk.observes);
        self.desks.insert(id, desk);
        let news = if observes { Vec::new() } else { std::mem::take(&mut self.news) };
        let unpublished = self.unpublished.iter().filter(|problem| !self.problems.contains(problem));
        let lasting =
            self.problems.iter().chain(unpublished).chain(&self.journal_problem).chain(&self.disk_problem);
        let problems = lasting.chain(self.telling.unsaved()).cloned().chain(news).map(desk::Event::Problem);
        let waiting = self.reviews.iter().map(|review| desk::Event::Opened(review.review()));
        let first = std::iter::once(desk::Event::Status(self.status()));
        // A desk that is gone already will be reported as such.
        first.chain(problems).chain(waiting).for_each(|event| drop(events.send(event)));
    }

    pub(super) fn desk_left(&mut self, id: DeskId) {
        self.desks.remove(&id);
        self.files.leave(id);
        self.debounce.touch(Instant::now());
        self.flushed(id, None);
    }

    pub(super) fn desk_asked(&mut self, id: DeskId, call: desk::Call) {
        if let Some(call) = self.after_reading(id, call) {
            self.answer(id, call);
        }
    }

    pub(super) fn answer(&mut self, id: DeskId, call: desk::Call) {
        let changes_review = matches!(
            call.request,
            Request::EditReview { .. }
                | Request::KeepHunks { .. }
                | Request::SplitHunk { .. }
                | Request::UndoReview { .. }
                | Request::DecideReview { .. }
        );
        match self.carry_out(id, call.request).map(|revision| Revised { revision }) {
            // What a person was told is taken outlives a crash.
            Ok(revised) if changes_review => self.held_answers.add(call.answer, Ok(revised)),
            // Nobody need wait for the answer.
            answer => drop(call.answer.send(answer)),
        }
    }

    fn carry_out(&mut self, desk: DeskId, request: Request) -> Result<u64, desk::Refusal> {
        match request {
            Request::ChangeContext(report) => {
                self.files.report(desk, report);
                self.debounce.touch(Instant::now());
                self.look_for_unsaved_changes();
                Ok(0)
            }
            Request::PauseContext { paused } => {
                self.files.pause(paused).map_err(|words| desk::Refusal::Other { words })?;
                self.debounce.touch(Instant::now());
                Ok(0)
            }
            Request::EditReview { id, revision, changes } => {
                let done = self.reviews.get(id)?.edit(revision, &changes);
                self.edited(id, done)
            }
            Request::KeepHunks { id, revision, hunks, keep } => {
                let done = self.reviews.get(id)?.keep(revision, &hunks, keep);
                self.edited(id, done)
            }
            Request::SplitHunk { id, revision, hunk } => {
                let done = self.reviews.get(id)?.split(revision, hunk);
                self.edited(id, done)
            }
            Request::UndoReview { id, revision } => {
                let done = self.reviews.get(id)?.undo(revision);
                self.edited(id, done)
            }
            Request::DecideReview { id, revision, decision } => self.decide(desk, id, revision, decision),
            Request::Focus => {
                self.publish(true, None);
                Ok(0)
            }
            // The program we are part of decides on its workspace.
            Request::ChangeRoots { .. } => Ok(0),
            Request::Report(problem) => {
                self.tell_desks(&desk::Event::Problem(problem.clone()));
                self.problems.push(problem);
                Ok(0)
            }
            // Told nothing more, it knows that it has left.
            Request::Leave => {
                self.desk_left(desk);
                Ok(0)
            }
            Request::Flushed { id } => {
                self.flushed(desk, Some(id));
                Ok(0)
            }
        }
    }

    fn edited(&mut self, id: ReviewId, done: Result<u64, desk::Refusal>) -> Result<u64, desk::Refusal> {
        let revision = done?;
        self.tell_changed(id);
        self.follow_with_draft(id);
        if let Ok(review) = self.reviews.get(id) {
            self.stale.session(&review.session);
        }
        Ok(revision)
    }

    /// Says once that a workspace has vanished. Its agents stay: it may come back.
    pub(super) fn look_at_roots(&mut self) {
        let gone: Vec<PathBuf> = self.roots.iter().filter(|root| !root.is_dir()).cloned().collect();
        let before = std::mem::replace(&mut self.vanished, gone.clone());
        for root in gone.iter().filter(|root| !before.contains(root)) {
            let problem = Problem {
                what: format!("the workspace {} is not there any more", root.display()),
                hint: Some(
                    "Agents cannot find this companion from it until it is back; proposals for its files are shown \
                     as new files."
                        .into(),
                ),
            };
            self.tell_desks(&desk::Event::Problem(problem));
        }
    }

    pub(super) fn status(&self) -> Status {
        let mut agents: Vec<_> = self
            .sessions
            .values()
            .filter(|session| session.is_back)
            .map(crate::session::Session::agent)
            .collect();
        agents.sort_by_key(|agent| agent.number);
        Status {
            port: self.port,
            pid: std::process::id(),
            roots: self.roots.clone(),
            agents,
            reviews: self.reviews.len(),
            paused: self.files.is_paused(),
            desks: self.desks.values().filter(|desk| !desk.observes).count(),
            // It is still the last one for a moment after a pause.
            context: if self.files.is_paused() { Vec::new() } else { self.told_files.clone() },
            environment: self.environment.clone(),
        }
    }

    /// Tells desks what has changed around the reviews: agents, what these are told, where they find us.
    /// Changes that follow each other closely are told together.
    pub(super) fn tell_status(&mut self) {
        if Instant::now() < self.next_status {
            self.status_waits = true;
        } else {
            self.tell_status_now();
        }
    }

    pub(super) fn tell_status_now(&mut self) {
        self.status_waits = false;
        self.next_status = Instant::now() + STATUS_EVERY;
        let status = self.status();
        if status != self.told {
            self.tell_desks(&desk::Event::Status(status.clone()));
            self.told = status;
        }
    }
}
