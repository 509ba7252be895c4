//! Neovim with the option `auto_open`: a proposal opens in Normal mode, and never while the person types.

use alongside_agent::Outcome;
use alongside_rig::{Generation, Proposer};
use anyhow::Result;

use crate::script::{IN_CAPITALS, ORIGINAL};
use crate::stage::Stage;

alongside_rig::tests! {
    #[ignore = "cargo xtask test --all"]
    proposals_open_by_themselves_in_the_oldest_neovim: assert_opens(Generation::Oldest),
    proposals_open_by_themselves_in_the_newest_neovim: assert_opens(Generation::Newest),
}

fn assert_opens(generation: Generation) -> Result<()> {
    let Some((stage, neovim)) =
        Stage::with_neovim(generation, "require('alongside').setup{ auto_open = true }")?
    else {
        return Ok(());
    };
    let agent = Proposer::gemini(&stage.sandbox)?;

    // In Insert mode only a message appears, and the person types on.
    neovim.type_and_see("Go", "insert mode", "-- INSERT --")?;
    let proposal = agent.propose(&stage.file, IN_CAPITALS)?;
    let screen = neovim.wait_for("the announcement", |screen| screen.contains("proposes notes.md"))?;
    assert!(!screen.contains("original"), "{screen}");
    neovim.type_text("sixteen")?;
    let screen = neovim.wait_for("what was typed", |screen| screen.contains("sixteen"))?;
    assert!(!screen.contains("original"), "{screen}");

    // The proposal opens when the person leaves Insert mode, and after the decision Neovim shows the file
    // again.
    neovim.press("Escape")?;
    neovim.wait_for("the review", |screen| screen.contains("original") && screen.contains("3 kept"))?;
    neovim.enter(":q")?;
    assert_eq!(proposal.outcome()?, Outcome::Rejected);
    neovim.wait_for("the file", |screen| screen.contains("sixteen") && !screen.contains("original"))?;

    // In Normal mode it opens at once.
    let proposal = agent.propose(&stage.file, &ORIGINAL.replace("one", "ONE"))?;
    neovim.wait_for("the next review", |screen| screen.contains("1 kept"))?;
    neovim.enter(":q")?;
    assert_eq!(proposal.outcome()?, Outcome::Rejected);
    Ok(())
}
