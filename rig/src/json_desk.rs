//! A desk at `alongside review --json`, for actions of a person in tests that do not test the keys of a desk.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use crate::program::alongside_bin;
use crate::sandbox::Sandbox;
use crate::wait::{self, PATIENCE};

const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// A running desk. Dropping it kills the process.
#[derive(Debug)]
pub struct JsonDesk {
    child: Child,
    stdin: ChildStdin,
    received: Arc<Mutex<Vec<Value>>>,
}

impl JsonDesk {
    /// Starts the desk in the sandbox's project, with these further arguments.
    pub fn start(sandbox: &Sandbox, arguments: &[&str]) -> Result<Self> {
        let mut command = Command::new(alongside_bin()?);
        command.env_clear().envs(sandbox.env()).current_dir(sandbox.project());
        command.args(["review", "--json"]).args(arguments).stderr(Stdio::null());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let stdin = child.stdin.take().context("alongside has no standard input")?;
        let lines = BufReader::new(child.stdout.take().context("alongside has no standard output")?).lines();
        let received = Arc::new(Mutex::new(Vec::new()));
        let all = received.clone();
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                if let Ok(message) = serde_json::from_str(&line) {
                    all.lock().unwrap_or_else(PoisonError::into_inner).push(message);
                }
            }
        });
        Ok(Self { child, stdin, received })
    }

    /// Waits for a message whose parameters `is_wanted` accepts, and returns the parameters of the newest
    /// one.
    pub fn wait_for(&self, method: &str, is_wanted: impl Fn(&Value) -> bool) -> Result<Value> {
        let found = self.wait_within(PATIENCE, method, is_wanted);
        found.with_context(|| format!("alongside/{method} is not told, but:\n{}", self.history()))
    }

    /// As [`wait_for`](Self::wait_for), with another timeout; `None` after the timeout.
    pub fn wait_within(
        &self,
        timeout: Duration,
        method: &str,
        is_wanted: impl Fn(&Value) -> bool,
    ) -> Option<Value> {
        let method = format!("alongside/{method}");
        let matches = |message: &Value| message["method"] == *method && is_wanted(&message["params"]);
        self.find(timeout, matches).map(|message| message["params"].clone())
    }

    /// Waits for the result of the look that `--since` requests. Returns false after the timeout.
    pub fn wait_for_look(&self, timeout: Duration) -> bool {
        let is_result = |message: &Value| message["method"] == "result" && message.get("id").is_none();
        self.find(timeout, is_result).is_some()
    }

    /// Waits for a message that `matches` accepts, and returns the newest one.
    fn find(&self, timeout: Duration, matches: impl Fn(&Value) -> bool) -> Option<Value> {
        let until = Instant::now() + timeout;
        loop {
            if let Some(found) = self.messages().iter().rev().find(|message| matches(message)) {
                return Some(found.clone());
            }
            if Instant::now() > until {
                return None;
            }
            std::thread::sleep(POLL_INTERVAL);
        }
    }

    fn messages(&self) -> MutexGuard<'_, Vec<Value>> {
        self.received.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns all messages that the desk has received, for failure messages.
    pub fn history(&self) -> String {
        format!("{:?}", *self.messages())
    }

    /// Sends a request about the newest turn that `is_wanted` accepts. Repeats it after a refusal, because
    /// the list of the turn may have changed.
    pub fn ask_of_turn(
        &mut self,
        method: &str,
        is_wanted: impl Fn(&Value) -> bool,
        params: impl Fn(&Value) -> Value,
    ) -> Result<()> {
        let until = Instant::now() + PATIENCE;
        loop {
            let before = self.answers().len();
            let turn = self.wait_for("didChangeTurn", &is_wanted)?;
            self.ask(method, &params(&turn))?;
            let new = || self.answers().get(before).cloned().ok_or_else(|| "nothing".to_owned());
            let answer = wait::until(&format!("the answer to {method}"), PATIENCE, new)?;
            if answer.get("error").is_none() {
                return Ok(());
            }
            ensure!(Instant::now() < until, "{method} is refused: {answer}");
        }
    }

    fn answers(&self) -> Vec<Value> {
        self.messages().iter().filter(|message| message["method"] == "result").cloned().collect()
    }

    /// Sends a request to the companion. Fails if the desk has ended.
    pub fn ask(&mut self, method: &str, params: &Value) -> Result<()> {
        let request = json!({ "method": format!("alongside/{method}"), "params": params });
        Ok(writeln!(self.stdin, "{request}")?)
    }
}

impl Drop for JsonDesk {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
