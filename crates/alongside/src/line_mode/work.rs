//! The person's work on reviews: what they ask the companion for, and their editor. After each reply the desk
//! waits until it has the revision that the companion made, so that the next line is about what is printed.

use std::collections::BTreeSet;
use std::io;
use std::process::ExitStatus;

use alongside_desk::review_model::{Message, Question};
use alongside_desk::{
    Closed, Closing, Decision, Desk, Event, Gone, HunkState, LastWord, Refusal, Request, ReviewId, Revised,
    Side, messages,
};
use alongside_terminal::{DraftStore, EditOutcome, Editing, UnsavedText, editor_command};

use super::accept_all::AcceptAll;
use super::activity::Activity;
use super::due::Due;
use super::keeping::{changed_rest, changes, reason_taken};
use super::line_reader::InputLine;
use super::prompts;
use super::reading::Reading;
use super::requests;
use super::undo::{Step, brings_back_with_reason, changes_nothing, first_difference};
use super::unsent_reason::UnsentReason;

/// See the module.
pub(super) struct ReviewWork {
    desk: Desk,
    reading: Reading,
    activity: Activity,
    /// Where texts go that no companion took.
    drafts: DraftStore,
    unsent_reason: UnsentReason,
    /// The companion has stopped; the desk stays for an editor that is still open.
    is_gone: bool,
}

impl ReviewWork {
    pub(super) fn new(desk: Desk, reading: Reading, drafts: DraftStore) -> Self {
        let unsent_reason = UnsentReason::default();
        Self { desk, reading, activity: Activity::Listening, drafts, unsent_reason, is_gone: false }
    }

    pub(super) fn reading(&mut self) -> &mut Reading {
        &mut self.reading
    }

    pub(super) fn desk(&mut self) -> &mut Desk {
        &mut self.desk
    }

    pub(super) fn has_editor(&self) -> bool {
        matches!(self.activity, Activity::Editor(_))
    }

    /// Prints the output that is due, unless something keeps the desk from listening.
    pub(super) fn print_due(&mut self) {
        if let Activity::Listening = self.activity {
            self.reading.print_due();
        }
    }

    /// Whether the desk wants a line of input now.
    pub(super) fn listens(&self) -> bool {
        matches!(self.activity, Activity::Listening) && self.reading.wants_line()
    }

    /// The next event, the end of the editor, the time to print the next review, and a line. All cancel safe.
    pub(super) fn events(
        &mut self,
    ) -> (
        impl Future<Output = Result<Event, Gone>>,
        impl Future<Output = io::Result<ExitStatus>>,
        impl Future<Output = ()>,
        impl Future<Output = InputLine>,
    ) {
        let Self { desk, reading, activity, .. } = self;
        let words_overdue = activity.words_overdue();
        let editor_exit = async {
            match activity {
                Activity::Editor(editing) => editing.ended().await,
                _ => std::future::pending().await,
            }
        };
        (desk.next(), editor_exit, words_overdue, reading.input().next())
    }

    /// The companion has stopped. An editor that is open keeps the desk.
    pub(super) fn companion_gone(&mut self) {
        self.is_gone = true;
    }

    pub(super) fn is_gone(&self) -> bool {
        self.is_gone
    }

    /// Whether the desk ends with its companion.
    pub(super) fn is_over(&self) -> bool {
        self.is_gone && !self.has_editor()
    }

    /// Takes an event of the companion.
    pub(super) async fn take_event(&mut self, event: Event) {
        match event {
            Event::Status(status) => self.reading.take_status(status),
            Event::Opened(review) => {
                let id = review.id;
                if let Some(decision) = self.reading.add(review) {
                    requests::decide_at_once(&mut self.desk, &mut self.reading, id, decision).await;
                }
            }
            Event::Changed(changed) => self.reading.change(changed),
            Event::Closed(closed) => self.review_closed(&closed),
            Event::FlushReview { id } => {
                // The agent is about to take the review: the saved text comes before the reply.
                if matches!(&self.activity, Activity::Editor(editing) if editing.id == id) {
                    self.upload_saved_text().await;
                }
                self.desk.send(Request::Flushed { id });
            }
            Event::Problem(problem) => {
                let message = self.reading.companion().take_problem(&problem);
                self.reading.show(vec![message]);
            }
            Event::AcceptedByRule(accepted) => self.reading.take_acceptance(accepted),
            Event::Turn(_)
            | Event::TurnFile(_)
            | Event::TurnFinished(_)
            | Event::DiagnosticsWanted { .. } => {}
            Event::Notice { message } => self.reading.show(vec![Message::notice(message)]),
            Event::LastWord(told) => self.take_last_word(told),
        }
    }

    fn take_last_word(&mut self, told: LastWord) {
        if self.activity.take_last_word(told.id) {
            self.stop_awaiting_words();
        }
        self.reading.show(vec![Message::last_word(told)]);
    }

    /// The next review is printed now.
    pub(super) fn stop_awaiting_words(&mut self) {
        self.activity = Activity::Listening;
        self.reading.prompt_changed();
    }

    fn review_closed(&mut self, closed: &Closed) {
        if !self.reading.close(closed) {
            return;
        }
        match &mut self.activity {
            Activity::Deciding(id) if *id == closed.id => {
                let waits = closed.closing == Closing::Accepted && !self.reading.reviews().is_empty();
                self.activity = Activity::awaiting(BTreeSet::from([closed.id]), waits);
            }
            Activity::Accepting(acceptances) => {
                acceptances.closed(closed);
                self.end_acceptances();
            }
            Activity::Listening
            | Activity::Deciding(_)
            | Activity::AwaitingWords(..)
            | Activity::Editor(_) => {}
        }
        self.reading.leave(closed.id);
    }

    /// Sends a request and prints a refusal. After success the review here has the revision of the reply.
    async fn ask(&mut self, id: ReviewId, request: Request) -> Option<Revised> {
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
        self.reading.say(&messages::refusal(refusal));
        if let Refusal::Stale { revision } = *refusal {
            self.catch_up(id, revision).await;
            self.reading.mark_due(Due::Review);
        }
        if let Some(question) = Question::after(refusal) {
            self.reading.open_question(question);
        }
    }

    /// Waits until this desk has a revision that the person knows of.
    async fn catch_up(&mut self, id: ReviewId, revision: u64) {
        if let Some(open) = self.reading.open_mut(id) {
            open.mark_own(revision);
        }
        while self.reading.review(id).is_some_and(|review| review.revision < revision) {
            match self.desk.next().await {
                Ok(event) => self.take_event(event).await,
                Err(Gone) => return,
            }
        }
    }

    fn push_step(&mut self, id: ReviewId, hunk: usize, changed: bool) {
        if let Some(open) = self.reading.open_mut(id) {
            open.push_step(hunk, changed);
        }
    }

    pub(super) async fn keep(&mut self, id: ReviewId, place: usize, keep: bool) {
        let Some(review) = self.reading.review(id) else { return };
        let Some(hunk) = review.hunks.get(place) else { return };
        // Keeping a kept hunk changes nothing, so that there is nothing to undo.
        let changes = changes(hunk, keep);
        let (revision, after) = (review.revision, review.hunks.len() - place - 1);
        let request = Request::KeepHunks { id, revision, hunks: vec![place], keep };
        if !changes || self.ask(id, request).await.is_some() {
            self.push_step(id, place, changes);
            self.reading.mark_kept(id, place..place + 1, keep);
            // Counted from the end: a dropped edit leaves no hunk behind, or joins its neighbour.
            let now = self.reading.review(id).map_or(0, |review| review.hunks.len());
            self.reading.look_at(now.saturating_sub(after));
        }
    }

    /// Keeps or drops a change and all behind it, in one step, and goes to the end.
    pub(super) async fn keep_rest(&mut self, id: ReviewId, place: usize, keep: bool) {
        let Some(review) = self.reading.review(id) else { return };
        let (hunks, revision) = (changed_rest(review, place, keep), review.revision);
        let (is_changed, decided) = (!hunks.is_empty(), review.hunks.len().saturating_sub(place));
        if !is_changed || self.ask(id, Request::KeepHunks { id, revision, hunks, keep }).await.is_some() {
            self.push_step(id, place, is_changed);
            self.reading.mark_kept(id, place..place + decided, keep);
            self.reading.say(&prompts::rest_decided(place..place + decided, keep));
            self.reading.look_at(usize::MAX);
        }
    }

    pub(super) async fn split(&mut self, id: ReviewId, hunk: usize) {
        let Some(review) = self.reading.review(id) else { return };
        if review.hunks.get(hunk).is_some_and(|hunk| hunk.state == HunkState::Edited) {
            return self.reading.say(messages::EDITED_NOT_SPLIT);
        }
        let (revision, before) = (review.revision, review.hunks.len());
        let request = Request::SplitHunk { id, revision, hunk, lines: None, side: Side::New };
        if self.ask(id, request).await.is_some() {
            self.push_step(id, hunk, true);
            let now = self.reading.review(id).map_or(before, |review| review.hunks.len());
            self.reading.say(&messages::split(before, now));
            self.reading.look_at(hunk);
        }
    }

    /// Undoes or redoes a step, and shows the hunk that differs now; if none does, the hunk of the step.
    pub(super) async fn take_step(&mut self, id: ReviewId, to: Step) {
        let Some(open) = self.reading.open(id) else { return };
        let before = open.review().clone();
        let revision = before.revision;
        let (step, request, said) = match to {
            Step::Undo => (open.last_step(), Request::UndoReview { id, revision }, messages::UNDONE),
            Step::Redo => (open.last_undone(), Request::RedoReview { id, revision }, messages::REDONE),
        };
        let is_done = changes_nothing(step) || self.ask(id, request).await.is_some();
        let Some(open) = self.reading.open_mut(id) else { return };
        match (to, is_done) {
            (Step::Undo, true) => _ = open.mark_undone(),
            (Step::Redo, true) => _ = open.mark_redone(),
            (Step::Undo, false) => return,
            (Step::Redo, false) => return open.forget_undone(),
        }
        let hunk = first_difference(&before, open.review()).or(step.map(|step| step.hunk)).unwrap_or(0);
        let now = open.review();
        let (revision, gives_reason) = (now.revision, brings_back_with_reason(to, &before, now, hunk));
        self.reading.mark_kept(id, hunk..hunk + 1, matches!(to, Step::Redo));
        self.reading.say(said);
        if gives_reason {
            let request = Request::SetReason { id, revision, hunk: Some(hunk), reason: String::new() };
            if self.ask(id, request).await.is_some() {
                self.reading.say(messages::REASON_REMOVED);
            }
        }
        self.reading.look_at(hunk);
    }

    /// Notes a reason for a change, and drops a change that is kept so far; without a `place`, the reason is
    /// for the decision on the whole review.
    pub(super) async fn reason(&mut self, id: ReviewId, place: Option<usize>, text: &str) {
        let Some(review) = self.reading.review(id) else { return };
        if review.reasons.are_lost() {
            let why = messages::no_reason(&review.agent, true);
            return self.reading.say(&why);
        }
        let hunk = place.and_then(|place| review.hunks.get(place));
        let known =
            if place.is_some() { hunk.and_then(|hunk| hunk.reason.as_ref()) } else { review.reason.as_ref() };
        let unsent = self.unsent_reason.text_for(id);
        let text = unsent.as_deref().filter(|_| text.is_empty()).unwrap_or(text);
        if text.is_empty() {
            let help = prompts::reason(known.map(String::as_str), place.is_some());
            return self.reading.say(&help);
        }
        let (revision, reasons) = (review.revision, review.reasons);
        let is_kept = hunk.is_some_and(|hunk| hunk.state == HunkState::Kept);
        let removes = text == prompts::REMOVE;
        let reason = if removes { String::new() } else { text.to_owned() };
        self.unsent_reason.note(review, if removes { "" } else { text });
        if self.ask(id, Request::SetReason { id, revision, hunk: place, reason }).await.is_none() {
            return self.reading.say(prompts::REASON_COMES_BACK);
        }
        self.unsent_reason = UnsentReason::default();
        self.reading.say(reason_taken(reasons, (removes, place.is_some(), is_kept)));
        if let Some(place) = place.filter(|_| is_kept && !removes) {
            self.keep(id, place, false).await;
        }
    }

    /// Accepts the review that is read, after the questions behind the one that was `answered` with a yes.
    pub(super) async fn accept(&mut self, id: ReviewId, answered: Option<Question>) {
        match self.reading.question_before_accepting(answered) {
            Some(question) => self.reading.open_question(question),
            None => self.decide(id, Decision::Accept).await,
        }
    }

    /// Rejects a review, and asks first where work of the person would go.
    pub(super) async fn reject(&mut self, id: ReviewId) {
        match self.reading.review(id).and_then(Question::before_rejecting) {
            Some(question) => self.reading.open_question(question),
            None => self.decide(id, Decision::Reject).await,
        }
    }

    /// Accepts one empty line in place of an empty text.
    pub(super) async fn accept_single_newline(&mut self, id: ReviewId) {
        if let Some(revision) = self.reading.review(id).map(|review| review.revision)
            && self.ask(id, Request::replace_text(id, revision, "\n".into())).await.is_some()
        {
            self.decide(id, Decision::Accept).await;
        }
    }

    /// Decides on the revision that is shown.
    pub(super) async fn decide(&mut self, id: ReviewId, decision: Decision) {
        let Some(revision) = self.reading.review(id).map(|review| review.revision) else { return };
        match self.desk.request(Request::DecideReview { id, revision, decision }).await {
            Ok(_) if self.reading.review(id).is_some() => self.activity = Activity::Deciding(id),
            Ok(_) => {}
            Err(refusal) => self.tell_refusal(id, &refusal).await,
        }
    }

    /// Accepts the reviews of a list as they are listed.
    pub(super) async fn accept_listed(&mut self, list: AcceptAll) {
        let acceptances = requests::accept_listed(&mut self.desk, &mut self.reading, list).await;
        self.activity = Activity::Accepting(acceptances);
        self.reading.mark_due(Due::Review);
        self.end_acceptances();
    }

    /// Tells the person the end once no acceptance is under way.
    fn end_acceptances(&mut self) {
        if let Activity::Accepting(acceptances) = &mut self.activity
            && let Some(end) = acceptances.end(self.reading.reviews().iter().map(|open| open.review().id))
        {
            self.reading.say(&end.text());
            let waits = !self.reading.reviews().is_empty();
            self.activity = Activity::awaiting(end.unwritten, waits);
        }
    }

    /// Accepts ahead what the agent of a review still proposes, or takes all of that back.
    pub(super) async fn accept_ahead(&mut self, request: Request) {
        requests::accept_ahead(&mut self.desk, &mut self.reading, request).await;
    }

    /// Pauses the context, or resumes it.
    pub(super) async fn pause(&mut self) {
        requests::pause(&mut self.desk, &mut self.reading).await;
    }

    /// Gives the text of the review that is read to the person's editor.
    pub(super) fn edit(&mut self) {
        let Some(open) = self.reading.current() else { return };
        match Editing::start(&editor_command(), open) {
            Ok(editing) => {
                if let Some(open) = self.reading.open_mut(editing.id) {
                    open.refused = None;
                }
                self.reading.printer().hold();
                self.activity = Activity::Editor(Box::new(editing));
            }
            Err(error) => self.reading.say(&alongside_common::failure::lines(&error).join("\n")),
        }
    }

    /// Sends the text that was saved in the open editor. From then on it is in the drafts, whatever happens.
    pub(super) async fn upload_saved_text(&mut self) {
        let Activity::Editor(editing) = &mut self.activity else { return };
        let Some(text) = editing.unsent() else { return };
        let request = Request::replace_text(editing.id, editing.revision, text.clone());
        // A refused text stays in the file, and is offered again when the editor ends.
        if let Ok(revised) = self.desk.request(request).await {
            if let Some(open) = self.reading.open_mut(editing.id) {
                open.mark_own(revised.revision);
                open.push_step(editing.hunk, true);
            }
            self.drafts.discard(editing.taken_over(text, revised.revision));
        }
    }

    /// The editor has ended.
    pub(super) async fn editor_ended(&mut self, status: io::Result<ExitStatus>) {
        let Some(editing) = self.take_editor() else { return };
        let (id, hunk) = (editing.id, editing.hunk);
        self.reading.printer().release();
        self.reading.prompt_changed();
        let review = self.reading.review(id);
        let revision = review.map_or(editing.revision, |review| editing.revision_in(review));
        match editing.finish(status, review.is_some(), &self.drafts, self.reading.roots()) {
            EditOutcome::Taken => self.say_taken(id),
            EditOutcome::Message(message) => self.reading.say(&message.text),
            EditOutcome::Text(unsaved) => {
                let request = Request::replace_text(id, revision, unsaved.text.clone());
                match self.desk.request(request).await {
                    Ok(revised) => {
                        self.catch_up(id, revised.revision).await;
                        self.push_step(id, hunk, true);
                        self.say_taken(id);
                    }
                    Err(refusal) => self.text_refused(id, &unsaved, &refusal).await,
                }
                self.drafts.discard(unsaved.replaces);
            }
        }
        match self.reading.at() {
            Some(_) => self.reading.edited(),
            None => self.reading.next_review(),
        }
    }

    /// Takes the editor, which has ended or is to end.
    fn take_editor(&mut self) -> Option<Editing> {
        match std::mem::replace(&mut self.activity, Activity::Listening) {
            Activity::Editor(editing) => Some(*editing),
            other => {
                self.activity = other;
                None
            }
        }
    }

    /// The desk is left: ends the editor, and keeps a text that the companion does not have.
    pub(super) async fn end_editor(&mut self) {
        let Some(mut editing) = self.take_editor() else { return };
        editing.end().await;
        match editing.unsent() {
            Some(text) => self.keep_text(&editing.unsaved(text), "the desk was closed"),
            None if editing.sent => self.reading.say(messages::SAVED_TEXT_IN_DRAFTS),
            None => {}
        }
    }

    /// The desk is left: keeps a reason that the companion did not take.
    pub(super) fn keep_unsent_reason(&mut self) {
        if let Some(unsaved) = self.unsent_reason.take() {
            self.keep_text(&unsaved, prompts::REASON_UNSENT);
        }
    }

    /// The companion refused a text from the editor. The text is kept; if the review changed, `e` opens the
    /// text again.
    async fn text_refused(&mut self, id: ReviewId, unsaved: &UnsavedText, refusal: &Refusal) {
        let Refusal::Stale { revision } = *refusal else {
            return self.keep_text(unsaved, &refusal.to_string());
        };
        self.catch_up(id, revision).await;
        if self.reading.open(id).is_none() {
            return self.keep_text(unsaved, "the review has ended");
        }
        let (refused, said) = self.drafts.keep_refused(unsaved, self.reading.roots());
        if let Some(open) = self.reading.open_mut(id) {
            open.refused = Some(refused);
        }
        self.reading.say(&said);
        self.reading.mark_due(Due::Review);
    }

    fn say_taken(&mut self, id: ReviewId) {
        let hunks = self.reading.review(id).map_or(0, |review| review.hunks.len());
        self.reading.say(&messages::edit_taken(hunks));
    }

    fn keep_text(&mut self, unsaved: &UnsavedText, why: &str) {
        let said = self.drafts.keep(unsaved, why, self.reading.roots());
        self.reading.say(&said);
    }
}
