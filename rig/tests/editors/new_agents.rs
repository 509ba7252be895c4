//! An agent whose IDE mode is off: the editor says so, and the person switches the mode on without leaving
//! the editor.

use std::fs;

use alongside_rig::agent::Agent;
use alongside_rig::agent_cli::Cli;
use alongside_rig::{Generation, adapters, install, or_skip};
use anyhow::Result;

use crate::helix::wait_until_announced;
use crate::script::capitalise_three_lines;
use crate::stage::Stage;

alongside_rig::tests! {
    #[ignore = "cargo xtask test --all"]
    new_gemini_is_set_up_in_the_oldest_neovim: in_neovim(Generation::Oldest),
    #[ignore = "cargo xtask test --all"]
    new_gemini_is_set_up_in_the_newest_neovim: in_neovim(Generation::Newest),
    #[ignore = "cargo xtask test --all"]
    new_gemini_is_set_up_in_helix_25_01: in_helix(Generation::Oldest),
    #[ignore = "cargo xtask test --all"]
    new_gemini_is_set_up_in_the_newest_helix: in_helix(Generation::Newest),
}

fn in_neovim(generation: Generation) -> Result<()> {
    let Some((stage, agent)) = stage_with_new_gemini(generation)? else { return Ok(()) };
    adapters::neovim(&stage.sandbox, "")?;
    let neovim = stage.open(&stage.editors.neovim(generation))?;
    let remark = "IDE mode is off in Gemini CLI; `:Alongside agents` switches it on";
    neovim.wait_for("the remark", |screen| screen.contains(remark))?;
    neovim.enter_and_see(":Alongside agents", "the choice", "Number (Enter for 1):")?;
    neovim.enter("3")?;
    neovim.wait_for("the change", |screen| {
        screen.contains("+  \"ide\": {") && screen.contains("Switch on IDE mode in Gemini CLI? [y/N]")
    })?;
    assert!(!settings(&stage)?.contains("\"ide\""), "nothing is written before the yes");
    neovim.enter("y")?;
    for question in
        ["Review after each turn of Gemini CLI?", "Ask at your desk before each write of Gemini CLI?"]
    {
        neovim.wait_for(question, |screen| screen.contains(&format!("{question} [y/N]")))?;
        neovim.enter("n")?;
    }
    let screen = neovim
        .wait_for("the end of the agent", |screen| screen.contains("Press Enter to close this window."))?;
    assert!(settings(&stage)?.contains("\"ide\"") && !screen.contains("Process exited"));
    neovim.press("Enter")?;
    neovim.wait_for("the file alone", |screen| {
        screen.contains("fifteen") && !screen.contains("Press Enter to close")
    })?;
    agent.start()?;
    stage.wait_until_connected(1)
}

fn in_helix(generation: Generation) -> Result<()> {
    let Some((stage, agent)) = stage_with_new_gemini(generation)? else { return Ok(()) };
    adapters::helix(&stage.sandbox, generation);
    let helix = stage.open(&stage.editors.helix(generation))?;
    let remark = "IDE mode is off in Gemini CLI: space a";
    helix.wait_for("the remark", |screen| screen.contains(remark))?;
    helix.type_text(" a")?;
    let action = "IDE mode on: ide.enabled = true in ~/.gemini/settings.json";
    helix.wait_for("the change among the code actions", |screen| screen.contains(action))?;
    assert!(!settings(&stage)?.contains("\"ide\""), "nothing is written before the choice");
    helix.press_and_see("Enter", "the end", "IDE mode is on from its next start.")?;
    agent.start()?;
    stage.wait_until_connected(1)?;
    stage.ask_with_context(&agent, &[])?;
    agent.wait_until_it_asks()?;
    wait_until_announced(&helix)
}

/// Creates a stage, and installs a new Gemini CLI. Returns `None` where it cannot be installed.
fn stage_with_new_gemini(generation: Generation) -> Result<Option<(Stage, Agent)>> {
    let (Some(stage), Some(rig)) = (Stage::new_or_skip(generation)?, or_skip(install())) else {
        return Ok(None);
    };
    let pane = stage.terminal.window("gemini", (100, 50))?;
    let script = capitalise_three_lines(Cli::Gemini, &stage.file);
    let agent = Agent::install_as_new(&stage.sandbox, &rig, Cli::Gemini, script, pane)?;
    Ok(Some((stage, agent)))
}

fn settings(stage: &Stage) -> Result<String> {
    Ok(fs::read_to_string(stage.sandbox.home().join(".gemini/settings.json"))?)
}
