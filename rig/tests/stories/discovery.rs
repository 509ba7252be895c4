//! Agents and the companion find each other, whichever started first.

use std::fs;

use alongside_rig::agent_cli::{Cli, bin};
use alongside_rig::tmux::SHELL_PROMPT;
use anyhow::Result;

use crate::script::{DONE, REQUEST, SHOUTED, shout};
use crate::stage::Stage;

alongside_rig::tests! {
    #[ignore = "cargo xtask test --all"]
    gemini_that_was_there_first_connects_on_ide_enable: agent_was_there_first(Cli::Gemini),
    #[ignore = "cargo xtask test --all"]
    qwen_that_was_there_first_connects_on_ide_enable: agent_was_there_first(Cli::Qwen),
}

/// Only in VS Code's terminal, or one that looks like it. In any other, both agents decide at their start
/// whether there is an IDE, and `/ide enable` later answers that it is not supported.
fn agent_was_there_first(cli: Cli) -> Result<()> {
    let Some(stage) = Stage::set()? else { return Ok(()) };
    let agent = stage.install(cli, shout(cli, &stage.file))?;
    agent.start_with(&format!("TERM_PROGRAM=vscode {}", cli.command()))?;
    let reviewer = stage.start_review()?;
    agent.enable_ide_until(|deadline| reviewer.is_connected_within(deadline))
}

/// Qwen makes its directory below home a second before it looks for companions in it, once. So a companion
/// makes it earlier, also for a person who has never run Qwen, and whose project enables IDE mode.
#[test]
fn qwen_finds_alongside_at_its_very_first_start() -> Result<()> {
    let Some(stage) = Stage::set()? else { return Ok(()) };
    let agent = stage.install(Cli::Qwen, shout(Cli::Qwen, &stage.file))?;
    let own = stage.sandbox.home().join(".qwen");
    let settings = fs::read_to_string(own.join("settings.json"))?;
    stage.sandbox.write(".qwen/settings.json", &settings);
    fs::remove_dir_all(&own)?;
    // The companion cannot know of it, as with `npx`.
    fs::rename(bin(&stage.sandbox).join("qwen"), stage.sandbox.home().join("qwen"))?;
    let reviewer = stage.start_review()?;
    assert!(own.join("ide").is_dir() && !own.join("settings.json").exists(), "before the agent starts");
    agent.start_with("~/qwen")?;
    reviewer.wait_until_connected(1)
}

alongside_rig::tests! {
    gemini_connects_again_when_alongside_comes_back: alongside_is_left_and_comes_back(Cli::Gemini),
    #[ignore = "cargo xtask test --all"]
    qwen_connects_again_when_alongside_comes_back: alongside_is_left_and_comes_back(Cli::Qwen),
}

fn alongside_is_left_and_comes_back(cli: Cli) -> Result<()> {
    let Some(stage) = Stage::set()? else { return Ok(()) };
    let reviewer = stage.start_review()?;
    let agent = stage.start(&reviewer, cli, shout(cli, &stage.file))?;
    reviewer.pane.enter("q")?;
    reviewer.pane.wait_for("the shell again", |screen| screen.ends_with(SHELL_PROMPT))?;
    let reviewer = stage.start_review()?;
    agent.enable_ide_until(|deadline| reviewer.is_connected_within(deadline))
}

alongside_rig::tests! {
    gemini_that_alongside_runs_joins_the_review_that_is_there: alongside_runs_an_agent(Cli::Gemini),
    #[ignore = "cargo xtask test --all"]
    qwen_that_alongside_runs_joins_the_review_that_is_there: alongside_runs_an_agent(Cli::Qwen),
}

fn alongside_runs_an_agent(cli: Cli) -> Result<()> {
    let Some(stage) = Stage::set()? else { return Ok(()) };
    let reviewer = stage.start_review()?;
    let agent = stage.install(cli, shout(cli, &stage.file))?;
    agent.start_with(&format!("alongside run -- {}", cli.command()))?;
    reviewer.wait_until_connected(1)?;
    agent.ask(REQUEST)?;
    reviewer.answer_about("TWO", "n")?;
    reviewer.answer_about("EIGHT", "a")?;
    reviewer.answer_after("1 of 3 changes was not on the screen yet", "y")?;
    agent.wait_until_it_says(DONE)?;
    assert_eq!(stage.on_disk(), SHOUTED.replace("TWO", "two"));
    Ok(())
}
