//! The review of a turn at this desk: whether it has the screen, what the companion is asked for it, and what
//! the person is told. It is no proposal: nobody waits for it, and nothing announces it twice.

use alongside_desk::review_model::{Message, ReviewNews, Subject};
use alongside_desk::{
    FileChange, HunkState, Marked, OpenedTurnFile, Refusal, Request, Revised, Turn, TurnFinished,
};

use crate::keys::Action;
use crate::options::TurnOptions;
use crate::output::{Output, Purpose, TurnRequest};
use crate::overlays::Overlay;
use crate::review_view::ReviewView;
use crate::turn_files::TurnFiles;
use crate::turn_list::{ListPurpose, TurnList};
use crate::turn_words as words;

/// See the module.
pub(crate) struct TurnReview {
    options: TurnOptions,
    /// Whether it has the screen, in place of the proposals.
    is_open: bool,
    /// Absent until the companion has told them.
    files: Option<TurnFiles>,
    /// Whether the companion looks what has changed.
    is_looking: bool,
    /// The file whose texts the companion reads. One is on its way at a time.
    reading: Option<Reading>,
    /// The request that marks or undoes: keys that touch the review mean what is there after it.
    under_way: Option<TurnRequest>,
    /// How many files have come of which the person was not told.
    unannounced: usize,
}

/// A file whose texts are asked for.
struct Reading {
    path: String,
    /// The revision of the list at that time.
    revision: u64,
}

impl TurnReview {
    pub(crate) fn new(options: TurnOptions) -> Self {
        Self {
            options,
            is_open: false,
            files: None,
            is_looking: false,
            reading: None,
            under_way: None,
            unannounced: 0,
        }
    }

    /// Whether it has the screen.
    pub(crate) fn is_open(&self) -> bool {
        self.is_open
    }

    /// Its files; absent until the companion has told them.
    pub(crate) fn files(&self) -> Option<&TurnFiles> {
        self.files.as_ref()
    }

    pub(crate) fn files_mut(&mut self) -> Option<&mut TurnFiles> {
        self.files.as_mut()
    }

    /// Whether the desk begins with it.
    pub(crate) fn opens_at_start(&self) -> bool {
        self.options.at_start
    }

    /// The file on the screen, if its texts are there.
    pub(crate) fn view(&self) -> Option<&ReviewView> {
        self.files.as_ref()?.view()
    }

    pub(crate) fn view_mut(&mut self) -> Option<&mut ReviewView> {
        self.files.as_mut()?.view_mut()
    }

    /// The path of the file on the screen, if there is no text to be read of it.
    pub(crate) fn file_without_text(&self) -> Option<String> {
        let files = self.files.as_ref().filter(|files| self.is_open && !files.wants_texts())?;
        files.file().filter(|_| files.view().is_none()).map(|file| file.path.clone())
    }

    /// Whether there is a file that keys can mean.
    pub(crate) fn has_file(&self) -> bool {
        self.files.as_ref().is_some_and(|files| files.file().is_some())
    }

    /// Whether the person has seen what keys mean.
    pub(crate) fn is_shown(&self) -> bool {
        self.files.as_ref().is_none_or(TurnFiles::is_shown)
    }

    /// Whether a mark or an undo is under way.
    pub(crate) fn is_busy(&self) -> bool {
        self.under_way.is_some()
    }

    /// The number of files that have a mark.
    pub(crate) fn marked_files(&self) -> usize {
        self.files.as_ref().map_or(0, |files| files.all_marked().count())
    }

    /// The person turns to it. The companion looks anew, and what is known is there at once.
    pub(crate) fn open(&mut self, out: &mut Output) {
        (self.is_open, self.unannounced) = (true, 0);
        out.messages.end(Subject::Turn);
        self.look(out);
        if let Some(view) = self.view_mut() {
            view.seen = None;
        }
        self.read(out);
    }

    /// The person goes back to the proposals.
    pub(crate) fn close(&mut self, out: &mut Output) {
        self.is_open = false;
        if self.marked_files() > 0 {
            out.say(words::MARKS_WAIT);
        }
    }

    /// The companion is asked what has changed.
    pub(crate) fn look(&mut self, out: &mut Output) {
        if let Some(files) = &mut self.files {
            files.forget_refused();
        }
        if !std::mem::replace(&mut self.is_looking, true) {
            let TurnOptions { directory, since, .. } = self.options.clone();
            out.ask(Request::ReviewTurn { directory, since }, Purpose::Turn(TurnRequest::Look));
        }
    }

    /// The person wants to know what has changed since the list came.
    pub(crate) fn look_again(&mut self, out: &mut Output) {
        self.look(out);
        self.read(out);
        out.answer(Message::notice(words::LOOKING).about(Subject::Turn));
    }

    /// Asks for the texts of the file on the screen. Files that the person only passes are not read.
    fn read(&mut self, out: &mut Output) {
        let Some(files) = self.files.as_ref().filter(|files| self.is_open && files.wants_texts()) else {
            return;
        };
        if let Some(file) = files.file()
            && self.reading.is_none()
        {
            let revision = files.turn().revision;
            self.reading = Some(Reading { path: file.path.clone(), revision });
            let (turn, file) = (files.turn().id, files.at());
            out.ask(Request::OpenTurnFile { turn, revision, file }, Purpose::Turn(TurnRequest::Open));
        }
    }

    /// Whether the companion tells of the changes that this desk shows: other desks may look at others.
    fn is_ours(&self, told: &Turn) -> bool {
        let is_like = told.baseline.asked == self.options.since;
        match self.files.as_ref().map(TurnFiles::turn) {
            // The companion may have begun anew, and names it otherwise.
            Some(known) => known.id == told.id || (is_like && known.root == told.root),
            None => is_like,
        }
    }

    /// The companion tells what has changed.
    pub(crate) fn take_turn(&mut self, told: Turn, out: &mut Output) {
        if !self.is_ours(&told) {
            return;
        }
        let Some(files) = &mut self.files else {
            self.unannounced = if self.is_open { 0 } else { told.files.len() };
            self.files = Some(TurnFiles::new(told));
            return self.read(out);
        };
        let is_newer = told.revision != files.turn().revision;
        let news = files.take(told);
        let is_finish = |overlay: &Overlay| match overlay {
            Overlay::Turn(list) => list.purpose() == ListPurpose::Finish,
            _ => false,
        };
        if news.has_other_marks && out.overlays.close(is_finish).is_some() {
            // A yes would undo what was not on the list.
            out.invalidate_keys();
            out.warn(words::LIST_CHANGED);
        }
        match self.is_open {
            true if news.is_elsewhere => out.invalidate_keys(),
            true if is_newer && news.added > 0 => {
                out.show([Message::notice(words::more_files(news.added))]);
            }
            true => {}
            false if files.all().is_empty() => self.unannounced = 0,
            false => self.unannounced += news.added,
        }
        self.read(out);
    }

    /// Tells that files have changed, once, where no proposal is on the screen and nobody reads them.
    pub(crate) fn announce(&mut self, out: &mut Output) {
        if let Some(files) = self.files.as_ref().filter(|_| self.unannounced > 0 && !self.is_open) {
            let waits = words::waits(files.turn());
            out.show([Message::notice(waits).about(Subject::Turn)]);
            self.unannounced = 0;
        }
    }

    /// The companion has read a file, or an open one anew.
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

    /// The companion has undone what was marked.
    pub(crate) fn take_finished(&mut self, finished: &TurnFinished, out: &mut Output) {
        self.under_way = None;
        let is_ours = self.files.as_ref().is_some_and(|files| files.turn().id == finished.turn);
        if !is_ours {
            return;
        }
        let said = words::finished(finished);
        match finished.files.iter().any(|file| file.refused.is_some()) {
            true => out.warn(said),
            false => out.say(said),
        }
        if self.is_open && !finished.files.is_empty() {
            out.invalidate_keys();
            out.overlays.open(Overlay::Turn(TurnList::finished(finished)));
        }
    }

    /// Takes the companion's reply. What it did came as an event before.
    pub(crate) fn take_reply(
        &mut self,
        request: TurnRequest,
        reply: Result<Revised, Refusal>,
        out: &mut Output,
    ) {
        out.mark_due();
        if self.under_way == Some(request) {
            self.under_way = None;
        }
        match (request, reply) {
            (TurnRequest::Look, reply) => {
                self.is_looking = false;
                out.messages.end(Subject::Turn);
                if let Err(refusal) = reply {
                    self.look_refused(&refusal, out);
                }
            }
            (TurnRequest::Open, reply) => self.end_reading(reply, out),
            (TurnRequest::Mark | TurnRequest::Finish, Err(refusal)) => {
                out.warn(words::refusal(&refusal, 'r'))
            }
            (TurnRequest::Mark | TurnRequest::Finish, Ok(_)) => {}
        }
    }

    /// The texts of a file have come before the reply, or there are none.
    fn end_reading(&mut self, reply: Result<Revised, Refusal>, out: &mut Output) {
        let (Some(Reading { path, revision }), Some(files)) = (self.reading.take(), &mut self.files) else {
            return;
        };
        let is_current = files.file().is_some_and(|file| file.path == path);
        let is_same_list = revision == files.turn().revision;
        if let Err(refusal) = reply
            && is_same_list
        {
            files.take_refused(path, words::refusal(&refusal, 'r'));
        }
        // The person may have gone on, or the file is to be asked for by the new list.
        if !is_current || !is_same_list {
            self.read(out);
        }
    }

    /// Nothing is known of the changes: there is nothing to show.
    fn look_refused(&mut self, refusal: &Refusal, out: &mut Output) {
        if self.files.is_none() && std::mem::take(&mut self.is_open) {
            out.invalidate_keys();
        }
        out.warn(words::refusal(refusal, if self.is_open { 'r' } else { 'T' }));
    }

    /// The person turns to the file so many places further in the list, round the end.
    pub(crate) fn turn_by(&mut self, by: isize, out: &mut Output) {
        let Some(files) = &self.files else { return };
        let n = files.all().len() as isize;
        if n > 0 {
            let next = (files.at() as isize + by).rem_euclid(n) as usize;
            if !self.turn_to(next, out) {
                out.say(words::NO_OTHER_FILE);
            }
        }
    }

    /// The person turns to a file. False if it is on the screen.
    pub(crate) fn turn_to(&mut self, file: usize, out: &mut Output) -> bool {
        let Some(files) = &mut self.files else { return false };
        let is_other = files.go_to(file);
        if is_other && let Some(view) = files.view_mut() {
            view.seen = None;
        }
        self.read(out);
        is_other
    }

    /// The path of the file on the screen.
    pub(crate) fn path(&self) -> Option<String> {
        let files = self.files.as_ref()?;
        Some(format!("{}/{}", files.turn().root, files.file()?.path))
    }

    /// Marks files, or finishes. False for an action on a hunk of the file on the screen, which is a review
    /// like any other.
    pub(crate) fn carry_out(&mut self, action: Action, out: &mut Output) -> bool {
        let Some(files) = self.files.as_ref().filter(|_| self.is_open) else { return false };
        let has_hunks = files.view().is_some_and(|view| !view.review().hunks.is_empty());
        match action {
            Action::MarkFile => self.mark_file(out),
            Action::Finish => match TurnList::marked(files, ListPurpose::Finish) {
                Some(list) => out.overlays.open(Overlay::Turn(list)),
                None => out.say(words::NOTHING_MARKED),
            },
            // There is no smaller part of it to mark.
            Action::KeepOrDrop if !has_hunks => self.mark_file(out),
            _ if files.view().is_none() => out.say(words::WHOLE_ONLY),
            _ => return false,
        }
        true
    }

    /// Marks the file on the screen, or takes its mark back.
    fn mark_file(&mut self, out: &mut Output) {
        let Some(files) = &self.files else { return };
        let Some(file) = files.file() else { return };
        // The hunks of a renamed file are not all of its change.
        let hunks = files.hunks(file).filter(|hunks| *hunks > 0 && file.change != FileChange::Renamed);
        let marked = files.marked(file);
        let undo = marked != Marked::Whole && Some(marked) != hunks.map(Marked::Hunks);
        let (turn, revision, file) = (files.turn().id, files.turn().revision, files.at());
        self.under_way = Some(TurnRequest::Mark);
        out.ask(Request::MarkTurnFile { turn, revision, file, undo }, Purpose::Turn(TurnRequest::Mark));
    }

    /// Lists all files.
    pub(crate) fn list_files(&self, now: u64, out: &mut Output) {
        if let Some(files) = &self.files {
            out.overlays.open(Overlay::Turn(TurnList::files(files, now)));
        }
    }

    /// Asks whether the person leaves though something is marked. False if nothing is.
    pub(crate) fn open_leave_list(&self, out: &mut Output) -> bool {
        let list = self.files.as_ref().and_then(|files| TurnList::marked(files, ListPurpose::Leave));
        let asks = list.is_some();
        if let Some(list) = list {
            out.overlays.open(Overlay::Turn(list));
        }
        asks
    }

    /// The person said yes to a list, or chose a file from it.
    pub(crate) fn take_list(&mut self, list: &TurnList, out: &mut Output) {
        let Some(files) = &self.files else { return };
        match list.purpose() {
            ListPurpose::Files => {
                if let Some(file) = list.chosen().and_then(|path| files.position(path)) {
                    self.turn_to(file, out);
                }
            }
            ListPurpose::Finish => {
                let (turn, revision) = (files.turn().id, files.turn().revision);
                self.under_way = Some(TurnRequest::Finish);
                out.ask(
                    Request::FinishTurn { turn, revision, send: false, ask_to_undo: false },
                    Purpose::Turn(TurnRequest::Finish),
                );
            }
            ListPurpose::Leave | ListPurpose::Finished => {}
        }
    }

    /// The news of an opened file. `foreign`: this desk has marked none of its hunks.
    pub(crate) fn news(&self, news: ReviewNews, foreign: bool) -> Vec<Message> {
        let name = self.files.as_ref().and_then(|files| files.path_of(news.id)).map(words::path);
        let foreign = foreign && self.under_way != Some(TurnRequest::Mark);
        let said = words::news(news, &name.unwrap_or_default(), foreign);
        said.into_iter().map(|text| Message::warning(text).about(Subject::Review(news.id))).collect()
    }

    /// Whether the hunk that keys mean is marked.
    pub(crate) fn is_hunk_marked(&self) -> bool {
        let view = self.view().filter(|_| self.is_open);
        let hunk = view.and_then(|view| view.review().hunks.get(view.hunk()));
        hunk.is_some_and(|hunk| hunk.state == HunkState::Dropped)
    }
}
