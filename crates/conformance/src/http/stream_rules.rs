//! Rules for all messages that a companion sends without a request, judged over all streams of a run.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use alongside_agent::wire::Event;
use alongside_contract::context::CONTEXT_UPDATE;
use serde_json::Value;

use crate::http::json::parse;
use crate::mutex::lock;

/// The source of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Source {
    /// In the answer to a POST.
    Response,
    /// On the stream with this number.
    Stream(u64),
}

/// A rule that every event has to keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Rule {
    EventIds,
    Retry,
    Empty,
    Messages,
    Null,
    Replies,
    Shape,
    AbsolutePaths,
    OnDisk,
    Timestamps,
    ActiveIsNewest,
    OneActive,
    FewFiles,
    ShortSelection,
    Equal,
}

/// Counts the events of a run and records the rules they broke.
#[derive(Debug, Default)]
pub(crate) struct StreamRules(Mutex<Inner>);

#[derive(Debug, Default)]
struct Inner {
    streams: u64,
    events: usize,
    contexts: usize,
    files: usize,
    broken: HashMap<Rule, Vec<String>>,
    /// The last context of each stream.
    last: HashMap<Source, Value>,
    /// A file that a check deletes. That check alone judges whether updates still list it.
    vanishing: Option<PathBuf>,
}

/// The tolerance for timestamps in the future, because clocks may differ: agents use the newest file as the
/// active one.
const CLOCK_TOLERANCE: Duration = Duration::from_secs(60);

impl StreamRules {
    /// Returns the number of a new stream.
    pub(crate) fn stream(&self) -> u64 {
        let mut inner = lock(&self.0);
        inner.streams += 1;
        inner.streams
    }

    pub(crate) fn expect_to_vanish(&self, path: &Path) {
        lock(&self.0).vanishing = Some(path.to_owned());
    }

    pub(crate) fn examine(&self, place: Source, event: &Event) {
        lock(&self.0).examine(place, event);
    }

    /// Returns the number of events to which a rule applies, with their name.
    pub(crate) fn count(&self, rule: Rule) -> (usize, &'static str) {
        let inner = lock(&self.0);
        match rule {
            Rule::EventIds | Rule::Retry | Rule::Empty | Rule::Messages | Rule::Null | Rule::Replies => {
                (inner.events, "events")
            }
            Rule::Shape | Rule::Equal => (inner.contexts, "context updates"),
            _ => (inner.files, "open files in context updates"),
        }
    }

    /// Returns the violations of a rule.
    pub(crate) fn broken(&self, rule: Rule) -> Vec<String> {
        lock(&self.0).broken.get(&rule).cloned().unwrap_or_default()
    }
}

impl Inner {
    fn breaks(&mut self, rule: Rule, what: impl Into<String>) {
        self.broken.entry(rule).or_default().push(what.into());
    }

    fn examine(&mut self, place: Source, event: &Event) {
        self.events += 1;
        if let Some(id) = &event.id {
            self.breaks(Rule::EventIds, format!("id: {id}"));
        }
        if let Some(retry) = &event.retry {
            self.breaks(Rule::Retry, format!("retry: {retry}"));
        }
        let data = event.data.as_deref().unwrap_or_default();
        if data.trim().is_empty() {
            let place = if place == Source::Response { "in the answer to a POST" } else { "on the stream" };
            self.breaks(Rule::Empty, format!("an event without data {place}"));
            return;
        }
        if event.kind.as_deref().is_some_and(|kind| kind != "message") {
            let kind = event.kind.clone().unwrap_or_default();
            self.breaks(Rule::Messages, format!("an event of the type {kind:?}"));
        }
        let Some(message) = parse(data) else {
            return self.breaks(Rule::Messages, format!("not JSON: {data}"));
        };
        if message["jsonrpc"] != "2.0" {
            self.breaks(Rule::Messages, format!("not JSON-RPC 2.0: {data}"));
        }
        if let Some(path) = null_in(&message) {
            self.breaks(Rule::Null, format!("{path} is null: {data}"));
        }
        let is_reply = message.get("result").is_some() || message.get("error").is_some();
        let is_request = message.get("id").is_some();
        if is_request && message["method"].as_str().is_some_and(|method| method.starts_with("ide/")) {
            self.breaks(Rule::Messages, format!("a request where a notification has to be: {data}"));
        }
        if is_reply && place != Source::Response {
            self.breaks(Rule::Replies, format!("a reply on the stream: {data}"));
        }
        if message["method"] == CONTEXT_UPDATE {
            self.context(place, &message["params"]);
        }
    }

    fn context(&mut self, place: Source, params: &Value) {
        self.contexts += 1;
        if let Some(wrong) = misshapen(params) {
            self.breaks(Rule::Shape, format!("{wrong}: {params}"));
        }
        if self.last.get(&place) == Some(params) {
            self.breaks(Rule::Equal, format!("twice in a row: {params}"));
        }
        self.last.insert(place, params.clone());
        let files = params["workspaceState"]["openFiles"].as_array().cloned().unwrap_or_default();
        if files.len() > alongside_contract::context::MAX_OPEN_FILES {
            self.breaks(Rule::FewFiles, format!("{} files in one update", files.len()));
        }
        self.files += files.len();
        for file in &files {
            self.file(file);
        }
        let active = |file: &&Value| file["isActive"] == true;
        let newest = files.iter().max_by_key(|file| file["timestamp"].as_u64());
        if let (Some(active), Some(newest)) = (files.iter().find(active), newest)
            // Another rule judges a missing timestamp.
            && active["timestamp"].is_u64()
            && active["timestamp"].as_u64()
                <= files
                    .iter()
                    .filter(|file| *file != active)
                    .filter_map(|file| file["timestamp"].as_u64())
                    .max()
        {
            let told =
                format!("{} is active, and {} is as new or newer: {params}", active["path"], newest["path"]);
            self.breaks(Rule::ActiveIsNewest, told);
        }
        if files.iter().filter(active).count() > 1 {
            self.breaks(Rule::OneActive, format!("several active files: {params}"));
        }
        // Another check judges null.
        let has_place = |file: &Value| !file["cursor"].is_null() || !file["selectedText"].is_null();
        if let Some(file) = files.iter().find(|file| file["isActive"] != true && has_place(file)) {
            self.breaks(
                Rule::OneActive,
                format!("a cursor or a selection in a file that is not active: {file}"),
            );
        }
    }

    fn file(&mut self, file: &Value) {
        let path = Path::new(file["path"].as_str().unwrap_or_default());
        if !path.is_absolute() {
            self.breaks(Rule::AbsolutePaths, format!("the path {}", file["path"]));
        } else if !path.is_file() && self.vanishing.as_deref() != Some(path) {
            self.breaks(Rule::OnDisk, format!("there is no file {}", file["path"]));
        }
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let latest = u64::try_from((now + CLOCK_TOLERANCE).as_millis()).unwrap_or(u64::MAX);
        match file["timestamp"].as_u64() {
            // Seconds since the epoch are too small for milliseconds: as such they mean a time before spring
            // 1973.
            Some(timestamp) if timestamp < 100_000_000_000 => {
                self.breaks(Rule::Timestamps, format!("{timestamp} is not in milliseconds since 1970"));
            }
            Some(timestamp) if timestamp > latest => {
                self.breaks(Rule::Timestamps, format!("{timestamp} lies in the future"));
            }
            Some(_) => {}
            None => self.breaks(Rule::Timestamps, format!("no timestamp: {file}")),
        }
        let selected = file["selectedText"].as_str().unwrap_or_default().encode_utf16().count();
        if selected > alongside_contract::context::MAX_SELECTED_UTF16 {
            self.breaks(Rule::ShortSelection, format!("{selected} UTF-16 units of selection"));
        }
    }
}

/// Returns the path at which a message contains `null`, if it does.
fn null_in(value: &Value) -> Option<String> {
    match value {
        Value::Null => Some(String::new()),
        Value::Array(values) => {
            values.iter().find_map(|value| null_in(value).map(|path| format!("[]{path}")))
        }
        Value::Object(fields) => {
            fields.iter().find_map(|(name, value)| null_in(value).map(|path| format!(".{name}{path}")))
        }
        _ => None,
    }
}

/// Returns the first wrong type in an `IdeContext`; other checks judge null and missing fields.
fn misshapen(context: &Value) -> Option<String> {
    let is = |value: &Value, fits: fn(&Value) -> bool| value.is_null() || fits(value);
    let state = &context["workspaceState"];
    if !context.is_object() || !is(state, Value::is_object) {
        return Some("params, or workspaceState, is not an object".into());
    }
    if !is(&state["isTrusted"], Value::is_boolean) || !is(&state["openFiles"], Value::is_array) {
        return Some("isTrusted is not a boolean, or openFiles not a list".into());
    }
    state["openFiles"].as_array().into_iter().flatten().find_map(|file| {
        let cursor = &file["cursor"];
        let position = |value: &Value| value.as_u64().is_some();
        let wrong = [
            ("path", file["path"].is_string()),
            ("timestamp", is(&file["timestamp"], Value::is_number)),
            ("isActive", is(&file["isActive"], Value::is_boolean)),
            ("selectedText", is(&file["selectedText"], Value::is_string)),
            ("cursor", cursor.is_null() || (position(&cursor["line"]) && position(&cursor["character"]))),
        ];
        wrong
            .into_iter()
            .find(|(_, right)| !right)
            .map(|(name, _)| format!("{name} is not what it has to be"))
    })
}
