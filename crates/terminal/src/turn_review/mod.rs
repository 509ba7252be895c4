//! The turn review at this desk: whether it is on the screen, the requests to the companion about it, and the
//! messages to the person. No agent waits for a turn review, so one message announces it.

mod actions;
mod comments;
mod last_finish;
mod pending_requests;
mod rest_marks;
mod steps;

use alongside_desk::review_model::{Message, ReviewNews, Subject};
use alongside_desk::{HunkState, OpenedTurnFile, Refusal, Revised, Turn, TurnFinished};
use crossterm::event::KeyEvent;

use crate::keys::{Action, Answer};
use crate::options::TurnOptions;
use crate::output::{Output, TurnRequest};
use crate::overlays::Overlay;
use crate::overlays::comment_input::CommentInput;
use crate::overlays::turn_list::{ListPurpose, TurnList};
use crate::review_view::ReviewView;
use crate::turn_files::TurnFiles;
use crate::unsaved_texts::UnsavedText;
use crate::words::finish_words;
use crate::words::turn_words as words;
use actions::TurnActions;

/// The turn review at this desk.
pub(crate) struct TurnReview {
    actions: TurnActions,
    /// Whether the turn review is on the screen, instead of the proposals.
    is_open: bool,
    /// The files; `None` until the companion has sent the list.
    files: Option<TurnFiles>,
    /// The number of new files that no message has announced yet.
    unannounced: usize,
    /// Whether the person leaves the desk once the files of a finish, or of taking it back, are written.
    waits_to_leave: bool,
}

impl TurnReview {
    pub(crate) fn new(options: TurnOptions) -> Self {
        let actions = TurnActions::new(options);
        Self { actions, is_open: false, files: None, unannounced: 0, waits_to_leave: false }
    }

    /// Whether the turn review is on the screen.
    pub(crate) fn is_open(&self) -> bool {
        self.is_open
    }

    /// The files; `None` until the companion has sent the list.
    pub(crate) fn files(&self) -> Option<&TurnFiles> {
        self.files.as_ref()
    }

    pub(crate) fn files_mut(&mut self) -> Option<&mut TurnFiles> {
        self.files.as_mut()
    }

    /// Whether the desk begins with the turn review.
    pub(crate) fn opens_at_start(&self) -> bool {
        self.actions.requests.options().at_start
    }

    /// The view of the file on the screen, if its texts have been read.
    pub(crate) fn view(&self) -> Option<&ReviewView> {
        self.files.as_ref()?.view()
    }

    pub(crate) fn view_mut(&mut self) -> Option<&mut ReviewView> {
        self.files.as_mut()?.view_mut()
    }

    /// The path of the file on the screen, if the file has no text, or its text cannot be read.
    pub(crate) fn file_without_text(&self) -> Option<String> {
        let files = self.files.as_ref().filter(|files| self.is_open && !files.wants_texts())?;
        files.file().filter(|_| files.view().is_none()).map(|file| file.path.clone())
    }

    /// Whether the screen has a file for keys to act on.
    pub(crate) fn has_file(&self) -> bool {
        self.files.as_ref().is_some_and(|files| files.file().is_some())
    }

    /// Whether the person has seen the file that keys act on.
    pub(crate) fn is_shown(&self) -> bool {
        self.files.as_ref().is_none_or(TurnFiles::is_shown)
    }

    /// Whether a mark, a comment, a finish or taking an undo back is under way.
    pub(crate) fn is_busy(&self) -> bool {
        self.actions.requests.is_busy()
    }

    /// Whether files of the project are being written, by a finish or by taking it back.
    pub(crate) fn is_writing(&self) -> bool {
        self.actions.requests.is_writing()
    }

    /// Delays leaving the desk while files are being written. Returns whether the person has to wait.
    pub(crate) fn delay_leaving(&mut self, out: &mut Output) -> bool {
        self.waits_to_leave = self.is_writing();
        if self.waits_to_leave {
            let said = finish_words::leaves_then(self.actions.requests.is_taking_back());
            out.answer(Message::notice(said).about(Subject::Turn));
        }
        self.waits_to_leave
    }

    /// Returns true, once, if the person waits to leave and the files are written by now.
    pub(crate) fn take_leaving(&mut self) -> bool {
        !self.is_writing() && std::mem::take(&mut self.waits_to_leave)
    }

    /// Whether the last finish has undone a text that can be restored, and no mark was made since.
    pub(crate) fn has_undone(&self) -> bool {
        self.is_open && self.actions.steps.has_undone()
    }

    /// The number of files that have a mark.
    pub(crate) fn marked_files(&self) -> usize {
        self.files.as_ref().map_or(0, |files| files.all_marked().count())
    }

    /// Shows the turn review. The known list is on the screen at once, and a new look is requested.
    pub(crate) fn open(&mut self, out: &mut Output) {
        (self.is_open, self.unannounced) = (true, 0);
        out.messages.end(Subject::Turn);
        self.look(out);
        if let Some(view) = self.view_mut() {
            view.seen_revision = None;
        }
        self.request_texts(out);
    }

    /// Goes back to the proposals.
    pub(crate) fn close(&mut self, out: &mut Output) {
        self.is_open = false;
        if self.marked_files() > 0 {
            out.say(words::MARKS_WAIT);
        }
    }

    /// Requests a look from the companion.
    pub(crate) fn look(&mut self, out: &mut Output) {
        if let Some(files) = &mut self.files {
            files.forget_refused();
        }
        self.actions.requests.look(out);
    }

    /// Requests another look, because the person asked for the newest list.
    pub(crate) fn look_again(&mut self, out: &mut Output) {
        self.look(out);
        self.request_texts(out);
        out.answer(Message::notice(words::LOOKING).about(Subject::Turn));
    }

    /// Requests the texts of the file on the screen.
    fn request_texts(&mut self, out: &mut Output) {
        if let Some(files) = self.files.as_ref().filter(|_| self.is_open) {
            self.actions.requests.request_texts(files, out);
        }
    }

    /// Whether a list belongs to the turn review of this desk. Other desks may show other turn reviews.
    fn is_ours(&self, turn: &Turn) -> bool {
        let TurnOptions { directory, since, .. } = self.actions.requests.options();
        let has_same_start = turn.baseline.asked == *since;
        match self.files.as_ref().map(TurnFiles::turn) {
            // A restarted companion gives the same turn review another id.
            Some(known) => known.id == turn.id || (has_same_start && known.root == turn.root),
            None => turn.is_of(directory.as_deref(), since.as_deref()),
        }
    }

    /// Takes a new list.
    pub(crate) fn take_turn(&mut self, turn: Turn, out: &mut Output) {
        if !self.is_ours(&turn) {
            return;
        }
        let Some(files) = &mut self.files else {
            self.unannounced = if self.is_open { 0 } else { turn.files.len() };
            self.files = Some(TurnFiles::new(turn));
            return self.request_texts(out);
        };
        let is_newer = turn.revision != files.turn().revision;
        let of_message = |turn: &Turn| turn.message.as_ref().map(|message| message.words.clone());
        let said = of_message(files.turn());
        let news = files.take(turn);
        if of_message(files.turn()) != said {
            out.messages.end(Subject::TurnMessage);
        }
        if out.overlays.update_turn_list(files, news.has_other_finish) {
            // A yes that is already typed was meant for the previous list.
            out.invalidate_keys();
            out.warn(words::LIST_CHANGED);
        }
        if news.is_read {
            out.show([Message::notice(words::read(files.turn())).about(Subject::TurnMessage)]);
        }
        if files.all().is_empty() {
            out.messages.end(Subject::TurnFiles);
        }
        match self.is_open {
            true if news.is_elsewhere => out.invalidate_keys(),
            true if is_newer && news.added > 0 => {
                let more = Message::notice(words::more_files(news.added));
                out.show([more.about(Subject::TurnFiles)]);
            }
            true => {}
            false if files.all().is_empty() => self.unannounced = 0,
            false => self.unannounced += news.added,
        }
        self.request_texts(out);
    }

    /// Announces new files, once, if the turn review is not open. The caller checks that no proposal is open.
    pub(crate) fn announce(&mut self, out: &mut Output) {
        if let Some(files) = self.files.as_ref().filter(|_| self.unannounced > 0 && !self.is_open) {
            let waits = words::waits(files.turn());
            out.show([Message::notice(waits).about(Subject::Turn)]);
            self.unannounced = 0;
        }
    }

    /// Takes the texts of a file, which the companion has read for the first time or again.
    pub(crate) fn take_file(&mut self, opened: OpenedTurnFile, out: &mut Output) {
        let Some(files) = &mut self.files else { return };
        let (id, before) = (opened.review.id, files.view().map(|view| view.review().id));
        files.take_texts(opened);
        let now = files.view().map(|view| view.review().id);
        if now == Some(id) && before.is_some_and(|before| before != id) {
            out.invalidate_keys();
            out.warn(words::CHANGED_NOW);
        }
    }

    /// Takes the result of a finish.
    pub(crate) fn take_finished(&mut self, finished: &TurnFinished, out: &mut Output) {
        self.actions.requests.mark_finished();
        let Some(files) = self.files.as_ref().filter(|files| files.turn().id == finished.turn) else {
            return;
        };
        self.actions.steps.take_finished(finished, files, out);
        // If a part of the finish was refused, the desk stays open, so that the person reads the reason.
        self.waits_to_leave &= !finish_words::is_partial(finished);
        if let Some(list) = TurnList::finished(finished).filter(|_| self.is_open) {
            out.invalidate_keys();
            out.overlays.open(Overlay::Turn(list));
        }
    }

    /// Handles the companion's reply to a request. The events before the reply have already reported its
    /// result.
    pub(crate) fn take_reply(
        &mut self,
        request: TurnRequest,
        reply: Result<Revised, Refusal>,
        out: &mut Output,
    ) {
        out.request_frame();
        self.actions.requests.end(request);
        // A restarted companion has no list before a look is requested.
        let is_unknown = request != TurnRequest::Look && matches!(reply, Err(Refusal::NoSuchTurn));
        match (request, reply) {
            (TurnRequest::Look, reply) => {
                out.messages.end(Subject::Turn);
                let message = self.files.as_ref().and_then(|files| files.turn().message.as_ref());
                self.actions.steps.report_taken_back(message, out);
                if let Err(refusal) = reply {
                    self.take_refused_look(&refusal, out);
                }
            }
            (TurnRequest::Open, reply) => {
                let goes_on =
                    self.files.as_mut().is_some_and(|files| self.actions.requests.end_reading(reply, files));
                if goes_on {
                    self.request_texts(out);
                }
            }
            (TurnRequest::Comment, reply) => {
                if let Some(files) = &self.files {
                    self.actions.comments.take_reply(reply.as_ref().map(|_| ()), files.turn(), out);
                }
            }
            (TurnRequest::Mark, Err(refusal)) => self.actions.steps.mark_refused(&refusal, out),
            (TurnRequest::Mark, Ok(_)) => {
                self.actions.steps.mark_done(self.files.as_ref(), &mut self.actions.requests, out);
            }
            (TurnRequest::Finish, Err(refusal)) => {
                self.waits_to_leave = false;
                out.warn(words::refusal(&refusal, 'r'));
            }
            (TurnRequest::Finish, Ok(_)) => {}
        }
        if is_unknown {
            self.look(out);
        }
    }

    /// Handles the refusal of a look. Without any list, goes back to the proposals.
    fn take_refused_look(&mut self, refusal: &Refusal, out: &mut Output) {
        if self.files.is_none() && std::mem::take(&mut self.is_open) {
            out.invalidate_keys();
        }
        out.warn(words::refusal(refusal, if self.is_open { 'r' } else { 'T' }));
    }

    /// Goes to the file `by` positions further in the list, and from the last file to the first.
    pub(crate) fn go_by(&mut self, by: isize, out: &mut Output) {
        let Some(files) = &self.files else { return };
        let n = files.all().len() as isize;
        if n > 0 {
            let next = (files.at() as isize + by).rem_euclid(n) as usize;
            if !self.go_to(next, out) {
                out.say(words::NO_OTHER_FILE);
            }
        }
    }

    /// Goes to a file. Returns false if it is on the screen already.
    pub(crate) fn go_to(&mut self, file: usize, out: &mut Output) -> bool {
        let Some(files) = &mut self.files else { return false };
        let is_other = files.go_to(file);
        if is_other && let Some(view) = files.view_mut() {
            view.seen_revision = None;
        }
        self.request_texts(out);
        is_other
    }

    /// The path of the file on the screen.
    pub(crate) fn path(&self) -> Option<String> {
        let files = self.files.as_ref()?;
        Some(format!("{}/{}", files.turn().root, files.file()?.path))
    }

    /// Marks files, comments, finishes, or takes a step back. Returns false for an action on a hunk of the
    /// file on the screen, which [`ReviewRequests`](crate::reviews::requests::ReviewRequests) carries out as
    /// in any review.
    pub(crate) fn carry_out(&mut self, action: Action, out: &mut Output) -> bool {
        let files = self.files.as_mut().filter(|_| self.is_open);
        files.is_some_and(|files| self.actions.carry_out(action, files, out))
    }

    /// Handles a key while the person types a comment. `counts`: whether the person had seen the screen
    /// before the key.
    pub(crate) fn type_comment(&mut self, key: KeyEvent, counts: bool, out: &mut Output) {
        if let Some(files) = &mut self.files {
            self.actions.type_comment(key, counts, files, out);
        }
    }

    /// Keeps the text of an input that the person leaves. The next input begins with it.
    pub(crate) fn keep_comment(&mut self, input: CommentInput) {
        self.actions.comments.keep(input);
    }

    /// Removes and returns the comments that the companion does not have, as the desk ends. `open`: the open
    /// input.
    pub(crate) fn take_unsent(&mut self, open: Option<CommentInput>) -> Vec<UnsavedText> {
        self.actions.comments.take_unsent(open, self.files.as_ref().map(TurnFiles::turn))
    }

    /// Handles a key of a list: copies or pastes the message, begins a comment, or asks or closes a comment.
    pub(crate) fn take_list_key(&mut self, answer: Answer, out: &mut Output) {
        if let Some(files) = &mut self.files {
            self.actions.take_list_key(answer, files, out);
        }
    }

    /// Handles the result of pasting the message into the pane of the agent.
    pub(crate) fn take_pasted(&mut self, pasted: Result<String, String>, out: &mut Output) {
        match pasted {
            Ok(said) => out.say(words::harmless(&said)),
            Err(why) => out.warn(words::not_pasted(&why)),
        }
        // Only a look tells the companion that the message no longer waits.
        self.look(out);
    }

    /// Takes the undos of the last finish back.
    pub(crate) fn take_back(&mut self, out: &mut Output) {
        self.actions.steps.take_back(&mut self.actions.requests, out);
    }

    /// Handles the result of taking undos back: for each file, success or the reason why it stays undone.
    pub(crate) fn take_taken_back(&mut self, back: &[(String, Result<(), String>)], out: &mut Output) {
        self.actions.requests.set_taking_back(false);
        self.waits_to_leave &= back.iter().all(|(_, done)| done.is_ok());
        self.actions.steps.take_taken_back(back);
        self.look(out);
    }

    /// Opens the list of all files.
    pub(crate) fn list_files(&self, now: u64, out: &mut Output) {
        if let Some(files) = &self.files {
            out.messages.end(Subject::TurnFiles);
            let list = TurnList::files(files, self.actions.comments.unsent().to_vec(), now);
            out.overlays.open(Overlay::Turn(list));
        }
    }

    /// Asks whether the person leaves although changes are marked. Returns false if there is no mark.
    pub(crate) fn open_leave_list(&self, out: &mut Output) -> bool {
        let list = self.files.as_ref().and_then(TurnList::leave);
        let asks = list.is_some();
        if let Some(list) = list {
            out.overlays.open(Overlay::Turn(list));
        }
        asks
    }

    /// Carries out the person's yes to a list, or their choice of a file.
    pub(crate) fn take_list(&mut self, list: &TurnList, out: &mut Output) {
        let Some(files) = &self.files else { return };
        match list.purpose() {
            ListPurpose::Files => {
                if let Some(file) = list.chosen().and_then(|path| files.position(path)) {
                    self.go_to(file, out);
                }
            }
            ListPurpose::Finish => self.actions.requests.finish(files, list.choice(), out),
            ListPurpose::Leave | ListPurpose::Finished => {}
        }
    }

    /// The messages about a new revision of an opened file. `foreign`: whether the revision may come from
    /// another desk.
    pub(crate) fn news(&self, news: ReviewNews, foreign: bool) -> Vec<Message> {
        let name = self.files.as_ref().and_then(|files| files.path_of(news.id)).map(words::harmless);
        let foreign = foreign && !self.actions.requests.is_marking();
        let said = words::news(news, &name.unwrap_or_default(), foreign);
        said.into_iter().map(|text| Message::warning(text).about(Subject::Review(news.id))).collect()
    }

    /// Whether the hunk that keys act on is marked.
    pub(crate) fn is_hunk_marked(&self) -> bool {
        let view = self.view().filter(|_| self.is_open);
        let hunk = view.and_then(|view| view.review().hunks.get(view.hunk()));
        hunk.is_some_and(|hunk| hunk.state == HunkState::Dropped)
    }
}
