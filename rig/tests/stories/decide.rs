//! The person decides on a proposal hunk by hunk, and the agent writes exactly the decided text.

use alongside_rig::agent_cli::Cli;
use alongside_rig::program::alongside;
use anyhow::Result;

use crate::script::{CLOSING_LINE, IN_CAPITALS, ORIGINAL, REQUEST, capitalise_three_lines, script_with};
use crate::stage::{LineMode, Stage, assert_takes_next_prompt};

alongside_rig::tests! {
    gemini_writes_what_the_person_kept_dropped_and_edited:
        keep_one_hunk_drop_one_and_edit_one(Cli::Gemini),
    qwen_writes_what_the_person_kept_dropped_and_edited:
        keep_one_hunk_drop_one_and_edit_one(Cli::Qwen),
}

fn keep_one_hunk_drop_one_and_edit_one(cli: Cli) -> Result<()> {
    let Some(stage) = Stage::new_or_skip()? else { return Ok(()) };
    let line_mode = stage.start_review()?;
    let agent = stage.start(&line_mode, cli, capitalise_three_lines(cli, &stage.file))?;
    agent.ask(REQUEST)?;

    line_mode.answer_when_asked_about("TWO", "y")?;
    line_mode.answer_when_asked_about("EIGHT", "n")?;
    line_mode.answer_when_asked_about("FOURTEEN", "e")?;
    line_mode.answer_when_shown("Edit applied", "a")?;
    line_mode.answer_when_shown("Accept without the change that you dropped", "y")?;

    agent.wait_until_it_says(CLOSING_LINE)?;
    assert_eq!(stage.on_disk(), IN_CAPITALS.replace("EIGHT", "eight").replace("FOURTEEN", "14"));
    Ok(())
}

alongside_rig::tests! {
    gemini_takes_the_next_prompt_after_a_rejection: reject_and_continue(Cli::Gemini),
    #[ignore = "cargo xtask test --all"]
    qwen_takes_the_next_prompt_after_a_rejection: reject_and_continue(Cli::Qwen),
}

fn reject_and_continue(cli: Cli) -> Result<()> {
    let Some(stage) = Stage::new_or_skip()? else { return Ok(()) };
    let line_mode = stage.start_review()?;
    let agent = stage.start(&line_mode, cli, capitalise_three_lines(cli, &stage.file))?;
    agent.ask_for_change(REQUEST)?;
    line_mode.answer_when_asked_about("TWO", "r")?;

    assert_takes_next_prompt(&agent)?;
    assert_eq!(stage.on_disk(), ORIGINAL);
    Ok(())
}

#[test]
fn gemini_answered_in_own_prompt_writes_the_desks_decision() -> Result<()> {
    let Some((stage, _)) = drop_a_hunk_and_answer_in_the_agent(Cli::Gemini)? else { return Ok(()) };
    assert_eq!(stage.on_disk(), IN_CAPITALS.replace("TWO", "two"));
    Ok(())
}

/// Qwen 0.24.4 writes its own proposal before it fetches the decided text. The person's text must not be
/// lost.
#[test]
#[ignore = "cargo xtask test --all"]
fn qwen_answered_in_own_prompt_leaves_the_decision_as_draft() -> Result<()> {
    let Some((stage, line_mode)) = drop_a_hunk_and_answer_in_the_agent(Cli::Qwen)? else {
        return Ok(());
    };
    assert_eq!(stage.on_disk(), IN_CAPITALS);
    line_mode.wait_until_shown("alongside drafts")?;
    assert_eq!(alongside(&stage.sandbox, &["drafts", "show", "1"])?, IN_CAPITALS.replace("TWO", "two"));
    Ok(())
}

fn drop_a_hunk_and_answer_in_the_agent(cli: Cli) -> Result<Option<(Stage, LineMode)>> {
    let Some(stage) = Stage::new_or_skip()? else { return Ok(None) };
    let line_mode = stage.start_review()?;
    let agent = stage.start(&line_mode, cli, capitalise_three_lines(cli, &stage.file))?;
    agent.ask_for_change(REQUEST)?;
    line_mode.answer_when_asked_about("TWO", "n")?;
    line_mode.wait_until_shown("+EIGHT")?;
    // The prompt's first choice: allow once.
    agent.pane.press("Enter")?;

    agent.wait_until_it_says(CLOSING_LINE)?;
    line_mode.wait_until_shown(": answered in")?;
    Ok(Some((stage, line_mode)))
}

alongside_rig::tests! {
    #[ignore = "cargo xtask test --all"]
    gemini_keeps_crlf_when_a_hunk_is_dropped: drop_one_edit_to_a_crlf_file(Cli::Gemini),
    #[ignore = "cargo xtask test --all"]
    qwen_keeps_crlf_when_a_hunk_is_dropped: drop_one_edit_to_a_crlf_file(Cli::Qwen),
}

fn drop_one_edit_to_a_crlf_file(cli: Cli) -> Result<()> {
    let with_lamps = ["two", "eight", "fourteen"].iter().fold(ORIGINAL.to_owned(), |text, number| {
        text.replace(&format!("{number}\n"), &format!("{number} lamps\n"))
    });
    let original = with_lamps.replace('\n', "\r\n");
    let Some(stage) = Stage::with_file(&original)? else { return Ok(()) };
    let line_mode = stage.start_review()?;
    let agent = stage.start(
        &line_mode,
        cli,
        script_with(cli.replace_all(&stage.file, "lamps", "LAMPS", CLOSING_LINE)),
    )?;
    agent.ask(REQUEST)?;

    line_mode.answer_when_asked_about("two LAMPS", "y")?;
    line_mode.answer_when_asked_about("eight LAMPS", "n")?;
    line_mode.answer_when_asked_about("fourteen LAMPS", "y")?;
    line_mode.answer_when_shown("accept, reject, or look again", "a")?;

    agent.wait_until_it_says(CLOSING_LINE)?;
    assert_eq!(stage.on_disk(), original.replace("lamps", "LAMPS").replace("eight LAMPS", "eight lamps"));
    Ok(())
}
