//! A list over a turn review: all its files, those that are undone after a yes, or what was undone. It stays
//! as it was when it opened. Nothing is undone that was not on the screen: every row has to be there before a
//! yes counts.

use std::ops::Range;

use alongside_desk::{Marked, TurnFile, TurnFinished};

use crate::text_fit::wrapped;
use crate::turn_files::TurnFiles;
use crate::turn_words as words;

/// The columns of a sentence in a list; a narrower screen cuts it.
const SENTENCE: usize = 56;

/// See the module.
#[derive(Debug)]
pub(crate) struct TurnList {
    purpose: ListPurpose,
    rows: Vec<TurnRow>,
    /// The row at which the person is, or the first one on the screen where there is nothing to choose.
    at: usize,
    /// How many rows, from the first on, have been on the screen.
    seen: usize,
}

/// The purpose of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ListPurpose {
    /// To go to a file.
    Files,
    /// To undo what is marked.
    Finish,
    /// To leave the desk although something is marked.
    Leave,
    /// To tell what was undone.
    Finished,
}

/// One row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TurnRow {
    Blank,
    Heading(String),
    /// A file, whether all of it has been on the screen, and what becomes of it.
    File {
        file: Box<TurnFile>,
        is_seen: bool,
        what: String,
    },
    /// A file that was undone.
    Undone(String),
    /// A sentence, or a part of it.
    Sentence(String),
    /// The same, about something that is wrong.
    Warning(String),
}

impl TurnList {
    /// All files, with the remarks. The person is at the file on the screen.
    pub(crate) fn files(files: &TurnFiles, now: u64) -> Self {
        let mut rows = vec![TurnRow::Heading(words::summary(files.turn(), now))];
        rows.extend(files.all().iter().map(|file| TurnRow::File {
            is_seen: files.is_seen(file),
            what: words::notes(file, files.marked(file)),
            file: Box::new(file.clone()),
        }));
        let remarks = &files.turn().remarks;
        rows.extend((!remarks.is_empty()).then_some(TurnRow::Blank));
        rows.extend(remarks.iter().flat_map(|remark| sentence(&words::line(remark), TurnRow::Warning)));
        let at = if files.all().is_empty() { 0 } else { files.at() + 1 };
        Self { purpose: ListPurpose::Files, rows, at, seen: 0 }
    }

    /// The files that are marked, to finish or to leave; none if nothing is.
    pub(crate) fn marked(files: &TurnFiles, purpose: ListPurpose) -> Option<Self> {
        let heading = match purpose {
            ListPurpose::Leave => "Marked, and not undone:",
            ListPurpose::Files | ListPurpose::Finish | ListPurpose::Finished => "To be undone:",
        };
        let mut rows = vec![TurnRow::Heading(heading.to_owned())];
        rows.extend(files.all_marked().map(|(file, marked)| TurnRow::File {
            is_seen: true,
            what: words::undoing(file, marked, files.hunks(file)),
            file: Box::new(TurnFile { marked, ..file.clone() }),
        }));
        if rows.len() == 1 {
            return None;
        }
        rows.push(TurnRow::Blank);
        let end = match purpose {
            ListPurpose::Leave => words::MARKS_END,
            ListPurpose::Files | ListPurpose::Finish | ListPurpose::Finished => words::NOTHING_ELSE,
        };
        rows.extend(sentence(end, TurnRow::Sentence));
        Some(Self { purpose, rows, at: 0, seen: 0 })
    }

    /// What was undone and what was not.
    pub(crate) fn finished(finished: &TurnFinished) -> Self {
        let mut rows = Vec::new();
        let (refused, undone): (Vec<_>, Vec<_>) =
            finished.files.iter().partition(|file| file.refused.is_some());
        if !undone.is_empty() {
            rows.push(TurnRow::Heading("Undone:".into()));
        }
        for file in &undone {
            rows.push(TurnRow::Undone(words::path(&file.path)));
            let draft = file.draft.as_deref().map(words::draft);
            rows.extend(draft.iter().flat_map(|draft| sentence(draft, TurnRow::Sentence)));
        }
        if !undone.is_empty() && !refused.is_empty() {
            rows.push(TurnRow::Blank);
        }
        if !refused.is_empty() {
            rows.push(TurnRow::Heading("Not undone; these are as they were:".into()));
        }
        for file in &refused {
            rows.push(TurnRow::Undone(words::path(&file.path)));
            let why = words::line(file.refused.as_deref().unwrap_or_default());
            rows.extend(sentence(&why, TurnRow::Warning));
        }
        Self { purpose: ListPurpose::Finished, rows, at: 0, seen: 0 }
    }

    pub(crate) fn purpose(&self) -> ListPurpose {
        self.purpose
    }

    /// Whether it wants a yes or a no.
    pub(crate) fn asks(&self) -> bool {
        match self.purpose {
            ListPurpose::Finish | ListPurpose::Leave => true,
            ListPurpose::Files | ListPurpose::Finished => false,
        }
    }

    pub(crate) fn rows(&self) -> &[TurnRow] {
        &self.rows
    }

    /// The row at which the person is, where there is something to choose.
    pub(crate) fn at(&self) -> Option<usize> {
        (self.purpose == ListPurpose::Files).then_some(self.at)
    }

    /// The path of the file at which the person is.
    pub(crate) fn chosen(&self) -> Option<&str> {
        match self.rows.get(self.at()?)? {
            TurnRow::File { file, .. } => Some(&file.path),
            _ => None,
        }
    }

    /// How many files it lists, and how many of their changes, where all of them are known.
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
        let top = match self.purpose {
            ListPurpose::Files => (self.at + 1).saturating_sub(height.div_ceil(2)),
            ListPurpose::Finish | ListPurpose::Leave | ListPurpose::Finished => self.at,
        };
        let top = top.min(rows.saturating_sub(height));
        top..(top + height).min(rows)
    }

    /// Scrolls on a screen of this height.
    pub(crate) fn scroll(&mut self, by: isize, height: u16) {
        let last = match self.purpose {
            ListPurpose::Files => self.rows.len().saturating_sub(1),
            ListPurpose::Finish | ListPurpose::Leave | ListPurpose::Finished => {
                self.rows.len().saturating_sub(usize::from(height))
            }
        };
        self.at = self.at.saturating_add_signed(by).min(last);
    }

    /// These rows are on the screen.
    pub(crate) fn mark_seen(&mut self, rows: &Range<usize>) {
        if rows.start <= self.seen {
            self.seen = self.seen.max(rows.end);
        }
    }

    /// Whether rows come below a screen of this height that nobody has seen.
    pub(crate) fn goes_on(&self, height: u16) -> bool {
        self.rows.len() > self.seen.max(self.rows_on_screen(height).end)
    }

    /// Whether a yes counts: all of it has been on the screen.
    pub(crate) fn is_ready(&self) -> bool {
        self.seen >= self.rows.len()
    }
}

/// A sentence in rows.
fn sentence(text: &str, row: fn(String) -> TurnRow) -> impl Iterator<Item = TurnRow> + use<> {
    wrapped(text, SENTENCE).into_iter().map(row)
}

#[cfg(test)]
mod tests {
    use alongside_desk::{Turn, UndoneFile};

    use super::*;

    fn file(path: &str, marked: Marked) -> TurnFile {
        TurnFile { path: path.into(), marked, ..TurnFile::default() }
    }

    fn files(count: usize) -> TurnFiles {
        let files = (0..count).map(|n| file(&format!("{n}"), Marked::Hunks(1))).collect();
        TurnFiles::new(Turn { files, ..Turn::default() })
    }

    #[test]
    fn a_yes_counts_once_every_row_was_on_the_screen() {
        assert!(TurnList::marked(&TurnFiles::new(Turn::default()), ListPurpose::Finish).is_none());
        let mut list = TurnList::marked(&files(12), ListPurpose::Finish).unwrap();
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
        let mut list = TurnList::files(&files(50), 0);
        assert_eq!(list.chosen(), Some("0"));
        for by in [7, 20, 40, -30, -90] {
            list.scroll(by, 10);
            assert!(list.rows_on_screen(10).contains(&list.at().unwrap()));
        }
        assert_eq!(list.chosen(), None, "the heading is no file");
    }

    #[test]
    fn refusals_come_with_their_reasons() {
        let undone = |path: &str, refused: Option<&str>| UndoneFile {
            path: path.into(),
            refused: refused.map(str::to_owned),
            draft: None,
        };
        let files = vec![undone("a", None), undone("b", Some("it has changed since"))];
        let list = TurnList::finished(&TurnFinished { files, ..TurnFinished::default() });
        assert_eq!(list.rows()[1], TurnRow::Undone("a".into()));
        assert_eq!(list.rows()[5], TurnRow::Warning("it has changed since".into()));
    }
}
