//! A slice of `cargo xtask turns`: whatever was done and marked, the tree is as it was decided. And the
//! limits: very many files.

mod large_project;

use alongside_rig::turns::{Counts, Life, play, undo_all};
use anyhow::{Context as _, Result, ensure};

/// Some projects of each kind, with eight reviews each.
const PROJECTS: u64 = 4;
/// A project in which a directory goes between a look and its finish, while a file is undone in its place.
const DIRECTORY_GOES: u64 = 2458;

#[test]
fn the_tree_is_byte_for_byte_what_was_decided() -> Result<()> {
    let mut all = Counts::default();
    for seed in (0..PROJECTS).chain([DIRECTORY_GOES]) {
        let life = Life::from_seed(seed);
        let counts = play(&life).with_context(|| format!("cargo xtask turns --seed {seed} --cases 1"))?;
        all.reviews += counts.reviews;
        all.undone += counts.undone;
    }
    ensure!(all.reviews == 8 * (PROJECTS + 1) && all.undone > PROJECTS, "too little was done: {all:?}");
    Ok(())
}

alongside_rig::tests! {
    every_file_of_a_turn_is_listed_and_undone: undo_all(40),
    /// A formatter ran.
    #[ignore = "cargo xtask test --all"]
    two_thousand_files_of_a_turn_are_listed_and_undone: undo_all(2000),
}
