//! Several real agents at one companion.

use alongside_rig::agent_cli::Cli;
use alongside_rig::wait::PATIENCE;
use anyhow::Result;

use crate::desk::WIDE;
use crate::script::{CLOSING_LINE, IN_CAPITALS, ORIGINAL, REQUEST, capitalise_three_lines};
use crate::stage::{Stage, assert_takes_next_prompt};

#[test]
fn two_agents_on_one_file_get_their_own_outcomes() -> Result<()> {
    let without_first = IN_CAPITALS.replace("TWO", "two");
    let Some(stage) = Stage::new_or_skip()? else { return Ok(()) };
    let line_mode = stage.start_review()?;
    let gemini = stage.start(&line_mode, Cli::Gemini, capitalise_three_lines(Cli::Gemini, &stage.file))?;
    let qwen = stage.start(&line_mode, Cli::Qwen, capitalise_three_lines(Cli::Qwen, &stage.file))?;
    line_mode.wait_until_connected(2)?;

    gemini.ask_for_change(REQUEST)?;
    line_mode.answer_when_asked_about("TWO", "n")?;
    line_mode.wait_until_shown("+EIGHT")?;
    qwen.ask_for_change(REQUEST)?;
    line_mode.answer_when_shown("2 are waiting", "a")?;
    line_mode.answer_when_shown("1 of 3 changes was not on the screen yet", "y")?;
    gemini.wait_until_it_says(CLOSING_LINE)?;
    assert_eq!(stage.on_disk(), without_first);

    // Gemini has changed the file on which Qwen's proposal is based, so an answer to the old view does not
    // count.
    qwen.wait_until_it_asks()?;
    line_mode.answer_when_shown("the file changed on disk", "r")?;
    assert_takes_next_prompt(&qwen)?;
    assert_eq!(stage.on_disk(), without_first);
    Ok(())
}

/// With reviews switched off in the settings, the agents ask in their own prompts, and still receive the
/// person's open files.
#[test]
#[ignore = "cargo xtask test --all"]
fn agents_of_three_families_get_context_and_no_reviews() -> Result<()> {
    let Some(stage) = Stage::new_or_skip_for(Cli::Claude)? else { return Ok(()) };
    stage.sandbox.write_home(".config/alongside/config.toml", "[reviews]\nenabled = false\n");
    let desk = stage.open_desk(WIDE)?;
    for cli in [Cli::Gemini, Cli::Qwen, Cli::Claude] {
        std::fs::write(&stage.file, ORIGINAL)?;
        let agent = stage.start_at(&desk, cli, capitalise_three_lines(cli, &stage.file))?;
        desk.wait_until_shown("Reviews are off in the settings.")?;
        let saved = stage.save("saved.txt", &format!("saved for {}\n", cli.command()))?;
        // Qwen shows nothing about open files.
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
        agent.wait_until_it_says(CLOSING_LINE)?;
        assert_eq!(stage.on_disk(), IN_CAPITALS);
        let prompt = agent.model.wait_for_prompt(REQUEST, PATIENCE)?.prompt();
        let saved = saved.file_name().unwrap().to_string_lossy().into_owned();
        assert!(prompt.contains(&saved), "{saved} is not in what the model was asked:\n{prompt}");
    }
    Ok(())
}
