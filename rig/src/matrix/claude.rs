//! Proves a release of Claude Code. Claude Code has no client code that could be driven alone, so the whole
//! program runs in a terminal with a fake model, and the assertions are about the file that it writes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use alongside_desk::{Closing, Position};
use anyhow::{Context as _, Result, ensure};

use super::failure::failure;
use super::results::{Cell, Row, STEPS, Step};
use super::stage::{ORIGINAL, Stage};
use super::subject::{Subject, Tools};
use crate::agent::Agent;
use crate::agent_cli::Cli;
use crate::model::{ModelReply, Script};
use crate::wait::{self, PATIENCE};

/// The prompt of each step that proposes a change, and the proposed text.
const PROPOSALS: [(&str, &str); 6] = [
    ("change it, and I accept", "one\nzwei\nthree\n"),
    ("change it, and I reject", "all new\n"),
    ("change it, and I answer here", "answered there\n"),
    ("change it beside another one", "the first's\n"),
    ("change it before the crash", "undecided\n"),
    ("change it after the crash", "after the crash\n"),
];
const CONTEXT_PROMPT: &str = "say what I look at";
const CONTEXT_REPLY: &str = "You look at a file.";
const NEXT_PROMPT: &str = "now say something else";
const NEXT_REPLY: &str = "Something else it is.";

/// Plays every step with a release.
pub(super) async fn prove(tools: &Tools, subject: &Subject) -> Result<Row> {
    let stage = Stage::start(tools, subject, &[]).await?;
    let selected = stage.sandbox.write("other.txt", "alpha\nbeta\n");
    stage.desk.select(&selected, Some(Position { line: 1, character: 3 }), Some("bet")).await?;
    let mut cells = BTreeMap::new();
    let mut agent = None;
    for step in STEPS {
        // An agent that failed a step may be stuck, so the next step gets a new agent.
        let with = match agent.take() {
            Some(agent) => Ok(agent),
            None => start_agent(&stage, 1).await,
        };
        let played = match with {
            Ok(with) => match play(step, &stage, &with, &selected).await {
                Ok(()) => {
                    agent = Some(with);
                    Ok(())
                }
                Err(error) => with.pane.kill().and(Err(error)),
            },
            Err(error) => Err(error),
        };
        cells.insert(step, played.map_or_else(|error| failure(&error, &stage), |()| Cell::Works));
    }
    Ok(Row { cells, ..Row::of(subject) })
}

async fn play(step: Step, stage: &Stage<'_>, agent: &Agent, selected: &Path) -> Result<()> {
    std::fs::write(&stage.file, ORIGINAL)?;
    match step {
        Step::Found => stage.desk.agents_listen(1).await,
        Step::Context => context(agent, selected),
        Step::Accept => accept(stage, agent).await,
        Step::Reject => reject(stage, agent).await,
        Step::Answer => answer(stage, agent).await,
        Step::Two => two(stage, agent).await,
        Step::Crash => crash(stage, agent).await,
    }
}

fn context(agent: &Agent, selected: &Path) -> Result<()> {
    agent.ask(CONTEXT_PROMPT)?;
    agent.wait_until_it_says(CONTEXT_REPLY)?;
    let path = selected.to_str().context("the path of a test's file is not UTF-8")?;
    // Old releases also send requests without the context.
    let bodies = agent.model.requests().into_iter().map(|request| request.body.to_string());
    let bodies: Vec<_> = bodies.filter(|body| body.contains(CONTEXT_PROMPT) && body.contains(path)).collect();
    ensure!(!bodies.is_empty(), "the model does not learn of the active file");
    // The line numbers before the path are not compared: old releases count from 0.
    let has_selection = |body: &String| body.contains(&format!("from {path}:\\nbet"));
    ensure!(bodies.iter().any(has_selection), "the model does not learn of the selection: {bodies:?}");
    Ok(())
}

async fn accept(stage: &Stage<'_>, agent: &Agent) -> Result<()> {
    let review = propose(stage, agent, 0).await?;
    let text = "one\ndeux ☕ \u{1F600}\nthree\n";
    stage.desk.accept_with(&review, text).await?;
    let written = wait_for_write(stage, text.trim_end())?;
    agent.wait_until_it_says(&final_reply(0))?;
    ensure!(written == text, "the file lacks the last newline of the accepted text");
    Ok(())
}

async fn reject(stage: &Stage<'_>, agent: &Agent) -> Result<()> {
    let review = propose(stage, agent, 1).await?;
    stage.desk.reject(&review).await?;
    agent.wait_until_free()?;
    agent.ask(NEXT_PROMPT)?;
    agent.wait_until_it_says(NEXT_REPLY)?;
    ensure_unchanged(stage)
}

async fn answer(stage: &Stage<'_>, agent: &Agent) -> Result<()> {
    let review = propose(stage, agent, 2).await?;
    stage.desk.edit(&review, "answered there, and mine\n").await?;
    agent.wait_until_it_asks()?;
    ensure_unchanged(stage)?;
    agent.say_yes()?;
    let closing = stage.desk.wait_for_closing(review.id).await?.closing;
    ensure!(closing == Closing::AnsweredInAgent, "the view closed as {closing:?}");
    wait_for_write(stage, "answered there")?;
    agent.wait_until_it_says(&final_reply(2))
}

async fn two(stage: &Stage<'_>, agent: &Agent) -> Result<()> {
    let theirs = "the second's\n";
    let second = install(stage, PROPOSALS.map(|(request, _)| (request, theirs)))?;
    second.start()?;
    stage.desk.agents_listen(2).await?;
    let mine = propose(stage, agent, 3).await?;
    second.ask(PROPOSALS[3].0)?;
    let other = stage.desk.review_of(theirs).await?;
    stage.desk.reject(&mine).await?;
    agent.wait_until_free()?;
    ensure_unchanged(stage)?;
    stage.desk.accept_with(&other, "the second's, edited\n").await?;
    wait_for_write(stage, "the second's, edited")?;
    second.wait_until_it_says(&final_reply(3))?;
    second.pane.kill()?;
    stage.desk.agents_listed(1).await
}

async fn crash(stage: &Stage<'_>, agent: &Agent) -> Result<()> {
    propose(stage, agent, 4).await?;
    agent.wait_until_it_asks()?;
    stage.crash().await?;
    agent.wait_until_it_asks()?;
    ensure_unchanged(stage)?;
    agent.say_yes()?;
    wait_for_write(stage, "undecided")?;
    agent.wait_until_it_says(&final_reply(4))?;
    stage.desk.agents_listed(1).await.context("it does not reconnect after a crash")?;
    let review = propose(stage, agent, 5).await?;
    stage.desk.accept(&review).await?;
    wait_for_write(stage, "after the crash")?;
    agent.wait_until_it_says(&final_reply(5))
}

/// Asks the agent for a change, and waits for its review.
async fn propose(stage: &Stage<'_>, agent: &Agent, number: usize) -> Result<alongside_desk::Review> {
    let (request, text) = PROPOSALS[number];
    agent.ask(request)?;
    stage.desk.review_of(text).await
}

/// Waits until the agent has written a text, compared without trailing newlines. Returns the whole file.
fn wait_for_write(stage: &Stage<'_>, text: &str) -> Result<String> {
    wait::until("the file to be written", PATIENCE, || {
        let now = std::fs::read_to_string(&stage.file).map_err(|error| error.to_string())?;
        if now.trim_end() == text { Ok(now) } else { Err(format!("{now:?}")) }
    })
}

fn ensure_unchanged(stage: &Stage<'_>) -> Result<()> {
    let now = std::fs::read_to_string(&stage.file)?;
    ensure!(now == ORIGINAL, "the file holds {now:?} before anybody has accepted");
    Ok(())
}

/// The model's reply after a change.
fn final_reply(number: usize) -> String {
    format!("Change {number} is done.")
}

async fn start_agent(stage: &Stage<'_>, number: usize) -> Result<Agent> {
    let agent = install(stage, PROPOSALS)?;
    agent.start()?;
    stage.desk.agents_listen(number).await?;
    Ok(agent)
}

fn install(stage: &Stage<'_>, proposals: [(&str, &str); 6]) -> Result<Agent> {
    let mut script = Script::new().on(CONTEXT_PROMPT, [ModelReply::say(CONTEXT_REPLY)]);
    script = script.on(NEXT_PROMPT, [ModelReply::say(NEXT_REPLY)]);
    for (number, (request, text)) in proposals.into_iter().enumerate() {
        script = script.on(request, Cli::Claude.overwrite(&stage.file, text, &final_reply(number)));
    }
    Agent::install_claude(&stage.sandbox, &launch(stage), script, stage.window("claude")?)
}

/// The command that starts the release.
fn launch(stage: &Stage<'_>) -> String {
    let directory: &PathBuf = &stage.subject.directory;
    let program = directory.join("claude");
    match program.is_file() {
        true => format!("'{}'", program.display()),
        false => format!("'{}' '{}'", stage.tools.node.display(), directory.join("cli.js").display()),
    }
}
