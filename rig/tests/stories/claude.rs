//! Claude Code, which finds the companion by its lock file and waits for the response to its call.

use alongside_rig::agent::Agent;
use alongside_rig::agent_cli::Cli;
use alongside_rig::program::alongside;
use alongside_rig::wait::PATIENCE;
use anyhow::Result;
use rustix::process::{Signal, kill_process};

use crate::desk::{Desk, WIDE};
use crate::editor_desk::EditorDesk;
use crate::script::{
    CLOSING_LINE, IN_CAPITALS, NEXT_ANSWER, NEXT_REQUEST, ORIGINAL, REQUEST, REQUEST_AGAIN,
    capitalise_three_lines,
};
use crate::stage::{Stage, assert_takes_next_prompt};

/// Starts a desk, and Claude Code in another window. Returns `None` where Claude Code cannot be installed.
fn desk_with_claude() -> Result<Option<(Stage, Desk, Agent)>> {
    let Some(stage) = Stage::new_or_skip_for(Cli::Claude)? else { return Ok(None) };
    let desk = stage.open_desk(WIDE)?;
    let claude = stage.start_at(&desk, Cli::Claude, capitalise_three_lines(Cli::Claude, &stage.file))?;
    Ok(Some((stage, desk, claude)))
}

#[test]
fn claude_writes_what_the_person_kept_dropped_and_edited() -> Result<()> {
    let Some((stage, desk, claude)) = desk_with_claude()? else { return Ok(()) };
    desk.wait_until_shown("Claude Code 2.1.332")?;
    claude.ask_for_change(REQUEST)?;
    desk.press_when_review_open("notes.txt", "j")?;
    desk.press_when_shown("change 2 of 3", "Space")?;
    desk.press_when_shown("2 kept, 1 dropped", "e")?;
    desk.press_when_shown("1 kept, 1 dropped, 1 edited", "a")?;
    desk.wait_until_accepted("notes.txt")?;
    claude.wait_until_it_says(CLOSING_LINE)?;
    assert_eq!(stage.on_disk(), IN_CAPITALS.replace("EIGHT", "eight").replace("FOURTEEN", "14"));

    // The model reads that the person has changed its text.
    let requests = claude.model.requests();
    let is_informed =
        requests.iter().any(|request| request.body.to_string().contains("modified your proposed content"));
    assert!(is_informed, "the model does not read of the changes: {requests:#?}");
    Ok(())
}

#[test]
#[ignore = "cargo xtask test --all"]
fn claude_takes_the_next_prompt_after_a_rejection() -> Result<()> {
    let Some((stage, desk, claude)) = desk_with_claude()? else { return Ok(()) };
    claude.ask_for_change(REQUEST)?;
    desk.press_when_review_open("notes.txt", "r")?;
    desk.wait_until_shown("notes.txt: rejected; Claude Code is told.")?;
    assert_takes_next_prompt(&claude)?;
    assert_eq!(stage.on_disk(), ORIGINAL);
    Ok(())
}

/// When the person answers in Claude Code's prompt, it writes its own proposal. The person's text must not be
/// lost.
#[test]
fn claude_answered_in_its_own_prompt_leaves_the_persons_text_as_a_draft() -> Result<()> {
    let Some((stage, desk, claude)) = desk_with_claude()? else { return Ok(()) };
    claude.ask_for_change(REQUEST)?;
    desk.drop_first_change()?;
    claude.say_yes()?;
    claude.wait_until_it_says(CLOSING_LINE)?;
    // As soon as the file is written, this message replaces "answered in Claude Code."
    desk.wait_until_shown("notes.txt: Claude Code left out your edits")?;
    assert_eq!(stage.on_disk(), IN_CAPITALS);
    assert_eq!(alongside(&stage.sandbox, &["drafts", "show", "1"])?, IN_CAPITALS.replace("TWO", "two"));
    Ok(())
}

/// When the companion ends, nothing is decided: Claude Code's own prompt stays open, and Claude Code finds
/// the next companion by itself.
#[test]
fn claude_asks_the_person_itself_when_the_companion_is_killed() -> Result<()> {
    let Some((stage, desk, claude)) = desk_with_claude()? else { return Ok(()) };
    claude.ask_for_change(REQUEST)?;
    desk.drop_first_change()?;
    stage.wait_until_drafted(&IN_CAPITALS.replace("TWO", "two"))?;
    let host = stage.host()?;
    kill_process(host, Signal::KILL)?;
    desk.dismiss_until_shown(
        "notes.txt: closed, because the companion was interrupted; Claude Code asks you itself.",
    )?;
    stage.wait_until_listening_after(host)?;
    claude.wait_until_it_asks()?;
    assert_eq!(stage.on_disk(), ORIGINAL);

    claude.say_yes()?;
    claude.wait_until_it_says(CLOSING_LINE)?;
    assert_eq!(stage.on_disk(), IN_CAPITALS);
    std::fs::write(&stage.file, ORIGINAL)?;
    claude.ask(REQUEST_AGAIN)?;
    desk.press_when_review_open("notes.txt", "a")?;
    desk.wait_until_accepted("notes.txt")?;
    claude.wait_until_free()?;
    assert_eq!(stage.on_disk(), IN_CAPITALS);
    Ok(())
}

#[test]
fn claude_tells_the_model_of_the_saved_file() -> Result<()> {
    let Some((stage, _desk, claude)) = desk_with_claude()? else { return Ok(()) };
    let saved = stage.save("saved.txt", "hello\n")?;
    claude.wait_until_it_says("In saved.txt")?;
    claude.ask(NEXT_REQUEST)?;
    claude.wait_until_it_says(NEXT_ANSWER)?;
    let prompt = claude.model.wait_for_prompt(NEXT_REQUEST, PATIENCE)?.prompt();
    let saved = saved.display().to_string();
    assert!(prompt.contains(&saved), "{saved} is not in what the model was asked:\n{prompt}");
    Ok(())
}

#[test]
#[ignore = "cargo xtask test --all"]
fn agents_of_three_families_wait_at_one_desk() -> Result<()> {
    let Some((stage, desk, claude)) = desk_with_claude()? else { return Ok(()) };
    let songs = stage.sandbox.write("songs.txt", ORIGINAL);
    let tales = stage.sandbox.write("tales.txt", ORIGINAL);
    let gemini = stage.start_at(&desk, Cli::Gemini, capitalise_three_lines(Cli::Gemini, &songs))?;
    let qwen = stage.start_at(&desk, Cli::Qwen, capitalise_three_lines(Cli::Qwen, &tales))?;
    claude.ask_for_change(REQUEST)?;
    desk.wait_until_review_open("notes.txt")?;
    gemini.ask_for_change(REQUEST)?;
    qwen.ask_for_change(REQUEST)?;
    desk.press_when_shown("3 are waiting", "a")?;
    claude.wait_until_it_says(CLOSING_LINE)?;
    assert_eq!(stage.on_disk(), IN_CAPITALS);
    assert_eq!(std::fs::read_to_string(&songs)?, ORIGINAL);
    assert_eq!(std::fs::read_to_string(&tales)?, ORIGINAL);
    desk.press_when_review_open("songs.txt", "r")?;
    assert_takes_next_prompt(&gemini)?;
    desk.press_when_review_open("tales.txt", "a")?;
    qwen.wait_until_it_says(CLOSING_LINE)?;
    assert_eq!(std::fs::read_to_string(&songs)?, ORIGINAL);
    assert_eq!(std::fs::read_to_string(&tales)?, IN_CAPITALS);
    Ok(())
}

/// The desk sends the lines that another desk, such as an editor, has selected.
#[test]
#[ignore = "cargo xtask test --all"]
fn claude_gets_mentioned_lines_in_its_prompt() -> Result<()> {
    let Some((stage, desk, claude)) = desk_with_claude()? else { return Ok(()) };
    let _editor = EditorDesk::with_three_lines_selected(&stage)?;
    claude.wait_until_it_says("3 lines selected")?;
    // Otherwise, this message could come later and replace the one that is awaited below.
    desk.wait_until_shown("Claude Code is connected.")?;
    desk.pane.press("S")?;
    desk.wait_until_shown("notes.txt, lines 2 to 4: added to your prompt in Claude Code.")?;
    claude.wait_until_it_says("@notes.txt#L2-4")?;
    Ok(())
}
