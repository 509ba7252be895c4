//! A proposal is decided hunk by hunk, and the agent writes exactly the decided text.

use alongside_rig::agent_cli::Cli;
use alongside_rig::program::alongside;
use anyhow::Result;

use crate::script::{DONE, ORIGINAL, REQUEST, SHOUTED, shout, with};
use crate::stage::{Reviewer, Stage, takes_the_next_message};

alongside_rig::tests! {
    gemini_writes_what_the_person_kept_dropped_and_edited:
        person_keeps_one_hunk_drops_one_and_edits_one(Cli::Gemini),
    qwen_writes_what_the_person_kept_dropped_and_edited:
        person_keeps_one_hunk_drops_one_and_edits_one(Cli::Qwen),
}

fn person_keeps_one_hunk_drops_one_and_edits_one(cli: Cli) -> Result<()> {
    let Some(stage) = Stage::set()? else { return Ok(()) };
    let reviewer = stage.start_review()?;
    let agent = stage.start(&reviewer, cli, shout(cli, &stage.file))?;
    agent.ask(REQUEST)?;

    reviewer.answer_about("TWO", "y")?;
    reviewer.answer_about("EIGHT", "n")?;
    reviewer.answer_about("FOURTEEN", "e")?;
    reviewer.answer_after("Edit applied", "a")?;
    reviewer.answer_after("Accept without the change that you dropped", "y")?;

    agent.wait_until_it_says(DONE)?;
    assert_eq!(stage.on_disk(), SHOUTED.replace("EIGHT", "eight").replace("FOURTEEN", "14"));
    Ok(())
}

alongside_rig::tests! {
    gemini_takes_the_next_message_after_a_reject: person_rejects_and_talks_on(Cli::Gemini),
    #[ignore = "cargo xtask test --all"]
    qwen_takes_the_next_message_after_a_reject: person_rejects_and_talks_on(Cli::Qwen),
}

fn person_rejects_and_talks_on(cli: Cli) -> Result<()> {
    let Some(stage) = Stage::set()? else { return Ok(()) };
    let reviewer = stage.start_review()?;
    let agent = stage.start(&reviewer, cli, shout(cli, &stage.file))?;
    agent.ask_for_change(REQUEST)?;
    reviewer.answer_about("TWO", "r")?;

    takes_the_next_message(&agent)?;
    assert_eq!(stage.on_disk(), ORIGINAL);
    Ok(())
}

#[test]
fn gemini_answered_in_own_prompt_writes_the_desks_decision() -> Result<()> {
    let Some((stage, _)) = person_drops_a_hunk_here_and_answers_there(Cli::Gemini)? else { return Ok(()) };
    assert_eq!(stage.on_disk(), SHOUTED.replace("TWO", "two"));
    Ok(())
}

/// Qwen 0.24.4 writes its own proposal before it fetches the decided text. The person's text must not be
/// lost.
#[test]
#[ignore = "cargo xtask test --all"]
fn qwen_answered_in_own_prompt_leaves_the_decision_as_draft() -> Result<()> {
    let Some((stage, reviewer)) = person_drops_a_hunk_here_and_answers_there(Cli::Qwen)? else {
        return Ok(());
    };
    assert_eq!(stage.on_disk(), SHOUTED);
    reviewer.wait_until_shown("alongside drafts")?;
    assert_eq!(alongside(&stage.sandbox, &["drafts", "show", "1"])?, SHOUTED.replace("TWO", "two"));
    Ok(())
}

fn person_drops_a_hunk_here_and_answers_there(cli: Cli) -> Result<Option<(Stage, Reviewer)>> {
    let Some(stage) = Stage::set()? else { return Ok(None) };
    let reviewer = stage.start_review()?;
    let agent = stage.start(&reviewer, cli, shout(cli, &stage.file))?;
    agent.ask_for_change(REQUEST)?;
    reviewer.answer_about("TWO", "n")?;
    reviewer.wait_until_shown("+EIGHT")?;
    // The prompt's first choice: allow once.
    agent.pane.press("Enter")?;

    agent.wait_until_it_says(DONE)?;
    reviewer.wait_until_shown(": answered in")?;
    Ok(Some((stage, reviewer)))
}

alongside_rig::tests! {
    #[ignore = "cargo xtask test --all"]
    gemini_keeps_crlf_when_a_hunk_is_dropped: person_drops_one_of_the_edits_to_a_crlf_file(Cli::Gemini),
    #[ignore = "cargo xtask test --all"]
    qwen_keeps_crlf_when_a_hunk_is_dropped: person_drops_one_of_the_edits_to_a_crlf_file(Cli::Qwen),
}

fn person_drops_one_of_the_edits_to_a_crlf_file(cli: Cli) -> Result<()> {
    let lit = ["two", "eight", "fourteen"].iter().fold(ORIGINAL.to_owned(), |text, number| {
        text.replace(&format!("{number}\n"), &format!("{number} lamps\n"))
    });
    let original = lit.replace('\n', "\r\n");
    let Some(stage) = Stage::with_file(&original)? else { return Ok(()) };
    let reviewer = stage.start_review()?;
    let agent = stage.start(&reviewer, cli, with(cli.replace_all(&stage.file, "lamps", "LAMPS", DONE)))?;
    agent.ask(REQUEST)?;

    reviewer.answer_about("two LAMPS", "y")?;
    reviewer.answer_about("eight LAMPS", "n")?;
    reviewer.answer_about("fourteen LAMPS", "y")?;
    reviewer.answer_after("accept, reject, or look again", "a")?;

    agent.wait_until_it_says(DONE)?;
    assert_eq!(stage.on_disk(), original.replace("lamps", "LAMPS").replace("eight LAMPS", "eight lamps"));
    Ok(())
}
