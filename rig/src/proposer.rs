//! A scripted agent in the test's process, with real connections, for tests that do not test an agent.

use std::collections::HashMap;
use std::path::Path;

use alongside_agent::find::{self, Surroundings};
use alongside_agent::{Endpoint, Identity, Outcome, PendingDiff, Session};
use alongside_contract::agent::FamilyAgent;
use alongside_contract::token;
use anyhow::{Context as _, Result};
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::time::timeout;

use crate::sandbox::Sandbox;
use crate::wait::{self, PATIENCE};

/// A scripted agent. Dropping it acts like a kill.
#[derive(Debug)]
pub struct Proposer {
    session: Session,
    runtime: Runtime,
}

/// A proposal that waits for its decision. It ends with its agent.
#[derive(Debug)]
pub struct Proposal {
    pending: PendingDiff,
    runtime: Handle,
}

impl Proposer {
    /// Finds the companion of the sandbox's project as Gemini CLI does, without any variable, and connects.
    pub fn gemini(sandbox: &Sandbox) -> Result<Self> {
        Self::gemini_in(sandbox, &sandbox.project())
    }

    /// As [`gemini`](Self::gemini), in a directory of the sandbox.
    pub fn gemini_in(sandbox: &Sandbox, directory: &Path) -> Result<Self> {
        let identity = Identity::new("gemini-cli-mcp-client-rig", "0.61.0");
        Self::connect(sandbox, directory, "gemini", identity)
    }

    /// Finds the companion of the sandbox's project as Qwen Code does, and connects.
    pub fn qwen(sandbox: &Sandbox) -> Result<Self> {
        let identity = Identity::new("qwen-code-mcp-client-rig", "0.24.4");
        Self::connect(sandbox, &sandbox.project(), "qwen", identity)
    }

    /// As [`gemini`](Self::gemini), under another client name.
    pub fn named(sandbox: &Sandbox, name: &str, version: &str) -> Result<Self> {
        Self::connect(sandbox, &sandbox.project(), "gemini", Identity::new(name, version))
    }

    /// As [`named`](Self::named), but of no known family: desks show the agent's own name.
    pub fn stranger(sandbox: &Sandbox, name: &str, version: &str) -> Result<Self> {
        let secret = |token: &str| token::split(token).0.to_owned();
        Self::connect_with(sandbox, &sandbox.project(), "gemini", Identity::new(name, version), secret)
    }

    fn connect(sandbox: &Sandbox, directory: &Path, command: &str, identity: Identity) -> Result<Self> {
        Self::connect_with(sandbox, directory, command, identity, str::to_owned)
    }

    fn connect_with(
        sandbox: &Sandbox,
        directory: &Path,
        command: &str,
        identity: Identity,
        token: impl Fn(&str) -> String,
    ) -> Result<Self> {
        let agent = FamilyAgent::of_command(command).context("the table has no such agent")?;
        let here = Surroundings {
            tmp: sandbox.tmp(),
            home: sandbox.home(),
            variables: HashMap::new(),
            cwd: directory.to_owned(),
            pid: std::process::id(),
        };
        let found = wait::until("a companion that serves the project", PATIENCE, || {
            let search = find::candidates(agent, &here);
            search.found.into_iter().next().ok_or_else(|| format!("{:?}", search.skipped))
        })?;
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let session = runtime.block_on(async {
            let token = found.record.auth_token.as_deref().map(token);
            let session =
                Session::connect(Endpoint::local(found.record.port), token.as_deref(), identity).await?;
            // Agents open their stream before they propose. The first message on it is the context.
            timeout(PATIENCE, session.context().wait_for(Option::is_some))
                .await
                .context("the companion sent no context")??;
            anyhow::Ok(session)
        })?;
        Ok(Self { session, runtime })
    }

    /// Proposes the text of a file. Returns once the companion has opened the review.
    pub fn propose(&self, path: &Path, text: &str) -> Result<Proposal> {
        let path = path.to_str().context("the path of a test's file is not UTF-8")?;
        let opened = async { timeout(PATIENCE, self.session.open_diff(path, text)).await };
        let pending = self.runtime.block_on(opened).context("openDiff got no answer")??;
        Ok(Proposal { pending, runtime: self.runtime.handle().clone() })
    }

    /// Closes a proposal, as after a person's answer in the agent. Returns its text, if it was open.
    pub fn close(&self, path: &Path) -> Result<Option<String>> {
        let path = path.to_str().context("the path of a test's file is not UTF-8")?;
        let closed = async { timeout(PATIENCE, self.session.close_diff(path, true)).await };
        Ok(self.runtime.block_on(closed).context("closeDiff got no answer")??)
    }
}

impl Proposal {
    /// Waits for the person's decision.
    pub fn outcome(self) -> Result<Outcome> {
        let outcome = async { timeout(PATIENCE, self.pending.outcome()).await };
        self.runtime.block_on(outcome).context("no decision came")
    }
}
