//! Agents and the companion find each other, whichever started first.

use std::fs;

use alongside_rig::agent_cli::{Cli, bin};
use alongside_rig::tmux::SHELL_PROMPT;
use anyhow::Result;

use crate::script::{CLOSING_LINE, IN_CAPITALS, REQUEST, capitalise_three_lines};
use crate::stage::Stage;

alongside_rig::tests! {
    #[ignore = "cargo xtask test --all"]
    gemini_that_was_there_first_connects_on_ide_enable: enable_ide_in_a_running_agent(Cli::Gemini),
    #[ignore = "cargo xtask test --all"]
    qwen_that_was_there_first_connects_on_ide_enable: enable_ide_in_a_running_agent(Cli::Qwen),
}

/// This works only in VS Code's terminal, or in one that looks like it. In any other terminal, both agents
/// decide at their start whether there is an IDE, and `/ide enable` later answers that it is not supported.
fn enable_ide_in_a_running_agent(cli: Cli) -> Result<()> {
    let Some(stage) = Stage::new_or_skip()? else { return Ok(()) };
    let agent = stage.install(cli, capitalise_three_lines(cli, &stage.file))?;
    agent.start_with(&format!("TERM_PROGRAM=vscode {}", cli.command()))?;
    let line_mode = stage.start_review()?;
    agent.enable_ide_until(|deadline| line_mode.is_connected_within(deadline))
}

/// Qwen looks for companions once, in a directory below home, which it creates only a second before. So a
/// companion creates that directory itself, even if the person has never run Qwen and only the project
/// enables IDE mode.
#[test]
fn qwen_finds_alongside_at_its_very_first_start() -> Result<()> {
    let Some(stage) = Stage::new_or_skip()? else { return Ok(()) };
    let agent = stage.install(Cli::Qwen, capitalise_three_lines(Cli::Qwen, &stage.file))?;
    let qwen_home = stage.sandbox.home().join(".qwen");
    let settings = fs::read_to_string(qwen_home.join("settings.json"))?;
    stage.sandbox.write(".qwen/settings.json", &settings);
    fs::remove_dir_all(&qwen_home)?;
    // Qwen is not in PATH, as with `npx`, so the companion cannot find it.
    fs::rename(bin(&stage.sandbox).join("qwen"), stage.sandbox.home().join("qwen"))?;
    let line_mode = stage.start_review()?;
    let has_settings = qwen_home.join("settings.json").exists();
    assert!(qwen_home.join("ide").is_dir() && !has_settings, "before the agent starts");
    agent.start_with("~/qwen")?;
    line_mode.wait_until_connected(1)
}

alongside_rig::tests! {
    gemini_connects_again_when_alongside_is_started_again: restart_alongside(Cli::Gemini),
    #[ignore = "cargo xtask test --all"]
    qwen_connects_again_when_alongside_is_started_again: restart_alongside(Cli::Qwen),
}

fn restart_alongside(cli: Cli) -> Result<()> {
    let Some(stage) = Stage::new_or_skip()? else { return Ok(()) };
    let line_mode = stage.start_review()?;
    let agent = stage.start(&line_mode, cli, capitalise_three_lines(cli, &stage.file))?;
    line_mode.pane.enter("q")?;
    line_mode.pane.wait_for("the shell again", |screen| screen.ends_with(SHELL_PROMPT))?;
    let line_mode = stage.start_review()?;
    agent.enable_ide_until(|deadline| line_mode.is_connected_within(deadline))
}

alongside_rig::tests! {
    gemini_started_by_alongside_run_joins_the_running_review: start_agent_by_alongside_run(Cli::Gemini),
    #[ignore = "cargo xtask test --all"]
    qwen_started_by_alongside_run_joins_the_running_review: start_agent_by_alongside_run(Cli::Qwen),
}

fn start_agent_by_alongside_run(cli: Cli) -> Result<()> {
    let Some(stage) = Stage::new_or_skip()? else { return Ok(()) };
    let line_mode = stage.start_review()?;
    let agent = stage.install(cli, capitalise_three_lines(cli, &stage.file))?;
    agent.start_with(&format!("alongside run -- {}", cli.command()))?;
    line_mode.wait_until_connected(1)?;
    agent.ask(REQUEST)?;
    line_mode.answer_when_asked_about("TWO", "n")?;
    line_mode.answer_when_asked_about("EIGHT", "a")?;
    line_mode.answer_when_shown("1 of 3 changes was not on the screen yet", "y")?;
    agent.wait_until_it_says(CLOSING_LINE)?;
    assert_eq!(stage.on_disk(), IN_CAPITALS.replace("TWO", "two"));
    Ok(())
}
