//! The line desk's state and its main loop.
//!
//! The loop waits for whatever comes first: the companion, the person, a signal, an editor that ends.
//! `companion_events`, `input` and `editor_events` change the state and note the [output due](Due); the loop
//! prints it before it waits again.

use std::collections::HashMap;
use std::io;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::time::Duration;

use alongside_common::signals::{Continued, INTERRUPT, Signals};
use alongside_desk::review_model::{Acceptances, CompanionState, OpenReview, Question};
use alongside_desk::{Desk, Event, Gone, Request, Review, ReviewId, messages};
use alongside_terminal::{DraftStore, Editing};
use tokio::time::{sleep, timeout};

use super::accept_all::{AcceptAll, Printed};
use super::ending::{Ending, LEAVE_TIMEOUT, Policy};
use super::line_reader::LineReader;
use super::printer::Printer;
use super::{prompts, render};

/// How often the desk looks for a saved text in the file of an open editor.
const SAVED_EVERY: Duration = Duration::from_secs(1);

/// The output due before the next reply, from little to much.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Due {
    Nothing,
    /// The prompt.
    Prompt,
    /// The hunk or the summary, and the prompt.
    Place,
    /// The header too.
    Review,
}

/// The thing that keeps the desk from listening to the person.
#[derive(Debug)]
pub(super) enum Activity {
    /// Nothing: the desk listens.
    Listening,
    /// A decision was sent, and its review has not closed yet.
    Deciding(ReviewId),
    /// Acceptances of a list were sent, and not all have been answered.
    Accepting(Acceptances),
    /// The person's editor has the terminal.
    Editor(Box<Editing>),
}

impl Activity {
    async fn editor_exit(&mut self) -> io::Result<ExitStatus> {
        match self {
            Self::Editor(editing) => editing.ended().await,
            _ => std::future::pending().await,
        }
    }

    /// Takes the editor, which has ended or is to end.
    pub(super) fn take_editor(&mut self) -> Option<Editing> {
        let Self::Editor(_) = self else { return None };
        if let Self::Editor(editing) = std::mem::replace(self, Self::Listening) {
            Some(*editing)
        } else {
            None
        }
    }
}

/// The desk.
pub(crate) struct LineDesk {
    pub(super) desk: Desk,
    pub(super) input: LineReader,
    /// Whether the input was written beforehand, so that its end is no news.
    pub(super) scripted: bool,
    pub(super) printer: Printer,
    continued: Continued,
    pub(super) policy: Policy,
    pub(super) roots: Vec<PathBuf>,
    /// Where texts go that no companion took; `None` if nothing outlives the desk.
    pub(super) drafts: Option<DraftStore>,
    pub(super) companion: CompanionState,
    /// The reviews that wait, the oldest first.
    pub(super) reviews: Vec<OpenReview>,
    /// The review that the person reads.
    pub(super) at: Option<ReviewId>,
    pub(super) question: Option<Question>,
    /// The list of reviews to accept together, while it waits for a reply.
    pub(super) accept_all: Option<AcceptAll>,
    /// The printed part of each review.
    pub(super) printed: HashMap<ReviewId, Printed>,
    pub(super) activity: Activity,
    pub(super) due: Due,
}

impl LineDesk {
    /// A desk on standard input and output. File names are relative to `roots`.
    pub(crate) fn new(desk: Desk, roots: Vec<PathBuf>, policy: Policy) -> Self {
        Self::with_input(desk, roots, policy, LineReader::stdin())
    }

    /// A desk whose input is written already, a line for each reply.
    pub(crate) fn scripted(desk: Desk, roots: Vec<PathBuf>, script: &'static str) -> Self {
        let input = LineReader::from(false, || Box::new(script.as_bytes()));
        Self { scripted: true, ..Self::with_input(desk, roots, Policy::Ask, input) }
    }

    /// Keeps texts among the drafts that no companion takes.
    pub(crate) fn with_drafts(self, drafts: DraftStore) -> Self {
        Self { drafts: Some(drafts), ..self }
    }

    fn with_input(desk: Desk, roots: Vec<PathBuf>, policy: Policy, input: LineReader) -> Self {
        Self {
            desk,
            input,
            scripted: false,
            printer: Printer::stdout(),
            continued: Continued::listen(),
            policy,
            roots,
            drafts: None,
            companion: CompanionState::default(),
            reviews: Vec::new(),
            at: None,
            question: None,
            accept_all: None,
            printed: HashMap::new(),
            activity: Activity::Listening,
            due: Due::Nothing,
        }
    }

    /// Writes a line that belongs to no review.
    pub(crate) fn say(&mut self, text: &str) {
        self.printer.say(text);
    }

    /// Leaves, and prints how the waiting reviews end if the companion ends with this desk.
    pub(crate) async fn finish(&mut self, ending: Ending) {
        let stays = self.companion.stays_open(self.reviews.len());
        if ending == Ending::Gone {
            self.printer.release();
            self.printer.say(messages::COMPANION_STOPPED);
        } else {
            self.desk.send(Request::Leave);
        }
        self.question = None;
        self.printer.release();
        self.end_editor().await;
        match stays {
            _ if ending == Ending::Gone || self.reviews.is_empty() => {}
            Some(stays) => self.printer.say(&stays),
            None if matches!(ending, Ending::Signal(_)) => {
                self.printer.say("Quitting: waiting reviews are rejected.");
            }
            None => {}
        }
        // No review is shown any more.
        self.policy = Policy::RejectAll;
        while let Ok(Ok(event)) = timeout(LEAVE_TIMEOUT, self.desk.next()).await {
            if let Event::Closed(_) = event {
                self.take_event(event).await;
            }
        }
        self.printer.end();
    }

    /// Runs until the person, a signal, the companion or `done` ends the desk.
    pub(crate) async fn run(&mut self, signals: &mut Signals, done: impl Future<Output = ()>) -> Ending {
        tokio::pin!(done);
        // The companion has stopped; the desk stays for an editor that is still open.
        let mut gone = false;
        loop {
            self.print_due();
            if self.printer.is_broken() {
                return Ending::Unread;
            }
            let (listens, has_editor) = (self.listens(), self.has_editor());
            tokio::select! {
                biased;
                signal = signals.next() => match signal {
                    // The terminal sends Ctrl-C to the editor too, and there it means something else.
                    INTERRUPT if has_editor => {}
                    signal => {
                        self.upload_saved_text().await;
                        return Ending::Signal(signal);
                    }
                },
                event = self.desk.next(), if !gone => match event {
                    Ok(event) => self.take_event(event).await,
                    Err(Gone) if has_editor => gone = true,
                    Err(Gone) => return Ending::Gone,
                },
                () = self.continued.next() => self.process_continued(),
                () = sleep(SAVED_EVERY), if has_editor => self.upload_saved_text().await,
                status = self.activity.editor_exit() => {
                    self.editor_ended(status).await;
                    if gone {
                        return Ending::Gone;
                    }
                }
                () = &mut done => return Ending::Done,
                line = self.input.next(), if listens => {
                    if let ControlFlow::Break(ending) = self.take_line(line).await {
                        return ending;
                    }
                }
            }
        }
    }

    pub(super) fn has_editor(&self) -> bool {
        matches!(self.activity, Activity::Editor(_))
    }

    /// Whether the desk wants a line of input now.
    fn listens(&self) -> bool {
        // A script's lines wait for a review.
        let wanted = self.has_prompt() || !self.input.holds_one();
        matches!(self.activity, Activity::Listening) && !self.input.has_ended() && wanted
    }

    /// Whether there is a review or a question to reply to.
    pub(super) fn has_prompt(&self) -> bool {
        self.at.is_some() || self.question.is_some() || self.accept_all.is_some()
    }

    pub(super) fn open(&self, id: ReviewId) -> Option<&OpenReview> {
        self.reviews.iter().find(|open| open.review().id == id)
    }

    pub(super) fn open_mut(&mut self, id: ReviewId) -> Option<&mut OpenReview> {
        self.reviews.iter_mut().find(|open| open.review().id == id)
    }

    pub(super) fn review(&self, id: ReviewId) -> Option<&Review> {
        self.open(id).map(OpenReview::review)
    }

    /// The review that the person reads.
    pub(super) fn current(&self) -> Option<&OpenReview> {
        self.open(self.at?)
    }

    /// Shows a review from its beginning.
    pub(super) fn begin(&mut self, id: ReviewId) {
        self.at = Some(id);
        self.question = None;
        self.accept_all = None;
        self.due = Due::Review;
        self.prompt_changed();
    }

    /// The prompt is not the one that the person typed for. An editor's keys are its own.
    pub(super) fn prompt_changed(&mut self) {
        if !self.has_editor() {
            self.input.prompt_changed();
        }
    }

    /// Goes on to the review that has waited longest, or says that there is none.
    pub(super) fn next_review(&mut self) {
        match self.reviews.first() {
            Some(open) => self.begin(open.review().id),
            None => {
                self.due = Due::Nothing;
                self.prompt_changed();
                self.say_idle();
            }
        }
    }

    fn say_idle(&mut self) {
        if self.input.terminal && !self.input.has_ended() && self.policy == Policy::Ask {
            self.printer.say(prompts::NOTHING_WAITS);
        }
    }

    /// Repeats the prompt after other output.
    pub(super) fn prompt_again(&mut self) {
        if self.has_prompt() {
            self.due = self.due.max(Due::Prompt);
            if !self.has_editor() {
                self.input.discard_typed();
            }
        }
    }

    /// Back after Ctrl-Z and `fg`: the prompt is far up, or gone.
    fn process_continued(&mut self) {
        if self.has_editor() || !self.input.terminal {
            return;
        }
        match self.at {
            Some(_) => self.prompt_again(),
            None => self.say_idle(),
        }
    }

    fn print_due(&mut self) {
        if !matches!(self.activity, Activity::Listening) || self.policy != Policy::Ask {
            return;
        }
        let due = std::mem::replace(&mut self.due, Due::Nothing);
        if due == Due::Nothing {
            return;
        }
        if let Some(list) = &self.accept_all {
            self.printer.ask(&list.prompt());
            return;
        }
        let is_edited = || self.reviews.iter().any(|open| open.review().is_edited());
        let question = self.question.map(|question| {
            prompts::question(question, self.reviews.len(), self.drafts.is_some() && is_edited())
        });
        let Some(open) = self.at.and_then(|at| self.reviews.iter().find(|open| open.review().id == at))
        else {
            if let Some(question) = question {
                self.printer.ask(&question);
            }
            return;
        };
        let (review, inks) = (open.review(), self.printer.inks);
        if due >= Due::Review {
            self.printer.say(&render::header(review, &self.roots, inks));
            if review.whole_file_only.is_some() && review.hunks.is_empty() {
                self.printer.say(&render::whole(review, inks));
            } else if review.whole_file_only.is_some() {
                for hunk in &review.hunks {
                    self.printer.say(&render::hunk(review, hunk, inks));
                }
            }
        }
        if due >= Due::Place {
            let hunk = review.hunks.get(open.hunk());
            self.printed.entry(review.id).or_default().add(review.revision, hunk);
            match hunk {
                Some(hunk) => self.printer.say(&render::hunk(review, hunk, inks)),
                None => self.printer.say(&render::summary(review, &self.roots)),
            }
        }
        if !self.input.has_ended() {
            self.printer.ask(&question.unwrap_or_else(|| prompts::place(open)));
        } else if due >= Due::Place {
            self.printer.say("Answer this review in the agent.");
        }
    }
}
