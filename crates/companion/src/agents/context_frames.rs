//! The newest context as a frame for each dialect; all sessions share them.

use std::path::Path;

use alongside_contract::context::{CONTEXT_UPDATE, Cursor, File, IdeContext};
use alongside_contract::family::Dialect;
use alongside_contract::rpc;
use alongside_contract::websocket::{Place, SELECTION_CHANGED, SelectedRange, SelectionChanged};
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

/// The active file; empty if agents are to know of none.
fn selection(context: &IdeContext) -> SelectionChanged {
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
