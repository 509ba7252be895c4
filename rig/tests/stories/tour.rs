//! The README's tour in small terminals, as a newcomer takes it; and the other ways in and out.

use alongside_rig::agent_cli::Cli;
use alongside_rig::program::alongside;
use anyhow::Result;

use crate::desk::{Desk, SMALL};
use crate::script::{DONE, ORIGINAL, REQUEST, SHOUTED, shout};
use crate::stage::{Stage, takes_the_next_message};

#[test]
fn the_tour_of_the_readme_works_at_80_by_24() -> Result<()> {
    let Some(stage) = Stage::set()? else {
        return Ok(());
    };
    let songs = stage.sandbox.write("songs.txt", ORIGINAL);
    let desk = stage.open_desk(SMALL)?;
    desk.wait_until_shown("Start an agent in this project, in another terminal")?;
    let gemini = stage.install_in(Cli::Gemini, shout(Cli::Gemini, &stage.file), SMALL)?;
    gemini.start()?;
    desk.wait_until_connected(1)?;
    let qwen = stage.install_in(Cli::Qwen, shout(Cli::Qwen, &songs), SMALL)?;
    qwen.start()?;
    desk.wait_until_connected(2)?;

    gemini.ask(REQUEST)?;
    desk.press_at("notes.txt", "j")?;
    desk.press_after("change 2 of 3", "Space")?;
    desk.press_after("2 kept, 1 dropped", "Space")?;
    desk.press_after("3 kept", "Space")?;
    desk.press_after("2 kept, 1 dropped", "e")?;
    desk.wait_until_shown("1 kept, 1 dropped, 1 edited")?;
    qwen.ask(REQUEST)?;
    desk.wait_until_shown("New review: songs.txt by Qwen Code; 2 are waiting (Tab: next).")?;
    desk.press_at("notes.txt", "a")?;
    gemini.wait_until_it_says(DONE)?;
    assert_eq!(stage.on_disk(), SHOUTED.replace("EIGHT", "eight").replace("FOURTEEN", "14"));

    // A second desk joins the first, and leaves without a question.
    let second = stage.open_desk(SMALL)?;
    second.press_at("songs.txt", "q")?;
    second.wait_until_left()?;
    desk.press_at("songs.txt", "r")?;
    desk.wait_until_shown("songs.txt: rejected; Qwen Code is told.")?;
    qwen.wait_until_free()?;
    assert_eq!(std::fs::read_to_string(&songs)?, ORIGINAL);
    desk.pane.press("q")?;
    desk.wait_until_left()
}

#[test]
#[ignore = "cargo xtask test --all"]
fn last_desk_asks_before_leaving_agents_unanswered() -> Result<()> {
    let Some(stage) = Stage::set()? else {
        return Ok(());
    };
    let desk = stage.open_desk(SMALL)?;
    let qwen = stage.start_at(&desk, Cli::Qwen, shout(Cli::Qwen, &stage.file))?;
    qwen.ask_for_change(REQUEST)?;
    desk.press_at("notes.txt", "q")?;
    desk.press_after("1 review is waiting; leaving rejects it.", "n")?;
    desk.press_at("notes.txt", "Space")?;
    desk.press_after("2 kept, 1 dropped", "q")?;
    desk.press_after("1 review is waiting; leaving rejects it.", "y")?;

    desk.wait_until_left()?;
    takes_the_next_message(&qwen)?;
    assert_eq!(stage.on_disk(), ORIGINAL);
    assert_eq!(alongside(&stage.sandbox, &["drafts", "show", "1"])?, SHOUTED.replace("TWO", "two"));
    Ok(())
}

#[test]
fn alongside_run_opens_a_desk_pane_that_closes_with_the_agent() -> Result<()> {
    let Some(stage) = Stage::set()? else {
        return Ok(());
    };
    let gemini = stage.install_in(Cli::Gemini, shout(Cli::Gemini, &stage.file), (200, 50))?;
    gemini.start_with("alongside run -- gemini")?;
    let desk = Desk::new(stage.terminal.opened_beside(&gemini.pane, "the desk beside it")?);
    desk.wait_until_connected(1)?;
    // The agent also gets variables, which no other story has.
    assert_ne!(stage.companion_variables(), Vec::<String>::new());
    gemini.ask(REQUEST)?;
    desk.press_at("notes.txt", "Space")?;
    desk.press_after("2 kept, 1 dropped", "a")?;
    gemini.wait_until_it_says(DONE)?;
    assert_eq!(stage.on_disk(), SHOUTED.replace("TWO", "two"));

    gemini.wait_until_free()?;
    gemini.ask("/quit")?;
    desk.pane.wait_until_closed()
}
