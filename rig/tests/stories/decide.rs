//! A proposed write is decided hunk by hunk, and exactly that is written.

use alongside_rig::cli::Cli;
use anyhow::Result;

use crate::stage::{DONE, ORIGINAL, REQUEST, Stage, asks};

#[test]
fn gemini_writes_what_the_person_kept_dropped_and_edited() -> Result<()> {
    person_keeps_one_hunk_drops_one_and_edits_one("whole Gemini CLI, decided hunk by hunk", Cli::Gemini)
}

#[test]
fn qwen_writes_what_the_person_kept_dropped_and_edited() -> Result<()> {
    person_keeps_one_hunk_drops_one_and_edits_one("whole Qwen Code, decided hunk by hunk", Cli::Qwen)
}

fn person_keeps_one_hunk_drops_one_and_edits_one(story: &str, cli: Cli) -> Result<()> {
    let Some(stage) = Stage::set(story, cli)? else {
        return Ok(());
    };
    stage.start_agent()?;
    stage.agent.enter(REQUEST)?;

    stage.decide("TWO", "k")?;
    stage.decide("EIGHT", "d")?;
    stage.decide("FOURTEEN", "e")?;
    stage.reviewer.wait_for("the last question", asks)?;
    stage.reviewer.enter("a")?;

    stage
        .agent
        .wait_for("the model's last word", |screen| screen.contains(DONE))?;
    assert_eq!(
        stage.on_disk(),
        ORIGINAL.replace("two\n", "TWO\n").replace("fourteen\n", "14\n")
    );
    Ok(())
}
