//! The updates about the editor, and their timing.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{Instant, sleep_until};

use super::editor::Open;
use super::outcomes::Frame;
use super::{Shared, State};
use crate::fault::Fault;

/// How long after a change more is waited for, and how long after the first of a burst at most.
const QUIET: Duration = Duration::from_millis(50);
const AT_MOST: Duration = Duration::from_millis(200);

/// Later than agents may have to wait, and soon enough for a check that waits for the update itself.
const LATE: Duration = Duration::from_millis(1700);

/// The most files, and the most UTF-16 units of a selection, that agents are told.
const FILES: usize = 10;
const SELECTED: usize = 16_384;

/// Stands for half a character until it is written: strings cannot hold it.
pub(super) const HALF: char = '\u{e000}';

/// The time that the faulty companion that counts in seconds sends for every file: all that one does in an
/// editor within a second. Told by the clock, a second that ends between two of them would now and then look
/// right.
const SECOND: u64 = 1_750_000_000;

/// Tells every agent of changes, until dropped.
pub(super) async fn tell_changes(shared: Arc<Shared>) {
    loop {
        shared.changed.notified().await;
        let first = Instant::now();
        let (quiet, at_most) = match shared.fault.one {
            _ if shared.has(Fault::ContextOnlyAfterSilence) => (QUIET * 5, Duration::from_secs(3600)),
            Some(Fault::ContextIsLate) => (LATE, LATE),
            Some(Fault::EveryChangeAtOnce) => (Duration::ZERO, Duration::ZERO),
            _ => (QUIET, AT_MOST),
        };
        loop {
            let until = (Instant::now() + quiet).min(first + at_most);
            tokio::select! {
                biased;
                () = sleep_until(until) => break,
                () = shared.changed.notified() => {}
            }
        }
        shared.tell_context();
        shared.tell_selection();
    }
}

/// Files vanish without the editor's saying so.
pub(super) async fn look_for_vanished_files(shared: Arc<Shared>) {
    let there_are = || {
        let state = shared.state();
        state.editor.files.iter().filter(|file| Path::new(&file.path).is_file()).count()
    };
    let mut before = 0;
    loop {
        tokio::time::sleep(Duration::from_millis(300)).await;
        let now = there_are();
        if now < before {
            shared.changed.notify_one();
        }
        before = now;
    }
}

/// The notification of a context.
pub(super) fn update(context: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "method": "ide/contextUpdate", "params": context })
}

impl Shared {
    fn tell_context(&self) {
        let mut state = self.state();
        let now = self.current_context(&state);
        for session in state.sessions.values_mut() {
            let Some(stream) = &session.stream else { continue };
            let equal = session.told.as_ref() == Some(&now);
            if equal && !self.has(Fault::EqualContextsAreRepeated) {
                continue;
            }
            let _ = stream.frames.send(Frame::Message(update(&now)));
            session.told = Some(now.clone());
        }
    }

    /// The context as it is.
    pub(super) fn current_context(&self, state: &State) -> Value {
        let tellable = |file: &&Open| match self.fault.one {
            Some(Fault::VirtualFilesAreTold) => file.untitled || Path::new(&file.path).is_file(),
            Some(Fault::VanishedFilesStay) => !file.untitled,
            _ => Path::new(&file.path).is_file(),
        };
        let mut files: Vec<&Open> = state.editor.files.iter().filter(tellable).collect();
        files.sort_by_key(|file| std::cmp::Reverse(file.focused));
        if !self.has(Fault::MoreThanTenFiles) {
            files.truncate(FILES);
        }
        let active = state.editor.active.as_deref();
        let files: Vec<Value> = files.into_iter().map(|file| self.file(file, active)).collect();
        let mut workspace = json!({ "openFiles": files });
        match self.fault.one {
            Some(Fault::TrustIsNull) => workspace["isTrusted"] = Value::Null,
            Some(Fault::TrustIsText) => workspace["isTrusted"] = json!("yes"),
            _ => {}
        }
        json!({ "workspaceState": workspace })
    }

    fn file(&self, open: &Open, active: Option<&str>) -> Value {
        let mut file = json!({ "path": open.path, "timestamp": open.focused });
        let is_active = active == Some(open.path.as_str());
        if is_active || self.has(Fault::EveryFileIsActive) {
            file["isActive"] = json!(true);
            let (line, mut character) = open.cursor;
            if self.has(Fault::ColumnsAreCharacters) {
                character = characters(open);
            }
            let from = u32::from(!self.has(Fault::CursorFromZero));
            file["cursor"] = json!({ "line": line - 1 + from, "character": character - 1 + from });
            if let Some(selected) = &open.selected {
                file["selectedText"] = json!(self.cut(selected));
            }
        }
        match self.fault.one {
            Some(Fault::NothingIsActive) => file["isActive"] = json!(false),
            Some(Fault::ActiveIsNotNewest) if is_active => {
                file["timestamp"] = json!(open.focused - 3_600_000);
            }
            Some(Fault::NoTimestamps) => drop(file.as_object_mut().map(|file| file.remove("timestamp"))),
            Some(Fault::TimestampsInSeconds) => file["timestamp"] = json!(SECOND),
            Some(Fault::TimestampsOfTomorrow) => file["timestamp"] = json!(open.focused + 86_400_000),
            Some(Fault::CursorIsNull) if !is_active => file["cursor"] = Value::Null,
            Some(Fault::SelectionIsNull) if open.selected.is_none() => file["selectedText"] = Value::Null,
            Some(Fault::ContextPathsAreAddresses) => file["path"] = json!(format!("file://{}", open.path)),
            _ => {}
        }
        file
    }

    /// As much of a selection as agents take, on a character's boundary.
    fn cut<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut units = 0;
        let limit = match self.fault.one {
            Some(Fault::SelectionIsNotCut) => usize::MAX,
            // Characters outside the basic plane are two units, and are taken for one.
            Some(Fault::SelectionIsCutByCharacters) => {
                return text.char_indices().nth(SELECTED).map_or(text, |(at, _)| &text[..at]).into();
            }
            _ => SELECTED,
        };
        for (at, character) in text.char_indices() {
            units += character.len_utf16();
            if units > limit {
                let is_in_one = self.has(Fault::SelectionIsCutInACharacter) && units - 1 == limit;
                return if is_in_one { format!("{}{HALF}", &text[..at]).into() } else { text[..at].into() };
            }
        }
        text.into()
    }
}

/// The column of the cursor as it would be if every character were one unit.
fn characters(open: &Open) -> u32 {
    let text = std::fs::read_to_string(&open.path).unwrap_or_default();
    let line = text.lines().nth(open.cursor.0 as usize - 1).unwrap_or_default();
    let mut units = 1;
    let before = line.chars().take_while(|character| {
        units += character.len_utf16();
        units <= open.cursor.1 as usize
    });
    u32::try_from(before.count()).unwrap_or(0) + 1
}
