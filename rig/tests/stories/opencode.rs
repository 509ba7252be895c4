//! OpenCode, which finds the companion by the lock file for Claude Code, and uses only the active file of the
//! context.

use alongside_rig::agent::Agent;
use alongside_rig::agent_cli::Cli;
use alongside_rig::wait::PATIENCE;
use anyhow::Result;
use serde_json::json;

use crate::desk::{Desk, WIDE};
use crate::editor_desk::EditorDesk;
use crate::script::{NEXT_ANSWER, NEXT_REQUEST, script_with};
use crate::stage::Stage;

/// Starts a desk, and OpenCode in another window. Returns `None` where OpenCode cannot be installed.
fn desk_with_opencode() -> Result<Option<(Stage, Desk, Agent)>> {
    let Some(stage) = Stage::new_or_skip_for(Cli::OpenCode)? else { return Ok(None) };
    let desk = stage.open_desk(WIDE)?;
    let opencode = stage.start_at(&desk, Cli::OpenCode, script_with(Vec::new()))?;
    Ok(Some((stage, desk, opencode)))
}

/// Sends [`NEXT_REQUEST`], and returns the prompt that the model gets.
fn next_prompt(opencode: &Agent) -> Result<String> {
    opencode.ask(NEXT_REQUEST)?;
    opencode.wait_until_it_says(NEXT_ANSWER)?;
    Ok(opencode.model.wait_for_prompt(NEXT_REQUEST, PATIENCE)?.prompt())
}

#[test]
#[ignore = "cargo xtask test --all"]
fn opencode_carries_the_saved_file_to_the_model() -> Result<()> {
    let Some((stage, _desk, opencode)) = desk_with_opencode()? else { return Ok(()) };
    let saved = stage.save("saved.txt", "hello\n")?;
    opencode.wait_until_it_says("saved.txt")?;
    let prompt = next_prompt(&opencode)?;
    let expected = format!("The user opened the file \"{}\"", saved.display());
    assert!(prompt.contains(&expected), "{expected} is not in what the model was asked:\n{prompt}");
    Ok(())
}

/// OpenCode shows the line numbers that it receives, and people and models count lines from one.
#[test]
#[ignore = "cargo xtask test --all"]
fn opencode_carries_the_selection_to_the_model() -> Result<()> {
    let Some((stage, _desk, opencode)) = desk_with_opencode()? else { return Ok(()) };
    let editor = EditorDesk::with_three_lines_selected(&stage)?;
    opencode.wait_until_it_says("notes.txt#2-4")?;
    let prompt = next_prompt(&opencode)?;
    let expected =
        format!("The user selected #2-4 from \"{}\". ```two\nthree\nfour```", stage.file.display());
    assert!(prompt.contains(&expected), "{expected} is not in what the model was asked:\n{prompt}");

    // While the context is paused, OpenCode must not have the selection.
    editor.ask("alongside/pauseContext", &json!({ "paused": true }))?;
    opencode.pane.wait_for("a prompt without the selection", |screen| !screen.contains("notes.txt#2-4"))?;
    Ok(())
}

#[test]
fn opencode_gets_mentioned_lines_in_its_prompt() -> Result<()> {
    let Some((stage, desk, opencode)) = desk_with_opencode()? else { return Ok(()) };
    let _editor = EditorDesk::with_three_lines_selected(&stage)?;
    opencode.wait_until_it_says("notes.txt#2-4")?;
    // This message comes as soon as OpenCode listens. If it came later, it could replace the answer to the
    // key.
    desk.wait_until_shown("OpenCode is connected.")?;
    desk.pane.press("S")?;
    desk.wait_until_shown("notes.txt, lines 2 to 4: added to your prompt in OpenCode.")?;
    opencode.wait_until_it_says("@notes.txt#2-4")?;
    Ok(())
}
