//! A companion in a process of its own, under a test's control.

use std::ffi::OsString;
use std::net::SocketAddr;

use alongside_companion::PortHold;
use anyhow::{Context as _, Result};
use serde_json::json;

use crate::desk::Desk;
use crate::json_lines_process::{JsonLinesProcess, find};
use crate::sandbox::Sandbox;
use crate::tmux::Pane;

/// A running companion; its program is `rig/src/bin/companion.rs`.
#[derive(Debug)]
pub struct CompanionProcess {
    desk: Desk,
    /// The port on 127.0.0.1.
    pub port: u16,
    /// The token that agents must send.
    pub token: String,
    /// The socket addresses that the companion listens on.
    addresses: Vec<SocketAddr>,
}

impl CompanionProcess {
    /// Starts `program` for the sandbox's project as a child, with a recovery journal.
    pub async fn start(program: &str, sandbox: &Sandbox) -> Result<Self> {
        Self::start_on(program, sandbox, &[]).await
    }

    /// Kills the companion and starts `program` again. Holds the port meanwhile, as desks do.
    pub async fn crash(self, program: &str, sandbox: &Sandbox) -> Result<Self> {
        let addresses = self.addresses.clone();
        let _hold = PortHold::take(&addresses).context("the port cannot be held")?;
        self.kill().await?;
        Self::start_on(program, sandbox, &addresses).await
    }

    async fn start_on(program: &str, sandbox: &Sandbox, held: &[SocketAddr]) -> Result<Self> {
        let mut command = sandbox.command(program);
        command.arg(options(sandbox, held));
        Self::over(JsonLinesProcess::spawn(sandbox, "companion", &mut command).await?)
    }

    /// Starts `program` in a terminal pane, by typing the command.
    pub async fn start_in_pane(program: &str, sandbox: &Sandbox, pane: &Pane) -> Result<Self> {
        let words = [OsString::from(program), options(sandbox, &[]).into()];
        Self::over(JsonLinesProcess::type_into(pane, sandbox, "companion", &words).await?)
    }

    fn over(process: JsonLinesProcess) -> Result<Self> {
        let history = process.history();
        let ready = find(&history, "ready").context("the companion sent no `ready`")?;
        let port = ready["port"].as_u64().and_then(|port| u16::try_from(port).ok());
        let token = ready["token"].as_str().map(str::to_owned);
        Ok(Self {
            port: port.context("no port")?,
            token: token.context("no token")?,
            addresses: serde_json::from_value(ready["addresses"].clone()).context("no addresses")?,
            desk: Desk::new(process),
        })
    }

    /// Stops the companion properly.
    pub async fn stop(self) -> Result<()> {
        self.desk.process().ask(json!({ "cmd": "stop" })).answer().await.map(drop)
    }

    /// Kills the companion with SIGKILL, as a crash does.
    pub async fn kill(self) -> Result<()> {
        self.desk.process().kill().await
    }
}

impl std::ops::Deref for CompanionProcess {
    type Target = Desk;

    fn deref(&self) -> &Desk {
        &self.desk
    }
}

fn options(sandbox: &Sandbox, held: &[SocketAddr]) -> String {
    json!({ "root": sandbox.project(), "held": held }).to_string()
}
