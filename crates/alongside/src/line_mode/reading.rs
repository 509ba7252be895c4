//! The reviews that a person reads line by line, and the open prompt. An arriving review never replaces the
//! current one: a line announces it, and it waits. Each method stores which [output is due](super::due::Due),
//! and the desk prints it before it waits again.

use std::ops::Range;
use std::path::PathBuf;

use alongside_desk::review_model::{CompanionState, Message, OpenReview, Question, Waiting};
use alongside_desk::{Changed, Closed, Decision, Review, ReviewId, RuleAcceptance, Status, messages};

use super::accept_all::AcceptAll;
use super::accepted;
use super::arrivals::Arrivals;
use super::due::Due;
use super::ending::Policy;
use super::kept_changes::KeptChanges;
use super::letters::{self, At};
use super::line_reader::LineReader;
use super::open_prompt::Prompt;
use super::pages::{Paging, layout_below};
use super::place_printing::PlacePrinting;
use super::printed::PrintedReviews;
use super::printer::{Printer, wrapped};
use super::waiting_list::waiting_list;
use super::waiting_reviews::WaitingReviews;
use super::{prompts, render};

/// The waiting reviews, the current one among them, and the output of line mode.
pub(super) struct Reading {
    input: LineReader,
    printer: Printer,
    policy: Policy,
    roots: Vec<PathBuf>,
    /// Whether edits are saved as drafts when the desk ends.
    keeps_drafts: bool,
    companion: CompanionState,
    reviews: WaitingReviews,
    /// The current review, which the person reads.
    at: Option<ReviewId>,
    prompt: Prompt,
    printed: PrintedReviews,
    printing: PlacePrinting,
    kept: KeptChanges,
    arrivals: Arrivals,
    due: Due,
}

impl Reading {
    pub(super) fn new(input: LineReader, roots: Vec<PathBuf>, policy: Policy, keeps_drafts: bool) -> Self {
        Self {
            input,
            printer: Printer::stdout(),
            policy,
            roots,
            keeps_drafts,
            companion: CompanionState::default(),
            reviews: WaitingReviews::default(),
            at: None,
            prompt: Prompt::Place,
            printed: PrintedReviews::default(),
            printing: PlacePrinting::default(),
            kept: KeptChanges::default(),
            arrivals: Arrivals::default(),
            due: Due::Nothing,
        }
    }

    pub(super) fn roots(&self) -> &[PathBuf] {
        &self.roots
    }

    /// Returns the waiting reviews, the oldest first.
    pub(super) fn reviews(&self) -> &[OpenReview] {
        self.reviews.all()
    }

    /// Returns the identifier of the current review.
    pub(super) fn at(&self) -> Option<ReviewId> {
        self.at
    }

    /// Returns the current review.
    pub(super) fn current(&self) -> Option<&OpenReview> {
        self.open(self.at?)
    }

    pub(super) fn open(&self, id: ReviewId) -> Option<&OpenReview> {
        self.reviews.get(id)
    }

    pub(super) fn open_mut(&mut self, id: ReviewId) -> Option<&mut OpenReview> {
        self.reviews.get_mut(id)
    }

    /// Notes a step of the person in a review. `changed`: whether the step changed the review.
    pub(super) fn push_step(&mut self, id: ReviewId, hunk: usize, changed: bool) {
        if let Some(open) = self.open_mut(id) {
            open.push_step(hunk, changed);
        }
    }

    pub(super) fn review(&self, id: ReviewId) -> Option<&Review> {
        self.open(id).map(OpenReview::review)
    }

    pub(super) fn companion(&mut self) -> &mut CompanionState {
        &mut self.companion
    }

    pub(super) fn printed(&self) -> &PrintedReviews {
        &self.printed
    }

    /// Returns the pages of the change where the person is.
    pub(super) fn paging(&mut self) -> &mut Paging {
        self.printed.paging()
    }

    pub(super) fn input(&mut self) -> &mut LineReader {
        &mut self.input
    }

    pub(super) fn printer(&mut self) -> &mut Printer {
        &mut self.printer
    }

    /// Prints one or several lines, which are escaped already.
    pub(super) fn say(&mut self, text: &str) {
        self.printer.say(text);
    }

    /// Prints messages, and the prompt again.
    pub(super) fn show(&mut self, messages: Vec<Message>) {
        for message in &messages {
            self.printer.say(&message.text);
        }
        if !messages.is_empty() {
            self.repeat_prompt();
        }
    }

    /// Has at least this output printed before the next reply.
    pub(super) fn mark_due(&mut self, due: Due) {
        self.due = self.due.max(due);
    }

    /// Returns the sentence about where the reviews keep waiting when the person leaves the desk.
    pub(super) fn stays_open(&self) -> Option<String> {
        self.companion.stays_open(self.waiting())
    }

    fn waiting(&self) -> Waiting {
        self.reviews.all().iter().map(|open| &open.review().agent).collect()
    }

    /// Returns the question before leaving, if leaving ends reviews.
    pub(super) fn question_before_leaving(&self) -> Option<Question> {
        Question::before_leaving(self.waiting(), self.companion.status())
    }

    /// Has no more reviews shown, because the desk leaves; a review that arrives is rejected.
    pub(super) fn stop_showing(&mut self) {
        self.policy = Policy::RejectAll;
        self.close_question();
    }

    pub(super) fn take_status(&mut self, status: Status) {
        self.roots.clone_from(&status.roots);
        let news = self.companion.take_status(status);
        self.show(news);
        // Another party that keeps the reviews has joined, so leaving needs no question any more.
        if let Prompt::Question(question) = &self.prompt
            && question.is_before_leaving()
            && self.question_before_leaving().is_none()
            && let Some(stays) = self.stays_open()
        {
            self.prompt = Prompt::Place;
            self.note_prompt_change();
            self.show(vec![Message::notice(stays)]);
        }
    }

    /// Adds a review that has arrived. Returns the decision of the policy, if it makes one.
    pub(super) fn add(&mut self, review: Review) -> Option<Decision> {
        let id = review.id;
        self.companion.note_review(&review);
        let mut open = OpenReview::new(review);
        if open.review().whole_file_only.is_some() {
            open.look_at(usize::MAX);
        }
        self.reviews.add(open);
        match self.policy {
            Policy::AcceptAll => return Some(Decision::Accept),
            Policy::RejectAll => return Some(Decision::Reject),
            Policy::Ask if self.has_prompt() => self.arrivals.add(id),
            Policy::Ask => {
                if self.input.is_terminal && !self.printer.is_held() {
                    self.printer.break_line();
                }
                self.begin(id);
            }
        }
        None
    }

    /// Makes a review the current one without output, because the policy decides on it.
    pub(super) fn set_current(&mut self, id: ReviewId) {
        self.at = Some(id);
    }

    /// Takes a new revision of a review, and prints the news if the person reads it.
    pub(super) fn take_change(&mut self, changed: Changed) {
        let (id, from) = (changed.id, changed.from);
        let Some(open) = self.reviews.get_mut(id) else { return };
        let news = match open.take(changed) {
            Ok(news) => news,
            // The person sees an older revision. The companion refuses a decision on it as stale.
            Err(out_of_step) => return tracing::error!(review = id.0, %out_of_step),
        };
        let is_foreign = open.is_foreign(news);
        let news_messages = news.messages(&messages::file_name(&open.review().file, &self.roots), is_foreign);
        self.printed.change(id, from, news.revision, (is_foreign, news.content_changed));
        if self.at != Some(id) {
            return;
        }
        if news.content_changed {
            self.printed.paging().begin();
        }
        self.show(news_messages);
        // A printed list does not change: the changed review is not accepted with it.
        let needs_new_prompt = is_foreign || news.became_stale || news.became_dirty;
        if needs_new_prompt && !matches!(self.prompt, Prompt::List(_)) {
            self.prompt = Prompt::Place;
            self.mark_due(Due::Review);
            self.note_prompt_change();
        }
    }

    /// Removes a review that has ended, and prints its end. Returns false if this desk does not have it.
    pub(super) fn close(&mut self, closed: &Closed) -> bool {
        let Some(open) = self.reviews.remove(closed.id, self.at) else { return false };
        let message = self.companion.review_closed(open.review(), closed, &self.roots);
        self.printer.say(&message.text);
        self.printed.forget(closed.id);
        self.kept.forget(closed.id);
        self.arrivals.forget(closed.id);
        true
    }

    /// Leaves a review that has ended. If it is the current one, shows the next one, at once or when the
    /// person's editor ends.
    pub(super) fn leave(&mut self, id: ReviewId) {
        if self.at != Some(id) {
            return self.repeat_prompt();
        }
        self.at = None;
        self.close_question();
        if !self.printer.is_held() {
            self.next_review();
        }
    }

    /// Shows the review after the one that has ended, or prints that none waits.
    pub(super) fn next_review(&mut self) {
        match self.reviews.next() {
            Some(id) => self.begin(id),
            None => {
                self.due = Due::Nothing;
                self.note_prompt_change();
                self.say_idle();
            }
        }
    }

    /// Shows a review from its beginning.
    pub(super) fn begin(&mut self, id: ReviewId) {
        self.at = Some(id);
        self.arrivals.forget(id);
        self.printed.paging().begin();
        self.prompt = Prompt::Place;
        self.due = Due::Review;
        self.note_prompt_change();
    }

    /// Shows a hunk of the current review.
    pub(super) fn show_hunk(&mut self, hunk: usize) {
        if let Some(open) = self.at.and_then(|at| self.open_mut(at)) {
            open.look_at(hunk);
            self.printed.paging().begin();
            self.due = Due::Place;
        }
    }

    /// Marks these changes as kept by a letter, or as undecided again.
    pub(super) fn mark_kept(&mut self, id: ReviewId, hunks: Range<usize>, is_kept: bool) {
        if let Some(open) = self.reviews.get(id) {
            self.kept.set(open.review(), hunks, is_kept);
        }
    }

    /// Returns the next question before the current review is accepted, if there is one, and prints the
    /// dropped changes above it. `answered`: the latest question to which the person said yes.
    pub(super) fn question_before_accepting(&mut self, answered: Option<Question>) -> Option<Question> {
        let review = self.reviews.get(self.at?)?.review();
        let unlisted = self.printing.list_dropped(review, &mut self.printer, &self.roots);
        let question = Question::before_accepting(review, self.printed.seen(review), answered);
        question.or((unlisted > 0).then_some(Question::AcceptWithout(unlisted)))
    }

    /// Waits for the announcement of proposals that have arrived.
    pub(super) fn arrivals_due(&self) -> impl Future<Output = ()> + use<> {
        self.arrivals.due()
    }

    /// Announces proposals that have arrived.
    pub(super) fn announce(&mut self) {
        let text = self.arrivals.announce(self.reviews.all(), &self.roots);
        self.show(text.map(Message::notice).into_iter().collect());
    }

    pub(super) fn open_question(&mut self, question: Question) {
        self.prompt = Prompt::Question(question);
        self.mark_due(Due::Prompt);
    }

    fn close_question(&mut self) {
        if let Prompt::Question(_) = self.prompt {
            self.prompt = Prompt::Place;
        }
    }

    /// Prints the waiting reviews that the person may accept together.
    pub(super) fn list_to_accept(&mut self) {
        let (list, text) = AcceptAll::new(self.reviews.all(), &self.printed, &self.roots, self.printer.inks);
        self.printer.say(&text);
        if list.is_empty() {
            self.printer.say("No review can be accepted from this list.");
        } else {
            self.ask_about(list);
        }
    }

    /// Makes a list the open prompt.
    pub(super) fn ask_about(&mut self, list: AcceptAll) {
        self.prompt = Prompt::List(list);
        self.due = Due::Prompt;
    }

    /// Whether a prompt waits for a reply.
    pub(super) fn has_prompt(&self) -> bool {
        self.at.is_some() || !matches!(self.prompt, Prompt::Place)
    }

    /// Takes the open prompt, which a line answers.
    pub(super) fn take_prompt(&mut self) -> Prompt {
        std::mem::replace(&mut self.prompt, Prompt::Place)
    }

    /// Whether a line of input is wanted now. The lines of a script wait for a review.
    pub(super) fn wants_line(&self) -> bool {
        !self.input.has_ended() && (self.has_prompt() || !self.input.has_line())
    }

    /// Discards typed text after a change of the prompt, unless an editor has the terminal, whose keys it
    /// would discard.
    pub(super) fn note_prompt_change(&mut self) {
        if !self.printer.is_held() {
            self.input.note_prompt_change();
        }
    }

    /// Has the prompt repeated after other output.
    pub(super) fn repeat_prompt(&mut self) {
        if self.has_prompt() {
            self.mark_due(Due::Prompt);
            if !self.printer.is_held() {
                self.input.discard_typed();
            }
        }
    }

    /// Prints the prompt again after Ctrl-Z and `fg`, because it has scrolled away.
    pub(super) fn resume(&mut self) {
        self.input.resume();
        match self.at {
            _ if self.printer.is_held() || !self.input.is_terminal => {}
            Some(_) => self.repeat_prompt(),
            None => self.say_idle(),
        }
    }

    fn say_idle(&mut self) {
        if self.input.is_terminal && !self.input.has_ended() && self.policy == Policy::Ask {
            self.printer.say(prompts::NOTHING_WAITS);
        }
    }

    /// Prints the output that is due.
    pub(super) fn print_due(&mut self) {
        if self.policy != Policy::Ask {
            return;
        }
        let due = std::mem::replace(&mut self.due, Due::Nothing);
        let question = match &self.prompt {
            _ if due == Due::Nothing => return,
            Prompt::List(list) => return self.printer.ask(&list.prompt()),
            Prompt::Question(question) => {
                let about = self.current().map(|open| (open.review(), self.roots.as_slice()));
                let (waiting, has_drafts) = self.reviews.count_and_has_edited();
                Some(prompts::question(*question, about, waiting, self.keeps_drafts && has_drafts))
            }
            Prompt::Place => None,
        };
        let Some(open) = self.at.and_then(|at| self.reviews.get(at)) else {
            if let Some(question) = question {
                self.printer.ask(&question);
            }
            return;
        };
        let (review, mut layout) = (open.review(), self.printer.layout());
        if due >= Due::Review {
            let header = wrapped(&render::header(review, &self.roots, layout.inks), layout);
            layout = layout_below(layout, &header);
            self.printer.show(&header);
        }
        if due >= Due::Place {
            self.printing.print(open, &mut self.printed, &mut self.printer, (&self.roots, layout));
        }
        if !self.input.has_ended() {
            let (is_kept, more) = (self.kept.contains(review, open.hunk()), self.printed.paging().has_more());
            self.printer.ask(&question.unwrap_or_else(|| prompts::place(open, is_kept, more)));
        } else if due >= Due::Place {
            self.printer.say("Answer this review in the agent.");
        }
    }

    /// Shows the review with this number in the list.
    pub(super) fn go_to(&mut self, number: usize) {
        match number.checked_sub(1).and_then(|index| self.reviews.all().get(index)) {
            Some(open) => self.begin(open.review().id),
            None => self.printer.say("No review has that number; l lists them."),
        }
    }

    /// Prints the waiting reviews, and the agents.
    pub(super) fn list(&mut self) {
        let (reviews, printed, companion) = (self.reviews.all(), &self.printed, &self.companion);
        self.printer.say(&waiting_list(reviews, self.at, printed, companion, &self.roots));
    }

    /// Prints that a rule has accepted a change.
    pub(super) fn take_acceptance(&mut self, accepted: RuleAcceptance) {
        let notice = self.companion.take_acceptance(accepted, &self.roots);
        self.show(Vec::from_iter(notice));
    }

    /// Prints the changes that were accepted without the person, or the diff of the entry with this number.
    pub(super) fn list_accepted(&mut self, number: Option<usize>) {
        self.printer.say(&accepted::text(&self.companion, number, &self.roots));
    }

    /// Prints the letters with a meaning in this position.
    pub(super) fn help(&mut self) {
        self.printer.say(&letters::help(self.position()));
    }

    /// Returns the position of the person.
    pub(super) fn position(&self) -> At {
        self.current().map_or(At::Idle, At::of)
    }
}
