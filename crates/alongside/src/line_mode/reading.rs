//! The reviews as a person reads them line by line, and the prompt that they answer. A review that arrives
//! never changes the one that is read: a line announces it, and it waits its turn. Each change notes the
//! [output due](super::due::Due), which is printed before the desk waits again.

use std::ops::Range;
use std::path::PathBuf;

use alongside_desk::review_model::{CompanionState, Message, OpenReview, Question, Waiting};
use alongside_desk::{Changed, Closed, Decision, Review, ReviewId, RuleAcceptance, Status, messages};

use super::accept_all::AcceptAll;
use super::accepted;
use super::arrivals::Arrivals;
use super::decided::KeptChanges;
use super::due::Due;
use super::ending::Policy;
use super::find::Search;
use super::letters::{self, At};
use super::line_reader::LineReader;
use super::open_prompt::Prompt;
use super::pages::below;
use super::place_printing::PlacePrinting;
use super::printed::{PrintedReviews, Unseen};
use super::printer::{Printer, wrapped};
use super::waiting_list::waiting_list;
use super::waiting_reviews::WaitingReviews;
use super::{prompts, render};

/// See the module.
pub(super) struct Reading {
    input: LineReader,
    printer: Printer,
    policy: Policy,
    roots: Vec<PathBuf>,
    /// Whether edits outlive the desk.
    keeps_drafts: bool,
    companion: CompanionState,
    reviews: WaitingReviews,
    /// The review that the person reads.
    at: Option<ReviewId>,
    prompt: Prompt,
    printed: PrintedReviews,
    printing: PlacePrinting,
    kept: KeptChanges,
    arrivals: Arrivals,
    search: Search,
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
            search: Search::default(),
            due: Due::Nothing,
        }
    }

    pub(super) fn roots(&self) -> &[PathBuf] {
        &self.roots
    }

    /// The reviews that wait, the oldest first.
    pub(super) fn reviews(&self) -> &[OpenReview] {
        self.reviews.all()
    }

    /// The review that the person reads.
    pub(super) fn at(&self) -> Option<ReviewId> {
        self.at
    }

    pub(super) fn current(&self) -> Option<&OpenReview> {
        self.open(self.at?)
    }

    pub(super) fn open(&self, id: ReviewId) -> Option<&OpenReview> {
        self.reviews.get(id)
    }

    pub(super) fn open_mut(&mut self, id: ReviewId) -> Option<&mut OpenReview> {
        self.reviews.get_mut(id)
    }

    pub(super) fn review(&self, id: ReviewId) -> Option<&Review> {
        self.open(id).map(OpenReview::review)
    }

    pub(super) fn companion(&mut self) -> &mut CompanionState {
        &mut self.companion
    }

    pub(super) fn input(&mut self) -> &mut LineReader {
        &mut self.input
    }

    pub(super) fn printer(&mut self) -> &mut Printer {
        &mut self.printer
    }

    /// Writes a line, or several, that are harmless already.
    pub(super) fn say(&mut self, text: &str) {
        self.printer.say(text);
    }

    /// Prints messages, and the prompt again.
    pub(super) fn show(&mut self, messages: Vec<Message>) {
        for message in &messages {
            self.printer.say(&message.text);
        }
        if !messages.is_empty() {
            self.prompt_again();
        }
    }

    /// More is to be printed before the next reply.
    pub(super) fn mark_due(&mut self, due: Due) {
        self.due = self.due.max(due);
    }

    /// The sentence that says where reviews wait on when the desk is left.
    pub(super) fn stays_open(&self) -> Option<String> {
        self.companion.stays_open(self.waiting())
    }

    fn waiting(&self) -> Waiting {
        self.reviews.all().iter().map(|open| &open.review().agent).collect()
    }

    /// The question before leaving, if that ends reviews.
    pub(super) fn question_before_leaving(&self) -> Option<Question> {
        Question::before_leaving(self.waiting(), self.companion.status())
    }

    /// The desk decides by itself, or leaves.
    pub(super) fn stop_showing(&mut self) {
        self.policy = Policy::RejectAll;
        self.close_question();
    }

    pub(super) fn take_status(&mut self, status: Status) {
        self.roots.clone_from(&status.roots);
        let news = self.companion.take_status(status);
        self.show(news);
        // Somebody else came who keeps the reviews: leaving is no question any more.
        if let Prompt::Question(question) = &self.prompt
            && question.is_before_leaving()
            && self.question_before_leaving().is_none()
            && let Some(stays) = self.stays_open()
        {
            self.prompt = Prompt::Place;
            self.prompt_changed();
            self.show(vec![Message::notice(stays)]);
        }
    }

    /// A review arrives. Returns the decision on it that the policy makes.
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
                if self.input.terminal && !self.printer.is_held() {
                    self.printer.break_line();
                }
                self.begin(id);
            }
        }
        None
    }

    /// The policy decides on this review, as if the person read it.
    pub(super) fn turn_silently_to(&mut self, id: ReviewId) {
        self.at = Some(id);
    }

    /// A review has a new revision.
    pub(super) fn change(&mut self, changed: Changed) {
        let (id, from) = (changed.id, changed.from);
        let Some(open) = self.reviews.get_mut(id) else { return };
        let news = match open.take(changed) {
            Ok(news) => news,
            // The person still sees a revision the companion had; it refuses a decision on it as stale.
            Err(out_of_step) => return tracing::error!(review = id.0, %out_of_step),
        };
        let foreign = open.is_foreign(news);
        let said = news.messages(&messages::file_name(&open.review().file, &self.roots), foreign);
        self.printed.change(id, from, news.revision, (foreign, news.content_changed));
        if self.at != Some(id) {
            return;
        }
        if news.content_changed {
            self.printed.paging().begin();
        }
        self.show(said);
        // The list stays as it is: the changed review is not accepted with it.
        let asks_anew = foreign || news.became_stale || news.became_dirty;
        if asks_anew && !matches!(self.prompt, Prompt::List(_)) {
            self.prompt = Prompt::Place;
            self.mark_due(Due::Review);
            self.prompt_changed();
        }
    }

    /// Removes a review that has ended. Returns false if this desk does not have it.
    pub(super) fn close(&mut self, closed: &Closed) -> bool {
        let Some(open) = self.reviews.remove(closed.id, self.at) else { return false };
        let message = self.companion.review_closed(open.review(), closed, &self.roots);
        self.printer.say(&message.text);
        self.printed.forget(closed.id);
        self.kept.forget(closed.id);
        self.arrivals.forget(closed.id);
        true
    }

    /// Leaves a review that has ended. If the person reads it, the next one begins, at once or when their
    /// editor ends.
    pub(super) fn leave(&mut self, id: ReviewId) {
        if self.at != Some(id) {
            return self.prompt_again();
        }
        self.at = None;
        self.close_question();
        if !self.printer.is_held() {
            self.next_review();
        }
    }

    /// Goes on to the review behind the one that has ended, or says that there is none.
    pub(super) fn next_review(&mut self) {
        match self.reviews.next() {
            Some(id) => self.begin(id),
            None => {
                self.due = Due::Nothing;
                self.prompt_changed();
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
        self.prompt_changed();
    }

    /// Shows a hunk of the review that is read.
    pub(super) fn look_at(&mut self, hunk: usize) {
        if let Some(open) = self.at.and_then(|at| self.open_mut(at)) {
            open.look_at(hunk);
            self.printed.paging().begin();
            self.due = Due::Place;
        }
    }

    /// Shows the next page of a long change.
    pub(super) fn look_further(&mut self) {
        match self.printed.paging().turn() {
            true => self.mark_due(Due::Place),
            false => self.printer.say(prompts::NO_MORE),
        }
    }

    /// Shows the first lines that were not printed yet.
    pub(super) fn look_at_unseen(&mut self) {
        match self.current().map(|open| self.printed.next_unseen(open)) {
            Some(Unseen::From(hunk, spot)) => {
                self.look_at(hunk);
                self.printed.paging().begin_at(spot);
            }
            Some(Unseen::OnlyCut(hunk)) => {
                self.printer.say(prompts::ONLY_CUT);
                self.look_at(hunk);
            }
            Some(Unseen::NextPage) | None => self.look_further(),
        }
    }

    /// Shows the hunk of a number, counted from 1.
    pub(super) fn look_at_number(&mut self, number: &str) {
        let Some(open) = self.current() else { return };
        match prompts::numbered(number, open.review().hunks.len()) {
            Ok(hunk) => self.look_at(hunk),
            Err(said) => self.printer.say(&said),
        }
    }

    /// Shows the next hunk that contains a text; without one, the text of before.
    pub(super) fn find(&mut self, text: &str) {
        let Some(open) = self.at.and_then(|at| self.reviews.get(at)) else { return };
        let (found, said) = self.search.next(open.review(), open.hunk(), text);
        self.printer.say(&said);
        if let Some(hunk) = found {
            self.look_at(hunk);
        }
    }

    /// The person has kept these changes by a letter, or has undone that.
    pub(super) fn mark_kept(&mut self, id: ReviewId, hunks: Range<usize>, is_kept: bool) {
        if let Some(open) = self.reviews.get(id) {
            self.kept.set(open.review(), hunks, is_kept);
        }
    }

    /// The person has edited the text. Behind the last change they go back to what they wrote.
    pub(super) fn edited(&mut self) {
        let at_end = self.current().filter(|open| At::of(open) == At::End);
        match at_end.and_then(|open| self.printed.first_unseen_edit(open.review())) {
            Some(hunk) => self.look_at(hunk),
            None => self.mark_due(Due::Place),
        }
    }

    /// The next question before the review that is read is accepted, if there is one. Dropped changes are
    /// listed above it. `answered`: the last question to which the person said yes.
    pub(super) fn question_before_accepting(&mut self, answered: Option<Question>) -> Option<Question> {
        let review = self.reviews.get(self.at?)?.review();
        let unlisted = self.printing.list_dropped(review, &mut self.printer, &self.roots);
        let question = Question::before_accepting(review, self.printed.seen(review), answered);
        question.or((unlisted > 0).then_some(Question::AcceptWithout(unlisted)))
    }

    /// Waits until proposals that have arrived are to be announced.
    pub(super) fn arrivals_due(&self) -> impl Future<Output = ()> + use<> {
        self.arrivals.due()
    }

    /// Announces proposals that have arrived.
    pub(super) fn announce(&mut self) {
        let said = self.arrivals.announce(self.reviews.all(), &self.roots);
        self.show(said.map(Message::notice).into_iter().collect());
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

    /// Prints the reviews that wait, for the person to accept together.
    pub(super) fn list_to_accept(&mut self) {
        let (list, text) = AcceptAll::new(self.reviews.all(), &self.printed, &self.roots, self.printer.inks);
        self.printer.say(&text);
        if list.is_empty() {
            self.printer.say("No review can be accepted from this list.");
        } else {
            self.ask_about(list);
        }
    }

    /// The next line answers this list.
    pub(super) fn ask_about(&mut self, list: AcceptAll) {
        self.prompt = Prompt::List(list);
        self.due = Due::Prompt;
    }

    /// Whether there is a prompt to reply to.
    pub(super) fn has_prompt(&self) -> bool {
        self.at.is_some() || !matches!(self.prompt, Prompt::Place)
    }

    /// Takes the prompt that a line answers.
    pub(super) fn take_prompt(&mut self) -> Prompt {
        std::mem::replace(&mut self.prompt, Prompt::Place)
    }

    /// Whether the desk wants a line of input now. A script's lines wait for a review.
    pub(super) fn wants_line(&self) -> bool {
        !self.input.has_ended() && (self.has_prompt() || !self.input.holds_one())
    }

    /// The prompt has changed: a text that is typed already was meant for the one before. Keys that are typed
    /// in an editor belong to the editor.
    pub(super) fn prompt_changed(&mut self) {
        if !self.printer.is_held() {
            self.input.prompt_changed();
        }
    }

    /// Repeats the prompt after other output.
    pub(super) fn prompt_again(&mut self) {
        if self.has_prompt() {
            self.mark_due(Due::Prompt);
            if !self.printer.is_held() {
                self.input.discard_typed();
            }
        }
    }

    /// Back after Ctrl-Z and `fg`: the prompt is far up, or gone.
    pub(super) fn process_continued(&mut self) {
        self.input.process_continued();
        match self.at {
            _ if self.printer.is_held() || !self.input.terminal => {}
            Some(_) => self.prompt_again(),
            None => self.say_idle(),
        }
    }

    fn say_idle(&mut self) {
        if self.input.terminal && !self.input.has_ended() && self.policy == Policy::Ask {
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
                let (waiting, has_drafts) = self.reviews.count_edited();
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
        let (review, mut look) = (open.review(), self.printer.look());
        if due >= Due::Review {
            let header = wrapped(&render::header(review, &self.roots, look.inks), look);
            look = below(look, &header);
            self.printer.show(&header);
        }
        if due >= Due::Place {
            self.printing.print(open, &mut self.printed, &mut self.printer, (&self.roots, look));
        }
        if !self.input.has_ended() {
            let (is_kept, more) = (self.kept.holds(review, open.hunk()), self.printed.paging().has_more());
            self.printer.ask(&question.unwrap_or_else(|| prompts::place(open, is_kept, more)));
        } else if due >= Due::Place {
            self.printer.say("Answer this review in the agent.");
        }
    }

    /// Goes to the review of this number in the list.
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

    /// A rule has accepted a change.
    pub(super) fn take_acceptance(&mut self, accepted: RuleAcceptance) {
        let said = self.companion.take_acceptance(accepted, &self.roots);
        self.show(Vec::from_iter(said));
    }

    /// Prints what was accepted without the person, or the diff of the entry of this number.
    pub(super) fn list_accepted(&mut self, number: Option<usize>) {
        self.printer.say(&accepted::text(&self.companion, number, &self.roots));
    }

    /// Prints the letters that mean something now.
    pub(super) fn help(&mut self) {
        self.printer.say(&letters::help(self.place()));
    }

    /// Where the person is.
    pub(super) fn place(&self) -> At {
        self.current().map_or(At::Idle, At::of)
    }
}
