//! Several whole agents at one companion.

use alongside_rig::agent_cli::Cli;
use anyhow::Result;

use crate::script::{DONE, REQUEST, SHOUTED, shout};
use crate::stage::{Stage, takes_the_next_message};

#[test]
fn two_agents_on_one_file_get_their_own_outcomes() -> Result<()> {
    let without_first = SHOUTED.replace("TWO", "two");
    let Some(stage) = Stage::set()? else { return Ok(()) };
    let reviewer = stage.start_review()?;
    let gemini = stage.start(&reviewer, Cli::Gemini, shout(Cli::Gemini, &stage.file))?;
    let qwen = stage.start(&reviewer, Cli::Qwen, shout(Cli::Qwen, &stage.file))?;
    reviewer.wait_until_connected(2)?;

    gemini.ask_for_change(REQUEST)?;
    reviewer.answer_about("TWO", "d")?;
    reviewer.wait_until_shown("+EIGHT")?;
    qwen.ask_for_change(REQUEST)?;
    reviewer.answer_after("2 are waiting", "a")?;
    gemini.wait_until_it_says(DONE)?;
    assert_eq!(stage.on_disk(), without_first);

    // Gemini has changed the file under Qwen's proposal: an answer to the old view does not count.
    qwen.wait_until_it_asks()?;
    reviewer.answer_after("the file changed on disk", "r")?;
    takes_the_next_message(&qwen)?;
    assert_eq!(stage.on_disk(), without_first);
    Ok(())
}
