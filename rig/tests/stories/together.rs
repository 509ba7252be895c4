//! Three whole agents at one desk, at the same time.

use alongside_rig::agent_cli::Cli;
use alongside_rig::program::alongside;
use anyhow::Result;

use crate::desk::WIDE;
use crate::script::{DONE, ORIGINAL, REQUEST, REQUEST_AGAIN, SHOUTED, shout};
use crate::stage::{Stage, takes_the_next_message};

#[test]
#[ignore = "cargo xtask test --all"]
fn three_agents_at_once_get_their_own_outcomes() -> Result<()> {
    let Some(stage) = Stage::set()? else { return Ok(()) };
    let songs = stage.sandbox.write("songs.txt", ORIGINAL);
    let tales = stage.sandbox.write("tales.txt", ORIGINAL);
    let desk = stage.open_desk(WIDE)?;
    let gemini = stage.start_at(&desk, Cli::Gemini, shout(Cli::Gemini, &stage.file))?;
    let qwen = stage.start_at(&desk, Cli::Qwen, shout(Cli::Qwen, &songs))?;
    let other = stage.start_at(&desk, Cli::Gemini, shout(Cli::Gemini, &tales))?;
    assert_eq!(stage.companion_variables(), Vec::<String>::new());

    // A new proposal does not replace the open one.
    gemini.ask(REQUEST)?;
    desk.wait_until_it_reads("notes.txt")?;
    qwen.ask(REQUEST)?;
    desk.wait_until_shown("New review: songs.txt by Qwen Code; 2 are waiting (Tab: next).")?;
    other.ask(REQUEST)?;
    desk.wait_until_shown("New review: tales.txt by Gemini CLI; 3 are waiting (Tab: next).")?;
    assert!(desk.reads("notes.txt")?, "it turned the page:\n{}", desk.pane.screen()?);
    for agent in [&gemini, &qwen, &other] {
        agent.wait_until_it_asks()?;
    }

    // One change is kept, one dropped, one edited; the edit is undone and redone.
    desk.press_at("notes.txt", "j")?;
    desk.press_after("change 2 of 3", "Space")?;
    desk.press_after("2 kept, 1 dropped", "e")?;
    desk.press_after("1 kept, 1 dropped, 1 edited", "u")?;
    desk.press_after("2 kept, 1 dropped", "e")?;
    desk.press_after("1 kept, 1 dropped, 1 edited", "a")?;
    gemini.wait_until_it_says(DONE)?;
    assert_eq!(stage.on_disk(), SHOUTED.replace("EIGHT", "eight").replace("FOURTEEN", "14"));
    assert_eq!(std::fs::read_to_string(&songs)?, ORIGINAL);
    assert_eq!(std::fs::read_to_string(&tales)?, ORIGINAL);
    for agent in [&qwen, &other] {
        agent.wait_until_it_asks()?;
    }

    // Tab goes to the next waiting review. A rejected agent writes nothing and continues.
    desk.press_at("songs.txt", "Tab")?;
    desk.press_at("tales.txt", "r")?;
    desk.wait_until_shown("tales.txt: rejected; Gemini CLI is told.")?;
    takes_the_next_message(&other)?;
    assert_eq!(std::fs::read_to_string(&tales)?, ORIGINAL);

    // Answered in its own prompt, Qwen writes its own text; the person's text is in the drafts.
    qwen.wait_until_it_asks()?;
    desk.press_at("songs.txt", "Space")?;
    desk.wait_until_shown("2 kept, 1 dropped")?;
    qwen.pane.press("Enter")?;
    qwen.wait_until_it_says(DONE)?;
    desk.wait_until_shown("Nothing to review.")?;
    desk.wait_until_shown("songs.txt: Qwen Code left out your edits")?;
    assert_eq!(std::fs::read_to_string(&songs)?, SHOUTED);
    assert_eq!(alongside(&stage.sandbox, &["drafts", "show", "1"])?, SHOUTED.replace("TWO", "two"));

    // Answered in its own prompt, Gemini fetches the person's text and writes it.
    other.ask(REQUEST_AGAIN)?;
    desk.press_at("tales.txt", "Space")?;
    desk.wait_until_shown("2 kept, 1 dropped")?;
    other.wait_until_it_asks()?;
    other.pane.press("Enter")?;
    other.wait_until_it_says(DONE)?;
    desk.wait_until_shown("tales.txt: answered in Gemini CLI.")?;
    assert_eq!(std::fs::read_to_string(&tales)?, SHOUTED.replace("TWO", "two"));

    // Nothing waits: leaving needs no question.
    desk.pane.press("q")?;
    desk.wait_until_left()
}
