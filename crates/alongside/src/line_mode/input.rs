//! The consequences of the lines that the person types. Accepting is always one explicit act on the revision
//! that was shown.

use std::ops::ControlFlow;

use alongside_desk::review_model::{Question, Reply};
use alongside_desk::{Decision, Gone, HunkState, Refusal, Request, ReviewId, Revised, harmless, messages};

use super::desk::{Activity, Due, LineDesk};
use super::ending::Ending;
use super::line_reader::InputLine;
use super::reasons::reason_in;
use super::{prompts, render};

impl LineDesk {
    /// Takes a line of input.
    pub(super) async fn take_line(&mut self, input: InputLine) -> ControlFlow<Ending> {
        let prompted = self.has_prompt();
        let line = match &input {
            InputLine::Line(line) => line.trim(),
            // The cursor stays where it is: nothing has ended the line.
            InputLine::CtrlD => "q",
            InputLine::Unfinished => {
                self.printer.break_line();
                self.prompt_again();
                return ControlFlow::Continue(());
            }
            InputLine::End => {
                if !self.scripted {
                    self.printer.say(
                        "The input has ended. Answer reviews in the agent; Ctrl-C or SIGTERM ends this desk.",
                    );
                }
                return ControlFlow::Continue(());
            }
        };
        if !prompted && !self.input.terminal && !matches!(line, "l" | "p" | "q" | "?" | "") {
            // A script wrote it ahead, for a review that is still to come.
            self.input.put_back(input);
            return ControlFlow::Continue(());
        }
        if matches!(input, InputLine::Line(_)) {
            self.printer.end_prompt((prompted && !self.input.terminal).then_some(line));
        }
        self.due = self.due.max(if prompted { Due::Prompt } else { Due::Nothing });
        if self.input.came_too_soon() && prompted {
            self.printer.say(messages::TYPED_TOO_SOON);
            return ControlFlow::Continue(());
        }
        if let Some(list) = self.accept_all.take() {
            self.list_answered(list, line).await;
            return ControlFlow::Continue(());
        }
        if let Some(question) = self.question {
            return self.question_answered(question, line).await;
        }
        self.command(line).await
    }

    async fn command(&mut self, line: &str) -> ControlFlow<Ending> {
        match line {
            "" => {}
            "q" | "quit" => match Question::before_leaving(self.reviews.len(), self.companion.status()) {
                Some(question) => self.open_question(question),
                None => return ControlFlow::Break(Ending::Left),
            },
            "l" | "list" => self.list(),
            "p" | "pause" => self.pause().await,
            "?" | "h" | "help" => self.help(),
            line => match (line.parse(), self.at) {
                (Ok(number), _) => self.go_to(number),
                (Err(_), Some(id)) => self.review_command(id, line).await,
                (Err(_), None) => self.unknown_command(line),
            },
        }
        ControlFlow::Continue(())
    }

    async fn review_command(&mut self, id: ReviewId, line: &str) {
        let Some(open) = self.open(id) else { return };
        let (hunk, hunks) = (open.hunk(), open.review().hunks.len());
        let at_hunk = hunk < hunks;
        if let Some(reason) = reason_in(line) {
            return self.reason(id, at_hunk.then_some(hunk), reason).await;
        }
        match line {
            "a" | "accept" => self.accept(id).await,
            "r" | "reject" => self.decide(id, Decision::Reject).await,
            "A" => self.list_to_accept(),
            "e" | "edit" => self.edit(),
            "u" | "undo" => self.undo(id).await,
            "U" | "redo" => self.redo(id).await,
            "k" | "y" | "keep" if at_hunk => self.keep(id, hunk, true).await,
            "d" | "n" | "drop" if at_hunk => self.keep(id, hunk, false).await,
            "s" | "split" if at_hunk => self.split(id, hunk).await,
            "j" | "J" | "next" if at_hunk => self.look_at(hunk + 1),
            "K" | "previous" if hunk > 0 => self.look_at(hunk - 1),
            "K" | "previous" => self.printer.say(messages::FIRST_CHANGE),
            "b" | "back" => self.look_at(0),
            line => self.unknown_command(line),
        }
    }

    fn unknown_command(&mut self, line: &str) {
        self.printer.say(&format!("{:?} is no command here; ? lists them.", harmless::name(line)));
    }

    fn help(&mut self) {
        let help = match self.current() {
            None => prompts::IDLE,
            Some(open) if open.hunk() < open.review().hunks.len() => prompts::AT_A_HUNK,
            Some(_) => prompts::AT_THE_END,
        };
        self.printer.say(help);
    }

    pub(super) fn look_at(&mut self, hunk: usize) {
        if let Some(open) = self.at.and_then(|at| self.open_mut(at)) {
            open.look_at(hunk);
            self.due = Due::Place;
        }
    }

    fn open_question(&mut self, question: Question) {
        self.question = Some(question);
        self.due = self.due.max(Due::Prompt);
    }

    async fn question_answered(&mut self, question: Question, line: &str) -> ControlFlow<Ending> {
        let Some(reply) = question.reply(line) else {
            self.printer.say(&prompts::only(question));
            return ControlFlow::Continue(());
        };
        self.question = None;
        match (reply, question, self.at) {
            (Reply::Yes, Question::Leave, _) => return ControlFlow::Break(Ending::Left),
            (Reply::Yes, Question::AcceptAnyway, Some(id)) => self.decide(id, Decision::Accept).await,
            (Reply::Yes, Question::SingleNewline, Some(id)) => {
                if let Some(revision) = self.review(id).map(|review| review.revision)
                    && self.ask(id, Request::replace_text(id, revision, "\n".into())).await.is_some()
                {
                    self.decide(id, Decision::Accept).await;
                }
            }
            (Reply::Reject, _, Some(id)) => self.decide(id, Decision::Reject).await,
            (_, _, None) => self.next_review(),
            (Reply::No, ..) => {}
        }
        ControlFlow::Continue(())
    }

    /// Sends a request and prints a refusal. After success the review here is the one of the reply.
    pub(super) async fn ask(&mut self, id: ReviewId, request: Request) -> Option<Revised> {
        match self.desk.request(request).await {
            Ok(revised) => {
                self.catch_up(id, revised.revision).await;
                Some(revised)
            }
            Err(refusal) => {
                self.tell_refusal(id, &refusal).await;
                None
            }
        }
    }

    async fn tell_refusal(&mut self, id: ReviewId, refusal: &Refusal) {
        self.printer.say(&messages::refusal(refusal));
        if let Refusal::Stale { revision } = *refusal {
            self.catch_up(id, revision).await;
            self.due = Due::Review;
        }
        if let Some(question) = Question::after(refusal) {
            self.open_question(question);
        }
    }

    /// Waits until this desk has a revision that the person knows of.
    pub(super) async fn catch_up(&mut self, id: ReviewId, revision: u64) {
        if let Some(open) = self.open_mut(id) {
            open.mark_own(revision);
        }
        while self.review(id).is_some_and(|review| review.revision < revision) {
            match self.desk.next().await {
                Ok(event) => self.take_event(event).await,
                Err(Gone) => return,
            }
        }
    }

    fn push_step(&mut self, id: ReviewId, hunk: usize, changed: bool) {
        if let Some(open) = self.open_mut(id) {
            open.push_step(hunk, changed);
        }
    }

    pub(super) async fn keep(&mut self, id: ReviewId, place: usize, keep: bool) {
        let Some(review) = self.review(id) else { return };
        let Some(hunk) = review.hunks.get(place) else { return };
        // Keeping a kept hunk changes nothing, so that there is nothing to undo. Keeping an edited hunk keeps
        // the person's own text: it never gives way to the proposal.
        let changes = match hunk.state {
            HunkState::Kept | HunkState::Edited => !keep,
            HunkState::Dropped => keep,
        };
        let (revision, after) = (review.revision, review.hunks.len() - place - 1);
        let request = Request::KeepHunks { id, revision, hunks: vec![place], keep };
        if !changes || self.ask(id, request).await.is_some() {
            self.push_step(id, place, changes);
            // Counted from the end: a dropped edit leaves no hunk behind, or joins its neighbour.
            let now = self.review(id).map_or(0, |review| review.hunks.len());
            self.look_at(now.saturating_sub(after));
        }
    }

    async fn split(&mut self, id: ReviewId, hunk: usize) {
        let Some(review) = self.review(id) else { return };
        if review.hunks.get(hunk).is_some_and(|hunk| hunk.state == HunkState::Edited) {
            return self.printer.say(messages::EDITED_NOT_SPLIT);
        }
        let (revision, before) = (review.revision, review.hunks.len());
        if self.ask(id, Request::SplitHunk { id, revision, hunk }).await.is_some() {
            self.push_step(id, hunk, true);
            let now = self.review(id).map_or(before, |review| review.hunks.len());
            self.printer.say(&messages::split(before, now));
            self.look_at(hunk);
        }
    }

    async fn accept(&mut self, id: ReviewId) {
        match self.review(id).and_then(Question::before_accepting) {
            Some(question) => self.open_question(question),
            None => self.decide(id, Decision::Accept).await,
        }
    }

    /// Decides on the revision that is shown.
    async fn decide(&mut self, id: ReviewId, decision: Decision) {
        let Some(revision) = self.review(id).map(|review| review.revision) else { return };
        match self.desk.request(Request::DecideReview { id, revision, decision }).await {
            Ok(_) if self.review(id).is_some() => self.activity = Activity::Deciding(id),
            Ok(_) => {}
            Err(refusal) => self.tell_refusal(id, &refusal).await,
        }
    }

    fn list(&mut self) {
        let mut lines = Vec::new();
        for (index, open) in self.reviews.iter().enumerate() {
            let review = open.review();
            let here = if self.at == Some(review.id) { " - you are here" } else { "" };
            let name = messages::file_name(&review.file, &self.roots);
            let (agent, size) = (messages::agent_name(&review.agent), messages::size(review));
            lines.push(format!("{}. {name} ({agent}, {size}){here}", index + 1));
        }
        if lines.is_empty() {
            lines.push(messages::NO_REVIEW.into());
        }
        let status = self.companion.status();
        lines.push(format!("Agents connected: {}.", render::agents(&status.agents)));
        if status.paused {
            lines.push(messages::paused(true).into());
        }
        self.printer.say(&lines.join("\n"));
    }

    fn go_to(&mut self, number: usize) {
        match number.checked_sub(1).and_then(|index| self.reviews.get(index)) {
            Some(open) => self.begin(open.review().id),
            None => self.printer.say("No review has that number; l lists them."),
        }
    }

    async fn pause(&mut self) {
        let paused = !self.companion.status().paused;
        match self.desk.request(Request::PauseContext { paused }).await {
            Ok(_) => {
                let message = self.companion.set_paused(paused);
                self.printer.say(&message.text);
            }
            Err(refusal) => self.printer.say(&messages::refusal(&refusal)),
        }
    }
}
