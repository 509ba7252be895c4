//! The list of all files of a turn review, with what must be known of them. It stays as it was when it
//! opened.

use std::ops::Range;

use alongside_desk::TurnFile;

use crate::text_fit::wrapped;
use crate::turn_files::TurnFiles;
use crate::turn_words as words;

/// The columns of a remark in the list; a narrower screen cuts it.
const SENTENCE: usize = 56;

/// See the module.
#[derive(Debug)]
pub(crate) struct TurnList {
    rows: Vec<TurnRow>,
    /// The row at which the person is.
    at: usize,
}

/// One row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TurnRow {
    Blank,
    Heading(String),
    /// A file, whether all of it has been on the screen, and what is to be known of it.
    File {
        file: Box<TurnFile>,
        is_seen: bool,
        what: String,
    },
    /// A remark, or a part of it.
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
        for remark in remarks {
            rows.extend(wrapped(&words::line(remark), SENTENCE).into_iter().map(TurnRow::Warning));
        }
        let at = if files.all().is_empty() { 0 } else { files.at() + 1 };
        Self { rows, at }
    }

    pub(crate) fn rows(&self) -> &[TurnRow] {
        &self.rows
    }

    /// The row at which the person is.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// The path of the file at which the person is.
    pub(crate) fn chosen(&self) -> Option<&str> {
        match self.rows.get(self.at)? {
            TurnRow::File { file, .. } => Some(&file.path),
            _ => None,
        }
    }

    /// The rows that are on a screen of this height: the person's row is among them.
    pub(crate) fn rows_on_screen(&self, height: u16) -> Range<usize> {
        let (height, rows) = (usize::from(height), self.rows.len());
        let top = (self.at + 1).saturating_sub(height.div_ceil(2)).min(rows.saturating_sub(height));
        top..(top + height).min(rows)
    }

    /// The person goes so many rows further.
    pub(crate) fn scroll(&mut self, by: isize) {
        self.at = self.at.saturating_add_signed(by).min(self.rows.len().saturating_sub(1));
    }
}

#[cfg(test)]
mod tests {
    use alongside_desk::Turn;

    use super::*;

    #[test]
    fn the_chosen_file_is_on_the_screen() {
        let file = |n: u32| TurnFile { path: n.to_string(), ..TurnFile::default() };
        let files = TurnFiles::new(Turn { files: (0..50).map(file).collect(), ..Turn::default() });
        let mut list = TurnList::files(&files, 0);
        assert_eq!(list.chosen(), Some("0"));
        for by in [7, 20, 40, -30, -90] {
            list.scroll(by);
            assert!(list.rows_on_screen(10).contains(&list.at()));
        }
        assert_eq!(list.chosen(), None, "the heading is no file");
    }
}
