//! The line desk: reviews in a terminal, a pipe or a screen reader, hunk by hunk in the manner of `git add
//! -p`.
//!
//! One loop waits for whatever comes first: the companion, the person, a signal, an editor that ends. `told`
//! says what follows from events, `answers` what follows from what the person typed; both only note what is
//! [due](Due), and the loop prints it before it waits again.

mod answers;
mod edits;
mod help;
mod input;
pub(crate) mod json;
mod paper;
pub(crate) mod render;
mod told;

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::PathBuf;

use alongside_desk::{Desk, Event, Request, Review, ReviewId, Status};
use tokio::time::timeout;

use crate::signals::{Continued, INTERRUPT, Signals};
use alongside_terminal::editor::Editing;
use input::Answers;
pub(crate) use paper::{Ink, Inks, Paper};

/// How often an open editor's file is looked at for something that was saved.
const SAVED_EVERY: std::time::Duration = std::time::Duration::from_secs(1);

/// How long a desk that is left waits for what its companion says next: one that is frozen says nothing.
const FAREWELL: std::time::Duration = std::time::Duration::from_secs(5);

/// Who decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Policy {
    /// The person, each time.
    Ask,
    /// Everything is accepted as proposed.
    AcceptAll,
    /// Everything is rejected.
    RejectAll,
}

/// Why the desk is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// The person left.
    Left,
    /// A signal came; its number.
    Signal(i32),
    /// What the desk was for is done.
    Done,
    /// The companion has stopped.
    Gone,
    /// Nobody reads what is written any more.
    Unread,
}

/// A review that waits for a decision.
struct Waiting {
    review: Review,
    /// The hunk that is looked at; the number of hunks stands for the summary.
    place: usize,
    /// What was done here, for undo.
    steps: Vec<Step>,
    /// The newest revision made at this desk.
    mine: u64,
}

/// Something the person did to a review.
struct Step {
    /// Where.
    place: usize,
    /// Whether it changed the review: keeping what is kept does not.
    changed: bool,
}

impl Waiting {
    fn new(review: Review) -> Self {
        let place = if review.whole_file_only.is_some() { review.hunks.len() } else { 0 };
        Self { place, steps: Vec::new(), mine: review.revision, review }
    }
}

/// A question that must be answered with yes or no before anything else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Confirm {
    /// Accept although the file has changed, or is being changed.
    AcceptAnyway,
    /// Accept a single newline in place of nothing.
    SingleNewline,
    /// Leave although reviews wait.
    Leave,
}

/// What must be printed before the next answer, from little to much.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Due {
    Nothing,
    /// The question.
    Question,
    /// The hunk or the summary, and the question.
    Place,
    /// The header too.
    Review,
}

/// The desk.
pub(crate) struct LineDesk {
    desk: Desk,
    answers: Answers,
    /// Whether the answers were written down before, so that their end is no news.
    scripted: bool,
    paper: Paper,
    continued: Continued,
    policy: Policy,
    roots: Vec<PathBuf>,
    status: Status,
    /// The agents that have been announced, by number.
    met: BTreeSet<u64>,
    waiting: Vec<Waiting>,
    /// The review that is being read.
    at: Option<ReviewId>,
    confirm: Option<Confirm>,
    /// A decision that was sent and has not closed its review yet.
    deciding: Option<ReviewId>,
    editing: Option<Editing>,
    /// What was said last to do about a problem; it is not said twice in a row.
    last_hint: Option<String>,
    due: Due,
}

impl LineDesk {
    /// A desk on standard input and output. `roots` are what file names are shown relative to.
    pub(crate) fn new(desk: Desk, roots: Vec<PathBuf>, policy: Policy) -> Self {
        Self::with(desk, roots, policy, Answers::stdin())
    }

    /// A desk whose answers are written down already, one per line.
    pub(crate) fn scripted(desk: Desk, roots: Vec<PathBuf>, script: &'static str) -> Self {
        let answers = Answers::from(false, || Box::new(script.as_bytes()));
        Self { scripted: true, ..Self::with(desk, roots, Policy::Ask, answers) }
    }

    fn with(desk: Desk, roots: Vec<PathBuf>, policy: Policy, answers: Answers) -> Self {
        Self {
            desk,
            answers,
            scripted: false,
            paper: Paper::stdout(),
            continued: Continued::listen(),
            policy,
            roots,
            status: Status::default(),
            met: BTreeSet::new(),
            waiting: Vec::new(),
            at: None,
            confirm: None,
            deciding: None,
            editing: None,
            last_hint: None,
            due: Due::Nothing,
        }
    }

    /// Writes a line that belongs to no review.
    pub(crate) fn say(&mut self, text: &str) {
        self.paper.say(text);
    }

    /// Leaves, and says what becomes of the reviews that wait if the companion ends with this desk.
    pub(crate) async fn finish(&mut self, ending: Ending) {
        let last = self.status.desks <= 1;
        if ending == Ending::Gone {
            self.paper.release();
            self.paper.say("The companion has stopped; what waited is rejected.");
        } else {
            self.desk.send(Request::Leave);
        }
        self.confirm = None;
        self.paper.release();
        if let Some(mut editing) = self.editing.take() {
            editing.end().await;
            match editing.unsent() {
                Some(text) => self.set_aside((&editing.file, &editing.agent), &text, "this desk was left"),
                None if editing.sent => {
                    self.paper.say("What was saved in your editor is in `alongside drafts`.");
                }
                None => {}
            }
        }
        if last && matches!(ending, Ending::Signal(_)) && !self.waiting.is_empty() {
            self.paper.say("Ending: the reviews that wait are rejected.");
        }
        // Nothing new begins: what is read is what was read.
        self.policy = Policy::RejectAll;
        while let Ok(Ok(event)) = timeout(FAREWELL, self.desk.next()).await {
            if let Event::Closed(_) = event {
                self.told(event).await;
            }
        }
        self.paper.end();
    }

    /// Works until somebody or something ends it.
    pub(crate) async fn run(&mut self, signals: &mut Signals, done: impl Future<Output = ()>) -> Ending {
        tokio::pin!(done);
        // The companion has stopped; the desk stays for an editor that is still open.
        let mut gone = false;
        loop {
            self.print_what_is_due();
            if self.paper.is_broken() {
                return Ending::Unread;
            }
            let listens = self.listens();
            tokio::select! {
                biased;
                signal = signals.next() => match signal {
                    // The terminal sends Ctrl-C to the editor too, and there it means something else.
                    INTERRUPT if self.editing.is_some() => {}
                    signal => {
                        self.take_over_saved().await;
                        return Ending::Signal(signal);
                    }
                },
                event = self.desk.next(), if !gone => match event {
                    Ok(event) => self.told(event).await,
                    Err(alongside_desk::Gone) if self.editing.is_some() => gone = true,
                    Err(alongside_desk::Gone) => return Ending::Gone,
                },
                () = self.continued.next() => self.continued(),
                () = tokio::time::sleep(SAVED_EVERY), if self.editing.is_some() => self.take_over_saved().await,
                status = editor_ended(&mut self.editing) => {
                    self.edited(status).await;
                    if gone {
                        return Ending::Gone;
                    }
                }
                () = &mut done => return Ending::Done,
                input = self.answers.next(), if listens => {
                    if let ControlFlow::Break(ending) = self.answered(input).await {
                        return ending;
                    }
                }
            }
        }
    }

    /// Whether a line of input is wanted now.
    fn listens(&self) -> bool {
        let ours = self.editing.is_none() && self.deciding.is_none() && !self.answers.has_ended();
        // A script's answers wait for a review to answer; see `answered_idle`.
        ours && (self.at.is_some() || self.confirm.is_some() || !self.answers.holds_one())
    }

    fn review(&self, id: ReviewId) -> Option<&Review> {
        self.waiting.iter().find(|waiting| waiting.review.id == id).map(|waiting| &waiting.review)
    }

    fn current(&mut self) -> Option<&mut Waiting> {
        let at = self.at?;
        self.waiting.iter_mut().find(|waiting| waiting.review.id == at)
    }

    /// Shows a review from its beginning.
    fn begin(&mut self, id: ReviewId) {
        self.at = Some(id);
        self.confirm = None;
        self.due = Due::Review;
        self.question_changed();
    }

    /// Another question stands here than the one that answers were typed for. An editor's keys are its own.
    fn question_changed(&mut self) {
        if self.editing.is_none() {
            self.answers.question_changed();
        }
    }

    /// Goes on to the review that has waited longest, or says that none does.
    fn next_review(&mut self) {
        match self.waiting.first() {
            Some(waiting) => self.begin(waiting.review.id),
            None => {
                self.due = Due::Nothing;
                self.question_changed();
                self.say_that_nothing_waits();
            }
        }
    }

    fn say_that_nothing_waits(&mut self) {
        if self.answers.terminal && !self.answers.has_ended() && self.policy == Policy::Ask {
            self.paper.say(help::NOTHING_WAITS);
        }
    }

    /// Repeats the question after something else was printed.
    fn ask_again(&mut self) {
        if self.at.is_some() || self.confirm.is_some() {
            self.due = self.due.max(Due::Question);
            if self.editing.is_none() {
                self.answers.discard_typed();
            }
        }
    }

    /// The terminal is ours again after Ctrl-Z and `fg`: what was asked is far up, or gone.
    fn continued(&mut self) {
        if self.editing.is_some() || !self.answers.terminal {
            return;
        }
        match self.at {
            Some(_) => self.ask_again(),
            None => self.say_that_nothing_waits(),
        }
    }

    fn print_what_is_due(&mut self) {
        if self.editing.is_some() || self.deciding.is_some() || self.policy != Policy::Ask {
            return;
        }
        let due = std::mem::replace(&mut self.due, Due::Nothing);
        if due == Due::Nothing {
            return;
        }
        let Some(waiting) =
            self.at.and_then(|at| self.waiting.iter().find(|waiting| waiting.review.id == at))
        else {
            if self.confirm.is_some() {
                self.paper.ask(&help::question(self.confirm, None, self.waiting.len()));
            }
            return;
        };
        let (review, inks) = (&waiting.review, self.paper.inks);
        if due >= Due::Review {
            self.paper.say(&render::header(review, &self.roots, inks));
            if review.whole_file_only.is_some() && review.hunks.is_empty() {
                self.paper.say(&render::whole(review, inks));
            } else if review.whole_file_only.is_some() {
                for hunk in &review.hunks {
                    self.paper.say(&render::hunk(review, hunk, inks));
                }
            }
        }
        if due >= Due::Place {
            match review.hunks.get(waiting.place) {
                Some(hunk) => self.paper.say(&render::hunk(review, hunk, inks)),
                None => self.paper.say(&render::summary(review, &self.roots)),
            }
        }
        if self.answers.has_ended() {
            if due >= Due::Place {
                self.paper.say("This review can still be answered in the agent.");
            }
            return;
        }
        let place = Some((waiting.place, review));
        self.paper.ask(&help::question(self.confirm, place, self.waiting.len()));
    }
}

async fn editor_ended(editing: &mut Option<Editing>) -> std::io::Result<std::process::ExitStatus> {
    match editing {
        Some(editing) => editing.ended().await,
        None => std::future::pending().await,
    }
}
