//! Each editor opens a file, reads keys, writes the file and ends. Every other story here relies on that.

use alongside_rig::{Editor, Editors, Generation, install_editors, or_skip};
use anyhow::Result;

use crate::script::ORIGINAL;
use crate::stage::Stage;

alongside_rig::tests! {
    #[ignore = "cargo xtask test --all"]
    the_oldest_neovim_saves_what_is_typed: assert_saves(Editors::neovim, &NEOVIM, Generation::Oldest),
    the_newest_neovim_saves_what_is_typed: assert_saves(Editors::neovim, &NEOVIM, Generation::Newest),
    #[ignore = "cargo xtask test --all"]
    the_oldest_helix_saves_what_is_typed: assert_saves(Editors::helix, &HELIX, Generation::Oldest),
    #[ignore = "cargo xtask test --all"]
    the_newest_helix_saves_what_is_typed: assert_saves(Editors::helix, &HELIX, Generation::Newest),
}

#[test]
fn installed_editors_have_the_releases_of_their_generation() {
    let Some(editors) = or_skip(install_editors()) else { return };
    let neovim = |generation| numbers(&editors.neovim(generation).version);
    let helix = |generation| numbers(&editors.helix(generation).version);
    assert_eq!(neovim(Generation::Oldest)[..2], [0, 10]);
    assert!(neovim(Generation::Newest)[..2] >= [0, 12][..], "{:?}", neovim(Generation::Newest));
    assert_eq!(helix(Generation::Oldest)[..2], [25, 1]);
    assert!(helix(Generation::Newest)[..2] >= [25, 7][..], "{:?}", helix(Generation::Newest));
}

/// How to insert a line in an editor.
struct Editing {
    /// The keys that open a line at the end of the file.
    keys: &'static str,
    /// Whether the screen shows insert mode.
    is_insert_mode: fn(&str) -> bool,
    /// Whether the screen shows normal mode.
    is_normal_mode: fn(&str) -> bool,
}

const NEOVIM: Editing = Editing {
    keys: "Go",
    is_insert_mode: |screen| screen.contains("-- INSERT --"),
    is_normal_mode: |screen| !screen.contains("-- INSERT --"),
};

const HELIX: Editing = Editing {
    keys: "geo",
    is_insert_mode: |screen| screen.contains(" INS "),
    is_normal_mode: |screen| screen.contains(" NOR "),
};

fn assert_saves(
    editor: fn(&Editors, Generation) -> Editor,
    editing: &Editing,
    generation: Generation,
) -> Result<()> {
    let Some(stage) = Stage::new_or_skip(generation)? else { return Ok(()) };
    let editor = editor(&stage.editors, generation);
    let pane = stage.open(&editor)?;
    stage.wait_until_it_runs(&editor)?;
    pane.type_text(editing.keys)?;
    pane.wait_for("insert mode", editing.is_insert_mode)?;
    pane.type_and_see("sixteen", "what was typed", "sixteen")?;
    pane.press("Escape")?;
    pane.wait_for("normal mode", editing.is_normal_mode)?;
    pane.enter(":wq")?;
    stage.wait_until_closed(&pane)?;
    assert_eq!(stage.on_disk(), format!("{ORIGINAL}sixteen\n"));
    Ok(())
}

/// Returns the leading numbers of a version: `[0, 10, 4]` of `0.10.4-8`.
fn numbers(version: &str) -> Vec<u32> {
    let end = version.find(|character: char| !character.is_ascii_digit() && character != '.');
    version[..end.unwrap_or(version.len())].split('.').map(|number| number.parse().unwrap()).collect()
}
