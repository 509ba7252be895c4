//! Agents and the companion find each other, whichever started first.

use alongside_rig::agent_cli::Cli;
use alongside_rig::tmux::SHELL_PROMPT;
use anyhow::Result;

use crate::script::{DONE, EDIT, ORIGINAL, REQUEST, SHOUTED, shout};
use crate::stage::Stage;

#[test]
fn gemini_that_was_there_first_connects_on_ide_enable() -> Result<()> {
    agent_was_there_first("whole Gemini CLI, started first", Cli::Gemini)
}

#[test]
fn qwen_that_was_there_first_connects_on_ide_enable() -> Result<()> {
    agent_was_there_first("whole Qwen Code, started first", Cli::Qwen)
}

/// Only in VS Code's terminal, or one that looks like it. In any other, both agents decide at their start
/// whether there is an IDE, and `/ide enable` later answers that it is not supported.
fn agent_was_there_first(story: &str, cli: Cli) -> Result<()> {
    let Some(mut stage) = Stage::set(story, ORIGINAL, EDIT)? else { return Ok(()) };
    let agent = stage.install(cli, shout(cli, &stage.file))?;
    agent.start_with(&format!("TERM_PROGRAM=vscode {}", cli.command()))?;
    stage.start_review()?;
    agent.enable_ide_until(|deadline| stage.reviewer().is_connected_within(deadline))
}

#[test]
fn gemini_connects_again_when_alongside_comes_back() -> Result<()> {
    alongside_is_left_and_comes_back("whole Gemini CLI, companion came back", Cli::Gemini)
}

#[test]
fn qwen_connects_again_when_alongside_comes_back() -> Result<()> {
    alongside_is_left_and_comes_back("whole Qwen Code, companion came back", Cli::Qwen)
}

fn alongside_is_left_and_comes_back(story: &str, cli: Cli) -> Result<()> {
    let Some(mut stage) = Stage::set(story, ORIGINAL, EDIT)? else { return Ok(()) };
    stage.start_review()?;
    let agent = stage.start(cli, shout(cli, &stage.file))?;
    stage.reviewer().pane.enter("q")?;
    stage.reviewer().pane.wait_for("the shell again", |screen| screen.ends_with(SHELL_PROMPT))?;
    stage.start_review()?;
    agent.enable_ide_until(|deadline| stage.reviewer().is_connected_within(deadline))
}

#[test]
fn gemini_that_alongside_runs_joins_the_review_that_is_there() -> Result<()> {
    alongside_runs_an_agent("whole Gemini CLI, alongside run", Cli::Gemini)
}

#[test]
fn qwen_that_alongside_runs_joins_the_review_that_is_there() -> Result<()> {
    alongside_runs_an_agent("whole Qwen Code, alongside run", Cli::Qwen)
}

fn alongside_runs_an_agent(story: &str, cli: Cli) -> Result<()> {
    let Some(mut stage) = Stage::set(story, ORIGINAL, EDIT)? else { return Ok(()) };
    stage.start_review()?;
    let agent = stage.install(cli, shout(cli, &stage.file))?;
    agent.start_with(&format!("alongside run -- {}", cli.command()))?;
    stage.reviewer().wait_until_connected(1)?;
    agent.ask(REQUEST)?;
    stage.reviewer().answer_about("TWO", "d")?;
    stage.reviewer().answer_about("EIGHT", "a")?;
    agent.wait_until_it_says(DONE)?;
    assert_eq!(stage.on_disk(), SHOUTED.replace("TWO", "two"));
    Ok(())
}
