//! The frames of a context: one for each form and transport, which all sessions share.

use std::path::Path;

use alongside_contract::context::{CONTEXT_UPDATE, Cursor, IdeContext, OpenFile};
use alongside_contract::family::{ContextForm, Transport};
use alongside_contract::rpc;
use alongside_contract::websocket::{
    AT_MENTIONED, AtMentioned, FilePosition, SELECTION_CHANGED, SelectedRange, SelectionChanged,
};
use alongside_desk::Lines;
use bytes::Bytes;

use super::frame::frame;

/// The frames of one context. Each is written when a session first needs it: most often, all agents read one
/// form.
#[derive(Debug)]
pub(crate) struct ContextFrames<'a> {
    context: &'a IdeContext,
    written: Vec<((ContextForm, Transport), Bytes)>,
}

impl<'a> ContextFrames<'a> {
    pub(crate) fn new(context: &'a IdeContext) -> Self {
        Self { context, written: Vec::new() }
    }

    /// Returns the frame for a form and a transport.
    pub(crate) fn get(&mut self, form: ContextForm, transport: Transport) -> Bytes {
        let wanted = (form, transport);
        if let Some((_, known)) = self.written.iter().find(|(known, _)| *known == wanted) {
            return known.clone();
        }
        let message = match form {
            ContextForm::Update => rpc::notification(CONTEXT_UPDATE, self.context),
            ContextForm::Selection => rpc::notification(SELECTION_CHANGED, &selection(self.context)),
            ContextForm::OneBasedSelection => {
                rpc::notification(SELECTION_CHANGED, &to_one_based(selection(self.context)))
            }
        };
        let new = frame(transport, &[message]);
        self.written.push((wanted, new.clone()));
        new
    }
}

/// Converts the selection for an agent that counts lines from 1, and that counts the last line of the range
/// as selected even if no character of it is.
fn to_one_based(mut selection: SelectionChanged) -> SelectionChanged {
    let text = selection.text.get_or_insert_default();
    let range = &mut selection.selection;
    if range.end.character == 0 && range.end.line > range.start.line {
        let last = text.trim_end_matches('\n').rsplit('\n').next().unwrap_or_default();
        let line = range.end.line - 1;
        let first_column = if line == range.start.line { range.start.character } else { 0 };
        let utf16_length = u32::try_from(last.encode_utf16().count()).unwrap_or(u32::MAX);
        range.end = FilePosition { line, character: first_column.saturating_add(utf16_length) };
    }
    range.start.line = range.start.line.saturating_add(1);
    range.end.line = range.end.line.saturating_add(1);
    selection.file_path.get_or_insert_default();
    selection
}

/// Returns the active file with its selection, for agents that take one file. Empty without an active file.
pub(crate) fn selection(context: &IdeContext) -> SelectionChanged {
    let active = context.open_files().first().filter(|file| file.is_active == Some(true));
    let Some(active) = active else { return SelectionChanged::default() };
    let text = active.selected_text.clone().unwrap_or_default();
    SelectionChanged {
        file_path: Some(active.path.clone()),
        file_url: url::Url::from_file_path(Path::new(&active.path)).ok().map(String::from),
        selection: range(active, &text),
        text: Some(text),
    }
}

/// Returns the active file and the lines of the selection in it.
pub(crate) fn selected_lines(context: &IdeContext) -> Option<(String, Option<Lines>)> {
    let SelectionChanged { file_path, selection: SelectedRange { start, end, is_empty }, .. } =
        selection(context);
    // A selection of whole lines ends at the beginning of the next line.
    let last = if end.character == 0 && end.line > start.line { end.line } else { end.line + 1 };
    let lines = Lines { start: start.line as usize, end: last as usize };
    Some((file_path?, (!is_empty).then_some(lines)))
}

/// Returns the frame of a mention, for an agent that takes mentions.
pub(super) fn mention(path: &str, lines: Option<Lines>, form: ContextForm, transport: Transport) -> Bytes {
    let is_one_based = form == ContextForm::OneBasedSelection;
    let first_line = usize::from(is_one_based);
    // Such an agent needs lines, and takes a mention of the first line alone for the whole file.
    let lines = lines.or(is_one_based.then_some(Lines { start: 0, end: 1 }));
    let line = |line: usize| u32::try_from(line + first_line).unwrap_or(u32::MAX);
    let mention = AtMentioned {
        file_path: path.to_owned(),
        line_start: lines.map(|lines| line(lines.start)),
        line_end: lines.map(|lines| line(lines.end.max(lines.start + 1) - 1)),
    };
    frame(transport, &[rpc::notification(AT_MENTIONED, &mention)])
}

/// Returns the range of the selected text. The range begins at the first of the two ends, and has the length
/// of the text. An editor that reports only one end reports the last one.
fn range(active: &OpenFile, text: &str) -> SelectedRange {
    let position = |cursor: Cursor| FilePosition {
        line: cursor.line.saturating_sub(1),
        character: cursor.character.saturating_sub(1),
    };
    let Some(cursor) = active.cursor.map(position) else {
        return SelectedRange { is_empty: true, ..SelectedRange::default() };
    };
    let line_breaks = u32::try_from(text.matches('\n').count()).unwrap_or(u32::MAX);
    let last = text.rsplit('\n').next().unwrap_or_default();
    let utf16_length = u32::try_from(last.encode_utf16().count()).unwrap_or(u32::MAX);
    let start = match active.anchor.map(position) {
        Some(anchor) => anchor.min(cursor),
        None if line_breaks == 0 => {
            FilePosition { character: cursor.character.saturating_sub(utf16_length), ..cursor }
        }
        None => FilePosition { line: cursor.line.saturating_sub(line_breaks), character: 0 },
    };
    let end = match line_breaks {
        0 => FilePosition { character: start.character.saturating_add(utf16_length), ..start },
        _ => FilePosition { line: start.line.saturating_add(line_breaks), character: utf16_length },
    };
    SelectedRange { start, end, is_empty: text.is_empty() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the two ends of the range, each as a line and a character.
    fn range_of(cursor: (u32, u32), anchor: Option<(u32, u32)>, text: &str) -> [(u32, u32); 2] {
        let at = |(line, character)| Cursor { line, character };
        let active = OpenFile {
            path: "/a".into(),
            timestamp: 1,
            is_active: Some(true),
            cursor: Some(at(cursor)),
            anchor: anchor.map(at),
            selected_text: Some(text.into()),
        };
        let SelectedRange { start, end, .. } = range(&active, text);
        [(start.line, start.character), (end.line, end.character)]
    }

    #[test]
    fn sessions_with_one_form_share_a_frame() {
        let context = IdeContext::default();
        let mut frames = ContextFrames::new(&context);
        let mut get = |form| frames.get(form, Transport::WebSocket);
        let (update, selection) = (get(ContextForm::Update), get(ContextForm::Selection));
        assert_eq!(get(ContextForm::Update).as_ptr(), update.as_ptr());
        assert_ne!(update, selection);
        assert_ne!(frames.get(ContextForm::Update, Transport::Http), update);
    }

    #[test]
    fn a_mention_has_lines_only_if_some_were_chosen() {
        let in_form =
            |lines, form| String::from_utf8(mention("/a", lines, form, Transport::WebSocket).into()).unwrap();
        let whole_or_lines = |lines| in_form(lines, ContextForm::Selection);
        assert!(whole_or_lines(None).contains(r#""params":{"filePath":"/a"}"#), "{}", whole_or_lines(None));
        let some = whole_or_lines(Some(Lines { start: 1, end: 3 }));
        assert!(some.contains(r#""lineStart":1,"lineEnd":2"#), "{some}");
        let one_based = |lines| in_form(lines, ContextForm::OneBasedSelection);
        assert!(one_based(Some(Lines { start: 1, end: 3 })).contains(r#""lineStart":2,"lineEnd":3"#));
        assert!(one_based(None).contains(r#""lineStart":1,"lineEnd":1"#));
    }

    #[test]
    fn an_agent_that_counts_from_one_gets_empty_texts_without_a_file() {
        let nothing = to_one_based(SelectionChanged::default());
        assert_eq!((nothing.file_path.as_deref(), nothing.text.as_deref()), (Some(""), Some("")));
    }

    #[test]
    fn an_agent_that_counts_from_one_gets_the_last_line_whole() {
        let position = |line, character| FilePosition { line, character };
        let whole_lines = SelectionChanged {
            text: Some("two\nthree\n".into()),
            selection: SelectedRange { start: position(1, 0), end: position(3, 0), is_empty: false },
            ..SelectionChanged::default()
        };
        let selected = to_one_based(whole_lines).selection;
        assert_eq!((selected.start, selected.end), (position(2, 0), position(3, 5)));
    }

    #[test]
    fn the_range_has_the_length_of_the_text_with_the_cursor_at_either_end() {
        assert_eq!(range_of((4, 5), None, "two\nthree\nfour"), [(1, 0), (3, 4)]);
        assert_eq!(range_of((4, 5), Some((2, 1)), "two\nthree\nfour"), [(1, 0), (3, 4)]);
        assert_eq!(range_of((2, 1), Some((4, 5)), "two\nthree\nfour"), [(1, 0), (3, 4)]);
        // Whole lines, with the cursor anywhere in the last line.
        assert_eq!(range_of((4, 3), Some((2, 1)), "two\nthree\nfour\n"), [(1, 0), (4, 0)]);
        assert_eq!(range_of((7, 4), None, "ab"), [(6, 1), (6, 3)]);
        assert_eq!(range_of((7, 4), None, ""), [(6, 3), (6, 3)]);
    }
}
