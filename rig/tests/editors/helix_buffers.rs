//! The buffers of proposals in Helix: saving a buffer decides nothing, reloading loses no text, and the
//! buffer of a decided proposal does not keep Helix from ending.

use std::fs;

use alongside_agent::Outcome;
use alongside_rig::program::alongside;
use alongside_rig::{Generation, Proposer, adapters};
use anyhow::Result;

use crate::helix::{open_proposal, to_normal_mode, wait_until_announced};
use crate::script::ORIGINAL;
use crate::stage::Stage;

alongside_rig::tests! {
    #[ignore = "cargo xtask test --all"]
    helix_25_01_keeps_edits_through_saving_and_reloading: save_and_reload(Generation::Oldest),
    #[ignore = "cargo xtask test --all"]
    the_newest_helix_keeps_edits_through_saving_and_reloading: save_and_reload(Generation::Newest),
}

fn save_and_reload(generation: Generation) -> Result<()> {
    let Some(stage) = Stage::new_or_skip(generation)? else { return Ok(()) };
    adapters::helix(&stage.sandbox, generation);
    let other_file = stage.sandbox.write("other.md", "other\n");
    let helix = stage.open(&stage.editors.helix(generation))?;
    // No command that Alongside recommends may change unsaved text in other files.
    helix.enter_and_see(":o other.md", "the other file", "1  other")?;
    helix.type_text("Aunsaved")?;
    to_normal_mode(&helix)?;
    helix.enter_and_see(":o notes.md", "the file again", "2  two")?;
    let agent = Proposer::gemini(&stage.sandbox)?;
    let proposal = agent.propose(&stage.file, &ORIGINAL.replace("two\n", "TWO\n"))?;
    wait_until_announced(&helix)?;
    open_proposal(&helix)?;
    helix.wait_for("the keys of the proposal", |screen| {
        screen.contains("TWO") && screen.contains("space a: drop, accept, reject; space k: the diff")
    })?;

    // The cursor stays on the line, so that the same keys drop a change and keep it again.
    for (title, line) in [("Drop this change", "2  two"), ("Keep this change", "2  TWO")] {
        helix.type_and_see(" a", title, &format!("alongside: {title}"))?;
        helix.press("Enter")?;
        helix.wait_for(line, |screen| screen.contains(line) && !screen.contains(title))?;
    }
    helix.type_and_see("A", "insert mode", " INS ")?;
    helix.type_text(" and mine")?;
    to_normal_mode(&helix)?;
    helix.type_text(" a")?;
    helix.wait_for("what becomes of the edit", |screen| {
        screen.contains("Drop this change and your edit of it")
            && screen.contains("Take the agent's text (drops your edit)")
    })?;
    helix.press_and_miss("Escape", "the menu to go", "Drop this change and your edit")?;
    let has_edit = |screen: &str| screen.contains("2  TWO and mine");
    helix.enter(":reload")?;
    helix.wait_for("the edit", |screen| has_edit(screen) && !screen.contains("[+]"))?;
    helix.enter(":w")?;
    helix.wait_for("the meaning of saving", |screen| {
        has_edit(screen)
            && screen.contains("Saving accepts nothing, and the proposal waits. space a decides.")
    })?;
    helix.type_text("A!")?;
    to_normal_mode(&helix)?;

    helix.enter(":lsp-workspace-command alongside.accept")?;
    let content = ORIGINAL.replace("two\n", "TWO and mine!\n");
    assert_eq!(proposal.outcome()?, Outcome::Accepted { content: content.clone() });
    fs::write(&stage.file, content)?;
    helix.wait_for("the way to the new file", |screen| screen.contains("writes it (:rl shows it)."))?;
    helix.enter(":rl")?;
    helix.wait_for("the file as it is now", |screen| {
        screen.contains("2  TWO and mine!") && !screen.contains("reviews/")
    })?;
    // Helix refuses to end while a buffer is unsaved.
    helix.enter(":wa")?;
    helix.enter(":qa")?;
    stage.wait_until_closed(&helix)?;
    assert_eq!(fs::read_to_string(other_file)?, "otherunsaved\n");
    Ok(())
}

alongside_rig::tests! {
    #[ignore = "cargo xtask test --all"]
    helix_25_01_keeps_late_text_among_the_drafts: type_after_decision(Generation::Oldest),
    the_newest_helix_keeps_late_text_among_the_drafts: type_after_decision(Generation::Newest),
}

/// Text that is typed into a decided proposal reaches no agent, although Helix can save it. It becomes a
/// draft.
fn type_after_decision(generation: Generation) -> Result<()> {
    let Some((stage, helix)) = Stage::with_helix(generation)? else { return Ok(()) };
    let agent = Proposer::gemini(&stage.sandbox)?;
    let proposal = agent.propose(&stage.file, &ORIGINAL.replace("two\n", "TWO\nmore\nand more\n"))?;
    wait_until_announced(&helix)?;
    helix.enter(":goto 2")?;
    helix.type_text(" k")?;
    helix.wait_for("the diff on the announcement", |screen| {
        screen.contains("Proposed here: 1 change.") && screen.contains("+and more")
    })?;
    helix.press_and_miss("Escape", "the hover to go", "+and more")?;
    open_proposal(&helix)?;
    helix.wait_for("the proposal", |screen| screen.contains("2  TWO") && screen.contains("space a: drop"))?;
    helix.enter(":lsp-workspace-command alongside.reject")?;
    assert_eq!(proposal.outcome()?, Outcome::Rejected);
    helix.wait_for("the file", |screen| screen.contains("2  two") && !screen.contains("reviews/"))?;
    helix.type_and_see("ga", "the proposal again", "2  TWO")?;
    helix.enter_and_see(":goto 1", "the mark", "this review has ended")?;
    helix.type_text("Alate")?;
    to_normal_mode(&helix)?;
    helix.wait_for("the mark in the line", |screen| screen.contains("this review has ended; text typed"))?;
    helix.enter(":w")?;
    helix.wait_for("the meaning of saving", |screen| {
        screen.contains("This review has ended. Your text is in drafts: run `alongside drafts`.")
    })?;
    let late = ORIGINAL.replace("one\ntwo\n", "onelate\nTWO\nmore\nand more\n");
    assert_eq!(alongside(&stage.sandbox, &["drafts", "show", "1"])?, late);
    Ok(())
}
