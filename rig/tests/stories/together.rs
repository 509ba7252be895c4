//! Three real agents at one desk, at the same time.

use alongside_rig::agent_cli::Cli;
use alongside_rig::program::alongside;
use anyhow::Result;

use crate::desk::WIDE;
use crate::script::{CLOSING_LINE, IN_CAPITALS, ORIGINAL, REQUEST, REQUEST_AGAIN, capitalise_three_lines};
use crate::stage::{Stage, assert_takes_next_prompt};

#[test]
#[ignore = "cargo xtask test --all"]
fn three_agents_at_once_get_their_own_outcomes() -> Result<()> {
    let Some(stage) = Stage::new_or_skip()? else { return Ok(()) };
    let songs = stage.sandbox.write("songs.txt", ORIGINAL);
    let tales = stage.sandbox.write("tales.txt", ORIGINAL);
    let desk = stage.open_desk(WIDE)?;
    let gemini = stage.start_at(&desk, Cli::Gemini, capitalise_three_lines(Cli::Gemini, &stage.file))?;
    let qwen = stage.start_at(&desk, Cli::Qwen, capitalise_three_lines(Cli::Qwen, &songs))?;
    let other = stage.start_at(&desk, Cli::Gemini, capitalise_three_lines(Cli::Gemini, &tales))?;
    assert_eq!(stage.companion_variables(), Vec::<String>::new());

    // A new proposal does not replace the open one.
    gemini.ask(REQUEST)?;
    desk.wait_until_review_open("notes.txt")?;
    qwen.ask(REQUEST)?;
    desk.wait_until_shown("New review: songs.txt by Qwen Code; 2 are waiting (Tab: next).")?;
    other.ask(REQUEST)?;
    desk.wait_until_shown("New review: tales.txt by Gemini CLI; 3 are waiting (Tab: next).")?;
    assert!(desk.is_review_open("notes.txt")?, "the desk went to another review:\n{}", desk.pane.screen()?);
    for agent in [&gemini, &qwen, &other] {
        agent.wait_until_it_asks()?;
    }

    // One change is kept, one dropped, one edited; the edit is undone and redone.
    desk.press_when_review_open("notes.txt", "j")?;
    desk.press_when_shown("change 2 of 3", "Space")?;
    desk.press_when_shown("2 kept, 1 dropped", "e")?;
    desk.press_when_shown("1 kept, 1 dropped, 1 edited", "u")?;
    desk.press_when_shown("2 kept, 1 dropped", "e")?;
    desk.press_when_shown("1 kept, 1 dropped, 1 edited", "a")?;
    gemini.wait_until_it_says(CLOSING_LINE)?;
    assert_eq!(stage.on_disk(), IN_CAPITALS.replace("EIGHT", "eight").replace("FOURTEEN", "14"));
    assert_eq!(std::fs::read_to_string(&songs)?, ORIGINAL);
    assert_eq!(std::fs::read_to_string(&tales)?, ORIGINAL);
    for agent in [&qwen, &other] {
        agent.wait_until_it_asks()?;
    }

    // Tab goes to the next open review. An agent whose proposal is rejected writes nothing and continues.
    desk.press_when_review_open("songs.txt", "Tab")?;
    desk.press_when_review_open("tales.txt", "r")?;
    desk.wait_until_shown("tales.txt: rejected; Gemini CLI is told.")?;
    assert_takes_next_prompt(&other)?;
    assert_eq!(std::fs::read_to_string(&tales)?, ORIGINAL);

    // If the person answers in Qwen's own prompt, Qwen writes its own text, and a draft holds the person's
    // text.
    qwen.wait_until_it_asks()?;
    desk.press_when_review_open("songs.txt", "Space")?;
    desk.wait_until_shown("2 kept, 1 dropped")?;
    qwen.pane.press("Enter")?;
    qwen.wait_until_it_says(CLOSING_LINE)?;
    desk.wait_until_shown("Nothing to review.")?;
    desk.wait_until_shown("songs.txt: Qwen Code left out your edits")?;
    assert_eq!(std::fs::read_to_string(&songs)?, IN_CAPITALS);
    assert_eq!(alongside(&stage.sandbox, &["drafts", "show", "1"])?, IN_CAPITALS.replace("TWO", "two"));

    // If the person answers in Gemini's own prompt, Gemini fetches the person's text and writes it.
    other.ask(REQUEST_AGAIN)?;
    desk.press_when_review_open("tales.txt", "Space")?;
    desk.wait_until_shown("2 kept, 1 dropped")?;
    other.wait_until_it_asks()?;
    other.pane.press("Enter")?;
    other.wait_until_it_says(CLOSING_LINE)?;
    desk.wait_until_shown("tales.txt: answered in Gemini CLI.")?;
    assert_eq!(std::fs::read_to_string(&tales)?, IN_CAPITALS.replace("TWO", "two"));

    // No review is open, so the desk closes without asking for confirmation.
    desk.pane.press("q")?;
    desk.wait_for_shell()
}
