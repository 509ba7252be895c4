//! A program at `alongside review --json`, for what a person does at a desk whose keys are not in question.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use alongside_rig::Sandbox;
use alongside_rig::program::alongside_bin;
use alongside_rig::wait::{self, PATIENCE};
use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

/// A running desk. It ends with this value.
pub(crate) struct JsonDesk {
    child: Child,
    stdin: ChildStdin,
    told: Arc<Mutex<Vec<Value>>>,
}

impl JsonDesk {
    /// Starts it in the sandbox's project.
    pub(crate) fn start(sandbox: &Sandbox, arguments: &[&str]) -> Result<Self> {
        let mut command = Command::new(alongside_bin()?);
        command.env_clear().envs(sandbox.env()).current_dir(sandbox.project());
        command.args(["review", "--json"]).args(arguments);
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
    pub(crate) fn told(&self, method: &str, is: impl Fn(&Value) -> bool) -> Result<Value> {
        let method = format!("alongside/{method}");
        wait::until(&method, PATIENCE, || {
            let told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
            let found = told.iter().rev().filter(|message| message["method"] == *method);
            found.map(|message| message["params"].clone()).find(&is).ok_or_else(|| format!("{told:?}"))
        })
    }

    /// Asks for something with the newest turn that `is`, and with a newer one after a refusal: its list may
    /// change at any moment.
    pub(crate) fn ask_of_turn(
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
        let told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.iter().filter(|message| message["method"] == "result").cloned().collect()
    }

    /// Asks the companion for something.
    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> Result<()> {
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
