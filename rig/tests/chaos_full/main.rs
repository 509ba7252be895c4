//! Chaos on a disk that others fill, with companions that are killed when somebody has just typed: see
//! `alongside_rig::chaos`. The rest is `cargo xtask chaos --full-disk`.
//!
//! A program of its own, for it starts itself again with a small disk, and [chaos](../chaos/main.rs) may
//! start none.

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
    let Some((_place, mut again)) = small_disk::restart_with_small_disks(["--exact", NAME, "--nocapture"])
    else {
        alongside_rig::install::skip(NAME, "no file system can be mounted here, so no disk can be full");
        return Ok(());
    };
    let output = again.output().context("this program cannot be started again")?;
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success() && said.contains("1 passed"), "{said}");
    Ok(())
}

fn play_all() -> Result<()> {
    let mut stage = PausedHarness::default();
    let (mut full, mut typed) = (0, 0);
    for seed in 0..60 {
        let (record, broken) = play(&mut stage, &Plan::on_full_disk(seed))?;
        ensure!(broken.is_empty(), "seed {seed}: {broken:#?}");
        full += record.troubles.iter().filter(|trouble| trouble.kind == TroubleKind::DiskFull).count();
        let was_full = |at| {
            let mut during = record.troubles.iter().filter(|trouble| trouble.kind == TroubleKind::DiskFull);
            during.any(|trouble| trouble.from <= at && at <= trouble.until)
        };
        typed += record.edits.iter().filter(|edit| was_full(edit.asked)).count();
    }
    ensure!(full > 40 && typed > 40, "the disk was full {full} times, and {typed} edits were made then");
    Ok(())
}
