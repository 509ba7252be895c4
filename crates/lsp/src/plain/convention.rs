//! What an editor makes of a file it opens: it may take the byte-order mark away, make all line endings the
//! same, and end the last line. None of that is an edit, and all of it is put back before the companion sees
//! the text.

use std::ops::Range;

use alongside_desk::Text;
use lsp_types as lsp;

use super::documents::{position, without_ending};
use super::merge::differences;
use crate::client::Encoding;

const MARK: char = '\u{feff}';

/// How the text in an editor departs from the one on disk.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Convention {
    /// The mark is gone.
    marked: bool,
    /// Line endings on disk, and in the editor.
    endings: Option<(&'static str, &'static str)>,
    /// The last line, which has no end, has one.
    ended: bool,
}

impl Convention {
    /// What the editor has made of a text; `None` if it is another text.
    pub(crate) fn of(disk: &str, editor: &str) -> Option<Self> {
        let marked = disk.starts_with(MARK) && !editor.starts_with(MARK);
        let bare = if marked { disk.strip_prefix(MARK).unwrap_or(disk) } else { disk };
        if bare == editor {
            return Some(Self { marked, ..Self::default() });
        }
        let (one, other) = (bare.replace("\r\n", "\n"), editor.replace("\r\n", "\n"));
        let ended = other.strip_suffix('\n') == Some(&one);
        if one != other && !ended {
            return None;
        }
        let same = if ended { without_ending(editor) == bare } else { false };
        let endings = (!same).then(|| (ending(bare), ending(editor)));
        Some(Self { marked, endings, ended })
    }

    /// What it seems to have made of it, if it is another text.
    pub(crate) fn guess(disk: &str, editor: &str) -> Self {
        let marked = disk.starts_with(MARK) && !editor.starts_with(MARK);
        let all = |text: &str| !text.replace("\r\n", "").contains('\n') && text.contains("\r\n");
        let unified = all(disk) && editor.contains('\n') && !editor.contains("\r\n");
        Self { marked, endings: unified.then_some(("\r\n", "\n")), ended: false }
    }

    /// The text for the companion, of what the editor has now. `before` is what it had, and what that was for
    /// the companion.
    pub(crate) fn back(self, before: Option<(&Text, &Text)>, editor: &Text) -> String {
        if self == Self::default() {
            return editor.text().to_string();
        }
        let before = before.map(|(old, ours)| (old.clone(), self.bare(ours)));
        let before = before.filter(|(old, ours)| old.len() == ours.len());
        let (old, ours) = before.unwrap_or_else(|| (Text::new(""), Text::new("")));
        // Lines that did not change are what they were.
        let most = old.len().min(editor.len());
        let same = |one: usize, other: usize| old.lines(one..one + 1) == editor.lines(other..other + 1);
        let start = (0..most).take_while(|line| same(*line, *line)).count();
        let from_end = |line: &usize| same(old.len() - 1 - line, editor.len() - 1 - line);
        let end = (0..most - start).take_while(from_end).count();
        let disk = self.endings.map_or_else(|| ending(ours.text()), |(disk, _)| disk);
        let mut text = String::with_capacity(editor.text().len() + 64);
        let mut push = |piece: &str| {
            if !text.is_empty() && !text.ends_with('\n') && !piece.is_empty() {
                // It was the last line, and is not any more.
                text.push_str(disk);
            }
            text.push_str(piece);
        };
        push(ours.lines(0..start));
        let middle = editor.lines(start..editor.len() - end);
        push(&self.endings.map_or_else(|| middle.to_owned(), |(disk, _)| with_endings(middle, disk)));
        push(ours.lines(ours.len() - end..ours.len()));
        if self.ended && text.ends_with('\n') {
            text.truncate(without_ending(&text).len());
        }
        if self.marked && !text.starts_with(MARK) {
            text.insert(0, MARK);
        }
        text
    }

    /// A text without the mark that the editor does not show.
    fn bare(self, text: &Text) -> Text {
        let bare = text.text().strip_prefix(MARK).filter(|_| self.marked);
        bare.map_or_else(|| text.clone(), Text::new)
    }

    /// The edits that make `goal` of what the editor has, which is `ours` for the companion.
    pub(crate) fn edits(
        self,
        editor: &Text,
        ours: &Text,
        goal: &Text,
        encoding: Encoding,
    ) -> Vec<lsp::TextEdit> {
        let (ours, goal) = (self.bare(ours), self.bare(goal));
        let whole = || vec![(0..editor.len(), 0..goal.len())];
        let changes = if editor.len() == ours.len() { differences(&ours, &goal) } else { whole() };
        let edit = |(old, new): (Range<usize>, Range<usize>)| {
            let mut text = goal.lines(new.clone()).to_owned();
            let theirs = self.endings.map_or_else(|| ending(editor.text()), |(_, editor)| editor);
            if self.endings.is_some() {
                text = with_endings(&text, theirs);
            }
            if self.ended && new.end == goal.len() && !text.is_empty() && !text.ends_with('\n') {
                text.push_str(theirs);
            }
            let at = |line: usize| {
                let offset = editor.lines(0..line).len();
                to_lsp(position(editor, offset, encoding))
            };
            lsp::TextEdit { range: lsp::Range { start: at(old.start), end: at(old.end) }, new_text: text }
        };
        changes.into_iter().map(edit).collect()
    }
}

/// As LSP writes it.
pub(crate) fn to_lsp(position: alongside_desk::Position) -> lsp::Position {
    lsp::Position { line: position.line, character: position.character }
}

/// The line ending that most lines have.
fn ending(text: &str) -> &'static str {
    let (all, crlf) = (text.matches('\n').count(), text.matches("\r\n").count());
    if crlf * 2 > all { "\r\n" } else { "\n" }
}

fn with_endings(text: &str, ending: &str) -> String {
    text.replace("\r\n", "\n").replace('\n', ending)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What an editor with these habits makes of a text.
    fn opened(text: &str, marked: bool, endings: &str, ended: bool) -> String {
        let text = if marked { text.strip_prefix(MARK).unwrap_or(text) } else { text };
        let mut text = if endings.is_empty() { text.to_owned() } else { with_endings(text, endings) };
        if ended && !text.ends_with('\n') {
            text.push_str(if endings.is_empty() { "\n" } else { endings });
        }
        text
    }

    #[test]
    fn what_an_editor_takes_away_is_put_back_around_an_edit() {
        let disk = Text::new("\u{feff}one\r\ntwo\nthree");
        let editor = Text::new("one\ntwo\nthree\n");
        let convention = Convention::of(disk.text(), editor.text()).unwrap();
        let back = |new: &str| convention.back(Some((&editor, &disk)), &Text::new(new));
        assert_eq!(back("one\ntwo\nthree\n"), &**disk.text());
        assert_eq!(back("ONE\ntwo\nthree\n"), "\u{feff}ONE\ntwo\nthree");
        assert_eq!(back("one\ntwo\nthree\nfour\n"), "\u{feff}one\r\ntwo\nthree\nfour");
        assert_eq!(Convention::of("a\nb", "a\nc"), None);
    }

    proptest! {
        #[test]
        fn an_unchanged_text_is_no_edit_whatever_the_editor_makes_of_it(
            disk in "\u{feff}?([ab\u{1f600}]{0,2}\r?\n){0,4}[ab]{0,2}",
            marked: bool,
            endings in proptest::sample::select(vec!["", "\n", "\r\n"]),
            ended: bool,
        ) {
            let editor = opened(&disk, marked, endings, ended);
            let convention = Convention::of(&disk, &editor);
            prop_assert!(convention.is_some(), "{:?} {:?}", disk, editor);
            let (disk, editor) = (Text::new(disk), Text::new(editor));
            if let Some(convention) = convention {
                let back = convention.back(Some((&editor, &disk)), &editor);
                // An empty file that was given a line cannot be told from one without.
                if disk.len() == editor.len() {
                    prop_assert_eq!(back, &**disk.text());
                }
            }
        }

        #[test]
        fn edits_make_the_goal_and_it_comes_back(
            disk in "([ab\u{1f600}]{0,2}\n){1,4}[ab]{0,2}",
            goal in "([ab\u{1f600}]{0,2}\n){0,4}[ab]{0,2}",
            crlf: bool,
            marked: bool,
        ) {
            let eol = if crlf { "\r\n" } else { "\n" };
            let mark = if marked { "\u{feff}" } else { "" };
            let [disk, goal] = [disk, goal].map(|text| Text::new(format!("{mark}{}", with_endings(&text, eol))));
            let editor = Text::new(opened(disk.text(), marked, "\n", false));
            let convention = Convention::of(disk.text(), editor.text()).unwrap();
            for encoding in [Encoding::Utf8, Encoding::Utf16] {
                let mut text = editor.clone();
                for edit in convention.edits(&editor, &disk, &goal, encoding).iter().rev() {
                    let at = |place: lsp::Position| alongside_desk::Position { line: place.line, character: place.character };
                    let offset = |place| super::super::documents::offset(&text, at(place), encoding);
                    let (from, to) = (offset(edit.range.start), offset(edit.range.end));
                    text = Text::new(format!("{}{}{}", &text.text()[..from], edit.new_text, &text.text()[to..]));
                }
                prop_assert_eq!(&**text.text(), opened(goal.text(), marked, "\n", false));
                if disk.len() == editor.len() {
                    prop_assert_eq!(convention.back(Some((&editor, &disk)), &text), &**goal.text());
                }
            }
        }
    }
}
