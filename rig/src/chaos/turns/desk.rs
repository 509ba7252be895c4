//! A program at `alongside review --json --since`, whose host may be killed at any moment.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use crate::program::alongside_bin;
use crate::sandbox::Sandbox;

const POLL: Duration = Duration::from_millis(5);

pub(super) struct Desk {
    child: Child,
    stdin: ChildStdin,
    told: Arc<Mutex<Vec<Value>>>,
}

impl Desk {
    pub(super) fn start(sandbox: &Sandbox) -> Result<Self> {
        let mut command = Command::new(alongside_bin()?);
        command.env_clear().envs(sandbox.env()).current_dir(sandbox.project());
        command.args(["review", "--json", "--since"]).stderr(Stdio::null());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let stdin = child.stdin.take().context("it has an input")?;
        let lines = BufReader::new(child.stdout.take().context("it has an output")?).lines();
        let told = Arc::new(Mutex::new(Vec::new()));
        let all = told.clone();
        std::thread::spawn(move || {
            for line in lines.map_while(std::result::Result::ok) {
                if let Ok(message) = serde_json::from_str(&line) {
                    all.lock().unwrap_or_else(PoisonError::into_inner).push(message);
                }
            }
        });
        Ok(Self { child, stdin, told })
    }

    /// Waits for such a message, and returns the newest one; `None` if there is none in time.
    pub(super) fn told(
        &self,
        method: &str,
        patience: Duration,
        is: impl Fn(&Value) -> bool,
    ) -> Option<Value> {
        let method = format!("alongside/{method}");
        let is_it = |message: &Value| message["method"] == *method && is(&message["params"]);
        self.heard(patience, is_it).map(|message| message["params"].clone())
    }

    /// Waits for the answer to the look with which the program begins; false if none comes in time.
    pub(super) fn has_looked(&self, patience: Duration) -> bool {
        let is_it = |message: &Value| message["method"] == "result" && message.get("id").is_none();
        self.heard(patience, is_it).is_some()
    }

    fn heard(&self, patience: Duration, is: impl Fn(&Value) -> bool) -> Option<Value> {
        let until = Instant::now() + patience;
        loop {
            {
                let told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(found) = told.iter().rev().find(|message| is(message)) {
                    return Some(found.clone());
                }
            }
            if Instant::now() > until {
                return None;
            }
            std::thread::sleep(POLL);
        }
    }

    /// Asks the companion for something. The desk may be dead.
    pub(super) fn ask(&mut self, method: &str, params: &Value) {
        let request = json!({ "method": format!("alongside/{method}"), "params": params });
        let _ = writeln!(self.stdin, "{request}");
    }

    /// All that it was told, for finding a cause.
    pub(super) fn history(&self) -> String {
        format!("{:?}", self.told.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
