//! A program at `alongside review --json`, for the acts of a person at a desk whose keys are not in question.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use crate::program::alongside_bin;
use crate::sandbox::Sandbox;
use crate::wait::{self, PATIENCE};

const POLL: Duration = Duration::from_millis(5);

/// A running desk. It ends with this value.
#[derive(Debug)]
pub struct JsonDesk {
    child: Child,
    stdin: ChildStdin,
    told: Arc<Mutex<Vec<Value>>>,
}

impl JsonDesk {
    /// Starts it in the sandbox's project, with these further arguments.
    pub fn start(sandbox: &Sandbox, arguments: &[&str]) -> Result<Self> {
        let mut command = Command::new(alongside_bin()?);
        command.env_clear().envs(sandbox.env()).current_dir(sandbox.project());
        command.args(["review", "--json"]).args(arguments).stderr(Stdio::null());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let stdin = child.stdin.take().context("it has an input")?;
        let lines = BufReader::new(child.stdout.take().context("it has an output")?).lines();
        let told = Arc::new(Mutex::new(Vec::new()));
        let all = told.clone();
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                if let Ok(message) = serde_json::from_str(&line) {
                    all.lock().unwrap_or_else(PoisonError::into_inner).push(message);
                }
            }
        });
        Ok(Self { child, stdin, told })
    }

    /// Waits until it is told such a message, and returns the newest one.
    pub fn told(&self, method: &str, is: impl Fn(&Value) -> bool) -> Result<Value> {
        let found = self.told_within(PATIENCE, method, is);
        found.with_context(|| format!("alongside/{method} is not told, but:\n{}", self.history()))
    }

    /// The same with another patience; `None` if it is over.
    pub fn told_within(
        &self,
        patience: Duration,
        method: &str,
        is: impl Fn(&Value) -> bool,
    ) -> Option<Value> {
        let method = format!("alongside/{method}");
        let is_it = |message: &Value| message["method"] == *method && is(&message["params"]);
        self.heard(patience, is_it).map(|message| message["params"].clone())
    }

    /// Waits for the answer to the look with which `--since` begins; false if none comes in time.
    pub fn has_looked(&self, patience: Duration) -> bool {
        let is_it = |message: &Value| message["method"] == "result" && message.get("id").is_none();
        self.heard(patience, is_it).is_some()
    }

    fn heard(&self, patience: Duration, is: impl Fn(&Value) -> bool) -> Option<Value> {
        let until = Instant::now() + patience;
        loop {
            if let Some(found) = self.messages().iter().rev().find(|message| is(message)) {
                return Some(found.clone());
            }
            if Instant::now() > until {
                return None;
            }
            std::thread::sleep(POLL);
        }
    }

    fn messages(&self) -> MutexGuard<'_, Vec<Value>> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All that it was told.
    pub fn history(&self) -> String {
        format!("{:?}", *self.messages())
    }

    /// Asks for something with the newest turn that `is`, and with a newer one after a refusal: its list may
    /// change at any moment.
    pub fn ask_of_turn(
        &mut self,
        method: &str,
        is: impl Fn(&Value) -> bool,
        params: impl Fn(&Value) -> Value,
    ) -> Result<()> {
        let until = Instant::now() + PATIENCE;
        loop {
            let before = self.answers().len();
            let turn = self.told("didChangeTurn", &is)?;
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

    /// Asks the companion for something. Fails where the desk has ended.
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
