//! Several whole agents at one companion.

use alongside_rig::agent_cli::Cli;
use alongside_rig::wait::PATIENCE;
use anyhow::Result;

use crate::desk::WIDE;
use crate::script::{DONE, ORIGINAL, REQUEST, SHOUTED, shout};
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
    reviewer.answer_about("TWO", "n")?;
    reviewer.wait_until_shown("+EIGHT")?;
    qwen.ask_for_change(REQUEST)?;
    reviewer.answer_after("2 are waiting", "a")?;
    reviewer.answer_after("1 of 3 changes was not on the screen yet", "y")?;
    gemini.wait_until_it_says(DONE)?;
    assert_eq!(stage.on_disk(), without_first);

    // Gemini has changed the file under Qwen's proposal: an answer to the old view does not count.
    qwen.wait_until_it_asks()?;
    reviewer.answer_after("the file changed on disk", "r")?;
    takes_the_next_message(&qwen)?;
    assert_eq!(stage.on_disk(), without_first);
    Ok(())
}

/// With the setting *context only*, the agents ask in their own prompts, and learn the person's files all the
/// same.
#[test]
#[ignore = "cargo xtask test --all"]
fn agents_of_three_families_get_context_and_no_reviews() -> Result<()> {
    let Some(stage) = Stage::set_for(Cli::Claude)? else { return Ok(()) };
    stage.sandbox.write_home(".config/alongside/config.toml", "[reviews]\nenabled = false\n");
    let desk = stage.open_desk(WIDE)?;
    for cli in [Cli::Gemini, Cli::Qwen, Cli::Claude] {
        std::fs::write(&stage.file, ORIGINAL)?;
        let agent = stage.start_at(&desk, cli, shout(cli, &stage.file))?;
        desk.wait_until_shown("Reviews are off in the settings.")?;
        let saved = stage.save("saved.txt", &format!("saved for {}\n", cli.command()))?;
        // Qwen shows nothing of it.
        match cli {
            Cli::Gemini => agent.wait_until_it_says("1 open file")?,
            Cli::Claude => agent.wait_until_it_says("In saved.txt")?,
            _ => {}
        }
        agent.ask_for_change(REQUEST)?;
        desk.wait_until_shown("Reviews are off in the settings.")?;
        match cli {
            Cli::Claude => agent.say_yes()?,
            _ => agent.pane.press("Enter")?,
        }
        agent.wait_until_it_says(DONE)?;
        assert_eq!(stage.on_disk(), SHOUTED);
        let asked = agent.model.wait_for_prompt(REQUEST, PATIENCE)?.prompt();
        let saved = saved.file_name().unwrap().to_string_lossy().into_owned();
        assert!(asked.contains(&saved), "{saved} is not in what the model was asked:\n{asked}");
    }
    Ok(())
}
