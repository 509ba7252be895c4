//! The companion ends during a review, and the agent takes the person's next message.

use alongside_rig::agent_cli::Cli;
use anyhow::Result;
use rustix::process::{Signal, kill_process};

use crate::script::{ORIGINAL, REQUEST, capitalise_three_lines};
use crate::stage::{LineMode, Stage, assert_takes_next_prompt};

alongside_rig::tests! {
    gemini_is_free_after_a_stop_in_mid_review:
        assert_free_after_end(Cli::Gemini, REVIEW_ONCE, stop),
    #[ignore = "cargo xtask test --all"]
    qwen_is_free_after_a_stop_in_mid_review:
        assert_free_after_end(Cli::Qwen, REVIEW_ONCE, stop),
    #[ignore = "cargo xtask test --all"]
    gemini_is_free_after_a_crash_and_restart_in_mid_review:
        assert_free_after_end(Cli::Gemini, REVIEW_TWICE, crash),
    #[ignore = "cargo xtask test --all"]
    qwen_is_free_after_a_crash_and_restart_in_mid_review:
        assert_free_after_end(Cli::Qwen, REVIEW_TWICE, crash),
}

/// The command line of a person who starts `alongside review` once.
const REVIEW_ONCE: &str = "alongside review";

/// The command line of a person who starts `alongside review` again after its end.
const REVIEW_TWICE: &str = "alongside review; alongside review";

fn stop(_: &Stage, line_mode: &LineMode) -> Result<()> {
    line_mode.pane.press("C-c")
}

/// Kills the companion. Only the next companion can close the agent's diff: an agent whose stream was cut
/// ignores Enter and Esc.
fn crash(stage: &Stage, _: &LineMode) -> Result<()> {
    Ok(kill_process(stage.host()?, Signal::KILL)?)
}

fn assert_free_after_end(
    cli: Cli,
    command: &str,
    end: impl FnOnce(&Stage, &LineMode) -> Result<()>,
) -> Result<()> {
    let Some(stage) = Stage::new_or_skip()? else { return Ok(()) };
    let line_mode = stage.start_review_with(command)?;
    let agent = stage.start(&line_mode, cli, capitalise_three_lines(cli, &stage.file))?;
    agent.ask_for_change(REQUEST)?;
    line_mode.wait_until_shown("+TWO")?;
    end(&stage, &line_mode)?;

    assert_takes_next_prompt(&agent)?;
    assert_eq!(stage.on_disk(), ORIGINAL);
    Ok(())
}
