//! The person's work on reviews: their requests to the companion, their decisions, and their editor. After
//! each reply, the desk takes the revision that the companion made, so that the next line is about the
//! printed revision.

use std::collections::BTreeSet;
use std::io;
use std::process::ExitStatus;
use std::time::Duration;

use alongside_desk::review_model::{Message, Question};
use alongside_desk::{
    Closed, Closing, Decision, Desk, Event, Gone, LastWord, Refusal, Request, ReviewId, Revised, messages,
};
use alongside_terminal::{
    DESK_CLOSED, DraftStore, EditOutcome, Editing, REASON_UNSENT, UnsavedText, editor_command,
};
use tokio::time::timeout;

use super::accept_all::AcceptAll;
use super::activity::Activity;
use super::due::Due;
use super::line_reader::InputLine;
use super::reading::Reading;
use super::unsent_reasons::UnsentReasons;
use super::{navigation, requests};

/// The time for which a desk that a signal ends waits for the companion's reply to a saved text. A frozen
/// companion never replies.
const UPLOAD_TIMEOUT: Duration = Duration::from_millis(500);

/// The person's work on reviews.
pub(super) struct ReviewWork {
    desk: Desk,
    reading: Reading,
    activity: Activity,
    /// The drafts, for texts that the companion has not received.
    drafts: DraftStore,
    unsent_reasons: UnsentReasons,
    /// The text of an editor that has ended, until the companion replies to it.
    unanswered_text: Option<UnsavedText>,
    /// Whether the companion has stopped. The desk stays until an open editor ends.
    is_gone: bool,
}

impl ReviewWork {
    pub(super) fn new(desk: Desk, reading: Reading, drafts: DraftStore) -> Self {
        Self {
            desk,
            reading,
            activity: Activity::Listening,
            drafts,
            unsent_reasons: UnsentReasons::default(),
            unanswered_text: None,
            is_gone: false,
        }
    }

    pub(super) fn reading(&mut self) -> &mut Reading {
        &mut self.reading
    }

    pub(super) fn desk(&mut self) -> &mut Desk {
        &mut self.desk
    }

    pub(super) fn unsent_reasons(&mut self) -> &mut UnsentReasons {
        &mut self.unsent_reasons
    }

    pub(super) fn has_editor(&self) -> bool {
        matches!(self.activity, Activity::Editor(_))
    }

    /// Prints the output that is due, if the desk reads lines.
    pub(super) fn print_due(&mut self) {
        if let Activity::Listening = self.activity {
            self.reading.print_due();
        }
    }

    /// Whether the desk reads a line of input now.
    pub(super) fn listens(&self) -> bool {
        matches!(self.activity, Activity::Listening) && self.reading.wants_line()
    }

    /// Returns futures for the next event of the companion, the end of the editor, overdue last words, and
    /// the next line. All are cancel safe.
    pub(super) fn events(
        &mut self,
    ) -> (
        impl Future<Output = Result<Event, Gone>>,
        impl Future<Output = io::Result<ExitStatus>>,
        impl Future<Output = ()>,
        impl Future<Output = InputLine>,
    ) {
        let Self { desk, reading, activity, .. } = self;
        let last_words_overdue = activity.last_words_overdue();
        let editor_exit = async {
            match activity {
                Activity::Editor(editing) => editing.ended().await,
                _ => std::future::pending().await,
            }
        };
        (desk.next(), editor_exit, last_words_overdue, reading.input().next())
    }

    /// Marks the companion as stopped. An open editor keeps the desk running.
    pub(super) fn mark_companion_gone(&mut self) {
        self.is_gone = true;
    }

    /// Whether the companion is gone.
    pub(super) fn is_gone(&self) -> bool {
        self.is_gone
    }

    /// Whether the desk ends, because its companion has stopped and no editor is open.
    pub(super) fn is_over(&self) -> bool {
        self.is_gone && !self.has_editor()
    }

    /// Handles an event of the companion.
    pub(super) async fn take_event(&mut self, event: Event) {
        match event {
            Event::Status(status) => self.reading.take_status(status),
            Event::Opened(review) => {
                let id = review.id;
                if let Some(decision) = self.reading.add(review) {
                    requests::decide_at_once(&mut self.desk, &mut self.reading, id, decision).await;
                }
            }
            Event::Changed(changed) => self.reading.take_change(changed),
            Event::Closed(closed) => self.review_closed(&closed),
            Event::FlushReview { id } => {
                // The agent is about to end the review, so a saved text is sent before the reply.
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
            Event::LastWord(last_word) => self.take_last_word(last_word),
        }
    }

    fn take_last_word(&mut self, last_word: LastWord) {
        if self.activity.take_last_word(last_word.id) {
            self.stop_awaiting_last_words();
        }
        self.reading.show(vec![Message::last_word(last_word)]);
    }

    /// Ends the wait for last words, so that the next review is printed.
    pub(super) fn stop_awaiting_last_words(&mut self) {
        self.activity = Activity::Listening;
        self.reading.note_prompt_change();
    }

    fn review_closed(&mut self, closed: &Closed) {
        if !self.reading.close(closed) {
            return;
        }
        match &mut self.activity {
            Activity::Deciding(id) if *id == closed.id => {
                let has_next = closed.closing == Closing::Accepted && !self.reading.reviews().is_empty();
                self.activity = Activity::awaiting(BTreeSet::from([closed.id]), has_next);
            }
            Activity::Accepting(acceptances) => {
                acceptances.closed(closed);
                self.end_acceptances();
            }
            Activity::Listening
            | Activity::Deciding(_)
            | Activity::AwaitingLastWords(..)
            | Activity::Editor(_) => {}
        }
        self.reading.leave(closed.id);
    }

    /// Sends a request as [`Self::try_request`] does. Returns `None` after a refusal.
    pub(super) async fn ask(&mut self, id: ReviewId, request: Request) -> Option<Revised> {
        self.try_request(id, request).await.ok()
    }

    /// Sends a request. After success, takes the revision of the reply; prints a refusal.
    ///
    /// # Errors
    /// The companion's [`Refusal`].
    pub(super) async fn try_request(&mut self, id: ReviewId, request: Request) -> Result<Revised, Refusal> {
        let reply = self.desk.request(request).await;
        match &reply {
            Ok(revised) => self.catch_up(id, revised.revision).await,
            Err(refusal) => self.print_refusal(id, refusal).await,
        }
        reply
    }

    async fn print_refusal(&mut self, id: ReviewId, refusal: &Refusal) {
        self.reading.say(&messages::refusal(refusal));
        if let Refusal::Stale { revision } = *refusal {
            self.catch_up(id, revision).await;
            self.reading.mark_due(Due::Review);
        }
        if let Some(question) = Question::after(refusal) {
            self.reading.open_question(question);
        }
    }

    /// Takes the events up to a revision of a review, and marks the revision as the person's own. The
    /// companion sends the events of a request before its reply. A later revision is not shown yet, so the
    /// person's next request must not be about it.
    async fn catch_up(&mut self, id: ReviewId, revision: u64) {
        if let Some(open) = self.reading.open_mut(id) {
            open.mark_own(revision);
        }
        while self.reading.review(id).is_some_and(|review| review.revision < revision)
            && let Some(event) = self.desk.try_next()
        {
            self.take_event(event).await;
        }
    }

    /// Accepts the current review after the questions that are still open. `answered`: the latest question to
    /// which the person said yes.
    pub(super) async fn accept(&mut self, id: ReviewId, answered: Option<Question>) {
        match self.reading.question_before_accepting(answered) {
            Some(question) => self.reading.open_question(question),
            None => self.decide(id, Decision::Accept).await,
        }
    }

    /// Rejects a review. Asks first if work of the person would be lost.
    pub(super) async fn reject(&mut self, id: ReviewId) {
        match self.reading.review(id).and_then(Question::before_rejecting) {
            Some(question) => self.reading.open_question(question),
            None => self.decide(id, Decision::Reject).await,
        }
    }

    /// Accepts an empty line in place of an empty text.
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
            Err(refusal) => self.print_refusal(id, &refusal).await,
        }
    }

    /// Accepts the reviews of a list at their listed revisions.
    pub(super) async fn accept_listed(&mut self, list: AcceptAll) {
        let acceptances = requests::accept_listed(&mut self.desk, &mut self.reading, list).await;
        self.activity = Activity::Accepting(acceptances);
        self.reading.mark_due(Due::Review);
        self.end_acceptances();
    }

    /// Prints the result once no acceptance of a list is under way.
    fn end_acceptances(&mut self) {
        if let Activity::Accepting(acceptances) = &mut self.activity
            && let Some(end) = acceptances.end(self.reading.reviews().iter().map(|open| open.review().id))
        {
            self.reading.say(&end.text());
            let has_next = !self.reading.reviews().is_empty();
            self.activity = Activity::awaiting(end.unwritten, has_next);
        }
    }

    /// Sends a request for a grant, or for the withdrawal of all grants.
    pub(super) async fn accept_ahead(&mut self, request: Request) {
        requests::accept_ahead(&mut self.desk, &mut self.reading, request).await;
    }

    /// Pauses the context, or resumes it.
    pub(super) async fn pause(&mut self) {
        requests::pause(&mut self.desk, &mut self.reading).await;
    }

    /// Opens the text of the current review in the person's editor.
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

    /// Sends the text that was saved in the open editor. From then on, the companion keeps it as a draft.
    pub(super) async fn upload_saved_text(&mut self) {
        let Activity::Editor(editing) = &mut self.activity else { return };
        let Some(text) = editing.unsent() else { return };
        let request = Request::replace_text(editing.id, editing.revision, text.clone());
        // A refused text stays in the file, and is sent again when the editor ends.
        if let Ok(revised) = self.desk.request(request).await {
            if let Some(open) = self.reading.open_mut(editing.id) {
                open.mark_own(revised.revision);
                open.push_step(editing.hunk, true);
            }
            self.drafts.discard(editing.taken_over(text, revised.revision));
        }
    }

    /// Sends the text that was saved in the open editor, because a signal ends the desk. Without a reply, the
    /// text becomes a draft.
    pub(super) async fn upload_last_text(&mut self) {
        // The result is in the state of the editor.
        let _ = timeout(UPLOAD_TIMEOUT, self.upload_saved_text()).await;
    }

    /// Sends the text of an editor that has ended, and shows the review again.
    pub(super) async fn handle_editor_exit(&mut self, status: io::Result<ExitStatus>) {
        let Some(editing) = self.take_editor() else { return };
        let (id, hunk) = (editing.id, editing.hunk);
        self.reading.printer().release();
        self.reading.note_prompt_change();
        let review = self.reading.review(id);
        let revision = review.map_or(editing.revision, |review| editing.revision_in(review));
        match editing.finish(status, review.is_some(), &self.drafts, self.reading.roots()) {
            EditOutcome::Taken => self.report_edit(id),
            EditOutcome::Message(message) => self.reading.say(&message.text),
            EditOutcome::Text(unsaved) => {
                let request = Request::replace_text(id, revision, unsaved.text.clone());
                self.unanswered_text = Some(unsaved);
                let reply = self.desk.request(request).await;
                match (reply, self.unanswered_text.take()) {
                    (Ok(revised), unsaved) => {
                        self.drafts.discard(unsaved.and_then(|unsaved| unsaved.replaces));
                        self.catch_up(id, revised.revision).await;
                        self.reading.push_step(id, hunk, true);
                        self.report_edit(id);
                    }
                    (Err(refusal), Some(unsaved)) => self.keep_refused_text(id, unsaved, &refusal).await,
                    (Err(_), None) => {}
                }
            }
        }
        match self.reading.at() {
            Some(_) => navigation::show_edited(&mut self.reading),
            None => self.reading.next_review(),
        }
    }

    /// Takes the open editor, which has ended or is to end.
    fn take_editor(&mut self) -> Option<Editing> {
        match std::mem::replace(&mut self.activity, Activity::Listening) {
            Activity::Editor(editing) => Some(*editing),
            other => {
                self.activity = other;
                None
            }
        }
    }

    /// Ends the editor when the desk is left, and saves a text that the companion does not have as a draft.
    pub(super) async fn end_editor(&mut self) {
        if let Some(unsaved) = self.unanswered_text.take() {
            let report = self.drafts.keep(&unsaved, DESK_CLOSED, self.reading.roots());
            self.reading.say(&report);
        }
        let Some(editing) = self.take_editor() else { return };
        let said = editing.end(&self.drafts, self.reading.roots()).await;
        if let Some(said) = said {
            self.reading.say(&said);
        }
    }

    /// Saves unsent reasons as drafts when the desk is left.
    pub(super) fn keep_unsent_reasons(&mut self) {
        for unsaved in self.unsent_reasons.take_all() {
            let report = self.drafts.keep(&unsaved, REASON_UNSENT, self.reading.roots());
            self.reading.say(&report);
        }
    }

    /// Saves a text from the editor that the companion has refused.
    async fn keep_refused_text(&mut self, id: ReviewId, unsaved: UnsavedText, refusal: &Refusal) {
        if let Refusal::Stale { revision } = *refusal {
            self.catch_up(id, revision).await;
            self.reading.mark_due(Due::Review);
        }
        let roots = self.reading.roots().to_vec();
        let report = self.drafts.keep_refused(unsaved, refusal, self.reading.open_mut(id), &roots);
        self.reading.say(&report);
    }

    fn report_edit(&mut self, id: ReviewId) {
        let hunks = self.reading.review(id).map(|review| review.hunks.len());
        self.reading.say(&messages::edit_taken(hunks));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use alongside_desk::review_model::OpenReview;
    use alongside_desk::{Review, pair};

    use super::*;
    use crate::line_mode::drafts_in_memory::Drafts;
    use crate::line_mode::ending::Policy;
    use crate::line_mode::line_reader::LineReader;

    #[tokio::test(start_paused = true)]
    async fn a_frozen_companion_leaves_the_saved_text_to_the_drafts() {
        for is_noticed in [false, true] {
            // The other end stays, and answers nothing.
            let (desk, _seat) = pair();
            let drafts = Arc::new(Drafts::default());
            let input = LineReader::new(false, || Box::new("".as_bytes()));
            let reading = Reading::new(input, vec!["/p".into()], Policy::Ask, true);
            let mut work = ReviewWork::new(desk, reading, DraftStore::among_drafts(drafts.clone()));
            let (id, file) = (ReviewId(1), "/p/a.rs".into());
            let mut review = Review { id, file, current: "new\n".into(), ..Review::default() };
            review.agent.name = "Codex".into();
            work.reading.add(review.clone());
            let editor = "edit() { echo mine > \"$1\"; }; edit";
            let mut editing = Editing::start(editor, &OpenReview::new(review)).unwrap();
            let status = editing.ended().await;
            work.activity = Activity::Editor(Box::new(editing));
            if is_noticed {
                // A signal ends the desk while it waits for the reply.
                let waiting = timeout(UPLOAD_TIMEOUT, work.handle_editor_exit(status)).await;
                assert!(waiting.is_err(), "the companion has replied");
            } else {
                work.upload_last_text().await;
            }
            work.end_editor().await;
            assert_eq!(drafts.all(), ["/p/a.rs (Codex): the desk was closed: mine\n"]);
        }
    }
}
