//! A rejected write leaves the file alone, and the agent free for the next message.

use alongside_rig::cli::Cli;
use anyhow::Result;

use crate::stage::{NEXT_ANSWER, NEXT_REQUEST, ORIGINAL, REQUEST, Stage};

#[test]
fn gemini_takes_the_next_message_after_a_reject() -> Result<()> {
    person_rejects_and_talks_on("whole Gemini CLI, rejected", Cli::Gemini)
}

#[test]
fn qwen_takes_the_next_message_after_a_reject() -> Result<()> {
    person_rejects_and_talks_on("whole Qwen Code, rejected", Cli::Qwen)
}

fn person_rejects_and_talks_on(story: &str, cli: Cli) -> Result<()> {
    let Some(stage) = Stage::set(story, cli)? else {
        return Ok(());
    };
    stage.start_agent()?;
    stage.agent.enter(REQUEST)?;
    stage.decide("TWO", "r")?;

    // The confirmation has replaced the prompt; it comes back only when the agent took the reject for an answer.
    stage
        .agent
        .wait_for("the prompt to be back", |screen| cli.is_ready(screen))?;
    stage.agent.enter(NEXT_REQUEST)?;
    stage.agent.wait_for("an answer to the next message", |screen| {
        screen.contains(NEXT_ANSWER)
    })?;
    assert_eq!(stage.on_disk(), ORIGINAL);
    Ok(())
}
