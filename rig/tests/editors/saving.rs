//! Each editor opens a file, takes keys, writes the file and ends, as every other story here assumes.

use alongside_rig::{Generation, editors_or_skip};
use anyhow::Result;

use crate::stage::Stage;

const BEFORE: &str = "# Notes\n\none\ntwo\n";
const AFTER: &str = "# Notes\n\none\ntwo\nthree\n";

#[test]
fn the_oldest_neovim_saves_what_is_typed() -> Result<()> {
    neovim_saves("oldest Neovim", Generation::Oldest)
}

#[test]
fn the_newest_neovim_saves_what_is_typed() -> Result<()> {
    neovim_saves("newest Neovim", Generation::Newest)
}

#[test]
fn the_oldest_helix_saves_what_is_typed() -> Result<()> {
    helix_saves("oldest Helix", Generation::Oldest)
}

#[test]
fn the_newest_helix_saves_what_is_typed() -> Result<()> {
    helix_saves("newest Helix", Generation::Newest)
}

#[test]
fn the_editors_are_as_old_and_as_new_as_they_are_called() {
    let Some(editors) = editors_or_skip("the editors' versions") else { return };
    let neovim = |generation| numbers(&editors.neovim(generation).version);
    let helix = |generation| numbers(&editors.helix(generation).version);
    assert_eq!(neovim(Generation::Oldest)[..2], [0, 10]);
    assert!(neovim(Generation::Newest)[..2] >= [0, 12][..], "{:?}", neovim(Generation::Newest));
    assert_eq!(helix(Generation::Oldest)[..2], [25, 1]);
    assert!(helix(Generation::Newest)[..2] >= [25, 7][..], "{:?}", helix(Generation::Newest));
}

fn neovim_saves(story: &str, generation: Generation) -> Result<()> {
    let Some(stage) = Stage::set(story, generation, BEFORE)? else { return Ok(()) };
    let neovim = stage.editors.neovim(generation);
    let pane = stage.open(&neovim, "two")?;
    stage.wait_until_it_runs(&neovim)?;
    pane.type_text("Go")?;
    pane.wait_for("insert mode", |screen| screen.contains("-- INSERT --"))?;
    pane.type_text("three")?;
    pane.wait_for("what was typed", |screen| screen.contains("three"))?;
    pane.press("Escape")?;
    pane.wait_for("normal mode", |screen| !screen.contains("-- INSERT --"))?;
    pane.enter(":wq")?;
    stage.wait_until_closed(&pane)?;
    assert_eq!(stage.on_disk(), AFTER);
    Ok(())
}

fn helix_saves(story: &str, generation: Generation) -> Result<()> {
    let Some(stage) = Stage::set(story, generation, BEFORE)? else { return Ok(()) };
    let helix = stage.editors.helix(generation);
    let pane = stage.open(&helix, "two")?;
    stage.wait_until_it_runs(&helix)?;
    pane.type_text("geo")?;
    pane.wait_for("insert mode", |screen| screen.contains(" INS "))?;
    pane.type_text("three")?;
    pane.wait_for("what was typed", |screen| screen.contains("three"))?;
    pane.press("Escape")?;
    pane.wait_for("normal mode", |screen| screen.contains(" NOR "))?;
    pane.enter(":wq")?;
    stage.wait_until_closed(&pane)?;
    assert_eq!(stage.on_disk(), AFTER);
    Ok(())
}

/// The leading numbers of a version: `[0, 10, 4]` of `0.10.4-8`.
fn numbers(version: &str) -> Vec<u32> {
    let end = version.find(|character: char| !character.is_ascii_digit() && character != '.');
    version[..end.unwrap_or(version.len())].split('.').map(|number| number.parse().unwrap()).collect()
}
