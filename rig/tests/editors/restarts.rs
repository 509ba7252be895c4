//! An agent stays connected across restarts of the editor's server and of the editor, and its proposal stays
//! open while another editor of the project runs.

use std::collections::BTreeSet;

use alongside_agent::Outcome;
use alongside_rig::agent_cli::Cli;
use alongside_rig::program::companions;
use alongside_rig::tmux::Pane;
use alongside_rig::{Generation, Proposer, adapters};
use anyhow::Result;

use crate::script::{CLOSING_LINE, IN_CAPITALS, REQUEST};
use crate::stage::Stage;

#[test]
#[ignore = "cargo xtask test --all"]
fn agent_outlives_the_oldest_neovim_and_its_server() -> Result<()> {
    // These commands do what `:LspRestart` does, which this release lacks, and also wait for the server's
    // end.
    let restart = [
        ":lua vim.lsp.stop_client(vim.lsp.get_clients())",
        ":lua vim.wait(9000, function() return not next(vim.lsp.get_clients()) end)",
        ":edit",
    ];
    assert_stays_connected(Generation::Oldest, &restart)
}

#[test]
fn agent_outlives_the_newest_neovim_and_its_server() -> Result<()> {
    assert_stays_connected(Generation::Newest, &[":lsp restart alongside"])
}

fn assert_stays_connected(generation: Generation, restart: &[&str]) -> Result<()> {
    let Some((stage, pane)) = Stage::with_neovim(generation, "")? else { return Ok(()) };
    let agent = Proposer::gemini(&stage.sandbox)?;

    // A review that is open when the server ends is still open when the server runs again.
    let proposal = agent.propose(&stage.file, IN_CAPITALS)?;
    pane.wait_for("the proposal", |screen| screen.contains("proposes notes.md"))?;
    for command in restart {
        pane.enter(command)?;
    }
    // This is the new server's announcement, because typing has replaced the old one. The text before these
    // words may be wrapped.
    pane.wait_for("the proposal, announced again", |screen| screen.contains("(3 changes)"))?;
    accept(&pane)?;
    assert_eq!(proposal.outcome()?, Outcome::Accepted { content: IN_CAPITALS.into() });

    pane.enter(":qall!")?;
    stage.wait_until_closed(&pane)?;
    let pane = stage.open(&stage.editors.neovim(generation))?;
    let proposal = agent.propose(&stage.file, IN_CAPITALS)?;
    pane.wait_for("the proposal", |screen| screen.contains("proposes notes.md"))?;
    accept(&pane)?;
    assert_eq!(proposal.outcome()?, Outcome::Accepted { content: IN_CAPITALS.into() });
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

    let proposal = agent.propose(&stage.file, IN_CAPITALS)?;
    pane.wait_for("the proposal", |screen| screen.contains("proposes 3 changes"))?;
    pane.enter(":lsp-restart")?;
    // The message in the last line, because the mark beside the line may still be the old server's.
    pane.wait_for("the proposal, announced again", |screen| screen.contains("Qwen Code proposes notes.md"))?;
    accept_in_helix(&pane)?;
    assert_eq!(proposal.outcome()?, Outcome::Accepted { content: IN_CAPITALS.into() });

    pane.enter(":qa!")?;
    stage.wait_until_closed(&pane)?;
    let pane = stage.open(&stage.editors.helix(Generation::Newest))?;
    let proposal = agent.propose(&stage.file, IN_CAPITALS)?;
    pane.wait_for("the proposal", |screen| screen.contains("proposes 3 changes"))?;
    accept_in_helix(&pane)?;
    assert_eq!(proposal.outcome()?, Outcome::Accepted { content: IN_CAPITALS.into() });
    Ok(())
}

#[test]
#[ignore = "cargo xtask test --all"]
fn proposal_waits_in_helix_when_neovim_ends() -> Result<()> {
    let Some(stage) = Stage::new_or_skip(Generation::Newest)? else { return Ok(()) };
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
    agent.wait_until_it_says(CLOSING_LINE)?;
    assert_eq!(std::fs::read_to_string(&stage.file)?, IN_CAPITALS);
    Ok(())
}

fn accept_in_helix(pane: &Pane) -> Result<()> {
    pane.type_and_see(" a", "the code actions", "Review: notes.md (")?;
    // Together with the next key it would mean Alt.
    pane.press_and_miss("Escape", "the code actions to be put away", "Review: notes.md (")?;
    pane.enter(":lsp-workspace-command alongside.accept")
}
