//! Claude Code, which finds the companion by its lock file and waits for the response to its call.

use alongside_rig::agent::Agent;
use alongside_rig::agent_cli::Cli;
use alongside_rig::program::alongside;
use alongside_rig::wait::PATIENCE;
use anyhow::Result;
use rustix::process::{Signal, kill_process};

use crate::desk::{Desk, WIDE};
use crate::script::{DONE, NEXT_ANSWER, NEXT_REQUEST, ORIGINAL, REQUEST, REQUEST_AGAIN, SHOUTED, shout};
use crate::selecting::Selecting;
use crate::stage::{Stage, takes_the_next_message};

/// A desk, and Claude Code in another window. `None` where it cannot be installed.
fn set() -> Result<Option<(Stage, Desk, Agent)>> {
    let Some(stage) = Stage::set_for(Cli::Claude)? else { return Ok(None) };
    let desk = stage.open_desk(WIDE)?;
    let claude = stage.start_at(&desk, Cli::Claude, shout(Cli::Claude, &stage.file))?;
    Ok(Some((stage, desk, claude)))
}

#[test]
fn claude_writes_what_the_person_kept_dropped_and_edited() -> Result<()> {
    let Some((stage, desk, claude)) = set()? else { return Ok(()) };
    desk.wait_until_shown("Claude Code 2.1.332")?;
    claude.ask_for_change(REQUEST)?;
    desk.press_at("notes.txt", "j")?;
    desk.press_after("change 2 of 3", "Space")?;
    desk.press_after("2 kept, 1 dropped", "e")?;
    desk.press_after("1 kept, 1 dropped, 1 edited", "a")?;
    desk.wait_until_accepted("notes.txt")?;
    claude.wait_until_it_says(DONE)?;
    assert_eq!(stage.on_disk(), SHOUTED.replace("EIGHT", "eight").replace("FOURTEEN", "14"));

    // The model reads that the person has changed its text.
    let asked = claude.model.requests();
    let told =
        asked.iter().any(|request| request.body.to_string().contains("modified your proposed content"));
    assert!(told, "the model was not told: {asked:#?}");
    Ok(())
}

#[test]
#[ignore = "cargo xtask test --all"]
fn claude_takes_the_next_message_after_a_reject() -> Result<()> {
    let Some((stage, desk, claude)) = set()? else { return Ok(()) };
    claude.ask_for_change(REQUEST)?;
    desk.press_at("notes.txt", "r")?;
    desk.wait_until_shown("notes.txt: rejected; Claude Code is told.")?;
    takes_the_next_message(&claude)?;
    assert_eq!(stage.on_disk(), ORIGINAL);
    Ok(())
}

/// Claude writes its own proposal then; the person's text must not be lost.
#[test]
fn claude_answered_in_its_own_prompt_leaves_the_persons_text_as_a_draft() -> Result<()> {
    let Some((stage, desk, claude)) = set()? else { return Ok(()) };
    claude.ask_for_change(REQUEST)?;
    desk.drop_first()?;
    claude.say_yes()?;
    claude.wait_until_it_says(DONE)?;
    // It replaces "answered in Claude Code." as soon as the file is written.
    desk.wait_until_shown("notes.txt: Claude Code left out your edits")?;
    assert_eq!(stage.on_disk(), SHOUTED);
    assert_eq!(alongside(&stage.sandbox, &["drafts", "show", "1"])?, SHOUTED.replace("TWO", "two"));
    Ok(())
}

/// Nobody decides for the person: Claude's own prompt stays, and it finds the next companion by itself.
#[test]
fn claude_asks_itself_when_the_companion_is_killed() -> Result<()> {
    let Some((stage, desk, claude)) = set()? else { return Ok(()) };
    claude.ask_for_change(REQUEST)?;
    desk.drop_first()?;
    stage.wait_until_drafted(&SHOUTED.replace("TWO", "two"))?;
    let host = stage.host()?;
    kill_process(host, Signal::KILL)?;
    desk.read_until_shown(
        "notes.txt: closed, because the companion was interrupted; Claude Code asks you itself.",
    )?;
    stage.wait_until_heard_after(host)?;
    claude.wait_until_it_asks()?;
    assert_eq!(stage.on_disk(), ORIGINAL);

    claude.say_yes()?;
    claude.wait_until_it_says(DONE)?;
    assert_eq!(stage.on_disk(), SHOUTED);
    std::fs::write(&stage.file, ORIGINAL)?;
    claude.ask(REQUEST_AGAIN)?;
    desk.press_at("notes.txt", "a")?;
    desk.wait_until_accepted("notes.txt")?;
    claude.wait_until_free()?;
    assert_eq!(stage.on_disk(), SHOUTED);
    Ok(())
}

#[test]
fn claude_carries_the_saved_file_to_the_model() -> Result<()> {
    let Some((stage, _desk, claude)) = set()? else { return Ok(()) };
    let saved = stage.save("saved.txt", "hello\n")?;
    claude.wait_until_it_says("In saved.txt")?;
    claude.ask(NEXT_REQUEST)?;
    claude.wait_until_it_says(NEXT_ANSWER)?;
    let asked = claude.model.wait_for_prompt(NEXT_REQUEST, PATIENCE)?.prompt();
    let saved = saved.display().to_string();
    assert!(asked.contains(&saved), "{saved} is not in what the model was asked:\n{asked}");
    Ok(())
}

#[test]
#[ignore = "cargo xtask test --all"]
fn agents_of_three_families_wait_at_one_desk() -> Result<()> {
    let Some((stage, desk, claude)) = set()? else { return Ok(()) };
    let songs = stage.sandbox.write("songs.txt", ORIGINAL);
    let tales = stage.sandbox.write("tales.txt", ORIGINAL);
    let gemini = stage.start_at(&desk, Cli::Gemini, shout(Cli::Gemini, &songs))?;
    let qwen = stage.start_at(&desk, Cli::Qwen, shout(Cli::Qwen, &tales))?;
    claude.ask_for_change(REQUEST)?;
    desk.wait_until_it_reads("notes.txt")?;
    gemini.ask_for_change(REQUEST)?;
    qwen.ask_for_change(REQUEST)?;
    desk.press_after("3 are waiting", "a")?;
    claude.wait_until_it_says(DONE)?;
    assert_eq!(stage.on_disk(), SHOUTED);
    assert_eq!(std::fs::read_to_string(&songs)?, ORIGINAL);
    assert_eq!(std::fs::read_to_string(&tales)?, ORIGINAL);
    desk.press_at("songs.txt", "r")?;
    takes_the_next_message(&gemini)?;
    desk.press_at("tales.txt", "a")?;
    qwen.wait_until_it_says(DONE)?;
    assert_eq!(std::fs::read_to_string(&songs)?, ORIGINAL);
    assert_eq!(std::fs::read_to_string(&tales)?, SHOUTED);
    Ok(())
}

/// The desk sends the lines that another desk, such as an editor, has selected.
#[test]
#[ignore = "cargo xtask test --all"]
fn claude_gets_mentioned_lines_in_its_prompt() -> Result<()> {
    let Some((stage, desk, claude)) = set()? else { return Ok(()) };
    let _editor = Selecting::three_lines(&stage)?;
    claude.wait_until_it_says("3 lines selected")?;
    // This message would come in place of the next one.
    desk.wait_until_shown("Claude Code is connected.")?;
    desk.pane.press("S")?;
    desk.wait_until_shown("notes.txt, lines 2 to 4: added to your prompt in Claude Code.")?;
    claude.wait_until_it_says("@notes.txt#L2-4")?;
    Ok(())
}
