//! Agents and the companion find each other and part again.

use alongside_rig::cli::Cli;
use alongside_rig::tmux::SHELL_PROMPT;
use anyhow::Result;

use crate::script::{EDIT, NEXT_ANSWER, NEXT_REQUEST, ORIGINAL, REQUEST, shout};
use crate::stage::Stage;

#[test]
fn gemini_that_was_there_first_connects_on_ide_enable() -> Result<()> {
    agent_was_there_first("whole Gemini CLI, started first", Cli::Gemini)
}

#[test]
fn qwen_that_was_there_first_connects_on_ide_enable() -> Result<()> {
    agent_was_there_first("whole Qwen Code, started first", Cli::Qwen)
}

/// Only in VS Code's terminal, or what looks like it. In any other, both agents decide at their start whether there is
/// an IDE at all, and `/ide enable` then says that it is not supported there.
fn agent_was_there_first(story: &str, cli: Cli) -> Result<()> {
    let Some(mut stage) = Stage::set(story, ORIGINAL, EDIT)? else {
        return Ok(());
    };
    let agent = stage.install(cli, shout(cli, &stage.file))?;
    agent.start_with("TERM_PROGRAM=vscode ")?;
    stage.start_review()?;
    agent.enable_ide(stage.reviewer())
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
    let Some(mut stage) = Stage::set(story, ORIGINAL, EDIT)? else {
        return Ok(());
    };
    stage.start_review()?;
    let agent = stage.start(cli, shout(cli, &stage.file))?;
    stage.reviewer().pane.enter("q")?;
    stage
        .reviewer()
        .pane
        .wait_for("the shell again", |screen| screen.ends_with(SHELL_PROMPT))?;
    stage.start_review()?;
    agent.enable_ide(stage.reviewer())
}

#[test]
fn gemini_is_free_again_when_alongside_is_stopped_in_mid_review() -> Result<()> {
    person_stops_alongside_in_mid_review("whole Gemini CLI, companion stopped", Cli::Gemini)
}

#[test]
fn qwen_is_free_again_when_alongside_is_stopped_in_mid_review() -> Result<()> {
    person_stops_alongside_in_mid_review("whole Qwen Code, companion stopped", Cli::Qwen)
}

fn person_stops_alongside_in_mid_review(story: &str, cli: Cli) -> Result<()> {
    let Some(mut stage) = Stage::set(story, ORIGINAL, EDIT)? else {
        return Ok(());
    };
    stage.start_review()?;
    let agent = stage.start(cli, shout(cli, &stage.file))?;
    agent.ask(REQUEST)?;
    agent.wait_until_it_asks()?;
    stage.reviewer().wait_until_told("+TWO")?;
    stage.reviewer().pane.press("C-c")?;

    agent.wait_until_free()?;
    agent.ask(NEXT_REQUEST)?;
    agent.wait_until_it_says(NEXT_ANSWER)?;
    assert_eq!(stage.on_disk(), ORIGINAL);
    Ok(())
}
