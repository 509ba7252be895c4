//! A small part of chaos on a full disk, with companions that are killed right after a person has typed, see
//! `alongside_rig::chaos`. `cargo xtask chaos --full-disk` plays more rounds.
//!
//! This test restarts its program with a small disk. [chaos](../chaos/main.rs) must not start processes, so
//! this is a program of its own.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use alongside_rig::chaos::paused::PausedHarness;
use alongside_rig::chaos::record::TroubleKind;
use alongside_rig::chaos::{Plan, play, small_disk};
use anyhow::{Context as _, Result, ensure};

const NAME: &str = "typed_text_outlives_a_full_disk_and_a_kill";

#[test]
fn typed_text_outlives_a_full_disk_and_a_kill() -> Result<()> {
    if small_disk::are_mounted() {
        return play_all();
    }
    let Some((_place, mut restart)) = small_disk::restart_with_small_disks(["--exact", NAME, "--nocapture"])
    else {
        alongside_testing::skip("this user cannot mount a small file system");
        return Ok(());
    };
    let output = restart.output().context("cannot restart this program")?;
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success() && text.contains("1 passed"), "{text}");
    Ok(())
}

fn play_all() -> Result<()> {
    let mut harness = PausedHarness::default();
    let (mut fills, mut edits_while_full) = (0, 0);
    for seed in 0..60 {
        let (record, violations) = play(&mut harness, &Plan::on_full_disk(seed))?;
        ensure!(violations.is_empty(), "seed {seed}: {violations:#?}");
        fills += record.troubles.iter().filter(|trouble| trouble.kind == TroubleKind::DiskFull).count();
        let was_full = |at| {
            let mut during = record.troubles.iter().filter(|trouble| trouble.kind == TroubleKind::DiskFull);
            during.any(|trouble| trouble.from <= at && at <= trouble.until)
        };
        edits_while_full += record.edits.iter().filter(|edit| was_full(edit.asked)).count();
    }
    ensure!(
        fills > 40 && edits_while_full > 40,
        "the disk was full only {fills} times, with {edits_while_full} edits"
    );
    Ok(())
}
