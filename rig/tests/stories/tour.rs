//! Runs the README's first five minutes in an 80×24 terminal, and covers three other starts and ends of a
//! desk: a second desk, a desk that is closed during a review, and `alongside run`.

use alongside_rig::agent_cli::Cli;
use alongside_rig::program::alongside;
use anyhow::Result;

use crate::desk::{Desk, SMALL};
use crate::script::{CLOSING_LINE, IN_CAPITALS, ORIGINAL, REQUEST, capitalise_three_lines};
use crate::stage::{Stage, assert_takes_next_prompt};

#[test]
fn first_five_minutes_of_the_readme_fit_80_by_24() -> Result<()> {
    let Some(stage) = Stage::new_or_skip()? else {
        return Ok(());
    };
    let songs = stage.sandbox.write("songs.txt", ORIGINAL);
    let desk = stage.open_desk(SMALL)?;
    desk.wait_until_shown("Start an agent in this project, in another terminal")?;
    let gemini =
        stage.install_in_window(Cli::Gemini, capitalise_three_lines(Cli::Gemini, &stage.file), SMALL)?;
    gemini.start()?;
    desk.wait_until_connected(1)?;
    let qwen = stage.install_in_window(Cli::Qwen, capitalise_three_lines(Cli::Qwen, &songs), SMALL)?;
    qwen.start()?;
    desk.wait_until_connected(2)?;

    gemini.ask(REQUEST)?;
    desk.press_when_review_open("notes.txt", "j")?;
    desk.press_when_shown("change 2 of 3", "Space")?;
    desk.press_when_shown("2 kept, 1 dropped", "Space")?;
    desk.press_when_shown("3 kept", "Space")?;
    desk.press_when_shown("2 kept, 1 dropped", "e")?;
    desk.wait_until_shown("1 kept, 1 dropped, 1 edited")?;
    qwen.ask(REQUEST)?;
    desk.wait_until_shown("New review: songs.txt by Qwen Code; 2 are waiting (Tab: next).")?;
    desk.press_when_review_open("notes.txt", "a")?;
    gemini.wait_until_it_says(CLOSING_LINE)?;
    assert_eq!(stage.on_disk(), IN_CAPITALS.replace("EIGHT", "eight").replace("FOURTEEN", "14"));

    // A second desk joins the first, and closes without asking for confirmation.
    let second = stage.open_desk(SMALL)?;
    second.press_when_review_open("songs.txt", "q")?;
    second.wait_for_shell()?;
    desk.press_when_review_open("songs.txt", "r")?;
    desk.wait_until_shown("songs.txt: rejected; Qwen Code is told.")?;
    qwen.wait_until_free()?;
    assert_eq!(std::fs::read_to_string(&songs)?, ORIGINAL);
    desk.pane.press("q")?;
    desk.wait_for_shell()
}

#[test]
#[ignore = "cargo xtask test --all"]
fn last_desk_asks_before_it_leaves_and_keeps_edits_as_draft() -> Result<()> {
    let Some(stage) = Stage::new_or_skip()? else {
        return Ok(());
    };
    let desk = stage.open_desk(SMALL)?;
    let qwen = stage.start_at(&desk, Cli::Qwen, capitalise_three_lines(Cli::Qwen, &stage.file))?;
    qwen.ask_for_change(REQUEST)?;
    desk.press_when_review_open("notes.txt", "q")?;
    desk.press_when_shown("1 review is waiting; leaving rejects it.", "n")?;
    desk.press_when_review_open("notes.txt", "Space")?;
    desk.press_when_shown("2 kept, 1 dropped", "q")?;
    desk.press_when_shown("1 review is waiting; leaving rejects it.", "y")?;

    desk.wait_for_shell()?;
    assert_takes_next_prompt(&qwen)?;
    assert_eq!(stage.on_disk(), ORIGINAL);
    assert_eq!(alongside(&stage.sandbox, &["drafts", "show", "1"])?, IN_CAPITALS.replace("TWO", "two"));
    Ok(())
}

#[test]
fn alongside_run_opens_a_desk_pane_that_closes_with_the_agent() -> Result<()> {
    let Some(stage) = Stage::new_or_skip()? else {
        return Ok(());
    };
    let gemini =
        stage.install_in_window(Cli::Gemini, capitalise_three_lines(Cli::Gemini, &stage.file), (200, 50))?;
    gemini.start_with("alongside run -- gemini")?;
    let desk = Desk::new(stage.terminal.opened_beside(&gemini.pane, "the desk beside it")?);
    desk.wait_until_connected(1)?;
    // Only `alongside run` also gives the agent variables by which it finds the companion.
    assert_ne!(stage.companion_variables(), Vec::<String>::new());
    gemini.ask(REQUEST)?;
    desk.press_when_review_open("notes.txt", "Space")?;
    desk.press_when_shown("2 kept, 1 dropped", "a")?;
    gemini.wait_until_it_says(CLOSING_LINE)?;
    assert_eq!(stage.on_disk(), IN_CAPITALS.replace("TWO", "two"));

    gemini.wait_until_free()?;
    gemini.ask("/quit")?;
    desk.pane.wait_until_closed()
}
