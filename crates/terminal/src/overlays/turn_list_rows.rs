//! The rows of the lists over a turn review: files, comments, and the result of a finish.

use alongside_desk::review_model::comment_place::place;
use alongside_desk::review_model::comment_state::{answers, state_words};
use alongside_desk::{Comment, CommentId, Marked, TurnFile, TurnFinished, messages};

use super::comment_input::UnsentComment;
use crate::text::fit::wrapped;
use crate::turn_files::TurnFiles;
use crate::words::comment_words;
use crate::words::finish_words;
use crate::words::turn_words as words;

/// The most columns of a sentence in a list. A narrower screen cuts the sentence.
const MAX_SENTENCE_COLUMNS: usize = 56;

/// A row of a list over a turn review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TurnRow {
    Blank,
    Heading(String),
    /// A file.
    File {
        file: Box<TurnFile>,
        /// Whether the whole file has been on the screen.
        is_seen: bool,
        /// The notes about the file, or what a finish does to it.
        what: String,
    },
    /// A comment that an agent has read, with its location and its state.
    Comment {
        id: CommentId,
        /// Whether the comment is asked again with the next finish.
        again: bool,
        text: String,
    },
    /// A file that was undone, or the location of a comment.
    Item(String),
    /// A sentence, or a line of it.
    Sentence(String),
    /// A line of a comment.
    Words(String),
    /// A warning, or a line of it.
    Warning(String),
}

impl TurnRow {
    /// Whether the person can choose the row in a list of files.
    pub(crate) fn is_choice(&self) -> bool {
        matches!(self, Self::File { .. } | Self::Comment { .. })
    }
}

/// The undone files whose previous text is in a draft, each with the name of the draft.
pub(crate) fn undone_with_draft(finished: &TurnFinished) -> impl Iterator<Item = (&str, &str)> {
    let undone = finished.files.iter().filter(|file| file.refused.is_none());
    undone.filter_map(|file| Some((&*file.path, file.draft.as_deref()?)))
}

/// The rows of a finish's result: the files that were undone or not, and the message.
pub(crate) fn result_rows(finished: &TurnFinished) -> Vec<TurnRow> {
    let mut parts: Vec<Vec<TurnRow>> = Vec::new();
    let (refused, undone): (Vec<_>, Vec<_>) = finished.files.iter().partition(|file| file.refused.is_some());
    let mut part = |heading: &str, rows: Vec<TurnRow>| {
        if !rows.is_empty() {
            let heading = TurnRow::Heading(heading.to_owned());
            parts.push(std::iter::once(heading).chain(rows).collect());
        }
    };
    let row = |path: &str| std::iter::once(TurnRow::Item(words::harmless(path)));
    let back =
        undone_with_draft(finished).next().map(|_| sentence_rows(finish_words::HOW_BACK, TurnRow::Sentence));
    let undone = undone.iter().flat_map(|file| row(&file.path));
    part("Undone:", undone.chain(back.into_iter().flatten()).collect());
    let why = |why: Option<&str>| sentence_rows(&words::harmless(why.unwrap_or_default()), TurnRow::Warning);
    let refused = refused.iter().flat_map(|file| row(&file.path).chain(why(file.refused.as_deref())));
    part("Not undone; these are as they were:", refused.collect());
    part("The agent is asked to undo:", finished.asked.iter().flat_map(|path| row(path)).collect());
    let sent = finished.sent.as_ref().map(|sent| messages::sentence(&sent.words));
    part("Sent:", sent.into_iter().flat_map(|sent| sentence_rows(&sent, TurnRow::Sentence)).collect());
    part(
        "Nothing was sent; comments wait:",
        finished.not_sent.iter().flat_map(|not| why(Some(not))).collect(),
    );
    parts.join(&TurnRow::Blank)
}

/// The rows of the marked files, below a heading; `None` if no file is marked.
pub(crate) fn marked_rows(files: &TurnFiles, heading: &str) -> Option<Vec<TurnRow>> {
    let row = |(file, marked): (&TurnFile, Marked)| {
        let row = TurnRow::File {
            is_seen: true,
            what: finish_words::undoing(file, marked, files.hunk_count(file)),
            file: Box::new(TurnFile { marked, ..file.clone() }),
        };
        let lines = files.marked_hunks(file).into_iter().flat_map(|(hunk, texts)| {
            let goes = finish_words::marked_lines(hunk, texts);
            std::iter::once(goes).chain(finish_words::returning_line(hunk, texts))
        });
        std::iter::once(row).chain(lines.map(TurnRow::Sentence)).collect::<Vec<_>>()
    };
    let rows: Vec<_> = files.all_marked().flat_map(row).collect();
    let heading = TurnRow::Heading(heading.to_owned());
    (!rows.is_empty()).then(|| std::iter::once(heading).chain(rows).collect())
}

/// The rows of the comments that the companion does not have, below a heading.
pub(crate) fn unsent_rows(unsent: &[UnsentComment]) -> Vec<TurnRow> {
    if unsent.is_empty() {
        return Vec::new();
    }
    let mut rows = vec![TurnRow::Blank, TurnRow::Heading(comment_words::UNSENT_HEADING.into())];
    for text in unsent {
        let place = text.path.as_deref().map_or_else(|| "the whole turn".to_owned(), words::harmless);
        rows.push(TurnRow::Item(place));
        rows.extend(text.text.lines().flat_map(|line| sentence_rows(&words::harmless(line), TurnRow::Words)));
    }
    rows
}

/// The rows of the comments that agents have read or that are asked again, below a heading.
pub(crate) fn read_rows(files: &TurnFiles) -> Vec<TurnRow> {
    let turn = files.turn();
    let Some(answers) = answers(&turn.comments) else { return Vec::new() };
    let mut rows = vec![TurnRow::Blank, TurnRow::Heading(format!("Your last rounds: {answers}"))];
    for comment in turn.comments.iter().filter(|comment| has_listed_state(comment)) {
        let text = format!("{}{}", place(comment), state_words(comment, turn));
        rows.push(TurnRow::Comment { id: comment.id, again: comment.again, text });
        rows.extend(comment_rows(comment));
    }
    rows
}

/// Whether a comment is listed with its state.
pub(crate) fn has_listed_state(comment: &Comment) -> bool {
    comment.state.is_read() || comment.again
}

/// The rows of a comment's text.
pub(crate) fn comment_rows(comment: &Comment) -> Vec<TurnRow> {
    comment_words::text_lines(comment).flat_map(|line| sentence_rows(&line, TurnRow::Words)).collect()
}

/// The rows of a sentence, which is wrapped.
pub(crate) fn sentence_rows(text: &str, row: fn(String) -> TurnRow) -> impl Iterator<Item = TurnRow> + use<> {
    wrapped(text, MAX_SENTENCE_COLUMNS).into_iter().map(row)
}
