//! Several whole agents at one companion.

use alongside_rig::agent_cli::Cli;
use anyhow::Result;

use crate::script::{DONE, EDIT, NEXT_ANSWER, NEXT_REQUEST, ORIGINAL, REQUEST, SHOUTED, shout};
use crate::stage::Stage;

#[test]
fn two_agents_on_one_file_get_their_own_outcomes() -> Result<()> {
    let without_first = SHOUTED.replace("TWO", "two");
    let Some(mut stage) = Stage::set("two whole agents, one file", ORIGINAL, EDIT)? else { return Ok(()) };
    stage.start_review()?;
    let gemini = stage.start(Cli::Gemini, shout(Cli::Gemini, &stage.file))?;
    let qwen = stage.start(Cli::Qwen, shout(Cli::Qwen, &stage.file))?;
    stage.reviewer().wait_until_connected(2)?;

    gemini.ask(REQUEST)?;
    gemini.wait_until_it_asks()?;
    stage.reviewer().answer_about("TWO", "d")?;
    stage.reviewer().wait_until_shown("+EIGHT")?;
    qwen.ask(REQUEST)?;
    qwen.wait_until_it_asks()?;
    stage.reviewer().answer_after("it waits", "a")?;
    gemini.wait_until_it_says(DONE)?;
    assert_eq!(stage.on_disk(), without_first);

    // Gemini has changed the file under Qwen's proposal: an answer to the old view does not count.
    qwen.wait_until_it_asks()?;
    stage.reviewer().answer_after("the file changed on disk", "r")?;
    qwen.wait_until_free()?;
    qwen.ask(NEXT_REQUEST)?;
    qwen.wait_until_it_says(NEXT_ANSWER)?;
    assert_eq!(stage.on_disk(), without_first);
    Ok(())
}
