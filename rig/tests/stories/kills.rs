//! An agent, the desk or the host is killed (`kill -9`) while reviews are open. No typed text is lost, and no
//! other agent is delayed.

use alongside_rig::agent_cli::Cli;
use alongside_rig::program::alongside;
use anyhow::Result;
use rustix::process::{Signal, kill_process};

use crate::desk::WIDE;
use crate::script::{CLOSING_LINE, IN_CAPITALS, ORIGINAL, REQUEST, REQUEST_AGAIN, capitalise_three_lines};
use crate::stage::{STILL_IN_EDITOR, Stage, assert_takes_next_prompt};

#[test]
fn killed_agent_closes_only_its_own_review() -> Result<()> {
    let Some(stage) = Stage::new_or_skip()? else { return Ok(()) };
    let songs = stage.sandbox.write("songs.txt", ORIGINAL);
    let desk = stage.open_desk(WIDE)?;
    let gemini = stage.start_at(&desk, Cli::Gemini, capitalise_three_lines(Cli::Gemini, &stage.file))?;
    let qwen = stage.start_at(&desk, Cli::Qwen, capitalise_three_lines(Cli::Qwen, &songs))?;
    gemini.ask(REQUEST)?;
    desk.wait_until_review_open("notes.txt")?;
    qwen.ask(REQUEST)?;
    desk.wait_until_shown("New review: songs.txt by Qwen Code")?;
    qwen.wait_until_it_asks()?;
    desk.press_when_review_open("notes.txt", "e")?;
    desk.wait_until_shown("2 kept, 1 edited")?;
    gemini.pane.kill()?;

    desk.wait_until_shown("Gemini CLI is away, and is told of decisions once it is back.")?;
    desk.wait_until_shown("notes.txt: closed, because Gemini CLI has left. Your edits are in")?;
    assert_eq!(alongside(&stage.sandbox, &["drafts", "show", "1"])?, IN_CAPITALS.replace("FOURTEEN", "14"));
    desk.press_when_review_open("songs.txt", "a")?;
    qwen.wait_until_it_says(CLOSING_LINE)?;
    assert_eq!(std::fs::read_to_string(&songs)?, IN_CAPITALS);
    assert_eq!(stage.on_disk(), ORIGINAL);
    Ok(())
}

#[test]
fn killed_desk_leaves_review_and_text_to_the_next_desk() -> Result<()> {
    let Some(stage) = Stage::new_or_skip()? else { return Ok(()) };
    let edited = IN_CAPITALS.replace("TWO", "two").replace("FOURTEEN", "14");
    let desk = stage.open_desk_with_slow_editor(WIDE)?;
    let gemini = stage.start_at(&desk, Cli::Gemini, capitalise_three_lines(Cli::Gemini, &stage.file))?;
    gemini.ask(REQUEST)?;
    desk.press_when_review_open("notes.txt", "Space")?;
    desk.press_when_shown("2 kept, 1 dropped", "e")?;
    desk.wait_until_shown(STILL_IN_EDITOR)?;
    stage.wait_until_drafted(&edited)?;
    let host = stage.host()?;
    desk.pane.kill()?;

    let desk = stage.open_desk(WIDE)?;
    desk.press_when_shown("1 kept, 1 dropped, 1 edited", "a")?;
    gemini.wait_until_it_says(CLOSING_LINE)?;
    assert_eq!(stage.on_disk(), edited);
    assert_eq!(stage.host()?, host, "another host serves the project");
    Ok(())
}

#[test]
fn killed_host_frees_agents_and_keeps_typed_text() -> Result<()> {
    let Some(stage) = Stage::new_or_skip()? else { return Ok(()) };
    let songs = stage.sandbox.write("songs.txt", ORIGINAL);
    let tales = stage.sandbox.write("tales.txt", ORIGINAL);
    let edited = IN_CAPITALS.replace("FOURTEEN", "14");
    let desk = stage.open_desk_with_slow_editor(WIDE)?;
    let gemini = stage.start_at(&desk, Cli::Gemini, capitalise_three_lines(Cli::Gemini, &stage.file))?;
    let qwen = stage.start_at(&desk, Cli::Qwen, capitalise_three_lines(Cli::Qwen, &songs))?;
    let other = stage.start_at(&desk, Cli::Gemini, capitalise_three_lines(Cli::Gemini, &tales))?;
    for (agent, file) in [(&gemini, "notes.txt"), (&qwen, "songs.txt"), (&other, "tales.txt")] {
        agent.ask_for_change(REQUEST)?;
        desk.wait_until_shown(file)?;
    }
    desk.press_when_review_open("notes.txt", "e")?;
    desk.wait_until_shown(STILL_IN_EDITOR)?;
    stage.wait_until_drafted(&edited)?;
    kill_process(stage.host()?, Signal::KILL)?;

    for agent in [&gemini, &qwen, &other] {
        assert_takes_next_prompt(agent)?;
    }
    for file in [&stage.file, &songs, &tales] {
        assert_eq!(std::fs::read_to_string(file)?, ORIGINAL);
    }
    // The person leaves the editor and reads the messages.
    desk.pane.press("Enter")?;
    desk.wait_until_shown("The review ended after it took your saved text.")?;
    desk.dismiss_until_shown("Problem: the companion was interrupted, and its open reviews are rejected:")?;
    desk.wait_until_shown("Your edits are in `alongside drafts`.")?;
    assert!(!desk.is_review_open("notes.txt")?, "the desk still shows a review:\n{}", desk.pane.screen()?);
    assert_eq!(alongside(&stage.sandbox, &["drafts", "show", "1"])?, edited);

    // The agents' streams are open again, but the agents do not rely on them, and would ask only in their own
    // prompts.
    for (agent, file, path) in [(&gemini, "notes.txt", &stage.file), (&qwen, "songs.txt", &songs)] {
        let is_connected = |screen: &str| screen.contains("Connected to");
        agent.enable_ide_until(|deadline| {
            agent.pane.wait_within(deadline, "Connected to", is_connected).is_ok()
        })?;
        agent.ask(REQUEST_AGAIN)?;
        desk.press_when_review_open(file, "a")?;
        agent.wait_until_it_says(CLOSING_LINE)?;
        assert_eq!(std::fs::read_to_string(path)?, IN_CAPITALS);
    }
    Ok(())
}
