//! The `ide/contextUpdate` notifications of the companion of these tests, and when it sends them.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{Instant, sleep_until};

use super::editor::OpenFile;
use super::outcomes::Frame;
use super::{Shared, State};
use crate::fault::Fault;

/// The companion waits this long for another change.
const DEBOUNCE: Duration = Duration::from_millis(50);

/// The companion sends at the latest this long after the first change.
const MAX_DELAY: Duration = Duration::from_millis(200);

/// Longer than the contract allows, and shorter than the patience of a check that waits for the update.
const TOO_LATE: Duration = Duration::from_millis(1700);

/// The most files of an update, and the most UTF-16 units of a selection.
const MAX_OPEN_FILES: usize = 10;
const MAX_SELECTED_UTF16: usize = 16_384;

/// A placeholder for a lone surrogate, which a string of Rust cannot hold: the writer replaces it.
pub(super) const LONE_SURROGATE: char = '\u{e000}';

/// The timestamp, in seconds, that [`Fault::TimestampsInSeconds`] sends for every file. With the real clock,
/// two files could get different seconds, and the fault would sometimes pass the check.
const SAME_SECOND: u64 = 1_750_000_000;

/// Sends context updates to every agent after changes, until dropped.
pub(super) async fn send_changes(shared: Arc<Shared>) {
    loop {
        shared.changed.notified().await;
        let first = Instant::now();
        let (debounce, max_delay) = match shared.fault.single {
            _ if shared.has(Fault::ContextOnlyAfterSilence) => (DEBOUNCE * 5, Duration::from_secs(3600)),
            Some(Fault::ContextIsLate) => (TOO_LATE, TOO_LATE),
            Some(Fault::EveryChangeAtOnce) => (Duration::ZERO, Duration::ZERO),
            _ => (DEBOUNCE, MAX_DELAY),
        };
        loop {
            let until = (Instant::now() + debounce).min(first + max_delay);
            tokio::select! {
                biased;
                () = sleep_until(until) => break,
                () = shared.changed.notified() => {}
            }
        }
        shared.send_context();
        shared.send_selection();
    }
}

/// Polls for open files that were deleted from the disk, which no event of the editor reports.
pub(super) async fn look_for_vanished_files(shared: Arc<Shared>) {
    let count_existing = || {
        let state = shared.state();
        state.editor.files.iter().filter(|file| Path::new(&file.path).is_file()).count()
    };
    let mut before = 0;
    loop {
        tokio::time::sleep(Duration::from_millis(300)).await;
        let now = count_existing();
        if now < before {
            shared.changed.notify_one();
        }
        before = now;
    }
}

/// Returns the `ide/contextUpdate` notification with a context.
pub(super) fn context_update(context: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "method": "ide/contextUpdate", "params": context })
}

impl Shared {
    fn send_context(&self) {
        let mut state = self.state();
        let now = self.current_context(&state);
        for session in state.sessions.values_mut() {
            let Some(stream) = &session.stream else { continue };
            let is_unchanged = session.last_sent.as_ref() == Some(&now);
            if is_unchanged && !self.has(Fault::EqualContextsAreRepeated) {
                continue;
            }
            let _ = stream.frames.send(Frame::Message(context_update(&now)));
            session.last_sent = Some(now.clone());
        }
    }

    /// Returns the current context, with the faults of this companion.
    pub(super) fn current_context(&self, state: &State) -> Value {
        let is_listed = |file: &&OpenFile| match self.fault.single {
            Some(Fault::VirtualFilesAreListed) => file.untitled || Path::new(&file.path).is_file(),
            Some(Fault::VanishedFilesStay) => !file.untitled,
            _ => Path::new(&file.path).is_file(),
        };
        let mut files: Vec<&OpenFile> = state.editor.files.iter().filter(is_listed).collect();
        files.sort_by_key(|file| std::cmp::Reverse(file.focused));
        if !self.has(Fault::MoreThanTenFiles) {
            files.truncate(MAX_OPEN_FILES);
        }
        let active = state.editor.active.as_deref();
        let files: Vec<Value> = files.into_iter().map(|file| self.file_json(file, active)).collect();
        let mut workspace = json!({ "openFiles": files });
        match self.fault.single {
            Some(Fault::TrustIsNull) => workspace["isTrusted"] = Value::Null,
            Some(Fault::TrustIsString) => workspace["isTrusted"] = json!("yes"),
            _ => {}
        }
        json!({ "workspaceState": workspace })
    }

    fn file_json(&self, open: &OpenFile, active: Option<&str>) -> Value {
        let mut file = json!({ "path": open.path, "timestamp": open.focused });
        let is_active = active == Some(open.path.as_str());
        if is_active || self.has(Fault::EveryFileIsActive) {
            file["isActive"] = json!(true);
            let (line, mut character) = open.cursor;
            if self.has(Fault::ColumnsAreCharacters) {
                character = column_in_characters(open);
            }
            let base = u32::from(!self.has(Fault::CursorFromZero));
            file["cursor"] = json!({ "line": line - 1 + base, "character": character - 1 + base });
            if let Some(selected) = &open.selected {
                file["selectedText"] = json!(self.cut(selected));
            }
        }
        match self.fault.single {
            Some(Fault::NothingIsActive) => file["isActive"] = json!(false),
            Some(Fault::ActiveIsNotNewest) if is_active => {
                file["timestamp"] = json!(open.focused - 3_600_000);
            }
            Some(Fault::NoTimestamps) => drop(file.as_object_mut().map(|file| file.remove("timestamp"))),
            Some(Fault::TimestampsInSeconds) => file["timestamp"] = json!(SAME_SECOND),
            Some(Fault::TimestampsOfTomorrow) => file["timestamp"] = json!(open.focused + 86_400_000),
            Some(Fault::CursorIsNull) if !is_active => file["cursor"] = Value::Null,
            Some(Fault::SelectionIsNull) if open.selected.is_none() => file["selectedText"] = Value::Null,
            Some(Fault::ContextPathsAreUris) => file["path"] = json!(format!("file://{}", open.path)),
            _ => {}
        }
        file
    }

    /// Returns the beginning of a selection, cut to the limit at the boundary of a character.
    fn cut<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut units = 0;
        let limit = match self.fault.single {
            Some(Fault::SelectionIsNotCut) => usize::MAX,
            // Counts a character outside the Basic Multilingual Plane as one unit instead of two.
            Some(Fault::SelectionIsCutByCharacters) => {
                return text
                    .char_indices()
                    .nth(MAX_SELECTED_UTF16)
                    .map_or(text, |(at, _)| &text[..at])
                    .into();
            }
            _ => MAX_SELECTED_UTF16,
        };
        for (at, character) in text.char_indices() {
            units += character.len_utf16();
            if units > limit {
                let splits_character = self.has(Fault::SelectionIsCutInACharacter) && units - 1 == limit;
                return if splits_character {
                    format!("{}{LONE_SURROGATE}", &text[..at]).into()
                } else {
                    text[..at].into()
                };
            }
        }
        text.into()
    }
}

/// Returns the column of the cursor in characters, not in UTF-16 units.
fn column_in_characters(open: &OpenFile) -> u32 {
    let text = std::fs::read_to_string(&open.path).unwrap_or_default();
    let line = text.lines().nth(open.cursor.0 as usize - 1).unwrap_or_default();
    let mut units = 1;
    let before = line.chars().take_while(|character| {
        units += character.len_utf16();
        units <= open.cursor.1 as usize
    });
    u32::try_from(before.count()).unwrap_or(0) + 1
}
