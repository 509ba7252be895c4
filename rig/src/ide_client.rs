//! The agents' own client code, driven by a test: an agent without its model and its screen.

use std::ffi::OsString;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::install::Rig;
use crate::json_lines_process::{JsonLinesProcess, Pending, find};
use crate::node_script;
use crate::release::Release;
use crate::sandbox::Sandbox;
use crate::tmux::Pane;

/// A running agent's client.
#[derive(Debug)]
pub struct RealClient {
    process: JsonLinesProcess,
    name: String,
}

/// The outcome of a diff, as the agent's `openDiff` returned it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The agent writes this text; without a text, or with an empty one, its own proposal.
    Accepted {
        /// The text.
        content: Option<String>,
    },
    /// The agent writes nothing.
    Rejected,
}

impl Outcome {
    /// Creates the outcome of an acceptance with this text.
    pub fn accepted(content: impl Into<String>) -> Self {
        Self::Accepted { content: Some(content.into()) }
    }
}

/// A person's answer in the agent's own prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CliAnswer {
    /// "Yes, allow once".
    Accepted,
    /// "No".
    Rejected,
}

/// An open diff of the agent.
#[derive(Debug)]
pub struct OpenDiff(Pending);

impl OpenDiff {
    /// Waits for the outcome that the agent's `openDiff` returns.
    pub async fn outcome(self) -> Result<Outcome> {
        let outcome = self.0.answer().await?;
        match outcome["status"].as_str() {
            Some("accepted") => {
                Ok(Outcome::Accepted { content: outcome["content"].as_str().map(str::to_owned) })
            }
            Some("rejected") => Ok(Outcome::Rejected),
            _ => anyhow::bail!("the agent's openDiff returned {outcome}"),
        }
    }

    /// Waits for `time`. Returns whether the diff got no outcome.
    pub async fn wait_open(&mut self, time: std::time::Duration) -> bool {
        self.0.wait_open(time).await
    }
}

impl RealClient {
    /// Starts the client as in a terminal: below a shell, in the project, without any variable of an agent.
    pub async fn start(rig: &Rig, sandbox: &Sandbox, release: Release) -> Result<Self> {
        Self::start_with(rig, sandbox, release, &[]).await
    }

    /// As [`start`](Self::start), with more environment variables.
    pub async fn start_with(
        rig: &Rig,
        sandbox: &Sandbox,
        release: Release,
        environment: &[(&str, &str)],
    ) -> Result<Self> {
        let mut command = sandbox.command("bash");
        // The shell stays: agents find the editor's process above their shell.
        command.args(["-c", r#""$@"; exit $?"#, "bash"]).args(words(rig, release));
        command.envs(environment.iter().copied());
        let process = JsonLinesProcess::spawn(sandbox, &release.to_string(), &mut command).await?;
        Ok(Self { process, name: release.to_string() })
    }

    /// Starts the client by typing a command into a pane. So it has the ancestors that it has on a person's
    /// machine.
    pub async fn start_in_pane(rig: &Rig, sandbox: &Sandbox, pane: &Pane, release: Release) -> Result<Self> {
        let process =
            JsonLinesProcess::type_into(pane, sandbox, &release.to_string(), &words(rig, release)).await?;
        Ok(Self { process, name: release.to_string() })
    }

    /// As [`start_in_pane`](Self::start_in_pane), for any package with a client, and with more environment
    /// variables.
    pub async fn type_into_pane(
        sandbox: &Sandbox,
        pane: &Pane,
        name: &str,
        (node, package): (&Path, &Path),
        environment: &[(&str, &str)],
    ) -> Result<Self> {
        let variables = environment.iter().map(|(name, value)| format!("{name}={value}").into());
        let words = [OsString::from("env")].into_iter().chain(variables).chain(driver(node, package));
        let process = JsonLinesProcess::type_into(pane, sandbox, name, &words.collect::<Vec<_>>()).await?;
        Ok(Self { process, name: name.to_owned() })
    }

    /// Searches for a companion and connects. Returns the agent's status.
    ///
    /// # Errors
    ///
    /// Fails unless the agent reports a connection that can open diffs.
    pub async fn connect(&self) -> Result<Value> {
        let status = self.try_to_connect().await?;
        ensure!(
            status["status"] == "connected" && status["diffing"] == true,
            "{} did not connect: {status}",
            self.name
        );
        Ok(status)
    }

    /// Searches for a companion, and returns the agent's [`status`](Self::status).
    pub async fn try_to_connect(&self) -> Result<Value> {
        self.process.ask(json!({ "cmd": "connect" })).answer().await
    }

    /// Returns the agent's report about its connection: `status`, `details`, `diffing`, the editor's `name`,
    /// the MCP `protocol` where its SDK reports it, and the features that this release `lacks`.
    pub async fn status(&self) -> Result<Value> {
        self.process.ask(json!({ "cmd": "status" })).answer().await
    }

    /// Waits until the agent itself reports `connected` or `disconnected`.
    pub async fn wait_status(&self, expected: &str) -> Result<()> {
        let probe = |events: &[Value]| (find(events, "status")?["status"] == expected).then_some(());
        self.process.wait(&format!("the status {expected}"), probe).await
    }

    /// Proposes a new text for a file. The agent then waits for a decision.
    pub fn open_diff(&self, path: &Path, text: &str) -> OpenDiff {
        OpenDiff(self.process.ask(json!({ "cmd": "openDiff", "path": path, "text": text })))
    }

    /// Answers an open diff in the agent's own prompt.
    pub async fn resolve_from_cli(&self, path: &Path, answer: CliAnswer) -> Result<()> {
        let outcome = match answer {
            CliAnswer::Accepted => "accepted",
            CliAnswer::Rejected => "rejected",
        };
        let question = json!({ "cmd": "resolveFromCli", "path": path, "outcome": outcome });
        self.process.ask(question).answer().await.map(drop)
    }

    /// Closes a diff, and returns the text that the agent got back, if any.
    pub async fn close_diff(&self, path: &Path) -> Result<Option<String>> {
        let closed = self.process.ask(json!({ "cmd": "closeDiff", "path": path })).answer().await?;
        Ok(closed["content"].as_str().map(str::to_owned))
    }

    /// Waits until the agent has a context that satisfies `predicate`, and returns the context.
    pub async fn wait_context(&self, what: &str, predicate: impl Fn(&Value) -> bool) -> Result<Value> {
        let probe = |events: &[Value]| {
            let context = &find(events, "context")?["context"];
            predicate(context).then(|| context.clone())
        };
        self.process.wait(&format!("a context with {what}"), probe).await
    }

    /// Waits for the response to the `openDiff` of this proposal. The agent then waits for a decision.
    pub async fn wait_proposed(&self, text: &str) -> Result<()> {
        let is_it = |event: &Value| {
            event["event"] == "answered" && event["tool"] == "openDiff" && event["text"] == text
        };
        let is_answered = |events: &[Value]| events.iter().any(is_it).then_some(());
        self.process.wait(&format!("an answer to the proposal {text:?}"), is_answered).await
    }

    /// The process id of the client.
    pub fn pid(&self) -> Pid {
        self.process.pid()
    }

    /// Runs `action` while the agent is frozen. Agents try to reopen a lost stream for only 2.5 s, and a busy
    /// machine may need longer to start another companion.
    pub async fn while_frozen<T>(&self, action: impl Future<Output = Result<T>>) -> Result<T> {
        kill_process(self.pid(), Signal::STOP)?;
        let result = action.await;
        kill_process(self.pid(), Signal::CONT)?;
        result
    }

    /// Disconnects as `/ide disable` does.
    pub async fn disconnect(&self) -> Result<()> {
        self.process.ask(json!({ "cmd": "disconnect" })).answer().await.map(drop)
    }

    /// Kills the agent, as a closed terminal does.
    pub async fn kill(self) -> Result<()> {
        self.process.kill().await.context("the agent")
    }
}

fn words(rig: &Rig, release: Release) -> Vec<OsString> {
    driver(rig.node(), &release.package(rig))
}

fn driver(node: &Path, package: &Path) -> Vec<OsString> {
    vec![node.into(), node_script("ide-client.mjs").into(), package.into()]
}
