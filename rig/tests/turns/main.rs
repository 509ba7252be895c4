//! A part of `cargo xtask turns`: after every turn review, the tree is exactly what the person has decided.
//! Also turns and projects with very many files.

mod large_project;

use alongside_rig::turns::{Counts, Life, play, undo_all};
use anyhow::{Context as _, Result, ensure};

/// The number of random projects, with eight reviews each.
const PROJECTS: u64 = 4;
/// The seed of a project in which a directory disappears between a look and the finish, while a file is
/// undone at its path.
const SEED_OF_LOST_DIRECTORY: u64 = 2458;

#[test]
fn the_tree_is_byte_for_byte_what_was_decided() -> Result<()> {
    let mut all = Counts::default();
    for seed in (0..PROJECTS).chain([SEED_OF_LOST_DIRECTORY]) {
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
    /// As after a formatter.
    #[ignore = "cargo xtask test --all"]
    two_thousand_files_of_a_turn_are_listed_and_undone: undo_all(2000),
}
