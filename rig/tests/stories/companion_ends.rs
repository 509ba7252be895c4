//! The companion ends while a change waits, and the agent is not wedged.

use alongside_rig::agent_cli::Cli;
use anyhow::Result;
use rustix::process::{Signal, kill_process};

use crate::script::{ORIGINAL, REQUEST, shout};
use crate::stage::{Reviewer, Stage, takes_the_next_message};

alongside_rig::tests! {
    gemini_is_free_after_a_stop_in_mid_review: ends_in_mid_review(Cli::Gemini, ONCE, stop),
    #[ignore = "cargo xtask test --all"]
    qwen_is_free_after_a_stop_in_mid_review: ends_in_mid_review(Cli::Qwen, ONCE, stop),
    #[ignore = "cargo xtask test --all"]
    gemini_is_free_after_a_crash_and_restart_in_mid_review: ends_in_mid_review(Cli::Gemini, TWICE, crash),
    #[ignore = "cargo xtask test --all"]
    qwen_is_free_after_a_crash_and_restart_in_mid_review: ends_in_mid_review(Cli::Qwen, TWICE, crash),
}

/// The command lines of a person who starts the review once, or again after its end.
const ONCE: &str = "alongside review";
const TWICE: &str = "alongside review; alongside review";

fn stop(_: &Stage, reviewer: &Reviewer) -> Result<()> {
    reviewer.pane.press("C-c")
}

/// Only the new companion can end the diff: Enter and Esc are dead in an agent whose stream was cut.
fn crash(stage: &Stage, _: &Reviewer) -> Result<()> {
    Ok(kill_process(stage.host()?, Signal::KILL)?)
}

fn ends_in_mid_review(
    cli: Cli,
    command: &str,
    end: impl FnOnce(&Stage, &Reviewer) -> Result<()>,
) -> Result<()> {
    let Some(stage) = Stage::set()? else { return Ok(()) };
    let reviewer = stage.start_review_with(command)?;
    let agent = stage.start(&reviewer, cli, shout(cli, &stage.file))?;
    agent.ask_for_change(REQUEST)?;
    reviewer.wait_until_shown("+TWO")?;
    end(&stage, &reviewer)?;

    takes_the_next_message(&agent)?;
    assert_eq!(stage.on_disk(), ORIGINAL);
    Ok(())
}
