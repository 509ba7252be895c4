//! The parts that every story needs: a project with a file, a companion, and a connected agent.

use std::path::{Path, PathBuf};
use std::time::Duration;

use alongside_desk::Review;
use alongside_rig::companion::CompanionProcess;
use alongside_rig::{OpenDiff, Outcome, RealClient, Release, Rig, Sandbox};
use anyhow::Result;

/// The companion under test, in a process of its own.
pub(crate) const COMPANION: &str = env!("CARGO_BIN_EXE_companion");

/// The content of `file`.
pub(crate) const ORIGINAL: &str = "one\ntwo\nthree\n";

/// The time in which an event that must not happen is waited for.
pub(crate) const QUIET_TIME: Duration = Duration::from_millis(300);

/// A companion of a project, and a connected agent.
pub(crate) struct Stage {
    pub(crate) agent: RealClient,
    pub(crate) companion: CompanionProcess,
    pub(crate) file: PathBuf,
    pub(crate) release: Release,
    pub(crate) rig: Rig,
    pub(crate) sandbox: Sandbox,
}

/// Proposes a text for a file, and accepts it. Fails unless the agent gets the text.
pub(crate) async fn accept(
    agent: &RealClient,
    companion: &CompanionProcess,
    file: &Path,
    text: &str,
) -> Result<()> {
    let diff = agent.open_diff(file, text);
    companion.accept(&companion.review_of(text).await?).await?;
    assert_eq!(diff.outcome().await?, Outcome::accepted(text));
    Ok(())
}

impl Stage {
    pub(crate) async fn new(rig: Rig, release: Release) -> Result<Self> {
        let sandbox = Sandbox::new();
        let file = sandbox.write("file.txt", ORIGINAL);
        let companion = CompanionProcess::start(COMPANION, &sandbox).await?;
        let agent = RealClient::start(&rig, &sandbox, release).await?;
        agent.connect().await?;
        companion.agents_listen(1).await?;
        Ok(Self { agent, companion, file, release, rig, sandbox })
    }

    /// Proposes a text for the file as the agent, and waits for the review.
    pub(crate) async fn propose(&self, text: &str) -> Result<(OpenDiff, Review)> {
        let diff = self.agent.open_diff(&self.file, text);
        Ok((diff, self.companion.review_of(text).await?))
    }
}
