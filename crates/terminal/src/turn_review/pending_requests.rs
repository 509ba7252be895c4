//! The pending requests about the turn review: at most one look, one reading of a file, and one change.

use alongside_desk::{FileChange, Marked, Refusal, Request, Revised};

use crate::options::TurnOptions;
use crate::output::{Output, Purpose, TurnRequest};
use crate::overlays::finish_choice::FinishChoice;
use crate::turn_files::TurnFiles;
use crate::words::turn_words as words;

/// The pending requests about the turn review.
pub(crate) struct TurnRequests {
    options: TurnOptions,
    /// Whether a look is pending.
    is_looking: bool,
    /// The file whose texts the companion reads. One reading is pending at a time.
    reading: Option<Reading>,
    /// The pending change. Keys that touch the review act on the state after it.
    under_way: Option<TurnRequest>,
    /// Whether a finish is pending, or its new list has not come yet.
    is_finishing: bool,
    /// Whether the program takes an undo back.
    is_taking_back: bool,
}

/// A file whose texts were requested.
struct Reading {
    path: String,
    /// The revision of the list at the time of the request.
    revision: u64,
}

impl TurnRequests {
    pub(crate) fn new(options: TurnOptions) -> Self {
        let (is_finishing, is_taking_back) = (false, false);
        Self { options, is_looking: false, reading: None, under_way: None, is_finishing, is_taking_back }
    }

    pub(crate) fn options(&self) -> &TurnOptions {
        &self.options
    }

    /// Whether a mark, a comment, a finish or taking an undo back is pending.
    pub(crate) fn is_busy(&self) -> bool {
        self.under_way.is_some() || self.is_taking_back
    }

    /// Whether files of the project are being written, by a finish or by taking it back.
    pub(crate) fn is_writing(&self) -> bool {
        self.is_taking_back || self.is_finishing
    }

    /// Whether the program takes an undo back.
    pub(crate) fn is_taking_back(&self) -> bool {
        self.is_taking_back
    }

    /// Notes whether the program takes an undo back.
    pub(crate) fn set_taking_back(&mut self, is_taking_back: bool) {
        self.is_taking_back = is_taking_back;
    }

    /// Whether the mark of a whole file is pending.
    pub(crate) fn is_marking(&self) -> bool {
        self.under_way == Some(TurnRequest::Mark)
    }

    /// Requests a look, unless one is pending.
    pub(crate) fn look(&mut self, out: &mut Output) {
        if !std::mem::replace(&mut self.is_looking, true) {
            let TurnOptions { directory, since, .. } = self.options.clone();
            out.ask(Request::ReviewTurn { directory, since }, Purpose::Turn(TurnRequest::Look));
        }
    }

    /// Requests the texts of the file on the screen, unless a reading is pending. So files that the person
    /// skips quickly are not read.
    pub(crate) fn request_texts(&mut self, files: &TurnFiles, out: &mut Output) {
        if let Some(file) = files.file().filter(|_| files.wants_texts())
            && self.reading.is_none()
        {
            let revision = files.turn().revision;
            self.reading = Some(Reading { path: file.path.clone(), revision });
            let (turn, file) = (files.turn().id, files.at());
            out.ask(Request::OpenTurnFile { turn, revision, file }, Purpose::Turn(TurnRequest::Open));
        }
    }

    /// Sends a request that changes the review or writes files.
    pub(crate) fn ask(&mut self, request: Request, purpose: TurnRequest, out: &mut Output) {
        self.under_way = Some(purpose);
        out.ask(request, Purpose::Turn(purpose));
    }

    /// Marks the file on the screen, or takes its mark back.
    pub(crate) fn mark_file(&mut self, files: &TurnFiles, out: &mut Output) {
        let Some(file) = files.file() else { return };
        // The rename itself is in no hunk, so marks on all hunks of a renamed file do not mark the whole
        // change.
        let hunks = files.hunk_count(file).filter(|hunks| *hunks > 0 && file.change != FileChange::Renamed);
        let marked = files.marked(file);
        let undo = marked != Marked::Whole && Some(marked) != hunks.map(Marked::Hunks);
        if let Some(why) = words::no_undo(file).filter(|_| undo) {
            return out.say(why);
        }
        let (turn, revision, file) = (files.turn().id, files.turn().revision, files.at());
        self.ask(Request::MarkTurnFile { turn, revision, file, undo }, TurnRequest::Mark, out);
    }

    /// Requests the finish that the person chose: undoes the marked changes or asks the agent to undo them,
    /// and sends comments.
    pub(crate) fn finish(&mut self, files: &TurnFiles, choice: FinishChoice, out: &mut Output) {
        let (turn, revision) = (files.turn().id, files.turn().revision);
        let send = choice != FinishChoice::Quietly;
        let ask_to_undo = choice == FinishChoice::AskToUndo;
        self.is_finishing = true;
        self.ask(Request::FinishTurn { turn, revision, send, ask_to_undo }, TurnRequest::Finish, out);
    }

    /// Notes that the marked files are undone. The reply to the finish follows after the new list.
    pub(crate) fn mark_finished(&mut self) {
        self.under_way = self.under_way.filter(|under_way| *under_way != TurnRequest::Finish);
    }

    /// Ends a request after its reply.
    pub(crate) fn end(&mut self, request: TurnRequest) {
        match request {
            TurnRequest::Look => self.is_looking = false,
            TurnRequest::Open => {}
            TurnRequest::Mark | TurnRequest::Finish | TurnRequest::Comment => {
                self.is_finishing &= request != TurnRequest::Finish;
                self.under_way = self.under_way.filter(|under_way| *under_way != request);
            }
        }
    }

    /// Ends the reading of a file. Its texts, if it has any, have come before the reply. Returns whether to
    /// request the texts of another file.
    pub(crate) fn end_reading(&mut self, reply: Result<Revised, Refusal>, files: &mut TurnFiles) -> bool {
        let Some(Reading { path, revision }) = self.reading.take() else { return false };
        let is_current = files.file().is_some_and(|file| file.path == path);
        let is_same_list = revision == files.turn().revision;
        if let Err(refusal) = reply
            && is_same_list
        {
            files.take_refused(path, words::refusal(&refusal, 'r'));
        }
        // The person may have gone to another file, or the request may have named an old list.
        !is_current || !is_same_list
    }
}
