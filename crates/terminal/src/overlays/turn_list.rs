//! A list over a turn review: all its files, everything that a finish would write and send, or the result
//! of a finish. The list stays as it was when it opened. A finish undoes and sends only what was on the
//! screen: every row has to be there before an answer counts.

use std::ops::Range;

use alongside_desk::review_model::can_send;
use alongside_desk::review_model::comment_place::place;
use alongside_desk::review_model::comment_state::waits_on;
use alongside_desk::{CommentId, Marked, TurnFinished, messages};

use super::comment_input::UnsentComment;
use super::turn_list_rows::{self, TurnRow, is_answer, marked, said, sentence};
use crate::turn_files::TurnFiles;
use crate::words::comment_words;
use crate::words::finish_words;
use crate::words::turn_words as words;

/// See the module.
#[derive(Debug)]
pub(crate) struct TurnList {
    purpose: ListPurpose,
    rows: Vec<TurnRow>,
    /// The row at which the person is, or the first one on the screen where there is nothing to choose.
    at: usize,
    /// How many rows, from the first on, have been on the screen.
    seen: usize,
    /// The parts of a finish.
    end: End,
    choice: FinishChoice,
    /// The message to the agent, if there is one to copy.
    message: Option<String>,
    /// The finish whose result the list shows.
    finished: Option<TurnFinished>,
    /// The texts that the person typed and that the companion has not taken.
    unsent: Vec<UnsentComment>,
    /// When the list opened, for ages.
    now: u64,
}

/// The parts of a finish.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct End {
    /// Whether something is marked to be undone.
    pub(crate) has_marks: bool,
    /// How many comments wait to be sent.
    pub(crate) comments: usize,
    /// Whether a message can be sent.
    pub(crate) has_route: bool,
}

/// The way in which the person finishes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum FinishChoice {
    /// The marked changes are undone, and the agent is told that, with the comments.
    #[default]
    Send,
    /// The agent is asked to undo what is marked.
    AskToUndo,
    /// The agent is told nothing: comments wait on.
    Quietly,
}

/// The purpose of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ListPurpose {
    /// To go to a file.
    Files,
    /// To undo what is marked, and to send comments.
    Finish,
    /// To leave the desk although something is marked.
    Leave,
    /// To tell what was undone and sent.
    Finished,
}

impl TurnList {
    fn new(purpose: ListPurpose, rows: Vec<TurnRow>) -> Self {
        let (end, choice, unsent) = (End::default(), FinishChoice::default(), Vec::new());
        Self { purpose, rows, at: 0, seen: 0, end, choice, message: None, finished: None, unsent, now: 0 }
    }

    /// All files, with the comments on the whole turn, texts of comments that nobody took, and the remarks.
    /// The person is at the file on the screen.
    pub(crate) fn files(files: &TurnFiles, unsent: Vec<UnsentComment>, now: u64) -> Self {
        let mut rows = vec![TurnRow::Heading(words::summary(files.turn(), now))];
        rows.extend(files.all().iter().map(|file| TurnRow::File {
            is_seen: files.is_seen(file),
            what: words::notes(file, files.marked(file), files.comment_count(file)),
            file: Box::new(file.clone()),
        }));
        let whole: Vec<_> = files.comments_on(None).filter(|comment| !is_answer(comment)).collect();
        if !whole.is_empty() {
            rows.extend([TurnRow::Blank, TurnRow::Heading("Comments on the whole turn (C):".into())]);
            rows.extend(whole.into_iter().flat_map(said));
        }
        rows.extend(turn_list_rows::unsent(&unsent));
        rows.extend(turn_list_rows::read(files));
        let remarks = &files.turn().remarks;
        rows.extend((!remarks.is_empty()).then_some(TurnRow::Blank));
        rows.extend(remarks.iter().flat_map(|remark| sentence(&words::harmless(remark), TurnRow::Warning)));
        let at = if files.all().is_empty() {
            rows.iter().position(TurnRow::is_choice)
        } else {
            Some(files.at() + 1)
        };
        let at = at.unwrap_or(0);
        let message = files.turn().message.as_ref().map(|message| message.text.clone());
        Self { at, message, unsent, now, ..Self::new(ListPurpose::Files, rows) }
    }

    /// The same list as it is now, with the person where they are. None if nothing of it can have changed.
    pub(crate) fn renewed(&self, files: &TurnFiles) -> Option<Self> {
        if let Some(finished) = &self.finished {
            let message = files.turn().message.as_ref().filter(|message| message.read.is_some())?;
            let is_it = finished.sent.as_ref().is_some_and(|sent| sent.at == message.at);
            let finished = TurnFinished { sent: Some(message.clone()), ..finished.clone() };
            return is_it.then(|| Self::finished(&finished)).flatten();
        }
        if self.purpose == ListPurpose::Finish {
            // The words about when and how the agent reads the message may be others now.
            let (at, seen, choice) = (self.at, self.seen, self.choice);
            return Self::finish(files).map(|list| Self { at, seen, choice, ..list });
        }
        let again = || Self::files(files, self.unsent.clone(), self.now);
        let list = (self.purpose == ListPurpose::Files).then(again)?;
        let is_it = |row: &TurnRow| match row {
            TurnRow::File { file, .. } => self.chosen() == Some(&*file.path),
            TurnRow::Comment { id, .. } => self.chosen_comment() == Some(*id),
            _ => false,
        };
        let at = list.rows.iter().position(is_it).unwrap_or_else(|| {
            // The row of the chosen comment is gone: the next comment is chosen, or else the one above.
            let is_comment = |row: &TurnRow| matches!(row, TurnRow::Comment { .. });
            let is_like = if self.chosen_comment().is_some() { is_comment } else { TurnRow::is_choice };
            let (above, below) = list.rows.split_at(self.at.min(list.rows.len()));
            let next = below.iter().position(is_like).map(|at| above.len() + at);
            let next = next.or_else(|| above.iter().rposition(is_like));
            next.or_else(|| list.rows.iter().rposition(TurnRow::is_choice)).unwrap_or(0)
        });
        Some(Self { at, ..list })
    }

    /// The files that are marked, for a person who leaves; none if nothing is.
    pub(crate) fn leave(files: &TurnFiles) -> Option<Self> {
        let mut rows = marked(files, "Marked, and not undone:")?;
        rows.push(TurnRow::Blank);
        rows.extend(sentence(words::MARKS_END, TurnRow::Sentence));
        let waits = waits_on(&files.turn().comments);
        rows.extend(waits.iter().flat_map(|said| sentence(said, TurnRow::Sentence)));
        Some(Self::new(ListPurpose::Leave, rows))
    }

    /// All that a finish would write and send; none if that is nothing.
    pub(crate) fn finish(files: &TurnFiles) -> Option<Self> {
        let marked = marked(files, "To be undone:");
        let (has_route, comments) = (can_send(files.turn()), files.unsent().count());
        let end = End { has_marks: marked.is_some(), comments, has_route };
        let mut rows = marked.unwrap_or_default();
        if !end.has_marks && comments == 0 {
            // The finish of a review since a revision is not remembered.
            let begins_here = files.turn().baseline.asked.is_none() && !files.all().is_empty();
            let end = End { has_route: false, ..end };
            rows.extend(sentence(finish_words::ALL_STAYS, TurnRow::Sentence));
            return begins_here.then(|| Self { end, ..Self::new(ListPurpose::Finish, rows) });
        }
        if comments > 0 {
            rows.extend(end.has_marks.then_some(TurnRow::Blank));
            rows.push(TurnRow::Heading(if has_route { "To be sent:" } else { "Not sent now:" }.into()));
            for comment in files.unsent() {
                rows.push(TurnRow::Item(place(comment)));
                rows.extend(said(comment));
            }
        }
        rows.push(TurnRow::Blank);
        if has_route || comments > 0 {
            rows.extend(sentence(&comment_words::route(files.turn()), TurnRow::Sentence));
        }
        // An agent at work may be changing the very lines that are undone.
        let at_work = files.turn().at_work_words("at work", &[]).filter(|_| end.has_marks);
        rows.extend(at_work.iter().flat_map(|said| sentence(said, TurnRow::Warning)));
        if files.has_marked_git_mv() {
            rows.extend(sentence(messages::INDEX_STAYS, TurnRow::Sentence));
        }
        let last = if end.has_marks { finish_words::NOTHING_ELSE } else { finish_words::NOTHING_WRITTEN };
        rows.extend(sentence(last, TurnRow::Sentence));
        Some(Self { end, ..Self::new(ListPurpose::Finish, rows) })
    }

    /// The end of a finish: files that were undone or not, and the message; none if nothing was to be done.
    pub(crate) fn finished(finished: &TurnFinished) -> Option<Self> {
        let rows = turn_list_rows::finished(finished);
        let message = finished.sent.as_ref().map(|sent| sent.text.clone());
        let finished = Some(finished.clone());
        (!rows.is_empty()).then(|| Self { message, finished, ..Self::new(ListPurpose::Finished, rows) })
    }

    /// Whether the list shows an undo that can be taken back.
    pub(crate) fn has_undone(&self) -> bool {
        self.finished.as_ref().is_some_and(|finished| turn_list_rows::with_draft(finished).next().is_some())
    }

    /// The parts of a finish.
    pub(crate) fn end(&self) -> End {
        self.end
    }

    /// The way in which the person finishes.
    pub(crate) fn choice(&self) -> FinishChoice {
        self.choice
    }

    /// The message to the agent, for the clipboard.
    pub(crate) fn message(&self) -> Option<&str> {
        self.message.as_deref()
    }

    /// Takes an answer to a finish. Returns true if the key is an answer and all rows were on the screen.
    pub(crate) fn answer(&mut self, key: char) -> bool {
        let End { has_marks, comments, has_route } = self.end;
        let choice = match key {
            'y' | 'Y' if self.purpose == ListPurpose::Finish && !has_route => FinishChoice::Quietly,
            'y' | 'Y' => FinishChoice::Send,
            'a' if has_marks && has_route => FinishChoice::AskToUndo,
            'o' if has_route && (has_marks || comments > 0) => FinishChoice::Quietly,
            _ => return false,
        };
        self.choice = choice;
        self.is_ready()
    }

    pub(crate) fn purpose(&self) -> ListPurpose {
        self.purpose
    }

    /// Whether the list asks for a yes or a no.
    pub(crate) fn asks(&self) -> bool {
        matches!(self.purpose, ListPurpose::Finish | ListPurpose::Leave)
    }

    fn is_to_choose_from(&self) -> bool {
        self.purpose == ListPurpose::Files
    }

    pub(crate) fn rows(&self) -> &[TurnRow] {
        &self.rows
    }

    /// The row at which the person is, where there is something to choose.
    pub(crate) fn at(&self) -> Option<usize> {
        self.is_to_choose_from().then_some(self.at)
    }

    /// The path of the file at which the person is.
    pub(crate) fn chosen(&self) -> Option<&str> {
        match self.rows.get(self.at()?)? {
            TurnRow::File { file, .. } => Some(&file.path),
            _ => None,
        }
    }

    /// The comment at which the person is, which an agent has read.
    pub(crate) fn chosen_comment(&self) -> Option<CommentId> {
        self.comment_row().map(|(id, _)| id)
    }

    /// Whether the chosen comment is asked again with the next finish.
    pub(crate) fn asks_again(&self) -> bool {
        self.comment_row().is_some_and(|(_, again)| again)
    }

    fn comment_row(&self) -> Option<(CommentId, bool)> {
        let mut upwards = self.rows.get(..=self.at()?)?.iter().rev();
        match upwards.find(|row| !matches!(row, TurnRow::Words(_)))? {
            TurnRow::Comment { id, again, .. } => Some((*id, *again)),
            _ => None,
        }
    }

    /// The number of listed files, and the number of their changes, if all of these are known.
    pub(crate) fn marked_files(&self) -> (usize, Option<usize>) {
        let files = self.rows.iter().filter_map(|row| match row {
            TurnRow::File { file, .. } => Some(file),
            _ => None,
        });
        let hunks: Option<usize> = files
            .clone()
            .map(|file| match file.marked {
                Marked::Hunks(hunks) => Some(hunks),
                Marked::Nothing | Marked::Whole => None,
            })
            .sum();
        (files.count(), hunks)
    }

    /// The rows that are on a screen of this height.
    pub(crate) fn rows_on_screen(&self, height: u16) -> Range<usize> {
        let (height, rows) = (usize::from(height), self.rows.len());
        let top =
            if self.is_to_choose_from() { (self.at + 1).saturating_sub(height.div_ceil(2)) } else { self.at };
        let top = top.min(rows.saturating_sub(height));
        top..(top + height).min(rows)
    }

    /// Scrolls on a screen of this height. In a list to choose from, the person goes from one file or comment
    /// to another; past the last one only where rows below it are not on the screen.
    pub(crate) fn scroll(&mut self, by: isize, height: u16) {
        let rest = if self.is_to_choose_from() { 1 } else { usize::from(height) };
        let to = self.at.saturating_add_signed(by).min(self.rows.len().saturating_sub(rest));
        if !self.is_to_choose_from() {
            self.at = to;
            return;
        }
        self.at = self.choice_near(to, by).unwrap_or(match self.rows_on_screen(height) {
            shown if by > 0 && shown.end == self.rows.len() => self.at,
            shown if by < 0 && shown.start == 0 => self.at,
            _ => to,
        });
    }

    /// The row to choose at this one or further on in this direction, else the last one before it.
    fn choice_near(&self, to: usize, by: isize) -> Option<usize> {
        let is_choice = |row: &usize| self.rows.get(*row).is_some_and(TurnRow::is_choice);
        match by < 0 {
            true => (0..=to).rev().find(is_choice).or_else(|| (to..self.at).find(is_choice)),
            false => {
                (to..self.rows.len()).find(is_choice).or_else(|| (self.at + 1..to).rev().find(is_choice))
            }
        }
    }

    /// Notes that these rows are on the screen.
    pub(crate) fn mark_seen(&mut self, rows: &Range<usize>) {
        if rows.start <= self.seen {
            self.seen = self.seen.max(rows.end);
        }
    }

    /// Whether rows come below a screen of this height that nobody has seen.
    pub(crate) fn goes_on(&self, height: u16) -> bool {
        self.rows.len() > self.seen.max(self.rows_on_screen(height).end)
    }

    /// Whether a yes counts: all rows have been on the screen.
    pub(crate) fn is_ready(&self) -> bool {
        self.seen >= self.rows.len()
    }
}

#[cfg(test)]
mod tests {
    use alongside_desk::{Comment, CommentState, Turn, TurnFile, TurnMessage, UndoneFile};

    use super::*;

    fn file(path: &str, marked: Marked) -> TurnFile {
        TurnFile { path: path.into(), marked, ..TurnFile::default() }
    }

    fn comment(id: u64, text: &str) -> Comment {
        Comment { id: CommentId(id), text: text.into(), state: CommentState::Open, ..Comment::default() }
    }

    fn files(count: usize) -> TurnFiles {
        let files = (0..count).map(|n| file(&format!("{n}"), Marked::Hunks(1))).collect();
        TurnFiles::new(Turn { files, ..Turn::default() })
    }

    #[test]
    fn a_yes_counts_once_every_row_was_on_the_screen() {
        assert!(TurnList::finish(&TurnFiles::new(Turn::default())).is_none());
        let mut list = TurnList::finish(&files(12)).unwrap();
        list.mark_seen(&list.rows_on_screen(6));
        assert!(!list.is_ready() && list.goes_on(6));
        list.scroll(20, 6);
        list.mark_seen(&list.rows_on_screen(6));
        assert!(!list.is_ready(), "some were passed without being on the screen");
        list.scroll(-20, 6);
        for _ in 0..8 {
            list.mark_seen(&list.rows_on_screen(6));
            list.scroll(3, 6);
        }
        assert!(list.is_ready() && !list.goes_on(6));
        assert_eq!(list.marked_files(), (12, Some(12)));
    }

    #[test]
    fn the_chosen_file_is_on_the_screen() {
        let mut list = TurnList::files(&files(50), Vec::new(), 0);
        assert_eq!(list.chosen(), Some("0"));
        for by in [7, 20, 40, -30, -90] {
            list.scroll(by, 10);
            assert!(list.rows_on_screen(10).contains(&list.at().unwrap()));
        }
        assert_eq!(list.chosen(), Some("0"), "the heading is no file");
    }

    #[test]
    fn a_key_goes_from_one_file_or_comment_to_the_next() {
        let comments = vec![comment(1, "rename\nit"), comment(2, "no")];
        let remarks = vec!["a remark".to_owned(); 9];
        let turn =
            |files| Turn { files, comments: comments.clone(), remarks: remarks.clone(), ..Turn::default() };
        let of = |turn| TurnList::files(&TurnFiles::new(turn), Vec::new(), 0);
        let mut list = of(turn(vec![file("a", Marked::Nothing)]));
        let there =
            |list: &TurnList| (list.chosen().map(str::to_owned), list.chosen_comment().map(|id| id.0));
        let mut been = vec![there(&list)];
        for by in [1, 1, 1, -1, -1, -1, 20, -20] {
            list.scroll(by, 30);
            been.push(there(&list));
        }
        let (a, first, second) = ((Some("a".to_owned()), None), (None, Some(1)), (None, Some(2)));
        let round = [&a, &first, &second, &second, &first, &a, &a, &second, &a].map(Clone::clone);
        assert_eq!(been, round);
        // Without a file, a comment is chosen at once.
        let mut list = of(turn(Vec::new()));
        assert_eq!(there(&list), first);
        // Remarks below the last one are read all the same.
        for _ in 0..40 {
            list.mark_seen(&list.rows_on_screen(6));
            list.scroll(1, 6);
        }
        assert_eq!(list.rows_on_screen(6).end, list.rows().len());
        list.scroll(-1, 6);
        assert_eq!(there(&list), second);
    }

    #[test]
    fn after_a_comment_is_closed_the_next_one_is_chosen() {
        let turn = |ids: &[u64]| {
            let comments = ids.iter().map(|id| comment(*id, "no")).collect();
            TurnFiles::new(Turn { files: vec![file("a", Marked::Nothing)], comments, ..Turn::default() })
        };
        let mut list = TurnList::files(&turn(&[1, 2, 3]), Vec::new(), 0);
        list.scroll(1, 30);
        list.scroll(1, 30);
        let chosen = |list: &TurnList| list.chosen_comment().map(|id| id.0);
        assert_eq!(chosen(&list), Some(2));
        list = list.renewed(&turn(&[1, 3])).unwrap();
        assert_eq!(chosen(&list), Some(3));
        list = list.renewed(&turn(&[1])).unwrap();
        assert_eq!(chosen(&list), Some(1));
        list = list.renewed(&turn(&[])).unwrap();
        assert_eq!(list.chosen(), Some("a"));
    }

    #[test]
    fn refusals_come_with_their_reasons() {
        let undone = |path: &str, refused: Option<&str>| UndoneFile {
            path: path.into(),
            refused: refused.map(str::to_owned),
            draft: None,
        };
        let files = vec![undone("a", None), undone("b", Some("it has changed since"))];
        let list = TurnList::finished(&TurnFinished { files, ..TurnFinished::default() }).unwrap();
        assert_eq!(list.rows()[1], TurnRow::Item("a".into()));
        assert_eq!(list.rows()[5], TurnRow::Warning("it has changed since".into()));
    }

    #[test]
    fn the_end_tells_when_its_message_was_read() {
        let message =
            |read, words: &str| TurnMessage { at: 7, read, words: words.into(), ..TurnMessage::default() };
        let sent = Some(message(None, "Codex reads it with your next prompt"));
        let list = TurnList::finished(&TurnFinished { sent, ..TurnFinished::default() }).unwrap();
        let now = |message| TurnFiles::new(Turn { message: Some(message), ..Turn::default() });
        assert!(list.renewed(&now(message(None, "Codex reads it with your next prompt"))).is_none());
        assert!(list.renewed(&now(TurnMessage { at: 8, ..message(Some(9), "Codex has read it") })).is_none());
        let read = list.renewed(&now(message(Some(9), "Codex has read it"))).unwrap();
        assert_eq!(read.rows()[1], TurnRow::Sentence("Codex has read it.".into()));
    }
}
