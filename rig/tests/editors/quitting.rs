//! Neovim with typed text in a proposal: quitting stops as with any unsaved buffer, and the text is kept as a
//! draft.

use alongside_agent::Outcome;
use alongside_rig::program::alongside;
use alongside_rig::wait::{self, PATIENCE};
use alongside_rig::{Generation, Proposer};
use anyhow::Result;

use crate::script::IN_CAPITALS;
use crate::stage::Stage;

alongside_rig::tests! {
    #[ignore = "cargo xtask test --all"]
    the_oldest_neovim_does_not_end_with_typed_text: assert_quitting_stops(Generation::Oldest),
    the_newest_neovim_does_not_end_with_typed_text: assert_quitting_stops(Generation::Newest),
}

fn assert_quitting_stops(generation: Generation) -> Result<()> {
    let Some((stage, neovim)) = Stage::with_neovim(generation, "")? else { return Ok(()) };
    let agent = Proposer::gemini(&stage.sandbox)?;
    let proposal = agent.propose(&stage.file, IN_CAPITALS)?;
    neovim.wait_for("the proposal to be announced", |screen| screen.contains("proposes notes.md"))?;
    neovim.enter_and_see(":Alongside", "the review", "3 kept")?;
    neovim.type_and_see("Gomine", "what was typed", ": edited")?;
    neovim.press("Escape")?;
    // Most people quit from another window.
    neovim.type_text("gT")?;
    neovim.wait_for("the file", |screen| !screen.contains("original"))?;

    neovim.enter(":qa")?;
    let stop = "E162: No write since last change for buffer \"alongside://review/";
    let remedy = "notes.md has your edits. :w accepts them, :qa! leaves";
    // The remedy is on the screen together with Neovim's own message, not only after it.
    neovim.wait_for("Neovim's own message and the remedy", |screen| {
        screen.contains(stop) && screen.contains(remedy)
    })?;
    neovim.press("Enter")?;
    neovim.wait_for("the remedy below the text that Neovim stopped for", |screen| {
        [remedy, "moves them to drafts", "mine", "original"].iter().all(|part| screen.contains(part))
    })?;

    // A yes to Neovim's own question accepts nothing, because the person did not type :w.
    neovim.enter_and_see(":confirm qa", "the question", "Save changes to")?;
    neovim.press_and_see("y", "the refusal", "not accepted. To accept, type :w")?;
    neovim.press("Enter")?;
    neovim.enter_and_see(":echo 'still ' .. 'here'", "Neovim to go on", "still here")?;

    match generation {
        Generation::Oldest => neovim.enter(":qa!")?,
        Generation::Newest => {
            neovim.enter_and_see(":confirm qa", "the question", "Save changes to")?;
            neovim.press("n")?;
        }
    }
    stage.wait_until_closed(&neovim)?;
    assert_eq!(proposal.outcome()?, Outcome::Rejected);
    wait::until("the draft", PATIENCE, || {
        match alongside(&stage.sandbox, &["drafts", "show", "1"]).map_err(|error| error.to_string())? {
            draft if draft == format!("{IN_CAPITALS}mine\n") => Ok(()),
            other => Err(other),
        }
    })?;

    // The next Neovim shows a message about it, once.
    let message = "Your last edits of notes.md are in drafts: run `alongside drafts` in a shell.";
    neovim.enter_and_see("clear; nvim notes.md", "where the edits are", message)?;
    assert!(!stage.sandbox.home().join(".local/state/nvim/alongside/left.json").exists());
    Ok(())
}
