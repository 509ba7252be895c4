//! The requests about the turn review that are under way: at most one look, one reading of a file, and one
//! change.

use alongside_desk::{FileChange, Marked, Refusal, Request, Revised};

use crate::options::TurnOptions;
use crate::output::{Output, Purpose, TurnRequest};
use crate::overlays::turn_list::FinishChoice;
use crate::turn_files::TurnFiles;
use crate::words::turn_words as words;

/// See the module.
pub(crate) struct TurnRequests {
    options: TurnOptions,
    /// Whether a look is under way.
    is_looking: bool,
    /// The file whose texts the companion reads. One is on its way at a time.
    reading: Option<Reading>,
    /// The change that is under way. Keys that touch the review act on the state after it.
    under_way: Option<TurnRequest>,
    /// Whether a finish is under way, or its new list has not come yet.
    is_finishing: bool,
    /// Whether the program takes an undo back.
    is_taking_back: bool,
}

/// A file whose texts are asked for.
struct Reading {
    path: String,
    /// The revision of the list at that time.
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

    /// Whether a mark, a comment, an undo or its way back is under way.
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

    /// Notes that the program begins to take an undo back, or has done so.
    pub(crate) fn set_taking_back(&mut self, is_taking_back: bool) {
        self.is_taking_back = is_taking_back;
    }

    /// Whether this desk marks a whole file.
    pub(crate) fn is_marking(&self) -> bool {
        self.under_way == Some(TurnRequest::Mark)
    }

    /// Asks the companion for a look.
    pub(crate) fn look(&mut self, out: &mut Output) {
        if !std::mem::replace(&mut self.is_looking, true) {
            let TurnOptions { directory, since, .. } = self.options.clone();
            out.ask(Request::ReviewTurn { directory, since }, Purpose::Turn(TurnRequest::Look));
        }
    }

    /// Asks for the texts of the file on the screen. Files that the person only passes are not read.
    pub(crate) fn read(&mut self, files: &TurnFiles, out: &mut Output) {
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
        // The hunks of a renamed file do not show all of its change.
        let hunks = files.hunk_count(file).filter(|hunks| *hunks > 0 && file.change != FileChange::Renamed);
        let marked = files.marked(file);
        let undo = marked != Marked::Whole && Some(marked) != hunks.map(Marked::Hunks);
        if let Some(why) = words::no_undo(file).filter(|_| undo) {
            return out.say(why);
        }
        let (turn, revision, file) = (files.turn().id, files.turn().revision, files.at());
        self.ask(Request::MarkTurnFile { turn, revision, file, undo }, TurnRequest::Mark, out);
    }

    /// Finishes as the person chose: undoes the marks or asks the agent to, and sends comments.
    pub(crate) fn finish(&mut self, files: &TurnFiles, choice: FinishChoice, out: &mut Output) {
        let (turn, revision) = (files.turn().id, files.turn().revision);
        let send = choice != FinishChoice::Quietly;
        let ask_to_undo = choice == FinishChoice::AskToUndo;
        self.is_finishing = true;
        self.ask(Request::FinishTurn { turn, revision, send, ask_to_undo }, TurnRequest::Finish, out);
    }

    /// Notes that the marked files are undone. The reply to the finish comes after the new list.
    pub(crate) fn mark_finished(&mut self) {
        self.under_way = self.under_way.filter(|under_way| *under_way != TurnRequest::Finish);
    }

    /// Ends a request, which is answered.
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

    /// Ends the reading of a file, whose texts have come before the reply if it has any. Returns whether
    /// another file is to be read.
    pub(crate) fn end_reading(&mut self, reply: Result<Revised, Refusal>, files: &mut TurnFiles) -> bool {
        let Some(Reading { path, revision }) = self.reading.take() else { return false };
        let is_current = files.file().is_some_and(|file| file.path == path);
        let is_same_list = revision == files.turn().revision;
        if let Err(refusal) = reply
            && is_same_list
        {
            files.take_refused(path, words::refusal(&refusal, 'r'));
        }
        // The person may have gone to another file, or a new list may need another request.
        !is_current || !is_same_list
    }
}
