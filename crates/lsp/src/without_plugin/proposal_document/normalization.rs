//! Changes that an editor makes when it opens a file: it may remove the byte-order mark, unify the line
//! endings, and end the last line. None of these is an edit; the server reverts them before the companion
//! sees the text.

use std::ops::Range;

use alongside_desk::{Range as TextRange, Text, alike_at_end, alike_at_start, without_ending};
use alongside_presentation::differences;

use crate::encoding::Encoding;
use crate::without_plugin::lsp_types as lsp;
use crate::without_plugin::open_documents::positions::position;

const BOM: char = '\u{feff}';

/// The differences of the text in an editor from the one on disk.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Normalization {
    /// Whether the editor has removed the byte-order mark.
    removes_bom: bool,
    /// The line endings on disk, and in the editor; `None` if the editor has changed none.
    endings: Option<(&'static str, &'static str)>,
    /// Whether the editor has ended the last line.
    ends_last_line: bool,
}

impl Normalization {
    /// Returns the difference between two texts; `None` if the person has edited one of them.
    pub(crate) fn detect(disk: &str, editor: &str) -> Option<Self> {
        let removes_bom = disk.starts_with(BOM) && !editor.starts_with(BOM);
        let bare = if removes_bom { disk.strip_prefix(BOM).unwrap_or(disk) } else { disk };
        if bare == editor {
            return Some(Self { removes_bom, ..Self::default() });
        }
        let (one, other) = (bare.replace("\r\n", "\n"), editor.replace("\r\n", "\n"));
        let ends_last_line = other.strip_suffix('\n') == Some(&one);
        if one != other && !ends_last_line {
            return None;
        }
        let same = if ends_last_line { without_ending(editor) == bare } else { false };
        let endings = (!same).then(|| (ending(bare), ending(editor)));
        Some(Self { removes_bom, endings, ends_last_line })
    }

    /// Returns the likely difference between two texts, one of which the person has edited.
    pub(crate) fn guess(disk: &str, editor: &str) -> Self {
        let removes_bom = disk.starts_with(BOM) && !editor.starts_with(BOM);
        let all = |text: &str| !text.replace("\r\n", "").contains('\n') && text.contains("\r\n");
        let unified = all(disk) && editor.contains('\n') && !editor.contains("\r\n");
        Self { removes_bom, endings: unified.then_some(("\r\n", "\n")), ends_last_line: false }
    }

    /// Returns the editor's text as the companion has it. `before` holds the previous texts of both;
    /// unchanged lines keep the endings they had.
    pub(crate) fn restore(self, before: Option<(&Text, &Text)>, editor: &Text) -> String {
        if self == Self::default() {
            return editor.text().to_string();
        }
        let before = before.map(|(old, ours)| (old.clone(), self.without_bom(ours)));
        let before = before.filter(|(old, ours)| old.len() == ours.len());
        let (old, ours) = before.unwrap_or_else(|| (Text::new(""), Text::new("")));
        let most = old.len().min(editor.len());
        let same = |one: usize, other: usize| old.lines(one..one + 1) == editor.lines(other..other + 1);
        let start = (0..most).take_while(|line| same(*line, *line)).count();
        let from_end = |line: &usize| same(old.len() - 1 - line, editor.len() - 1 - line);
        let end = (0..most - start).take_while(from_end).count();
        let disk = self.endings.map_or_else(|| ending(ours.text()), |(disk, _)| disk);
        let mut text = String::with_capacity(editor.text().len() + 64);
        let mut push = |piece: &str| {
            if !text.is_empty() && !text.ends_with('\n') && !piece.is_empty() {
                // A line that was the last one has no ending yet.
                text.push_str(disk);
            }
            text.push_str(piece);
        };
        push(ours.lines(0..start));
        let middle = editor.lines(start..editor.len() - end);
        push(&self.endings.map_or_else(|| middle.to_owned(), |(disk, _)| with_endings(middle, disk)));
        push(ours.lines(ours.len() - end..ours.len()));
        if self.ends_last_line && text.ends_with('\n') {
            text.truncate(without_ending(&text).len());
        }
        if self.removes_bom && !text.starts_with(BOM) {
            text.insert(0, BOM);
        }
        text
    }

    /// Returns the text without the mark that the editor removes.
    fn without_bom(self, text: &Text) -> Text {
        let bare = text.text().strip_prefix(BOM).filter(|_| self.removes_bom);
        bare.map_or_else(|| text.clone(), Text::new)
    }

    /// Returns the edits that turn the editor's text into `goal`. `ours` is the editor's text as the
    /// companion has it.
    pub(crate) fn edits(
        self,
        editor: &Text,
        ours: &Text,
        goal: &Text,
        encoding: Encoding,
    ) -> Vec<lsp::TextEdit> {
        let (ours, goal) = (self.without_bom(ours), self.without_bom(goal));
        let whole = || vec![(0..editor.len(), 0..goal.len())];
        let changes = if editor.len() == ours.len() { differences(&ours, &goal) } else { whole() };
        let edit = |(old, new): (Range<usize>, Range<usize>)| {
            let mut text = goal.lines(new.clone()).to_owned();
            let theirs = self.endings.map_or_else(|| ending(editor.text()), |(_, editor)| editor);
            if self.endings.is_some() {
                text = with_endings(&text, theirs);
            }
            if self.ends_last_line && new.end == goal.len() && !text.is_empty() && !text.ends_with('\n') {
                text.push_str(theirs);
            }
            let start = editor.lines(0..old.start).len();
            let (replaced, new) = narrowed(editor.lines(old), &text);
            let at = |offset: usize| position(editor, start + offset, encoding);
            let range = TextRange { start: at(replaced.start), end: at(replaced.end) };
            lsp::TextEdit { range, new_text: text[new].to_owned() }
        };
        changes.into_iter().map(edit).collect()
    }
}

/// Returns the parts of two texts that differ: a cursor in a replaced line stays in the line. No part begins
/// or ends within a character or a line ending, because positions cannot.
fn narrowed(old: &str, new: &str) -> (Range<usize>, Range<usize>) {
    let mut start = new.floor_char_boundary(alike_at_start(old.as_bytes(), new.as_bytes()));
    start = old.floor_char_boundary(start);
    if old[..start].ends_with('\r') {
        start -= 1;
    }
    let (old_rest, new_rest) = (&old[start..], &new[start..]);
    let mut end = alike_at_end(old_rest.as_bytes(), new_rest.as_bytes());
    let rest = |text: &str, end: usize| text.len() - end;
    while !old_rest.is_char_boundary(rest(old_rest, end)) || !new_rest.is_char_boundary(rest(new_rest, end)) {
        end -= 1;
    }
    let ends_in_return = |text: &str| text[..rest(text, end)].ends_with('\r');
    if old_rest[rest(old_rest, end)..].starts_with('\n')
        && (ends_in_return(old_rest) || ends_in_return(new_rest))
    {
        end -= 1;
    }
    (start..old.len() - end, start..new.len() - end)
}

/// Returns the most frequent line ending.
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
    use crate::without_plugin::open_documents::positions::offset;

    /// Returns the text in an editor with these habits.
    fn opened(text: &str, marked: bool, endings: &str, ended: bool) -> String {
        let text = if marked { text.strip_prefix(BOM).unwrap_or(text) } else { text };
        let mut text = if endings.is_empty() { text.to_owned() } else { with_endings(text, endings) };
        if ended && !text.ends_with('\n') {
            text.push_str(if endings.is_empty() { "\n" } else { endings });
        }
        text
    }

    #[test]
    fn normalization_is_reverted_around_an_edit() {
        let disk = Text::new("\u{feff}one\r\ntwo\nthree");
        let editor = Text::new("one\ntwo\nthree\n");
        let normalization = Normalization::detect(disk.text(), editor.text()).unwrap();
        let back = |new: &str| normalization.restore(Some((&editor, &disk)), &Text::new(new));
        assert_eq!(back("one\ntwo\nthree\n"), &**disk.text());
        assert_eq!(back("ONE\ntwo\nthree\n"), "\u{feff}ONE\ntwo\nthree");
        assert_eq!(back("one\ntwo\nthree\nfour\n"), "\u{feff}one\r\ntwo\nthree\nfour");
        assert_eq!(Normalization::detect("a\nb", "a\nc"), None);
    }

    proptest! {
        #[test]
        fn normalization_alone_is_no_edit(
            disk in "\u{feff}?([ab\u{1f600}]{0,2}\r?\n){0,4}[ab]{0,2}",
            marked: bool,
            endings in proptest::sample::select(vec!["", "\n", "\r\n"]),
            ended: bool,
        ) {
            let editor = opened(&disk, marked, endings, ended);
            let normalization = Normalization::detect(&disk, &editor);
            prop_assert!(normalization.is_some(), "{:?} {:?}", disk, editor);
            let (disk, editor) = (Text::new(disk), Text::new(editor));
            if let Some(normalization) = normalization {
                let back = normalization.restore(Some((&editor, &disk)), &editor);
                // An empty file with an added line ending looks like one without.
                if disk.len() == editor.len() {
                    prop_assert_eq!(back, &**disk.text());
                }
            }
        }

        #[test]
        fn a_narrowed_edit_makes_the_new_text_between_positions(
            old in "([abé\u{1f600}]{0,2}(\n|\r\n)){0,3}[ab]?",
            new in "([abé\u{1f600}]{0,2}(\n|\r\n)){0,3}[ab]?",
        ) {
            let (replaced, part) = narrowed(&old, &new);
            let text = Text::new(old.as_str());
            for encoding in [Encoding::Utf8, Encoding::Utf16] {
                let back = |at: usize| offset(&text, position(&text, at, encoding), encoding);
                prop_assert_eq!(back(replaced.start)..back(replaced.end), replaced.clone());
            }
            let made = format!("{}{}{}", &old[..replaced.start], &new[part], &old[replaced.end..]);
            prop_assert_eq!(made, new);
        }

        #[test]
        fn edits_reach_the_goal_and_restore(
            disk in "([ab\u{1f600}]{0,2}\n){1,4}[ab]{0,2}",
            goal in "([ab\u{1f600}]{0,2}\n){0,4}[ab]{0,2}",
            crlf: bool,
            marked: bool,
        ) {
            let eol = if crlf { "\r\n" } else { "\n" };
            let mark = if marked { "\u{feff}" } else { "" };
            let marked_text = |text: String| Text::new(format!("{mark}{}", with_endings(&text, eol)));
            let [disk, goal] = [disk, goal].map(marked_text);
            let editor = Text::new(opened(disk.text(), marked, "\n", false));
            let normalization = Normalization::detect(disk.text(), editor.text()).unwrap();
            for encoding in [Encoding::Utf8, Encoding::Utf16] {
                let mut text = editor.clone();
                for edit in normalization.edits(&editor, &disk, &goal, encoding).iter().rev() {
                    let offset = |place| offset(&text, place, encoding);
                    let (from, to) = (offset(edit.range.start), offset(edit.range.end));
                    let (head, tail) = (&text.text()[..from], &text.text()[to..]);
                    text = Text::new(format!("{head}{}{tail}", edit.new_text));
                }
                prop_assert_eq!(&**text.text(), opened(goal.text(), marked, "\n", false));
                if disk.len() == editor.len() {
                    prop_assert_eq!(normalization.restore(Some((&editor, &disk)), &text), &**goal.text());
                }
            }
        }
    }
}
