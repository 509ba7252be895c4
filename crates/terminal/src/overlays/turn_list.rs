//! A list over a turn review: all files, everything that a finish would write and send, or the result of a
//! finish. A finish undoes and sends only changes and comments that were on the screen: an answer counts once
//! every row was there.

use std::ops::Range;

use alongside_desk::review_model::can_send;
use alongside_desk::review_model::comment_place::place;
use alongside_desk::review_model::comment_state::waits_on;
use alongside_desk::{CommentId, Marked, TurnFinished, messages};

use super::comment_input::UnsentComment;
use super::finish_choice::{FinishChoice, FinishParts};
use super::turn_list_rows::{self, TurnRow, comment_rows, has_listed_state, marked_rows, sentence_rows};
use crate::turn_files::TurnFiles;
use crate::words::comment_words;
use crate::words::finish_words;
use crate::words::turn_words as words;

/// A list over a turn review.
#[derive(Debug)]
pub(crate) struct TurnList {
    purpose: ListPurpose,
    rows: Vec<TurnRow>,
    /// The selected row; in a list without a choice, the first row on the screen.
    at: usize,
    /// The number of rows, from the first row on, that have been on the screen without a gap.
    seen: usize,
    /// The parts of a finish.
    finish_parts: FinishParts,
    choice: FinishChoice,
    /// The message to the agent, if there is one to copy.
    message: Option<String>,
    /// The finish whose result the list shows.
    finished: Option<TurnFinished>,
    /// The comments that the companion does not have.
    unsent: Vec<UnsentComment>,
    /// The time at which the list opened, in ms since the Unix epoch. Ages are relative to it.
    now: u64,
}

/// The purpose of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ListPurpose {
    /// To go to a file.
    Files,
    /// To undo the marked changes, and to send comments.
    Finish,
    /// To leave the desk although changes are marked.
    Leave,
    /// To show the result of a finish.
    Finished,
}

impl TurnList {
    fn new(purpose: ListPurpose, rows: Vec<TurnRow>) -> Self {
        let (finish_parts, choice, unsent) = (FinishParts::default(), FinishChoice::default(), Vec::new());
        Self {
            purpose,
            rows,
            at: 0,
            seen: 0,
            finish_parts,
            choice,
            message: None,
            finished: None,
            unsent,
            now: 0,
        }
    }

    /// Creates the list of all files, with the comments on the whole turn, the comments that the companion
    /// does not have, and the remarks. The file on the screen is selected.
    pub(crate) fn files(files: &TurnFiles, unsent: Vec<UnsentComment>, now: u64) -> Self {
        let mut rows = vec![TurnRow::Heading(words::summary(files.turn(), now))];
        rows.extend(files.all().iter().map(|file| TurnRow::File {
            is_seen: files.is_seen(file),
            what: words::notes(file, files.marked(file), files.comment_count(file)),
            file: Box::new(file.clone()),
        }));
        let whole: Vec<_> =
            files.turn().comments_on(None).filter(|comment| !has_listed_state(comment)).collect();
        if !whole.is_empty() {
            rows.extend([TurnRow::Blank, TurnRow::Heading("Comments on the whole turn (C):".into())]);
            rows.extend(whole.into_iter().flat_map(comment_rows));
        }
        rows.extend(turn_list_rows::unsent_rows(&unsent));
        rows.extend(turn_list_rows::read_rows(files));
        let remarks = &files.turn().remarks;
        rows.extend((!remarks.is_empty()).then_some(TurnRow::Blank));
        rows.extend(
            remarks.iter().flat_map(|remark| sentence_rows(&words::harmless(remark), TurnRow::Warning)),
        );
        let at = if files.all().is_empty() {
            rows.iter().position(TurnRow::is_choice)
        } else {
            Some(files.at() + 1)
        };
        let at = at.unwrap_or(0);
        let message = files.turn().message.as_ref().map(|message| message.text.clone());
        Self { at, message, unsent, now, ..Self::new(ListPurpose::Files, rows) }
    }

    /// Creates the list again from the newest files, with the same row selected. `None` if such a list does
    /// not change.
    pub(crate) fn renew(&self, files: &TurnFiles) -> Option<Self> {
        if let Some(finished) = &self.finished {
            let message = files.turn().message.as_ref().filter(|message| message.read.is_some())?;
            let is_it = finished.sent.as_ref().is_some_and(|sent| sent.at == message.at);
            let finished = TurnFinished { sent: Some(message.clone()), ..finished.clone() };
            return is_it.then(|| Self::finished(&finished)).flatten();
        }
        if self.purpose == ListPurpose::Finish {
            // The sentence about when and how the agent reads the message may have changed.
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

    /// Creates the list of the marked files for a person who leaves; `None` if no file is marked.
    pub(crate) fn leave(files: &TurnFiles) -> Option<Self> {
        let mut rows = marked_rows(files, "Marked, and not undone:")?;
        rows.push(TurnRow::Blank);
        rows.extend(sentence_rows(words::MARKS_END, TurnRow::Sentence));
        let waits = waits_on(&files.turn().comments);
        rows.extend(waits.iter().flat_map(|said| sentence_rows(said, TurnRow::Sentence)));
        Some(Self::new(ListPurpose::Leave, rows))
    }

    /// Creates the list of all that a finish would write and send; `None` if there is nothing to finish.
    pub(crate) fn finish(files: &TurnFiles) -> Option<Self> {
        let marked = marked_rows(files, "To be undone:");
        let (has_route, comments) = (can_send(files.turn()), files.turn().unsent_comments().count());
        let finish_parts = FinishParts { has_marks: marked.is_some(), comments, has_route };
        let mut rows = marked.unwrap_or_default();
        if !finish_parts.has_marks && comments == 0 {
            // The store does not remember the finish of a review that begins with a revision.
            let begins_here = files.turn().baseline.asked.is_none() && !files.all().is_empty();
            let finish_parts = FinishParts { has_route: false, ..finish_parts };
            rows.extend(sentence_rows(finish_words::ALL_STAYS, TurnRow::Sentence));
            return begins_here.then(|| Self { finish_parts, ..Self::new(ListPurpose::Finish, rows) });
        }
        if comments > 0 {
            rows.extend(finish_parts.has_marks.then_some(TurnRow::Blank));
            rows.push(TurnRow::Heading(if has_route { "To be sent:" } else { "Not sent now:" }.into()));
            for comment in files.turn().unsent_comments() {
                rows.push(TurnRow::Item(place(comment)));
                rows.extend(comment_rows(comment));
            }
        }
        rows.push(TurnRow::Blank);
        if has_route || comments > 0 {
            rows.extend(sentence_rows(&comment_words::route(files.turn()), TurnRow::Sentence));
        }
        // An agent at work may be writing the same lines that are undone.
        let at_work = files.turn().at_work_words("at work", &[]).filter(|_| finish_parts.has_marks);
        rows.extend(at_work.iter().flat_map(|said| sentence_rows(said, TurnRow::Warning)));
        if files.has_marked_git_mv() {
            rows.extend(sentence_rows(messages::INDEX_STAYS, TurnRow::Sentence));
        }
        let last =
            if finish_parts.has_marks { finish_words::NOTHING_ELSE } else { finish_words::NOTHING_WRITTEN };
        rows.extend(sentence_rows(last, TurnRow::Sentence));
        Some(Self { finish_parts, ..Self::new(ListPurpose::Finish, rows) })
    }

    /// Creates the list of a finish's result: the files that were undone or not, and the message. `None` if
    /// the finish did nothing.
    pub(crate) fn finished(finished: &TurnFinished) -> Option<Self> {
        let rows = turn_list_rows::result_rows(finished);
        let message = finished.sent.as_ref().map(|sent| sent.text.clone());
        let finished = Some(finished.clone());
        (!rows.is_empty()).then(|| Self { message, finished, ..Self::new(ListPurpose::Finished, rows) })
    }

    /// Whether the list shows an undo that can be taken back.
    pub(crate) fn has_undone(&self) -> bool {
        self.finished
            .as_ref()
            .is_some_and(|finished| turn_list_rows::undone_with_draft(finished).next().is_some())
    }

    /// The parts of a finish.
    pub(crate) fn finish_parts(&self) -> FinishParts {
        self.finish_parts
    }

    /// The way in which the person finishes.
    pub(crate) fn choice(&self) -> FinishChoice {
        self.choice
    }

    /// The message to the agent, for the clipboard.
    pub(crate) fn message(&self) -> Option<&str> {
        self.message.as_deref()
    }

    /// Notes the person's answer to the question how to finish. Returns true if the key is an answer and all
    /// rows were on the screen.
    pub(crate) fn answer(&mut self, key: char) -> bool {
        let FinishParts { has_marks, comments, has_route } = self.finish_parts;
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

    fn has_choices(&self) -> bool {
        self.purpose == ListPurpose::Files
    }

    pub(crate) fn rows(&self) -> &[TurnRow] {
        &self.rows
    }

    /// The selected row; `None` in a list without a choice.
    pub(crate) fn at(&self) -> Option<usize> {
        self.has_choices().then_some(self.at)
    }

    /// The path of the selected file.
    pub(crate) fn chosen(&self) -> Option<&str> {
        match self.rows.get(self.at()?)? {
            TurnRow::File { file, .. } => Some(&file.path),
            _ => None,
        }
    }

    /// The selected comment, which an agent has read.
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

    /// The number of listed files, and the number of their marked changes, if no file is marked as a whole.
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
        let top = if self.has_choices() { (self.at + 1).saturating_sub(height.div_ceil(2)) } else { self.at };
        let top = top.min(rows.saturating_sub(height));
        top..(top + height).min(rows)
    }

    /// Scrolls on a screen of this height. In a list to choose from, moves the selection from one file or
    /// comment to another, and past the last one only while rows below it are not on the screen.
    pub(crate) fn scroll(&mut self, by: isize, height: u16) {
        let rest = if self.has_choices() { 1 } else { usize::from(height) };
        let to = self.at.saturating_add_signed(by).min(self.rows.len().saturating_sub(rest));
        if !self.has_choices() {
            self.at = to;
            return;
        }
        self.at = self.nearest_choice(to, by).unwrap_or(match self.rows_on_screen(height) {
            shown if by > 0 && shown.end == self.rows.len() => self.at,
            shown if by < 0 && shown.start == 0 => self.at,
            _ => to,
        });
    }

    /// The nearest row that can be chosen: at the row `to` or further in the direction of `by`, or else
    /// before it.
    fn nearest_choice(&self, to: usize, by: isize) -> Option<usize> {
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

    /// Whether rows that have not been on the screen are below a screen of this height.
    pub(crate) fn has_unseen_rows_below(&self, height: u16) -> bool {
        self.rows.len() > self.seen.max(self.rows_on_screen(height).end)
    }

    /// Whether a yes counts: all rows have been on the screen.
    pub(crate) fn is_ready(&self) -> bool {
        self.seen >= self.rows.len()
    }
}

#[cfg(test)]
mod tests;
