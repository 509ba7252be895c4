//! What follows from what the person typed. Accepting is always one explicit act on the revision that is
//! shown.

use std::ops::ControlFlow;

use alongside_desk::{Decision, HunkState, Refusal, Request, ReviewId, Revised};

use super::input::Input;
use super::told::whole_text;
use super::{Confirm, Due, Ending, LineDesk, Step, help, render};
use alongside_desk::harmless;
use alongside_terminal::words;

impl LineDesk {
    /// Takes an answer.
    pub(super) async fn answered(&mut self, input: Input) -> ControlFlow<Ending> {
        let asked = self.at.is_some() || self.confirm.is_some();
        let answer = match &input {
            Input::Line(line) => line.trim(),
            // The cursor stays where it is: nothing has ended the line.
            Input::Enough => "q",
            Input::Unfinished => {
                self.paper.break_line();
                self.ask_again();
                return ControlFlow::Continue(());
            }
            Input::End => {
                if !self.scripted {
                    self.paper.say(
                        "There is no more input here. Reviews can still be answered in the agent; \
                         end this with Ctrl-C or SIGTERM.",
                    );
                }
                return ControlFlow::Continue(());
            }
        };
        if !asked && !self.answers.terminal && !matches!(answer, "l" | "p" | "q" | "?" | "") {
            // A script wrote it ahead, for a review that is still to come.
            self.answers.put_back(input);
            return ControlFlow::Continue(());
        }
        if matches!(input, Input::Line(_)) {
            self.paper.answered((asked && !self.answers.terminal).then_some(answer));
        }
        self.due = self.due.max(if asked { Due::Question } else { Due::Nothing });
        if self.answers.came_too_soon() && asked {
            self.paper.say("(That was typed before this question stood here, so it does not count.)");
            return ControlFlow::Continue(());
        }
        if let Some(confirm) = self.confirm {
            return self.confirmed(confirm, answer).await;
        }
        match answer {
            "" => {}
            "q" | "quit" if self.waiting.is_empty() || self.status.desks > 1 => {
                return ControlFlow::Break(Ending::Left);
            }
            "q" | "quit" => self.confirm(Confirm::Leave),
            "l" | "list" => self.list(),
            "p" | "pause" => self.pause().await,
            "?" | "h" | "help" => self.help(),
            number if number.parse::<usize>().is_ok() => self.go_to(number.parse().unwrap_or_default()),
            answer => match self.at {
                Some(id) => self.answered_review(id, answer).await,
                None => self.not_an_answer(answer),
            },
        }
        ControlFlow::Continue(())
    }

    async fn answered_review(&mut self, id: ReviewId, answer: &str) {
        let Some(waiting) = self.current() else { return };
        let (place, hunks) = (waiting.place, waiting.review.hunks.len());
        let at_hunk = place < hunks;
        match answer {
            "a" | "accept" => self.accept(id, false).await,
            "r" | "reject" => self.decide(id, Decision::Reject).await,
            "e" | "edit" => self.edit(),
            "u" | "undo" => self.undo(id).await,
            "k" | "y" | "keep" if at_hunk => self.keep(id, place, true).await,
            "d" | "n" | "drop" if at_hunk => self.keep(id, place, false).await,
            "s" | "split" if at_hunk => self.split(id, place).await,
            "j" | "J" | "next" if at_hunk => self.look_at(place + 1),
            "K" | "previous" if place > 0 => self.look_at(place - 1),
            "K" | "previous" => self.paper.say("This is the first change."),
            "b" | "back" => self.look_at(0),
            answer => self.not_an_answer(answer),
        }
    }

    fn not_an_answer(&mut self, answer: &str) {
        self.paper.say(&format!("{:?} is no answer here; ? shows which there are.", harmless::name(answer)));
    }

    fn help(&mut self) {
        let help = match self.current() {
            None => help::IDLE,
            Some(waiting) if waiting.place < waiting.review.hunks.len() => help::AT_A_HUNK,
            Some(_) => help::AT_THE_END,
        };
        self.paper.say(help);
    }

    pub(super) fn look_at(&mut self, place: usize) {
        if let Some(waiting) = self.current() {
            waiting.place = place.min(waiting.review.hunks.len());
            self.due = Due::Place;
        }
    }

    fn confirm(&mut self, confirm: Confirm) {
        self.confirm = Some(confirm);
        self.due = self.due.max(Due::Question);
    }

    async fn confirmed(&mut self, confirm: Confirm, answer: &str) -> ControlFlow<Ending> {
        let yes = match answer {
            "y" | "yes" => true,
            "n" | "no" | "q" => false,
            "r" | "reject" if confirm == Confirm::SingleNewline => {
                self.confirm = None;
                if let Some(id) = self.at {
                    self.decide(id, Decision::Reject).await;
                }
                return ControlFlow::Continue(());
            }
            _ if confirm == Confirm::SingleNewline => {
                self.paper.say("Please answer y, n or r.");
                return ControlFlow::Continue(());
            }
            _ => {
                self.paper.say("Please answer y or n.");
                return ControlFlow::Continue(());
            }
        };
        self.confirm = None;
        match (confirm, self.at) {
            (Confirm::Leave, _) if yes => return ControlFlow::Break(Ending::Left),
            (Confirm::AcceptAnyway, Some(id)) if yes => self.accept(id, true).await,
            (Confirm::SingleNewline, Some(id)) if yes => {
                if let Some(revision) = self.review(id).map(|review| review.revision)
                    && self.ask(id, whole_text(id, revision, "\n".into())).await.is_some()
                {
                    self.accept(id, true).await;
                }
            }
            (_, None) => self.next_review(),
            _ => {}
        }
        ControlFlow::Continue(())
    }

    /// Asks the companion, and says a refusal in words. After success the review is as the answer says.
    pub(super) async fn ask(&mut self, id: ReviewId, request: Request) -> Option<Revised> {
        match self.desk.request(request).await {
            Ok(revised) => {
                self.made(id, revised.revision);
                self.settle(id, revised.revision).await;
                Some(revised)
            }
            Err(refusal) => {
                self.refused(id, refusal).await;
                None
            }
        }
    }

    async fn refused(&mut self, id: ReviewId, refusal: Refusal) {
        self.paper.say(&harmless::text(&capitalised(&refusal.to_string())));
        match refusal {
            Refusal::Stale { revision } => {
                self.made(id, revision);
                self.settle(id, revision).await;
                self.due = Due::Review;
            }
            Refusal::Empty => self.confirm(Confirm::SingleNewline),
            _ => {}
        }
    }

    /// A revision that is no news to the person at this desk.
    pub(super) fn made(&mut self, id: ReviewId, revision: u64) {
        if let Some(waiting) = self.waiting.iter_mut().find(|waiting| waiting.review.id == id) {
            waiting.mine = waiting.mine.max(revision);
        }
    }

    /// Waits until this desk has heard of a revision.
    async fn settle(&mut self, id: ReviewId, revision: u64) {
        while self.review(id).is_some_and(|review| review.revision < revision) {
            match self.desk.next().await {
                Ok(event) => self.told(event).await,
                Err(alongside_desk::Gone) => return,
            }
        }
    }

    pub(super) fn step(&mut self, id: ReviewId, place: usize, changed: bool) {
        if let Some(waiting) = self.waiting.iter_mut().find(|waiting| waiting.review.id == id) {
            waiting.steps.push(Step { place, changed });
        }
    }

    async fn keep(&mut self, id: ReviewId, place: usize, keep: bool) {
        let Some(review) = self.review(id) else { return };
        let Some(hunk) = review.hunks.get(place) else {
            return;
        };
        // Keeping what is kept changes nothing, and is nothing that could be undone. What the person wrote is
        // theirs to keep: it never gives way to the proposal.
        let changes = match hunk.state {
            HunkState::Kept | HunkState::Edited => !keep,
            HunkState::Dropped => keep,
        };
        let (revision, after) = (review.revision, review.hunks.len() - place - 1);
        let request = Request::KeepHunks { id, revision, hunks: vec![place], keep };
        if !changes || self.ask(id, request).await.is_some() {
            self.step(id, place, changes);
            // Counted from the end: an edit that is dropped leaves nothing behind, or joins its neighbour.
            let now = self.review(id).map_or(0, |review| review.hunks.len());
            self.look_at(now.saturating_sub(after));
        }
    }

    async fn split(&mut self, id: ReviewId, place: usize) {
        let Some(review) = self.review(id) else { return };
        let (revision, before) = (review.revision, review.hunks.len());
        if self.ask(id, Request::SplitHunk { id, revision, hunk: place }).await.is_some() {
            self.step(id, place, true);
            let now = self.review(id).map_or(before, |review| review.hunks.len());
            self.paper.say(&format!("Split into {} changes.", now.saturating_sub(before) + 1));
            self.look_at(place);
        }
    }

    async fn undo(&mut self, id: ReviewId) {
        let Some(waiting) = self.current() else { return };
        let revision = waiting.review.revision;
        let step = waiting.steps.pop();
        if let Some(Step { place, changed: false }) = step {
            return self.look_at(place);
        }
        if self.ask(id, Request::UndoReview { id, revision }).await.is_some() {
            self.look_at(step.map_or(0, |step| step.place));
        }
    }

    async fn accept(&mut self, id: ReviewId, anyway: bool) {
        let Some(review) = self.review(id) else { return };
        if (review.stale || review.dirty) && !anyway {
            return self.confirm(Confirm::AcceptAnyway);
        }
        self.decide(id, Decision::Accept).await;
    }

    /// Decides on the revision that is shown.
    async fn decide(&mut self, id: ReviewId, decision: Decision) {
        let Some(revision) = self.review(id).map(|review| review.revision) else {
            return;
        };
        match self.desk.request(Request::DecideReview { id, revision, decision }).await {
            Ok(_) => self.deciding = Some(id).filter(|id| self.review(*id).is_some()),
            Err(refusal) => self.refused(id, refusal).await,
        }
    }

    fn list(&mut self) {
        let mut lines = Vec::new();
        for (index, waiting) in self.waiting.iter().enumerate() {
            let review = &waiting.review;
            let here = if self.at == Some(review.id) { " - you are here" } else { "" };
            let (name, agent) =
                (words::file_name(&review.file, &self.roots), words::agent_name(&review.agent));
            lines.push(format!("{}. {name} ({agent}, {}){here}", index + 1, render::size(review)));
        }
        if lines.is_empty() {
            lines.push("No review waits.".into());
        }
        lines.push(format!("Agents connected: {}.", render::agents(&self.status.agents)));
        if self.status.paused {
            lines.push("Agents are told nothing about your files (p resumes).".into());
        }
        self.paper.say(&lines.join("\n"));
    }

    fn go_to(&mut self, number: usize) {
        match number.checked_sub(1).and_then(|index| self.waiting.get(index)) {
            Some(waiting) => self.begin(waiting.review.id),
            None => self.paper.say("There is no review of that number; l lists them."),
        }
    }

    async fn pause(&mut self) {
        let paused = !self.status.paused;
        match self.desk.request(Request::PauseContext { paused }).await {
            Ok(_) => {
                self.status.paused = paused;
                self.paper.say(if paused {
                    "Agents are told nothing about your files from now on (p resumes)."
                } else {
                    "Agents are told about your files again."
                });
            }
            Err(refusal) => self.paper.say(&capitalised(&refusal.to_string())),
        }
    }
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", chars.as_str())
}
