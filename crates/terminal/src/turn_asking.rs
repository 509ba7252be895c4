//! The requests about the turn review that are under way: one look, one file that is read, and one change at
//! a time.

use alongside_desk::{FileChange, Marked, Refusal, Request, Revised};

use crate::options::TurnOptions;
use crate::output::{Output, Purpose, TurnRequest};
use crate::turn_files::TurnFiles;
use crate::turn_list::FinishChoice;
use crate::turn_words as words;

/// See the module.
pub(crate) struct TurnAsking {
    options: TurnOptions,
    /// Whether the companion looks what has changed.
    is_looking: bool,
    /// The file whose texts the companion reads. One is on its way at a time.
    reading: Option<Reading>,
    /// The request that changes something: keys that touch the review mean what is there after it.
    under_way: Option<TurnRequest>,
    /// Whether the companion undoes what is marked, or has not told yet what the list is after it.
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

impl TurnAsking {
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

    /// Whether files of the project are written: by a finish, or as it is taken back.
    pub(crate) fn is_writing(&self) -> bool {
        self.is_taking_back || self.is_finishing
    }

    /// Whether the program takes an undo back.
    pub(crate) fn is_taking_back(&self) -> bool {
        self.is_taking_back
    }

    /// The program begins to take an undo back, or is done.
    pub(crate) fn set_taking_back(&mut self, is_taking_back: bool) {
        self.is_taking_back = is_taking_back;
    }

    /// Whether this desk marks a whole file.
    pub(crate) fn is_marking(&self) -> bool {
        self.under_way == Some(TurnRequest::Mark)
    }

    /// The companion is asked what has changed.
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

    /// Asks for something that changes the review, or writes.
    pub(crate) fn ask(&mut self, request: Request, purpose: TurnRequest, out: &mut Output) {
        self.under_way = Some(purpose);
        out.ask(request, Purpose::Turn(purpose));
    }

    /// Marks the file on the screen, or takes its mark back.
    pub(crate) fn mark_file(&mut self, files: &TurnFiles, out: &mut Output) {
        let Some(file) = files.file() else { return };
        // The hunks of a renamed file are not all of its change.
        let hunks = files.hunks(file).filter(|hunks| *hunks > 0 && file.change != FileChange::Renamed);
        let marked = files.marked(file);
        let undo = marked != Marked::Whole && Some(marked) != hunks.map(Marked::Hunks);
        if let Some(why) = words::no_undo(file).filter(|_| undo) {
            return out.say(why);
        }
        let (turn, revision, file) = (files.turn().id, files.turn().revision, files.at());
        self.ask(Request::MarkTurnFile { turn, revision, file, undo }, TurnRequest::Mark, out);
    }

    /// Undoes what is marked, or has the agent do it, and sends comments, as the person chose.
    pub(crate) fn finish(&mut self, files: &TurnFiles, choice: FinishChoice, out: &mut Output) {
        let (turn, revision) = (files.turn().id, files.turn().revision);
        let send = choice != FinishChoice::Quietly;
        let ask_to_undo = choice == FinishChoice::AskToUndo;
        self.is_finishing = true;
        self.ask(Request::FinishTurn { turn, revision, send, ask_to_undo }, TurnRequest::Finish, out);
    }

    /// The marked files are undone. The reply comes once the list is as it is after that.
    pub(crate) fn mark_finished(&mut self) {
        self.under_way = self.under_way.filter(|under_way| *under_way != TurnRequest::Finish);
    }

    /// A request is answered.
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

    /// The texts of a file have come before the reply, or there are none. True if there is another one to
    /// read.
    pub(crate) fn end_reading(&mut self, reply: Result<Revised, Refusal>, files: &mut TurnFiles) -> bool {
        let Some(Reading { path, revision }) = self.reading.take() else { return false };
        let is_current = files.file().is_some_and(|file| file.path == path);
        let is_same_list = revision == files.turn().revision;
        if let Err(refusal) = reply
            && is_same_list
        {
            files.take_refused(path, words::refusal(&refusal, 'r'));
        }
        // The person may have gone on, or the file is to be asked for by the new list.
        !is_current || !is_same_list
    }
}
