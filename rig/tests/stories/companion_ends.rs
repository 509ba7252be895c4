//! The companion ends while a change waits, and the agent is not wedged.

use alongside_rig::agent_cli::Cli;
use anyhow::Result;
use rustix::process::{Signal, kill_process};

use crate::script::{EDIT, NEXT_ANSWER, NEXT_REQUEST, ORIGINAL, REQUEST, shout};
use crate::stage::Stage;

#[test]
fn gemini_is_free_after_a_stop_in_mid_review() -> Result<()> {
    person_stops_alongside_in_mid_review("whole Gemini CLI, companion stopped", Cli::Gemini)
}

#[test]
fn qwen_is_free_after_a_stop_in_mid_review() -> Result<()> {
    person_stops_alongside_in_mid_review("whole Qwen Code, companion stopped", Cli::Qwen)
}

fn person_stops_alongside_in_mid_review(story: &str, cli: Cli) -> Result<()> {
    let Some(mut stage) = Stage::set(story, ORIGINAL, EDIT)? else { return Ok(()) };
    stage.start_review()?;
    let agent = stage.start(cli, shout(cli, &stage.file))?;
    agent.ask(REQUEST)?;
    agent.wait_until_it_asks()?;
    stage.reviewer().wait_until_shown("+TWO")?;
    stage.reviewer().pane.press("C-c")?;

    agent.wait_until_free()?;
    agent.ask(NEXT_REQUEST)?;
    agent.wait_until_it_says(NEXT_ANSWER)?;
    assert_eq!(stage.on_disk(), ORIGINAL);
    Ok(())
}

#[test]
fn gemini_is_free_after_a_crash_and_restart_in_mid_review() -> Result<()> {
    alongside_crashes_in_mid_review("whole Gemini CLI, companion crashed", Cli::Gemini)
}

#[test]
fn qwen_is_free_after_a_crash_and_restart_in_mid_review() -> Result<()> {
    alongside_crashes_in_mid_review("whole Qwen Code, companion crashed", Cli::Qwen)
}

fn alongside_crashes_in_mid_review(story: &str, cli: Cli) -> Result<()> {
    let Some(mut stage) = Stage::set(story, ORIGINAL, EDIT)? else { return Ok(()) };
    stage.start_review_with("alongside review; alongside review")?;
    let agent = stage.start(cli, shout(cli, &stage.file))?;
    agent.ask(REQUEST)?;
    agent.wait_until_it_asks()?;
    stage.reviewer().wait_until_shown("+TWO")?;
    kill_process(stage.host()?, Signal::KILL)?;

    // Only the new companion can end the diff: Enter and Esc are dead in an agent whose stream was cut.
    agent.wait_until_free()?;
    agent.ask(NEXT_REQUEST)?;
    agent.wait_until_it_says(NEXT_ANSWER)?;
    assert_eq!(stage.on_disk(), ORIGINAL);
    Ok(())
}
