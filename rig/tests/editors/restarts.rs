//! An agent stays connected across restarts of the editor's server and of the editor, and its proposal waits
//! while another editor of the project is open.

use std::collections::BTreeSet;

use alongside_agent::Outcome;
use alongside_rig::agent_cli::Cli;
use alongside_rig::program::companions;
use alongside_rig::tmux::Pane;
use alongside_rig::{Generation, Proposer, adapters};
use anyhow::Result;

use crate::script::{DONE, REQUEST, SHOUTED};
use crate::stage::Stage;

#[test]
#[ignore = "cargo xtask test --all"]
fn agent_outlives_the_oldest_neovim_and_its_server() -> Result<()> {
    // The effect of `:LspRestart`, which this release lacks; it also waits for the end.
    let restart = [
        ":lua vim.lsp.stop_client(vim.lsp.get_clients())",
        ":lua vim.wait(9000, function() return not next(vim.lsp.get_clients()) end)",
        ":edit",
    ];
    stays_connected(Generation::Oldest, &restart)
}

#[test]
fn agent_outlives_the_newest_neovim_and_its_server() -> Result<()> {
    stays_connected(Generation::Newest, &[":lsp restart alongside"])
}

fn stays_connected(generation: Generation, restart: &[&str]) -> Result<()> {
    let Some((stage, pane)) = Stage::with_neovim(generation, "")? else { return Ok(()) };
    let agent = Proposer::gemini(&stage.sandbox)?;

    // A review that waits when the server ends still waits when it is back.
    let proposal = agent.propose(&stage.file, SHOUTED)?;
    pane.wait_for("the proposal", |screen| screen.contains("proposes notes.md"))?;
    for command in restart {
        pane.enter(command)?;
    }
    // Announced by the new server, because typing has covered the old message. The text before these words
    // may be wrapped.
    pane.wait_for("the proposal, announced again", |screen| screen.contains("(3 changes)"))?;
    accept(&pane)?;
    assert_eq!(proposal.outcome()?, Outcome::Accepted { content: SHOUTED.into() });

    pane.enter(":qall!")?;
    stage.wait_until_closed(&pane)?;
    let pane = stage.open(&stage.editors.neovim(generation))?;
    let proposal = agent.propose(&stage.file, SHOUTED)?;
    pane.wait_for("the proposal", |screen| screen.contains("proposes notes.md"))?;
    accept(&pane)?;
    assert_eq!(proposal.outcome()?, Outcome::Accepted { content: SHOUTED.into() });
    Ok(())
}

fn accept(pane: &Pane) -> Result<()> {
    pane.enter_and_see(":Alongside", "the review", "3 kept")?;
    pane.enter(":Alongside accept")
}

#[test]
#[ignore = "cargo xtask test --all"]
fn agent_outlives_the_newest_helix_and_its_server() -> Result<()> {
    let Some((stage, pane)) = Stage::with_helix(Generation::Newest)? else { return Ok(()) };
    let agent = Proposer::qwen(&stage.sandbox)?;

    let proposal = agent.propose(&stage.file, SHOUTED)?;
    pane.wait_for("the proposal", |screen| screen.contains("proposes 3 changes"))?;
    pane.enter(":lsp-restart")?;
    // In the last line: the mark beside the line is still the old server's.
    pane.wait_for("the proposal, announced again", |screen| screen.contains("Qwen Code proposes notes.md"))?;
    accept_in_helix(&pane)?;
    assert_eq!(proposal.outcome()?, Outcome::Accepted { content: SHOUTED.into() });

    pane.enter(":qa!")?;
    stage.wait_until_closed(&pane)?;
    let pane = stage.open(&stage.editors.helix(Generation::Newest))?;
    let proposal = agent.propose(&stage.file, SHOUTED)?;
    pane.wait_for("the proposal", |screen| screen.contains("proposes 3 changes"))?;
    accept_in_helix(&pane)?;
    assert_eq!(proposal.outcome()?, Outcome::Accepted { content: SHOUTED.into() });
    Ok(())
}

#[test]
#[ignore = "cargo xtask test --all"]
fn proposal_waits_in_helix_when_neovim_ends() -> Result<()> {
    let Some(stage) = Stage::set(Generation::Newest)? else { return Ok(()) };
    adapters::neovim(&stage.sandbox, "")?;
    adapters::helix(&stage.sandbox, Generation::Newest);
    let helix = stage.open(&stage.editors.helix(Generation::Newest))?;
    stage.wait_until_served(1)?;
    let neovim = stage.open(&stage.editors.neovim(Generation::Newest))?;
    let Some(agent) = stage.start_agent(Cli::Gemini)? else { return Ok(()) };
    agent.ask_for_change(REQUEST)?;
    neovim.wait_for("the proposal", |screen| screen.contains("proposes notes.md"))?;
    helix.wait_for("the proposal", |screen| screen.contains("proposes 3 changes"))?;
    let companions = companions(&stage.sandbox)?;
    let editors = companions[0]["editors"]
        .as_array()
        .map(|editors| editors.iter().filter_map(|editor| editor["name"].as_str()).collect::<BTreeSet<_>>());
    assert_eq!(editors, Some(BTreeSet::from(["Helix", "Neovim"])), "{companions:#}");

    neovim.enter(":qall!")?;
    stage.wait_until_closed(&neovim)?;
    agent.wait_until_it_asks()?;
    accept_in_helix(&helix)?;
    agent.wait_until_it_says(DONE)?;
    assert_eq!(std::fs::read_to_string(&stage.file)?, SHOUTED);
    Ok(())
}

fn accept_in_helix(pane: &Pane) -> Result<()> {
    pane.type_and_see(" a", "the code actions", "Review: notes.md (")?;
    // Together with the next key it would mean Alt.
    pane.press_and_miss("Escape", "the code actions to be put away", "Review: notes.md (")?;
    pane.enter(":lsp-workspace-command alongside.accept")
}
