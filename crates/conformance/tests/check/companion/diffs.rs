//! Reviews: opened and closed by agents, decided by the person. Each belongs to the agent that asked for it.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::outcomes::{Outcome, Session};
use super::{Shared, State};
use crate::fault::{Fault, Faults};

/// A review that waits.
#[derive(Clone)]
pub(super) struct Diff {
    /// The path, as the agent spelled it.
    pub(super) path: String,
    /// The current text of the person.
    pub(super) text: String,
    proposal: String,
}

impl State {
    /// Returns every waiting review with the session that asked for it; the newest of a session is last.
    pub(super) fn waiting(&self) -> Vec<(String, Diff)> {
        let of = |(id, session): (&String, &Session)| {
            session.diffs.iter().map(|diff| (id.clone(), diff.clone())).collect::<Vec<_>>()
        };
        self.sessions.iter().flat_map(of).collect()
    }
}

impl Shared {
    /// Calls a tool; `None` if there is no such tool.
    pub(super) async fn call(&self, session: &str, params: &Value) -> Option<Value> {
        let arguments = &params["arguments"];
        match params["name"].as_str()? {
            "openDiff" => Some(self.open(session, arguments).await.unwrap_or_else(|why| self.error(&why))),
            "closeDiff" => Some(self.close(session, arguments).unwrap_or_else(|why| self.error(&why))),
            _ => None,
        }
    }

    async fn open(&self, id: &str, arguments: &Value) -> Result<Value, String> {
        let (path, proposal) = match (arguments["filePath"].as_str(), arguments["newContent"].as_str()) {
            (Some(path), Some(proposal)) => (path, proposal),
            (path, proposal) if self.has(Fault::MissingArgumentsIgnored) => {
                (path.unwrap_or("/nowhere"), proposal.unwrap_or_default())
            }
            _ => return Err("filePath and newContent must be strings".into()),
        };
        if !path.starts_with('/') && !self.has(Fault::RelativePathOpened) {
            return Err(format!("{path:?} is not absolute"));
        }
        if Path::new(path).is_dir() && !self.has(Fault::DirectoryOpened) {
            return Err(format!("{path:?} is a directory"));
        }
        let path = self.spelled(path);
        {
            let mut state = self.state();
            let session = state.sessions.entry(id.to_owned()).or_default();
            let again = session.diffs.iter().any(|diff| diff.path == path);
            match self.fault.single {
                Some(Fault::SecondProposalRefused) if again => return Err("it is open already".into()),
                Some(Fault::SecondProposalIgnored) if again => return Ok(json!({ "content": [] })),
                _ if self.has(Fault::SecondProposalOpensAnother) => {}
                Some(Fault::SecondProposalRejectsTheFirst) if again => {
                    session.diffs.retain(|diff| diff.path != path);
                    session.write(&rejected(self.fault, &path));
                }
                _ => session.diffs.retain(|diff| diff.path != path),
            }
            if self.has(Fault::OneDiffForEverybody) {
                state.sessions.values_mut().for_each(|other| other.diffs.retain(|diff| diff.path != path));
            }
            let session = state.sessions.entry(id.to_owned()).or_default();
            // A new proposal shows that this agent has received the outcome of its last one.
            if !self.has(Fault::ReceiptsIgnored) {
                session.outcomes.retain(|outcome| outcome.path != path);
            }
            session.closed.remove(&path);
            session.diffs.push(Diff { path: path.clone(), text: proposal.into(), proposal: proposal.into() });
        }
        while self.has(Fault::OpenDiffWaits) && self.is_open(&path) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        Ok(match self.fault.single {
            Some(Fault::OpenDiffSaysSomething) => text("The diff is open."),
            Some(Fault::OpenDiffHasNoContent) => json!({}),
            _ => json!({ "content": [] }),
        })
    }

    fn close(&self, id: &str, arguments: &Value) -> Result<Value, String> {
        let path = arguments["filePath"].as_str().ok_or("filePath must be a string")?;
        let path = &*self.spelled(path);
        let suppressed = arguments["suppressNotification"] == true;
        let mut state = self.state();
        let fault = self.fault;
        let mut others = state.waiting().into_iter().filter(|_| fault.has(Fault::DiffsAreEverybodys));
        let owner =
            others.find(|(_, diff)| diff.path == path).map_or_else(|| id.to_owned(), |(owner, _)| owner);
        let session = state.sessions.entry(owner).or_default();
        if let Some(at) = session.diffs.iter().rposition(|diff| diff.path == path) {
            let stays = fault.has(Fault::ClosingLeavesTheView);
            let diff = if stays { session.diffs[at].clone() } else { session.diffs.remove(at) };
            let last = if fault.has(Fault::ClosingLosesEdits) { diff.proposal } else { diff.text };
            let last = self.mangled(&last);
            session.closed.insert(path.into(), last.clone());
            let unless_suppressed = fault.has(Fault::ClosingRejectsUnlessSuppressed);
            if fault.has(Fault::ClosingRejects) || (unless_suppressed && !suppressed) {
                self.tell(&mut state, id, Outcome::new(path, &last, rejected(fault, path)));
            }
            return Ok(self.closed(&last));
        }
        if let Some(at) = session.outcomes.iter().rposition(|outcome| outcome.path == path) {
            let outcome = session.outcomes.remove(at);
            session.closed.insert(path.into(), outcome.text.clone());
            let is_forgotten = fault.has(Fault::DecidedTextForgotten);
            return Ok(if is_forgotten { text("{}") } else { self.closed(&outcome.text) });
        }
        let closed = session.closed.get(path).filter(|_| !fault.has(Fault::ClosedTextForgotten));
        match (closed, fault.single) {
            (Some(_), Some(Fault::ClosingTwiceFails)) => Err("it is closed already".into()),
            (Some(last), _) => Ok(self.closed(last)),
            (None, Some(Fault::UnknownDiffIsAnError)) => Err("there is no such diff".into()),
            (None, Some(Fault::UnknownDiffIsEmpty)) => Ok(json!({ "content": [] })),
            (None, _) => Ok(text("{}")),
        }
    }

    fn closed(&self, last: &str) -> Value {
        match self.fault.single {
            Some(Fault::ClosedTextIsPlain) => text(last),
            Some(Fault::ClosedTextIsMissing) => json!({ "content": [] }),
            _ => text(&json!({ "content": last }).to_string()),
        }
    }

    fn error(&self, why: &str) -> Value {
        let mut failed = text(why);
        failed["isError"] = json!(true);
        if self.has(Fault::ErrorsSayNothing) {
            failed["content"] = json!([]);
        }
        failed
    }

    /// Returns a path as this companion sends it: byte for byte as the agent spelled it, unless it is faulty.
    fn spelled(&self, path: &str) -> String {
        match self.fault.single {
            _ if self.has(Fault::PathsAreNormalised) => {
                let parts: std::path::PathBuf = Path::new(path).components().collect();
                parts.to_string_lossy().into_owned()
            }
            Some(Fault::PathsAreAscii) => path.chars().filter(char::is_ascii).collect(),
            _ => path.to_owned(),
        }
    }

    /// Whether a view of this path is open.
    pub(crate) fn is_open(&self, path: &str) -> bool {
        let path = &*self.spelled(path);
        self.state().waiting().iter().any(|(_, diff)| diff.path == path)
    }

    /// Returns the number of open views, of all paths.
    pub(crate) fn open_views(&self) -> usize {
        self.state().waiting().len()
    }

    /// The person types in the newest view of this path.
    pub(crate) fn edit(&self, path: &str, text: &str) -> bool {
        let path = &*self.spelled(path);
        let mut state = self.state();
        let mut diffs = state.sessions.values_mut().flat_map(|session| session.diffs.iter_mut().rev());
        let found = diffs.find(|diff| diff.path == path);
        let is_open = found.is_some();
        if let Some(diff) = found {
            diff.text = text.into();
        }
        is_open
    }

    /// The person decides on a view of this path.
    pub(crate) fn decide(&self, path: &str, accept: bool) -> bool {
        let path = &*self.spelled(path);
        let mut state = self.state();
        let Some((id, diff)) = state.waiting().into_iter().rev().find(|(_, diff)| diff.path == path) else {
            return false;
        };
        if let Some(session) = state.sessions.get_mut(&id)
            && let Some(at) = session.diffs.iter().rposition(|diff| diff.path == path)
        {
            session.diffs.remove(at);
        }
        let told = if accept { self.acceptance(&diff) } else { rejected(self.fault, path) };
        self.tell(&mut state, &id, Outcome::new(path, &diff.text, told));
        true
    }

    /// The person closes the view without deciding.
    pub(crate) fn close_view(&self, path: &str) -> bool {
        let path = &*self.spelled(path);
        match self.fault.single {
            Some(Fault::ClosingTheViewSaysNothing) => {
                let was_open = self.is_open(path);
                let mut state = self.state();
                state
                    .sessions
                    .values_mut()
                    .for_each(|session| session.diffs.retain(|diff| diff.path != path));
                was_open
            }
            Some(Fault::ClosingTheViewAccepts) => self.decide(path, true),
            _ => self.decide(path, false),
        }
    }

    /// Returns the text as a companion sends it that changes texts.
    fn mangled(&self, text: &str) -> String {
        match self.fault.single {
            Some(Fault::LineEndsAreChanged) => text.replace("\r\n", "\n"),
            Some(Fault::FinalNewlineIsAdded) if !text.ends_with('\n') => format!("{text}\n"),
            Some(Fault::ByteOrderMarkIsLost) => text.trim_start_matches('\u{feff}').to_owned(),
            Some(Fault::ControlCharactersAreLost) => text.replace(['\u{1b}', '\0'], ""),
            _ => text.to_owned(),
        }
    }

    fn acceptance(&self, diff: &Diff) -> Value {
        if self.has(Fault::AcceptWritesTheFile) {
            let path = Path::new(&diff.path);
            if let Some(directory) = path.parent() {
                let _ = std::fs::create_dir_all(directory);
            }
            let _ = std::fs::write(path, &diff.text);
        }
        let edits_are_lost = self.has(Fault::AcceptLosesEdits);
        let text = self.mangled(if edits_are_lost { &diff.proposal } else { &diff.text });
        let mut params = json!({ "filePath": diff.path });
        if !self.has(Fault::AcceptedWithoutContent) {
            params["content"] = json!(text);
        }
        json!({ "jsonrpc": "2.0", "method": "ide/diffAccepted", "params": params })
    }
}

/// Returns the notification of a rejection.
pub(super) fn rejected(fault: Faults, path: &str) -> Value {
    let method = if fault.has(Fault::RejectedIsClosed) { "ide/diffClosed" } else { "ide/diffRejected" };
    let mut params = json!({ "filePath": path });
    if fault.has(Fault::RejectedNamesNoFile) {
        params = json!({});
    }
    if fault.has(Fault::RejectedWithNull) {
        params["content"] = Value::Null;
    }
    json!({ "jsonrpc": "2.0", "method": method, "params": params })
}

fn text(text: &str) -> Value {
    json!({ "content": [{ "type": "text", "text": text }] })
}
