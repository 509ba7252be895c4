//! The newest context as a frame for each dialect; all sessions share them.

use std::path::Path;

use alongside_contract::context::{CONTEXT_UPDATE, Cursor, File, IdeContext};
use alongside_contract::family::Dialect;
use alongside_contract::rpc;
use alongside_contract::websocket::{
    AT_MENTIONED, AtMentioned, Place, SELECTION_CHANGED, SelectedRange, SelectionChanged,
};
use alongside_desk::Lines;
use bytes::Bytes;

use super::frame::frame;

#[derive(Debug, Clone, Default)]
pub(crate) struct ContextFrames {
    http: Bytes,
    websocket: Bytes,
}

impl ContextFrames {
    pub(crate) fn new(context: &IdeContext) -> Self {
        let update = rpc::notification(CONTEXT_UPDATE, context);
        let selection = rpc::notification(SELECTION_CHANGED, &selection(context));
        Self { http: frame(Dialect::Http, &[update]), websocket: frame(Dialect::WebSocket, &[selection]) }
    }

    pub(crate) fn of(&self, dialect: Dialect) -> Bytes {
        match dialect {
            Dialect::Http => self.http.clone(),
            Dialect::WebSocket => self.websocket.clone(),
        }
    }
}

/// The active file as agents of the WebSocket dialect know it; empty if agents are to know of none.
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

/// The active file, and the lines of the selection in it.
pub(crate) fn selected_lines(context: &IdeContext) -> Option<(String, Option<Lines>)> {
    let SelectionChanged { file_path, selection: SelectedRange { start, end, is_empty }, .. } =
        selection(context);
    // A selection of whole lines ends before the next one.
    let last = if end.character == 0 && end.line > start.line { end.line } else { end.line + 1 };
    let lines = Lines { start: start.line as usize, end: last as usize };
    Some((file_path?, (!is_empty).then_some(lines)))
}

/// A mention of a file, for an agent that takes one.
pub(super) fn mention(path: &str, lines: Option<Lines>) -> Bytes {
    let line = |line: usize| u32::try_from(line).unwrap_or(u32::MAX);
    let mention = AtMentioned {
        file_path: path.to_owned(),
        line_start: lines.map(|lines| line(lines.start)),
        line_end: lines.map(|lines| line(lines.end.max(lines.start + 1) - 1)),
    };
    frame(Dialect::WebSocket, &[rpc::notification(AT_MENTIONED, &mention)])
}

/// The range of the selected text: it begins at the first of its two ends, and has the length of the text. An
/// editor that tells one end tells the last.
fn range(active: &File, text: &str) -> SelectedRange {
    let place = |cursor: Cursor| Place {
        line: cursor.line.saturating_sub(1),
        character: cursor.character.saturating_sub(1),
    };
    let Some(cursor) = active.cursor.map(place) else { return SelectedRange::default() };
    let breaks = u32::try_from(text.matches('\n').count()).unwrap_or(u32::MAX);
    let last = text.rsplit('\n').next().unwrap_or_default();
    let units = u32::try_from(last.encode_utf16().count()).unwrap_or(u32::MAX);
    let start = match active.anchor.map(place) {
        Some(anchor) => anchor.min(cursor),
        None if breaks == 0 => Place { character: cursor.character.saturating_sub(units), ..cursor },
        None => Place { line: cursor.line.saturating_sub(breaks), character: 0 },
    };
    let end = match breaks {
        0 => Place { character: start.character.saturating_add(units), ..start },
        breaks => Place { line: start.line.saturating_add(breaks), character: units },
    };
    SelectedRange { start, end, is_empty: text.is_empty() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(cursor: (u32, u32), anchor: Option<(u32, u32)>, text: &str) -> [(u32, u32); 2] {
        let at = |(line, character)| Cursor { line, character };
        let active = File {
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
    fn a_mention_has_its_lines_or_none() {
        let told = |lines| String::from_utf8(mention("/a", lines).into()).unwrap();
        assert!(told(None).contains(r#""params":{"filePath":"/a"}"#), "{}", told(None));
        let some = told(Some(Lines { start: 1, end: 3 }));
        assert!(some.contains(r#""lineStart":1,"lineEnd":2"#), "{some}");
    }

    #[test]
    fn the_range_has_the_length_of_the_text_whichever_end_the_cursor_is() {
        assert_eq!(lines((4, 5), None, "two\nthree\nfour"), [(1, 0), (3, 4)]);
        assert_eq!(lines((4, 5), Some((2, 1)), "two\nthree\nfour"), [(1, 0), (3, 4)]);
        assert_eq!(lines((2, 1), Some((4, 5)), "two\nthree\nfour"), [(1, 0), (3, 4)]);
        // Whole lines, with the cursor anywhere in the last one.
        assert_eq!(lines((4, 3), Some((2, 1)), "two\nthree\nfour\n"), [(1, 0), (4, 0)]);
        assert_eq!(lines((7, 4), None, "ab"), [(6, 1), (6, 3)]);
        assert_eq!(lines((7, 4), None, ""), [(6, 3), (6, 3)]);
    }
}
