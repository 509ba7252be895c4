//! The stage on which a release is proven: a project, and a terminal with the desk of the real program in one
//! pane and agents in other panes. So all processes have the ancestors that they have on a person's machine.

use std::path::PathBuf;

use alongside_desk::{Review, Status};
use anyhow::{Context as _, Result};
use serde_json::Value;

use super::results::Need;
use super::subject::{Subject, Tools};
use crate::desk::Desk;
use crate::ide_client::RealClient;
use crate::json_lines_process::JsonLinesProcess;
use crate::sandbox::Sandbox;
use crate::tmux::{Pane, Tmux};

/// The content of `file`.
pub(super) const ORIGINAL: &str = "one\ntwo\nthree\n";

/// The size of a pane: wide enough for a command line.
const PANE: (u16, u16) = (240, 50);

/// A stage. The sandbox, which ends every process, is dropped last.
pub(super) struct Stage<'a> {
    /// The desk of the person.
    pub(super) desk: Desk,
    /// A file of the project.
    pub(super) file: PathBuf,
    terminal: Tmux,
    needs: Vec<Need>,
    pub(super) tools: &'a Tools,
    pub(super) subject: &'a Subject,
    /// The sandbox of all processes.
    pub(super) sandbox: Sandbox,
}

impl<'a> Stage<'a> {
    /// Starts the desk with these settings.
    pub(super) async fn start(tools: &'a Tools, subject: &'a Subject, needs: &[Need]) -> Result<Self> {
        let sandbox = Sandbox::new();
        let file = sandbox.write("file.txt", ORIGINAL);
        if needs.contains(&Need::Tokenless) {
            let settings = "[server]\nallow-tokenless-agents = true\n";
            sandbox.write_home(".config/alongside/config.toml", settings);
        }
        let path = std::env::var_os("PATH").unwrap_or_default();
        let program_directory =
            tools.alongside.parent().context("the program has no parent directory")?.to_owned();
        let path = std::env::join_paths(
            [crate::agent_cli::bin(&sandbox), program_directory]
                .into_iter()
                .chain(std::env::split_paths(&path)),
        )?;
        let terminal = Tmux::new(&sandbox, [("PATH".to_owned(), path)]);
        let pane = terminal.window("the desk", PANE)?;
        let process =
            JsonLinesProcess::pipe_into(&pane, &sandbox, "alongside review", "alongside review --json")
                .await?;
        let desk = Desk::new(process);
        Ok(Self { desk, file, terminal, needs: needs.to_vec(), tools, subject, sandbox })
    }

    /// Opens a window for a program.
    pub(super) fn window(&self, name: &str) -> Result<Pane> {
        self.terminal.window(name, PANE)
    }

    /// Starts an agent in a pane. The agent has not searched for a companion.
    pub(super) async fn agent(&self) -> Result<RealClient> {
        let name = self.subject.to_string();
        let pane = self.terminal.window(&name, PANE)?;
        if self.needs.contains(&Need::Variables) {
            pane.enter(r#"eval "$(alongside env)"; echo set"#)?;
            pane.wait_for("the variables", |screen| screen.lines().any(|line| line == "set"))?;
        }
        let vscode: &[_] =
            if self.needs.contains(&Need::Vscode) { &[("TERM_PROGRAM", "vscode")] } else { &[] };
        let program = (self.tools.node.as_path(), self.subject.directory.as_path());
        RealClient::type_into_pane(&self.sandbox, &pane, &name, program, vscode).await
    }

    /// Starts and connects an agent. Waits until `number` agents listen, including this one.
    pub(super) async fn connect_agent(&self, number: usize) -> Result<RealClient> {
        let agent = self.agent().await?;
        agent.connect().await?;
        self.desk.agents_listen(number).await?;
        Ok(agent)
    }

    /// Waits for the review of an agent's proposal, and until the agent waits for its outcome.
    pub(super) async fn review_at(&self, agent: &RealClient, proposed: &str) -> Result<Review> {
        let review = self.desk.review_of(proposed).await?;
        agent.wait_proposed(proposed).await?;
        Ok(review)
    }

    /// Kills the companion's process, and waits until the desk has another.
    pub(super) async fn crash(&self) -> Result<()> {
        let pid = |status: &Status| rustix::process::Pid::from_raw(status.pid.cast_signed());
        let before = self.desk.wait_status("a process", pid).await?;
        rustix::process::kill_process(before, rustix::process::Signal::KILL)?;
        self.desk.wait_status("another process", |status| (pid(status) != Some(before)).then_some(())).await
    }
}

/// Whether the agent reports a connection.
pub(super) fn is_connected(status: &Value) -> bool {
    status["status"] == "connected"
}
