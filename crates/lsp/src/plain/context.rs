//! What an editor lets out becomes what agents are told. No editor says where its person is; but requests
//! name positions, code actions that it asks for by itself carry the selection, and an edit ends where the
//! cursor is.

use std::ops::Range;
use std::path::Path;
use std::time::Duration;

use alongside_desk::{ActiveFile, ContextReport, OpenFile, Text};
use tokio::time::Instant;
use unicode_segmentation::UnicodeSegmentation as _;

use super::documents::{Documents, Edited, Key, position};
use crate::client::Encoding;
use crate::editors;

/// Reports are at least this far apart: some editors let out every move.
const APART: Duration = Duration::from_millis(50);
/// How many UTF-16 units of a selection are reported; agents take 16,384.
const SELECTION_AT_MOST: usize = 20_000;

/// See the module.
#[derive(Debug)]
pub(crate) struct Leaks {
    /// What the range of an automatic code action means.
    range: editors::Range,
    active: Option<Active>,
    /// The open documents, the one turned to last first.
    recent: Vec<Key>,
    reported: Option<ContextReport>,
    due: Option<Instant>,
}

/// The document the person is in, and where. In bytes of its text as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Active {
    key: Key,
    cursor: Option<usize>,
    selection: Option<Range<usize>>,
}

impl Leaks {
    pub(crate) fn new(range: editors::Range) -> Self {
        Self { range, active: None, recent: Vec::new(), reported: None, due: None }
    }

    /// A document was opened.
    pub(crate) fn opened(&mut self, key: &Key) {
        self.turned_to(key);
    }

    /// A document was saved.
    pub(crate) fn saved(&mut self) {
        self.touch();
    }

    /// A document was closed.
    pub(crate) fn closed(&mut self, key: &Path) {
        self.recent.retain(|open| open != key);
        self.active.take_if(|active| active.key == *key);
        self.touch();
    }

    /// The person typed, or the editor told the text again because they came to it.
    pub(crate) fn edited(&mut self, key: &Key, edited: &Edited) {
        let active = self.turned_to(key);
        if edited.end.is_some() {
            active.cursor = edited.end;
        }
        if edited.is_new {
            active.selection = None;
        }
    }

    /// A request names a position: that is where the cursor is.
    pub(crate) fn at(&mut self, key: &Key, cursor: usize) {
        let active = self.turned_to(key);
        active.cursor = Some(cursor);
        // An editor that highlights does so within a selection, too.
        active.selection.take_if(|selection| cursor < selection.start || selection.end < cursor);
    }

    /// Code actions were asked for about a range. `asked_for`: by the person.
    pub(crate) fn range(&mut self, key: &Key, range: Range<usize>, text: &Text, asked_for: bool) {
        let means = self.range;
        let active = self.turned_to(key);
        // Where the person asks, some editors send the range of a diagnostic.
        if asked_for && means != editors::Range::Cells {
            return;
        }
        let is_cursor = match means {
            editors::Range::Selection => range.is_empty(),
            editors::Range::Cells => text.text()[range.clone()].graphemes(true).nth(1).is_none(),
            editors::Range::Cursor => true,
        };
        if is_cursor {
            active.cursor = Some(range.start);
            active.selection = None;
        } else if active.selection.as_ref() != Some(&range) {
            active.cursor = Some(range.end);
            active.selection = Some(range);
        }
    }

    fn turned_to(&mut self, key: &Key) -> &mut Active {
        self.touch();
        if self.recent.first() != Some(key) {
            self.recent.retain(|open| open != key);
            self.recent.insert(0, key.clone());
        }
        match &mut self.active {
            Some(active) if active.key == *key => {}
            other => *other = Some(Active { key: key.clone(), cursor: None, selection: None }),
        }
        // It was just put there.
        self.active.get_or_insert_with(|| Active { key: key.clone(), cursor: None, selection: None })
    }

    /// Something may have changed.
    fn touch(&mut self) {
        self.due.get_or_insert_with(|| Instant::now() + APART);
    }

    /// When there may be something to report.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.due
    }

    /// A companion is there that has been told nothing.
    pub(crate) fn forget(&mut self) {
        self.reported = None;
        self.touch();
    }

    /// What to report now, if it is time and anything has changed.
    pub(crate) fn due(&mut self, now: Instant, documents: &mut Documents) -> Option<ContextReport> {
        self.due.take_if(|due| *due <= now)?;
        let report = self.report(documents);
        let news = self.reported.as_ref() != Some(&report);
        self.reported = Some(report.clone());
        news.then_some(report)
    }

    fn report(&self, documents: &mut Documents) -> ContextReport {
        let file = |key: &Key| key.to_str().filter(|_| key.is_absolute() && key.is_file()).map(str::to_owned);
        let active = self.active.as_ref().and_then(|active| {
            let path = file(&active.key)?;
            let Some(document) = documents.get(&active.key) else {
                return Some(ActiveFile { path, ..ActiveFile::default() });
            };
            let text = &document.text;
            // The text may have been told anew since.
            let cursor = active.cursor.filter(|cursor| text.text().is_char_boundary(*cursor));
            let selected = active.selection.clone().and_then(|selection| text.text().get(selection));
            Some(ActiveFile {
                path,
                // The desk protocol counts in UTF-16, whatever the editor does.
                cursor: cursor.map(|cursor| position(text, cursor, Encoding::Utf16)),
                selected_text: selected.map(|text| cut(text).to_owned()),
            })
        });
        let open = self.recent.iter().filter_map(|key| {
            let path = file(key)?;
            Some(OpenFile { path, dirty: documents.is_dirty(key) })
        });
        ContextReport { active, open_files: Some(open.collect()), trusted: None }
    }
}

/// As much of a selection as is reported.
fn cut(text: &str) -> &str {
    let mut units = 0;
    let over = text.char_indices().find(|(_, c)| {
        units += c.len_utf16();
        units > SELECTION_AT_MOST
    });
    over.map_or(text, |(at, _)| &text[..at])
}
