//! The agent or the companion ends and is started again.

use alongside_rig::companion::CompanionProcess;
use alongside_rig::{Outcome, RealClient, Release, Sandbox};
use anyhow::Result;

use crate::stage::{COMPANION, Stage, accept};

pub(crate) async fn agent_comes_back(stage: Stage) -> Result<()> {
    let (open, orphan) = stage.propose("from the first\n").await?;
    stage.agent.kill().await?;
    assert!(open.outcome().await.is_err(), "a killed agent has no outcome");

    let agent = RealClient::start(&stage.rig, &stage.sandbox, stage.release).await?;
    agent.connect().await?;
    let diff = agent.open_diff(&stage.file, "from the second\n");
    let review = stage.companion.review_of("from the second\n").await?;
    assert_ne!(review.id, orphan.id);
    // The second agent must not get the outcome of the first one's proposal.
    let _ = stage.companion.reject(&orphan).await;
    stage.companion.accept(&review).await?;
    assert_eq!(diff.outcome().await?, Outcome::accepted("from the second\n"));
    Ok(())
}

/// A proper stop rejects open proposals, so that the agent's prompt stays usable.
pub(crate) async fn companion_stops_with_a_diff_open_and_comes_back(stage: Stage) -> Result<()> {
    let (diff, _) = stage.propose("undecided\n").await?;
    stage.companion.stop().await?;
    assert_eq!(diff.outcome().await?, Outcome::Rejected);

    let companion = CompanionProcess::start(COMPANION, &stage.sandbox).await?;
    // The person types `/ide enable`.
    stage.agent.connect().await?;
    accept(&stage.agent, &companion, &stage.file, "decided\n").await
}

pub(crate) async fn companion_crashes_and_the_session_goes_on(stage: Stage) -> Result<()> {
    let (port, token) = (stage.companion.port, stage.companion.token.clone());
    let companion = crash(stage.companion, &stage.agent, &stage.sandbox).await?;
    assert_eq!((companion.port, &companion.token), (port, &token), "same port and token");

    if reopens_its_stream(stage.release) {
        companion.agents_listed(1).await?;
    } else {
        // The person types `/ide enable`.
        stage.agent.connect().await?;
    }
    accept(&stage.agent, &companion, &stage.file, "after the crash\n").await
}

/// Only the restarted companion can free the agent.
pub(crate) async fn companion_crashes_with_a_diff_open(mut stage: Stage) -> Result<()> {
    let (diff, _) = stage.propose("undecided\n").await?;
    stage.agent.wait_proposed("undecided\n").await?;
    let port = stage.companion.port;
    let companion = crash(stage.companion, &stage.agent, &stage.sandbox).await?;
    assert_eq!(companion.port, port, "same port and token");
    if reopens_its_stream(stage.release) {
        assert_eq!(diff.outcome().await?, Outcome::Rejected);
    } else {
        // This agent stays without a stream. A new agent must not be affected by that.
        stage.agent = RealClient::start(&stage.rig, &stage.sandbox, stage.release).await?;
        stage.agent.connect().await?;
    }

    accept(&stage.agent, &companion, &stage.file, "decided\n").await
}

/// Kills the companion while the agent is frozen, and starts it again on the same port.
async fn crash(
    companion: CompanionProcess,
    agent: &RealClient,
    sandbox: &Sandbox,
) -> Result<CompanionProcess> {
    agent.while_frozen(companion.crash(COMPANION, sandbox)).await
}

/// Whether a release opens a cut stream again. Qwen Code 0.5.2 bundles an SDK that does so only if the
/// stream's events had ids, and a companion's events have none.
fn reopens_its_stream(release: Release) -> bool {
    release != Release::qwen("0.5.2")
}
