//! One agent and one companion, without failures.

use alongside_desk::{Closing, Position};
use alongside_rig::companion::CompanionProcess;
use alongside_rig::tmux::Tmux;
use alongside_rig::{CliAnswer, Outcome, RealClient, Release, Rig, Sandbox};
use anyhow::{Context as _, Result};

use crate::stage::{COMPANION, ORIGINAL, Stage, accept};

pub(crate) async fn finds_the_companion_by_file_alone(stage: Stage) -> Result<()> {
    let status = stage.agent.status().await?;
    assert_eq!(status["name"], "The Rig", "the agent calls the editor as its record does: {status}");
    Ok(())
}

/// The only common ancestor of the agent and the companion is the terminal.
pub(crate) async fn finds_the_companion_from_a_sibling_pane((rig, release): (Rig, Release)) -> Result<()> {
    let sandbox = Sandbox::new();
    let file = sandbox.write("file.txt", ORIGINAL);
    let tmux = Tmux::new(&sandbox, []);
    let (editors, agents) = (tmux.pane("the editor")?, tmux.pane("the agent")?);
    let companion = CompanionProcess::start_in_pane(COMPANION, &sandbox, &editors).await?;
    let agent = RealClient::start_in_pane(&rig, &sandbox, &agents, release).await?;
    agent.connect().await?;
    companion.agents_listen(1).await?;

    accept(&agent, &companion, &file, "one\n").await
}

pub(crate) async fn knows_what_the_person_has_open(stage: Stage) -> Result<()> {
    let other = stage.sandbox.write("other.txt", "x\n");
    stage.companion.focus(&stage.file, None).await?;
    stage.companion.focus(&other, Some(Position { line: 0, character: 1 })).await?;

    let first_file = |context: &serde_json::Value| context["workspaceState"]["openFiles"][0].clone();
    let context = stage.agent.wait_context("the other file in front", |context| {
        first_file(context)["path"].as_str() == other.to_str()
    });
    let context = context.await?;
    // The agent ignores the cursor of files that are not marked as active.
    assert_eq!(first_file(&context)["isActive"], true, "{context}");
    assert_eq!(first_file(&context)["cursor"], serde_json::json!({ "line": 1, "character": 2 }), "{context}");
    let second = &context["workspaceState"]["openFiles"][1]["path"];
    assert_eq!(second.as_str(), stage.file.to_str(), "{context}");
    Ok(())
}

pub(crate) async fn writes_what_was_accepted(stage: Stage) -> Result<()> {
    let (diff, review) = stage.propose("one\nzwei\nthree\n").await?;
    stage.companion.accept(&review).await?;
    assert_eq!(diff.outcome().await?, Outcome::accepted("one\nzwei\nthree\n"));
    Ok(())
}

pub(crate) async fn writes_the_persons_edits(stage: Stage) -> Result<()> {
    let (diff, review) = stage.propose("one\nzwei\nthree\n").await?;
    stage.companion.accept_with(&review, "one\ndeux ☕ \u{1F600}\nthree").await?;
    assert_eq!(diff.outcome().await?, Outcome::accepted("one\ndeux ☕ \u{1F600}\nthree"));
    Ok(())
}

pub(crate) async fn writes_nothing_after_a_rejection(stage: Stage) -> Result<()> {
    let (diff, review) = stage.propose("all new\n").await?;
    stage.companion.reject(&review).await?;
    assert_eq!(diff.outcome().await?, Outcome::Rejected);
    Ok(())
}

pub(crate) async fn takes_the_edits_when_answered_in_its_own_prompt(stage: Stage) -> Result<()> {
    let (diff, review) = stage.propose("all new\n").await?;
    stage.companion.edit(&review, "new, and mine\n").await?;
    stage.agent.resolve_from_cli(&stage.file, CliAnswer::Accepted).await?;
    assert_eq!(diff.outcome().await?, Outcome::accepted("new, and mine\n"));
    let closed = stage.companion.wait_for_closing(review.id).await?;
    assert_eq!(closed.closing, Closing::AnsweredInAgent);
    Ok(())
}

pub(crate) async fn takes_its_proposal_when_answered_in_its_own_prompt(stage: Stage) -> Result<()> {
    let (diff, review) = stage.propose("all new\n").await?;
    stage.agent.resolve_from_cli(&stage.file, CliAnswer::Accepted).await?;
    assert_eq!(diff.outcome().await?, Outcome::accepted("all new\n"));
    assert_eq!(stage.companion.wait_for_closing(review.id).await?.closing, Closing::AnsweredInAgent);
    Ok(())
}

pub(crate) async fn rejects_in_its_own_prompt_and_the_edits_are_kept(stage: Stage) -> Result<()> {
    let (diff, review) = stage.propose("all new\n").await?;
    stage.companion.edit(&review, "an hour of my work\n").await?;
    stage.agent.resolve_from_cli(&stage.file, CliAnswer::Rejected).await?;
    assert_eq!(diff.outcome().await?, Outcome::Rejected);
    let closed = stage.companion.wait_for_closing(review.id).await?;
    // The agent only closes the diff and does not send the person's answer, so the companion keeps the text.
    let draft = closed.draft.context("the edits are lost")?;
    assert_eq!(std::fs::read_to_string(draft)?, "an hour of my work\n");
    Ok(())
}

pub(crate) async fn gets_two_diffs_in_a_row_decided_apart(stage: Stage) -> Result<()> {
    let second_file = stage.sandbox.write("second.txt", "");
    // The agent does not send the second proposal until the first one is decided.
    let first = stage.agent.open_diff(&stage.file, "first\n");
    let second = stage.agent.open_diff(&second_file, "second\n");
    stage.companion.reject(&stage.companion.review_of("first\n").await?).await?;
    assert_eq!(first.outcome().await?, Outcome::Rejected);
    stage.companion.accept(&stage.companion.review_of("second\n").await?).await?;
    assert_eq!(second.outcome().await?, Outcome::accepted("second\n"));
    Ok(())
}

pub(crate) async fn proposes_the_same_file_twice(stage: Stage) -> Result<()> {
    for (proposed, accepted) in [("one\n", "one, edited\n"), ("two\n", "two\n"), ("one\n", "one again\n")] {
        let (diff, review) = stage.propose(proposed).await?;
        stage.companion.accept_with(&review, accepted).await?;
        assert_eq!(diff.outcome().await?, Outcome::accepted(accepted));
    }
    Ok(())
}
