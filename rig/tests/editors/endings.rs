//! Neovim's windows are the same after a review as before, however it ends.

use std::fs;
use std::time::Duration;

use alongside_agent::Outcome;
use alongside_rig::program::alongside;
use alongside_rig::tmux::Pane;
use alongside_rig::wait::{self, PATIENCE};
use alongside_rig::{Generation, Proposer, adapters};
use anyhow::Result;

use crate::helix::{open_proposal, wait_until_announced, wait_until_shown};
use crate::script::{IN_CAPITALS, ORIGINAL};
use crate::stage::Stage;

alongside_rig::tests! {
    #[ignore = "cargo xtask test --all"]
    the_oldest_neovims_windows_are_as_before: assert_windows_as_before(Generation::Oldest),
    the_newest_neovims_windows_are_as_before: assert_windows_as_before(Generation::Newest),
}

fn assert_windows_as_before(generation: Generation) -> Result<()> {
    let Some(stage) = Stage::new_or_skip(generation)? else { return Ok(()) };
    adapters::neovim(&stage.sandbox, "")?;
    stage.sandbox.write("other.md", "something else\n");
    let pane = stage.open(&stage.editors.neovim(generation))?;
    // A layout with several windows.
    for command in [":tabnew other.md", ":vsplit notes.md", ":split other.md", ":2wincmd w", ":normal 9G2l"] {
        pane.enter(command)?;
    }
    let before = layout(&stage, &pane)?;
    let agent = Proposer::gemini(&stage.sandbox)?;

    // The person closes the review.
    let proposal = agent.propose(&stage.file, IN_CAPITALS)?;
    open_review(&pane)?;
    pane.enter(":quit")?;
    assert_eq!(proposal.outcome()?, Outcome::Rejected);
    wait_for_layout(&stage, &pane, &before)?;

    // The person answers in the agent's own prompt.
    let _proposal = agent.propose(&stage.file, IN_CAPITALS)?;
    open_review(&pane)?;
    pane.type_and_see("do", "a change to be dropped", "1 of 3: dropped")?;
    assert_eq!(agent.close(&stage.file)?, Some(IN_CAPITALS.replace("TWO", "two")));
    wait_for_layout(&stage, &pane, &before)?;

    // A second proposal for the same file replaces the shown one.
    let first = agent.propose(&stage.file, IN_CAPITALS)?;
    open_review(&pane)?;
    let second = agent.propose(&stage.file, &ORIGINAL.replace("one", "ONE"))?;
    pane.wait_for("the second proposal", |screen| screen.contains("1 kept"))?;
    drop(first);
    pane.enter(":Alongside accept")?;
    assert_eq!(second.outcome()?, Outcome::Accepted { content: ORIGINAL.replace("one", "ONE") });
    wait_for_layout(&stage, &pane, &before)?;

    // The agent is killed while the person types.
    let proposal = agent.propose(&stage.file, IN_CAPITALS)?;
    open_review(&pane)?;
    pane.type_and_see("Gomine", "what was typed", ": edited")?;
    drop(proposal);
    drop(agent);
    pane.wait_for("where the edits are", |screen| screen.contains("drafts"))?;
    pane.press("Escape")?;
    let drafts = alongside(&stage.sandbox, &["drafts", "show", "1"])?;
    assert_eq!(drafts, format!("{IN_CAPITALS}mine\n"));
    Ok(())
}

alongside_rig::tests! {
    #[ignore = "cargo xtask test --all"]
    proposal_closed_in_helix_25_01_is_rejected: close_in_helix(Generation::Oldest),
    #[ignore = "cargo xtask test --all"]
    proposal_closed_in_the_newest_helix_is_rejected: close_in_helix(Generation::Newest),
}

fn close_in_helix(generation: Generation) -> Result<()> {
    let Some((stage, pane)) = Stage::with_helix(generation)? else { return Ok(()) };
    let agent = Proposer::gemini(&stage.sandbox)?;
    for ending in [":bc", ":lsp-workspace-command alongside.reject"] {
        let proposal = agent.propose(&stage.file, IN_CAPITALS)?;
        wait_until_announced(&pane)?;
        open_proposal(&pane)?;
        wait_until_shown(&pane)?;
        pane.enter(ending)?;
        assert_eq!(proposal.outcome()?, Outcome::Rejected);
        pane.wait_for("the file", |screen| screen.contains("2  two"))?;
    }
    Ok(())
}

/// Waits until Neovim has announced the proposal, and opens its review. A redraw of so many windows may
/// remove the announcement at once, so its absence is not an error.
fn open_review(pane: &Pane) -> Result<()> {
    let is_announced = |screen: &str| screen.contains("proposes notes.md");
    let _ = pane.wait_within(Duration::from_secs(10), "the proposal to be announced", is_announced);
    pane.enter(":Alongside")?;
    pane.wait_for("the review", |screen| screen.contains("original") && screen.contains(" kept")).map(drop)
}

/// Returns Neovim's tabs, windows and buffers, and its cursor, as JSON.
fn layout(stage: &Stage, pane: &Pane) -> Result<String> {
    let file = stage.sandbox.tmp().join("layout");
    let _ = fs::remove_file(&file);
    let what = "[tabpagenr(), tabpagenr('$'), winlayout(), winnr(), bufname(), getcurpos(), mode(), &diff]";
    pane.enter(&format!(":call writefile([json_encode({what})], '{}')", file.display()))?;
    wait::until("what Neovim says of its windows", PATIENCE, || match fs::read_to_string(&file) {
        Ok(text) if text.ends_with('\n') => Ok(text),
        other => Err(format!("{other:?}")),
    })
}

/// Waits until Neovim's layout is `before` again.
fn wait_for_layout(stage: &Stage, pane: &Pane, before: &str) -> Result<()> {
    pane.wait_for("the review to be over", |screen| !screen.contains("original"))?;
    // The text of the review disappears before its windows close.
    wait::until("the windows of before", PATIENCE, || match layout(stage, pane) {
        Ok(after) if after == *before => Ok(()),
        other => Err(format!("{other:?} instead of {before}")),
    })?;
    // The person dismisses the message.
    pane.enter(":echo 'go on'")
}
