//! `cargo xtask turns`: plays the lives of projects, with their turn reviews.

use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Instant;

use alongside_rig::turns::{Counts, Life, minimise, play};
use anyhow::{Context as _, Error, Result};

use crate::run::{Progress, interruption};

/// Options of `cargo xtask turns`.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Seed of the first project; the next ones count up from it
    #[arg(long, default_value_t = 0)]
    seed: u64,

    /// Number of reviews. A project has eight
    #[arg(long, default_value_t = 50_000)]
    cases: usize,

    /// Number of projects at once. Some wait for the next second meanwhile
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..=16))]
    jobs: u8,

    /// For each project that fails, search the fewest steps that fail in the same way, and show them
    #[arg(long)]
    minimise: bool,
}

pub(crate) fn turns(options: &Options) -> Result<ExitCode> {
    let (started, interrupted) = (Instant::now(), interruption());
    let lives = options.cases.div_ceil(Life::from_seed(options.seed).reviews().max(1));
    let (next, mut failed, mut all) = (AtomicUsize::new(0), 0, Counts::default());
    let (sender, results) = mpsc::channel::<(Life, Result<Counts, Error>)>();
    std::thread::scope(|scope| {
        for _ in 0..options.jobs {
            let sender = sender.clone();
            scope.spawn(|| {
                let sender = sender;
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= lives || interrupted.load(Ordering::Relaxed) {
                        return;
                    }
                    let life = Life::from_seed(options.seed.wrapping_add(number as u64));
                    let result = play(&life);
                    // Does not fail: the receiver waits for all results.
                    let _ = sender.send((life, result));
                }
            });
        }
        drop(sender);
        let mut progress = Progress::of(lives);
        for (life, result) in &results {
            progress.step();
            match result {
                Ok(counts) => {
                    all.reviews += counts.reviews;
                    all.undone += counts.undone;
                    all.refused += counts.refused;
                }
                Err(error) => {
                    failed += 1;
                    println!("seed {}: {error:#}", life.seed);
                    if options.minimise {
                        let least = minimise(&life, &error);
                        println!("  the fewest steps: {:#?}", least.steps);
                    }
                    println!("  again: cargo xtask turns --seed {} --cases 1 --minimise", life.seed);
                }
            }
        }
    });
    let Counts { reviews, undone, refused } = all;
    let seconds = started.elapsed().as_secs();
    println!(
        "{reviews} reviews, {undone} files undone, {refused} refused; {failed} projects failed; {seconds} s"
    );
    let is_done = (next.load(Ordering::Relaxed) >= lives).then_some(()).context("interrupted");
    is_done.map(|()| if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
