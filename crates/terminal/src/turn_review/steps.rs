//! The undo and redo of the person's last steps in a turn review: the last finish, comments, and the marks of
//! several files. The companion keeps the steps within a file.

use alongside_desk::review_model::{Message, Subject};
use alongside_desk::{Refusal, TurnFinished, TurnMessage};

use super::comments::TurnComments;
use super::last_finish::LastFinish;
use super::pending_requests::TurnRequests;
use super::rest_marks::{NO_REST, RestMarks};
use crate::output::{Effect, Output, TurnRequest};
use crate::turn_files::TurnFiles;
use crate::words::finish_words;
use crate::words::turn_words as words;

/// The last steps in a turn review.
#[derive(Debug, Default)]
pub(crate) struct TurnSteps {
    finish: LastFinish,
    rest: RestMarks,
    /// The results of taking undos back, until the new list has come.
    taken_back: Option<Vec<(String, Result<(), String>)>>,
}

impl TurnSteps {
    /// Whether the last finish has undone a text that can be restored, and no mark was made since.
    pub(crate) fn has_undone(&self) -> bool {
        self.finish.has_undone()
    }

    /// Forgets the last steps, because the person makes another step.
    pub(crate) fn forget(&mut self, comments: &mut TurnComments) {
        self.finish.forget();
        self.rest.forget();
        comments.forget_steps();
    }

    /// Undoes the person's last step. Returns false if it was a step within the file on the screen.
    pub(crate) fn undo(
        &mut self,
        files: &TurnFiles,
        (requests, comments): (&mut TurnRequests, &mut TurnComments),
        out: &mut Output,
    ) -> bool {
        if self.finish.has_undone() {
            self.take_back(requests, out);
            return true;
        }
        if let Some(request) = comments.take_back(files.turn()) {
            requests.ask(request, TurnRequest::Comment, out);
            return true;
        }
        if self.rest.start_taking_back() && self.mark_next(files, requests, out) {
            return true;
        }
        self.rest.forget();
        comments.count_undone_mark();
        false
    }

    /// Redoes the step that the person has undone last. Returns false if it was a step within the file on the
    /// screen.
    pub(crate) fn redo(
        &mut self,
        files: &TurnFiles,
        (requests, comments): (&mut TurnRequests, &mut TurnComments),
        out: &mut Output,
    ) -> bool {
        if let Some(request) = comments.write_again(files) {
            requests.ask(request, TurnRequest::Comment, out);
            return true;
        }
        // The mark that is redone becomes the last step, instead of the finish.
        self.finish.forget();
        self.rest.forget();
        comments.forget_written();
        false
    }

    /// Marks each file, from the file on the screen on, that is news and has no mark.
    pub(crate) fn mark_rest(&mut self, files: &TurnFiles, requests: &mut TurnRequests, out: &mut Output) {
        self.rest.start(files);
        if !self.mark_next(files, requests, out) {
            out.say(NO_REST);
        }
    }

    /// Continues with the next of several marks, after one was set or removed.
    pub(crate) fn mark_done(
        &mut self,
        files: Option<&TurnFiles>,
        requests: &mut TurnRequests,
        out: &mut Output,
    ) {
        let goes_on = files.is_some_and(|files| self.mark_next(files, requests, out));
        if !goes_on && let Some(said) = self.rest.end() {
            out.say(said);
        }
    }

    /// Handles the refusal of a mark.
    pub(crate) fn mark_refused(&mut self, refusal: &Refusal, out: &mut Output) {
        let said = [Some(words::refusal(refusal, 'r')), self.rest.end_refused()];
        out.warn(said.into_iter().flatten().collect::<Vec<_>>().join(" "));
    }

    /// Requests the mark of the next of several files, or the removal of its mark. Returns false after the
    /// last one.
    fn mark_next(&mut self, files: &TurnFiles, requests: &mut TurnRequests, out: &mut Output) -> bool {
        let next = self.rest.next(files);
        let goes_on = next.is_some();
        if let Some(request) = next {
            requests.ask(request, TurnRequest::Mark, out);
        }
        goes_on
    }

    /// Handles the result of a finish.
    pub(crate) fn take_finished(&mut self, finished: &TurnFinished, files: &TurnFiles, out: &mut Output) {
        self.finish = LastFinish::of(finished, files.turn());
        let said = self.finish.message(finished);
        match finish_words::is_partial(finished) {
            true => out.warn(said),
            false => out.say(said),
        }
    }

    /// Takes the undos of the last finish back.
    pub(crate) fn take_back(&mut self, requests: &mut TurnRequests, out: &mut Output) {
        let undone = self.finish.take_texts();
        if !undone.is_empty() {
            requests.set_taking_back(true);
            out.answer(Message::notice(finish_words::TAKING_BACK).about(Subject::Turn));
            out.add_effect(Effect::TakeBack(undone));
        }
    }

    /// Stores the result of taking undos back. The message about it waits for the new list.
    pub(crate) fn take_taken_back(&mut self, back: &[(String, Result<(), String>)]) {
        self.taken_back = Some(back.to_vec());
    }

    /// Shows the result of taking undos back, now that the new list and the message to the agent have come.
    pub(crate) fn report_taken_back(&mut self, message: Option<&TurnMessage>, out: &mut Output) {
        if let Some(back) = self.taken_back.take() {
            let said = self.finish.taken_back(&back, message);
            let is_partial = back.iter().any(|(_, done)| done.is_err());
            let said = if is_partial { Message::warning(said) } else { Message::notice(said) };
            // The restored files need no announcement as new files.
            out.messages.end(Subject::TurnFiles);
            out.answer(said);
        }
    }
}
