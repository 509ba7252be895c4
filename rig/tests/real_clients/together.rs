//! Several agents of both families at once: no agent gets another agent's outcome.

use alongside_desk::Review;
use alongside_rig::companion::CompanionProcess;
use alongside_rig::{OpenDiff, Outcome, RealClient, Release, Sandbox, install, or_skip};
use anyhow::Result;

use crate::stage::{COMPANION, ORIGINAL, QUIET_TIME};

/// The agents' SDKs number their requests in the same way, so all ids are equal, and here all paths, too.
#[tokio::test]
async fn four_agents_on_one_file_get_their_own_outcomes() -> Result<()> {
    let Some(rig) = or_skip(install()) else { return Ok(()) };
    let sandbox = Sandbox::new();
    let file = sandbox.write("file.txt", ORIGINAL);
    let companion = CompanionProcess::start(COMPANION, &sandbox).await?;

    let (gemini, qwen) = (Release::gemini("0.61.0"), Release::qwen("0.24.4"));
    let mut agents = Vec::new();
    for release in [gemini, gemini, qwen, qwen] {
        let agent = RealClient::start(&rig, &sandbox, release).await?;
        agent.connect().await?;
        agents.push(agent);
    }
    companion.agents_listen(agents.len()).await?;

    for round in 0..3 {
        let mut open: Vec<(OpenDiff, Review, String)> = Vec::new();
        for (number, agent) in agents.iter().enumerate() {
            let proposed = format!("round {round}, agent {number}\n");
            let diff = agent.open_diff(&file, &proposed);
            let review = companion.review_of(&proposed).await?;
            open.push((diff, review, proposed));
        }
        // The proposals are decided one after the other, the last one first, and each in another way.
        // Meanwhile, the other diffs must stay open.
        while let Some((diff, review, proposed)) = open.pop() {
            let expected = match open.len() {
                0 => Outcome::Rejected,
                1 => Outcome::accepted(proposed),
                others => Outcome::accepted(format!("edited before {others} others\n")),
            };
            match &expected {
                Outcome::Accepted { content } => {
                    companion.accept_with(&review, content.as_deref().unwrap_or_default()).await?;
                }
                Outcome::Rejected => companion.reject(&review).await?,
            }
            assert_eq!(diff.outcome().await?, expected);
            for (other, review, _) in &mut open {
                let stays_open = other.wait_open(QUIET_TIME / 4).await;
                assert!(stays_open, "{} got another's outcome", review.agent.name);
            }
        }
    }
    Ok(())
}

/// One agent ends during its review, and the diff of the other one stays open.
#[tokio::test]
async fn an_agent_that_dies_takes_nobodys_diff_with_it() -> Result<()> {
    let Some(rig) = or_skip(install()) else { return Ok(()) };
    let sandbox = Sandbox::new();
    let file = sandbox.write("file.txt", ORIGINAL);
    let companion = CompanionProcess::start(COMPANION, &sandbox).await?;
    let dying = RealClient::start(&rig, &sandbox, Release::qwen("0.24.4")).await?;
    let living = RealClient::start(&rig, &sandbox, Release::gemini("0.61.0")).await?;
    dying.connect().await?;
    living.connect().await?;

    let _lost = dying.open_diff(&file, "from the dying\n");
    let mut diff = living.open_diff(&file, "from the living\n");
    companion.review_of("from the dying\n").await?;
    let review = companion.review_of("from the living\n").await?;
    dying.kill().await?;
    companion.agents_listen(1).await?;
    assert!(diff.wait_open(QUIET_TIME).await, "the living agent's diff ended with another's");
    companion.accept(&review).await?;
    assert_eq!(diff.outcome().await?, Outcome::accepted("from the living\n"));
    Ok(())
}
