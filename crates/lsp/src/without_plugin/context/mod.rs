//! Reports the person's context to the companion. No editor states the cursor or selection, but its messages
//! reveal them: requests name positions, automatic code actions carry the selection, and an edit ends at the
//! cursor.

pub(super) mod mentions;
pub(super) mod person_position;

use std::ops::Range;
use std::path::Path;
use std::time::Duration;

use alongside_desk::{ActiveFile, ContextReport, OpenFile, Text};
use tokio::time::Instant;
use unicode_segmentation::UnicodeSegmentation as _;

use self::person_position::Trigger;
use super::open_documents::document::{DocumentEdit, DocumentKey};
use super::open_documents::documents::Documents;
use super::open_documents::positions::position;
use crate::editors::CodeActionRange;
use crate::encoding::Encoding;

/// The shortest time between two reports, because some editors reveal every move of the cursor. The first
/// report is sent at once, because the companion itself debounces reports.
const REPORT_INTERVAL: Duration = Duration::from_millis(50);
/// The longest reported selection, in UTF-16 units; agents keep 16,384.
const MAX_SELECTION: usize = 20_000;

#[derive(Debug)]
pub(crate) struct ContextTracker {
    /// The meaning of the range of an automatic code action.
    range: CodeActionRange,
    active: Option<Active>,
    /// The open documents, the last used first.
    recent: Vec<DocumentKey>,
    last_report: Option<ContextReport>,
    reported_at: Option<Instant>,
    due: Option<Instant>,
}

/// The person's document, with the cursor and selection in bytes of its current text.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Active {
    key: DocumentKey,
    cursor: Option<usize>,
    selection: Option<Range<usize>>,
}

impl ContextTracker {
    pub(crate) fn new(range: CodeActionRange) -> Self {
        Self { range, active: None, recent: Vec::new(), last_report: None, reported_at: None, due: None }
    }

    pub(crate) fn document_opened(&mut self, key: &DocumentKey) {
        self.activate(key);
    }

    pub(crate) fn document_saved(&mut self) {
        self.schedule_report();
    }

    pub(crate) fn document_closed(&mut self, key: &Path) {
        self.recent.retain(|open| open != key);
        self.active.take_if(|active| active.key == *key);
        self.schedule_report();
    }

    /// Handles a new text: the person typed, or the editor sent the text again because they entered the
    /// document.
    pub(crate) fn document_edited(&mut self, key: &DocumentKey, edit: &DocumentEdit) {
        let active = self.activate(key);
        if edit.end.is_some() {
            active.cursor = edit.end;
        }
        if edit.is_new {
            active.selection = None;
        }
    }

    /// Handles a request with the position of the cursor.
    pub(super) fn cursor_at(&mut self, key: &DocumentKey, cursor: usize) {
        let active = self.activate(key);
        active.cursor = Some(cursor);
        // Editors also highlight words within a selection.
        active.selection.take_if(|selection| cursor < selection.start || selection.end < cursor);
    }

    /// Handles a request for the code actions of a range.
    pub(super) fn code_action_range(
        &mut self,
        key: &DocumentKey,
        range: Range<usize>,
        text: &Text,
        trigger: Trigger,
    ) {
        let means = self.range;
        let active = self.activate(key);
        // In that case some editors send the range of a diagnostic.
        if trigger == Trigger::Invoked && means != CodeActionRange::Cells {
            return;
        }
        let is_cursor = match means {
            CodeActionRange::Selection => range.is_empty(),
            CodeActionRange::Cells => text.text()[range.clone()].graphemes(true).nth(1).is_none(),
            CodeActionRange::Cursor => true,
        };
        if is_cursor {
            active.cursor = Some(range.start);
            active.selection = None;
        } else if active.selection.as_ref() != Some(&range) {
            active.cursor = Some(range.end);
            active.selection = Some(range);
        }
    }

    fn activate(&mut self, key: &DocumentKey) -> &mut Active {
        self.schedule_report();
        if self.recent.first() != Some(key) {
            self.recent.retain(|open| open != key);
            self.recent.insert(0, key.clone());
        }
        self.active.take_if(|active| active.key != *key);
        self.active.get_or_insert_with(|| Active { key: key.clone(), cursor: None, selection: None })
    }

    /// Schedules a report after a possible change.
    fn schedule_report(&mut self) {
        let now = Instant::now();
        let due = self.reported_at.map_or(now, |at| now.max(at + REPORT_INTERVAL));
        self.due.get_or_insert(due);
    }

    /// Returns the time at which the next report is due.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.due
    }

    /// Schedules a full report for a new companion.
    pub(crate) fn repeat_report(&mut self) {
        self.last_report = None;
        self.schedule_report();
    }

    /// Returns the report to send now, if one is due and differs from the last.
    pub(crate) fn take_report(&mut self, now: Instant, documents: &mut Documents) -> Option<ContextReport> {
        self.due.take_if(|due| *due <= now)?;
        self.reported_at = Some(now);
        let report = self.report(documents);
        let news = self.last_report.as_ref() != Some(&report);
        self.last_report = Some(report.clone());
        news.then_some(report)
    }

    fn report(&self, documents: &mut Documents) -> ContextReport {
        let file = |key: &DocumentKey| {
            key.to_str().filter(|_| key.is_absolute() && key.is_file()).map(str::to_owned)
        };
        let active = self.active.as_ref().and_then(|active| {
            let path = file(&active.key)?;
            let Some(document) = documents.get(&active.key) else {
                return Some(ActiveFile { path, ..ActiveFile::default() });
            };
            let text = &document.text;
            // The text may have changed since.
            let cursor = active.cursor.filter(|cursor| text.text().is_char_boundary(*cursor));
            let selected = active.selection.clone().and_then(|selection| text.text().get(selection));
            let anchor = active.selection.as_ref().filter(|_| selected.is_some());
            let anchor = anchor.map(|selection| match cursor == Some(selection.start) {
                true => selection.end,
                false => selection.start,
            });
            Some(ActiveFile {
                path,
                // The desk protocol counts in UTF-16 with every editor.
                cursor: cursor.map(|cursor| position(text, cursor, Encoding::Utf16)),
                anchor: anchor.map(|anchor| position(text, anchor, Encoding::Utf16)),
                selected_text: selected.map(|text| cut(text).to_owned()),
            })
        });
        let open = self.recent.iter().filter_map(|key| {
            let path = file(key)?;
            Some(OpenFile { path, dirty: documents.check_dirty(key) })
        });
        ContextReport { active, open_files: Some(open.collect()), trusted: None }
    }
}

/// Cuts a selection to the longest reported one.
fn cut(text: &str) -> &str {
    let mut units = 0;
    let over = text.char_indices().find(|(_, c)| {
        units += c.len_utf16();
        units > MAX_SELECTION
    });
    over.map_or(text, |(at, _)| &text[..at])
}
