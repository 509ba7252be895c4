//! The person's work on reviews: their requests to the companion, and their editor. After each reply the desk
//! takes the revision that the companion made, so that the next line is about the printed revision.

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
use super::keeping::{changed_rest, is_changed_by, reason_sentence};
use super::line_reader::InputLine;
use super::prompts;
use super::reading::Reading;
use super::requests;
use super::undo::{Step, brings_back_with_reason, changes_nothing, first_difference};
use super::unsent_reason::UnsentReason;

/// The person's work on reviews.
pub(super) struct ReviewWork {
    desk: Desk,
    reading: Reading,
    activity: Activity,
    /// The drafts, for texts that the companion has not received.
    drafts: DraftStore,
    unsent_reason: UnsentReason,
    /// Whether the companion has stopped. The desk stays until an open editor ends.
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

    /// Has the next review printed without waiting for more last words.
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

    /// Sends a request. After success, takes the revision of the reply; prints a refusal.
    async fn ask(&mut self, id: ReviewId, request: Request) -> Option<Revised> {
        match self.desk.request(request).await {
            Ok(revised) => {
                self.catch_up(id, revised.revision).await;
                Some(revised)
            }
            Err(refusal) => {
                self.print_refusal(id, &refusal).await;
                None
            }
        }
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

    /// Takes the events up to a revision of a review, and marks the revision as the person's own. The companion
    /// sends the events of a request before its reply. A later revision is not shown yet, so the person's next
    /// request must not be about it.
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

    fn push_step(&mut self, id: ReviewId, hunk: usize, changed: bool) {
        if let Some(open) = self.reading.open_mut(id) {
            open.push_step(hunk, changed);
        }
    }

    pub(super) async fn keep(&mut self, id: ReviewId, place: usize, keep: bool) {
        let Some(review) = self.reading.review(id) else { return };
        let Some(hunk) = review.hunks.get(place) else { return };
        // To keep a kept hunk changes nothing, and the companion has no step to undo.
        let is_changed = is_changed_by(hunk, keep);
        let (revision, after) = (review.revision, review.hunks.len() - place - 1);
        let request = Request::KeepHunks { id, revision, hunks: vec![place], keep };
        if !is_changed || self.ask(id, request).await.is_some() {
            self.push_step(id, place, is_changed);
            self.reading.mark_kept(id, place..place + 1, keep);
            // The next hunk is counted from the end, because a dropped edit may leave no hunk or join its
            // neighbour.
            let now = self.reading.review(id).map_or(0, |review| review.hunks.len());
            self.reading.show_hunk(now.saturating_sub(after));
        }
    }

    /// Keeps or drops a change and all later ones in one step, and goes to the end.
    pub(super) async fn keep_rest(&mut self, id: ReviewId, place: usize, keep: bool) {
        let Some(review) = self.reading.review(id) else { return };
        let (hunks, revision) = (changed_rest(review, place, keep), review.revision);
        let (is_changed, decided) = (!hunks.is_empty(), review.hunks.len().saturating_sub(place));
        if !is_changed || self.ask(id, Request::KeepHunks { id, revision, hunks, keep }).await.is_some() {
            self.push_step(id, place, is_changed);
            self.reading.mark_kept(id, place..place + decided, keep);
            self.reading.say(&prompts::rest_decided(place..place + decided, keep));
            self.reading.show_hunk(usize::MAX);
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
            self.reading.show_hunk(hunk);
        }
    }

    /// Undoes or redoes a step, and shows the first hunk that differs now, or else the hunk of the step.
    pub(super) async fn take_step(&mut self, id: ReviewId, to: Step) {
        let Some(open) = self.reading.open(id) else { return };
        let before = open.review().clone();
        let revision = before.revision;
        let (step, request, report) = match to {
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
        let (revision, has_old_reason) = (now.revision, brings_back_with_reason(to, &before, now, hunk));
        self.reading.mark_kept(id, hunk..hunk + 1, matches!(to, Step::Redo));
        self.reading.say(report);
        if has_old_reason {
            let request = Request::SetReason { id, revision, hunk: Some(hunk), reason: String::new() };
            if self.ask(id, request).await.is_some() {
                self.reading.say(messages::REASON_REMOVED);
            }
        }
        self.reading.show_hunk(hunk);
    }

    /// Sends a reason for a change, and drops the change if it is kept. Without a `place`, the reason is for
    /// the decision on the whole review.
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
        let removes = text == prompts::REMOVE_REASON;
        let reason = if removes { String::new() } else { text.to_owned() };
        self.unsent_reason.set(review, if removes { "" } else { text });
        if self.ask(id, Request::SetReason { id, revision, hunk: place, reason }).await.is_none() {
            return self.reading.say(prompts::REASON_COMES_BACK);
        }
        self.unsent_reason = UnsentReason::default();
        self.reading.say(reason_sentence(reasons, (removes, place.is_some(), is_kept)));
        if let Some(place) = place.filter(|_| is_kept && !removes) {
            self.keep(id, place, false).await;
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
                match self.desk.request(request).await {
                    Ok(revised) => {
                        self.drafts.discard(unsaved.replaces);
                        self.catch_up(id, revised.revision).await;
                        self.push_step(id, hunk, true);
                        self.report_edit(id);
                    }
                    Err(refusal) => self.keep_refused_text(id, unsaved, &refusal).await,
                }
            }
        }
        match self.reading.at() {
            Some(_) => self.reading.show_edited(),
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
        let Some(editing) = self.take_editor() else { return };
        let said = editing.end(&self.drafts, self.reading.roots()).await;
        if let Some(said) = said {
            self.reading.say(&said);
        }
    }

    /// Saves an unsent reason as a draft when the desk is left.
    pub(super) fn keep_unsent_reason(&mut self) {
        if let Some(unsaved) = self.unsent_reason.take() {
            let report = self.drafts.keep(&unsaved, prompts::REASON_UNSENT, self.reading.roots());
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
