//! A proposal is decided hunk by hunk, and the agent writes exactly the decided text.

use alongside_rig::agent_cli::Cli;
use alongside_rig::program::alongside;
use anyhow::Result;

use crate::script::{DONE, EDIT, NEXT_ANSWER, NEXT_REQUEST, ORIGINAL, REQUEST, SHOUTED, shout, with};
use crate::stage::Stage;

#[test]
fn gemini_writes_what_the_person_kept_dropped_and_edited() -> Result<()> {
    person_keeps_one_hunk_drops_one_and_edits_one("whole Gemini CLI, decided hunk by hunk", Cli::Gemini)
}

#[test]
fn qwen_writes_what_the_person_kept_dropped_and_edited() -> Result<()> {
    person_keeps_one_hunk_drops_one_and_edits_one("whole Qwen Code, decided hunk by hunk", Cli::Qwen)
}

fn person_keeps_one_hunk_drops_one_and_edits_one(story: &str, cli: Cli) -> Result<()> {
    let Some(mut stage) = Stage::set(story, ORIGINAL, EDIT)? else { return Ok(()) };
    stage.start_review()?;
    let agent = stage.start(cli, shout(cli, &stage.file))?;
    agent.ask(REQUEST)?;

    stage.reviewer().answer_about("TWO", "k")?;
    stage.reviewer().answer_about("EIGHT", "d")?;
    stage.reviewer().answer_about("FOURTEEN", "e")?;
    stage.reviewer().answer_after("Your text is in the review", "a")?;

    agent.wait_until_it_says(DONE)?;
    assert_eq!(stage.on_disk(), SHOUTED.replace("EIGHT", "eight").replace("FOURTEEN", "14"));
    Ok(())
}

#[test]
fn gemini_takes_the_next_message_after_a_reject() -> Result<()> {
    person_rejects_and_talks_on("whole Gemini CLI, rejected", Cli::Gemini)
}

#[test]
fn qwen_takes_the_next_message_after_a_reject() -> Result<()> {
    person_rejects_and_talks_on("whole Qwen Code, rejected", Cli::Qwen)
}

fn person_rejects_and_talks_on(story: &str, cli: Cli) -> Result<()> {
    let Some(mut stage) = Stage::set(story, ORIGINAL, EDIT)? else { return Ok(()) };
    stage.start_review()?;
    let agent = stage.start(cli, shout(cli, &stage.file))?;
    agent.ask(REQUEST)?;
    agent.wait_until_it_asks()?;
    stage.reviewer().answer_about("TWO", "r")?;

    agent.wait_until_free()?;
    agent.ask(NEXT_REQUEST)?;
    agent.wait_until_it_says(NEXT_ANSWER)?;
    assert_eq!(stage.on_disk(), ORIGINAL);
    Ok(())
}

#[test]
fn gemini_answered_in_own_prompt_writes_the_desks_decision() -> Result<()> {
    let story = "whole Gemini CLI, answered in its prompt";
    let Some(stage) = person_drops_a_hunk_here_and_answers_there(story, Cli::Gemini)? else { return Ok(()) };
    assert_eq!(stage.on_disk(), SHOUTED.replace("TWO", "two"));
    Ok(())
}

/// Qwen 0.24.4 writes its own proposal before it fetches the decided text. The person's text must not be
/// lost.
#[test]
fn qwen_answered_in_own_prompt_leaves_the_decision_as_draft() -> Result<()> {
    let story = "whole Qwen Code, answered in its prompt";
    let Some(stage) = person_drops_a_hunk_here_and_answers_there(story, Cli::Qwen)? else { return Ok(()) };
    assert_eq!(stage.on_disk(), SHOUTED);
    stage.reviewer().wait_until_shown("alongside drafts")?;
    assert_eq!(alongside(&stage.sandbox, &["drafts", "show", "1"])?, SHOUTED.replace("TWO", "two"));
    Ok(())
}

fn person_drops_a_hunk_here_and_answers_there(story: &str, cli: Cli) -> Result<Option<Stage>> {
    let Some(mut stage) = Stage::set(story, ORIGINAL, EDIT)? else { return Ok(None) };
    stage.start_review()?;
    let agent = stage.start(cli, shout(cli, &stage.file))?;
    agent.ask(REQUEST)?;
    agent.wait_until_it_asks()?;
    stage.reviewer().answer_about("TWO", "d")?;
    stage.reviewer().wait_until_shown("+EIGHT")?;
    // The prompt's first choice: allow once.
    agent.pane.press("Enter")?;

    agent.wait_until_it_says(DONE)?;
    stage.reviewer().wait_until_shown("was answered in")?;
    Ok(Some(stage))
}

#[test]
fn gemini_keeps_crlf_when_a_hunk_is_dropped() -> Result<()> {
    person_drops_one_of_the_edits_to_a_crlf_file("whole Gemini CLI, its edit tool on CRLF", Cli::Gemini)
}

#[test]
fn qwen_keeps_crlf_when_a_hunk_is_dropped() -> Result<()> {
    person_drops_one_of_the_edits_to_a_crlf_file("whole Qwen Code, its edit tool on CRLF", Cli::Qwen)
}

fn person_drops_one_of_the_edits_to_a_crlf_file(story: &str, cli: Cli) -> Result<()> {
    let lit = ["two", "eight", "fourteen"].iter().fold(ORIGINAL.to_owned(), |text, number| {
        text.replace(&format!("{number}\n"), &format!("{number} lamps\n"))
    });
    let original = lit.replace('\n', "\r\n");
    let Some(mut stage) = Stage::set(story, &original, EDIT)? else { return Ok(()) };
    stage.start_review()?;
    let agent = stage.start(cli, with(cli.replace_all(&stage.file, "lamps", "LAMPS", DONE)))?;
    agent.ask(REQUEST)?;

    stage.reviewer().answer_about("two LAMPS", "k")?;
    stage.reviewer().answer_about("eight LAMPS", "d")?;
    stage.reviewer().answer_about("fourteen LAMPS", "k")?;
    stage.reviewer().answer_after("accept, reject, or look again", "a")?;

    agent.wait_until_it_says(DONE)?;
    assert_eq!(stage.on_disk(), original.replace("lamps", "LAMPS").replace("eight LAMPS", "eight lamps"));
    Ok(())
}
