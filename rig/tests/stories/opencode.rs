//! OpenCode, which finds the companion by Claude Code's lock and takes nothing but the active file.

use alongside_rig::agent::Agent;
use alongside_rig::agent_cli::Cli;
use alongside_rig::wait::PATIENCE;
use anyhow::Result;
use serde_json::json;

use crate::desk::{Desk, WIDE};
use crate::script::{NEXT_ANSWER, NEXT_REQUEST, with};
use crate::selecting::Selecting;
use crate::stage::Stage;

/// A desk, and OpenCode in another window. `None` where it cannot be installed.
fn set() -> Result<Option<(Stage, Desk, Agent)>> {
    let Some(stage) = Stage::set_for(Cli::OpenCode)? else { return Ok(None) };
    let desk = stage.open_desk(WIDE)?;
    let opencode = stage.start_at(&desk, Cli::OpenCode, with(Vec::new()))?;
    Ok(Some((stage, desk, opencode)))
}

/// The text that the model gets together with [`NEXT_REQUEST`].
fn asked(opencode: &Agent) -> Result<String> {
    opencode.ask(NEXT_REQUEST)?;
    opencode.wait_until_it_says(NEXT_ANSWER)?;
    Ok(opencode.model.wait_for_prompt(NEXT_REQUEST, PATIENCE)?.prompt())
}

#[test]
#[ignore = "cargo xtask test --all"]
fn opencode_carries_the_saved_file_to_the_model() -> Result<()> {
    let Some((stage, _desk, opencode)) = set()? else { return Ok(()) };
    let saved = stage.save("saved.txt", "hello\n")?;
    opencode.wait_until_it_says("saved.txt")?;
    let asked = asked(&opencode)?;
    let told = format!("The user opened the file \"{}\"", saved.display());
    assert!(asked.contains(&told), "{told} is not in what the model was asked:\n{asked}");
    Ok(())
}

/// It shows lines as it gets them, and people and models count from one.
#[test]
#[ignore = "cargo xtask test --all"]
fn opencode_carries_the_selection_to_the_model() -> Result<()> {
    let Some((stage, _desk, opencode)) = set()? else { return Ok(()) };
    let editor = Selecting::three_lines(&stage)?;
    opencode.wait_until_it_says("notes.txt#2-4")?;
    let asked = asked(&opencode)?;
    let told = format!("The user selected #2-4 from \"{}\". ```two\nthree\nfour```", stage.file.display());
    assert!(asked.contains(&told), "{told} is not in what the model was asked:\n{asked}");

    // Paused, it is to know nothing more.
    editor.ask("alongside/pauseContext", &json!({ "paused": true }))?;
    opencode.pane.wait_for("no file", |screen| !screen.contains("notes.txt#2-4"))?;
    Ok(())
}

#[test]
fn opencode_gets_mentioned_lines_in_its_prompt() -> Result<()> {
    let Some((stage, desk, opencode)) = set()? else { return Ok(()) };
    let _editor = Selecting::three_lines(&stage)?;
    opencode.wait_until_it_says("notes.txt#2-4")?;
    // This message comes once OpenCode listens, and would take the place of the answer.
    desk.wait_until_shown("OpenCode is connected.")?;
    desk.pane.press("S")?;
    desk.wait_until_shown("notes.txt, lines 2 to 4: added to your prompt in OpenCode.")?;
    opencode.wait_until_it_says("@notes.txt#2-4")?;
    Ok(())
}
