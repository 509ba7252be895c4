//! The stories of the matrix. Every assertion is about a value that the agent's own client returned.

use alongside_desk::{Closing, Position};
use anyhow::{Result, ensure};
use serde_json::{Value, json};

use super::results::Step;
use super::stage::Stage;
use crate::ide_client::{CliAnswer, Outcome, RealClient};

/// The commands of the client's driver that a step needs.
pub(super) fn needed_commands(step: Step) -> &'static [&'static str] {
    match step {
        Step::Found => &[],
        Step::Context => &["context"],
        Step::Accept | Step::Reject | Step::Two | Step::Crash => &["openDiff"],
        Step::Answer => &["openDiff", "resolveFromCli"],
    }
}

/// Plays a step with an agent that reports a connection.
pub(super) async fn play(step: Step, stage: &Stage<'_>, agent: &RealClient) -> Result<()> {
    match step {
        Step::Found => check_found(stage, agent).await,
        Step::Context => context(stage, agent).await,
        Step::Accept => accept(stage, agent).await,
        Step::Reject => reject(stage, agent).await,
        Step::Answer => answer(stage, agent).await,
        Step::Two => two(stage, agent).await,
        Step::Crash => crash(stage, agent).await,
    }
}

/// Checks that the connected agent can open diffs, and has a stream.
async fn check_found(stage: &Stage<'_>, agent: &RealClient) -> Result<()> {
    let status = agent.status().await?;
    ensure!(status["diffing"] == true, "it is connected but opens no diffs: {status}");
    stage.desk.agents_listen(1).await
}

async fn context(stage: &Stage<'_>, agent: &RealClient) -> Result<()> {
    let other = stage.sandbox.write("other.txt", "alpha\nbeta\n");
    stage.desk.focus(&stage.file, None).await?;
    stage.desk.select(&other, Some(Position { line: 1, character: 3 }), Some("bet")).await?;
    // The agent drops cursor and selection of files that are not flagged active.
    let expected = json!({
        "path": other, "isActive": true, "cursor": { "line": 2, "character": 4 }, "selectedText": "bet",
    });
    let holds = |context: &Value| {
        let file = &context["workspaceState"]["openFiles"][0];
        ["path", "isActive", "cursor", "selectedText"].iter().all(|field| file[field] == expected[field])
    };
    agent.wait_context("the active file, its cursor and its selection", holds).await.map(drop)
}

async fn accept(stage: &Stage<'_>, agent: &RealClient) -> Result<()> {
    let diff = agent.open_diff(&stage.file, "one\nzwei\nthree\n");
    let review = stage.review_at(agent, "one\nzwei\nthree\n").await?;
    stage.desk.accept_with(&review, "one\ndeux ☕ \u{1F600}\nthree").await?;
    expect(&diff.outcome().await?, &Outcome::accepted("one\ndeux ☕ \u{1F600}\nthree"))
}

async fn reject(stage: &Stage<'_>, agent: &RealClient) -> Result<()> {
    let diff = agent.open_diff(&stage.file, "all new\n");
    let review = stage.review_at(agent, "all new\n").await?;
    stage.desk.reject(&review).await?;
    expect(&diff.outcome().await?, &Outcome::Rejected)
}

async fn answer(stage: &Stage<'_>, agent: &RealClient) -> Result<()> {
    let diff = agent.open_diff(&stage.file, "answered there\n");
    let review = stage.review_at(agent, "answered there\n").await?;
    stage.desk.edit(&review, "answered there, and mine\n").await?;
    agent.resolve_from_cli(&stage.file, CliAnswer::Accepted).await?;
    expect(&diff.outcome().await?, &Outcome::accepted("answered there, and mine\n"))?;
    let closing = stage.desk.wait_for_closing(review.id).await?.closing;
    ensure!(closing == Closing::AnsweredInAgent, "the view closed as {closing:?}");

    let diff = agent.open_diff(&stage.file, "refused there\n");
    let review = stage.review_at(agent, "refused there\n").await?;
    agent.resolve_from_cli(&stage.file, CliAnswer::Rejected).await?;
    expect(&diff.outcome().await?, &Outcome::Rejected)?;
    stage.desk.wait_for_closing(review.id).await.map(drop)
}

async fn two(stage: &Stage<'_>, agent: &RealClient) -> Result<()> {
    let second = stage.connect_agent(2).await?;
    let (mine, theirs) =
        (agent.open_diff(&stage.file, "the first's\n"), second.open_diff(&stage.file, "the second's\n"));
    let (first, other) =
        (stage.review_at(agent, "the first's\n").await?, stage.review_at(&second, "the second's\n").await?);
    stage.desk.accept_with(&other, "the second's, edited\n").await?;
    expect(&theirs.outcome().await?, &Outcome::accepted("the second's, edited\n"))?;
    stage.desk.reject(&first).await?;
    expect(&mine.outcome().await?, &Outcome::Rejected)?;
    drop(second);
    stage.desk.agents_listen(1).await
}

async fn crash(stage: &Stage<'_>, agent: &RealClient) -> Result<()> {
    let diff = agent.open_diff(&stage.file, "undecided\n");
    stage.review_at(agent, "undecided\n").await?;
    agent.while_frozen(stage.crash()).await?;
    expect(&diff.outcome().await?, &Outcome::Rejected)?;
    if stage.desk.agents_listed(1).await.is_err() {
        agent.connect().await?;
    }
    let diff = agent.open_diff(&stage.file, "after the crash\n");
    stage.desk.accept(&stage.desk.review_of("after the crash\n").await?).await?;
    expect(&diff.outcome().await?, &Outcome::accepted("after the crash\n"))
}

fn expect(outcome: &Outcome, expected: &Outcome) -> Result<()> {
    ensure!(outcome == expected, "its openDiff returned {outcome:?} instead of {expected:?}");
    Ok(())
}
