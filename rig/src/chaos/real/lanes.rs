//! Several machines at once, for most of a round is spent in waiting: each plays the next round that nobody has played yet.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};

use super::Real;
use crate::chaos::{Broken, Plan, Record, play};
use crate::install::Rig;

/// Plays the rounds of these seeds on so many machines, and tells what came of each, and how long it took. Whoever is told
/// says whether to go on; rounds that are being played then come to their end.
///
/// # Errors
/// When a machine cannot be had.
pub fn play_all(
    rig: &Rig,
    lanes: usize,
    seeds: impl Iterator<Item = u64> + Send,
    told: impl Fn(&Plan, Result<(Record, Vec<Broken>)>, Duration) -> bool + Sync,
) -> Result<()> {
    let seeds = Mutex::new(seeds);
    let lane = || -> Result<()> {
        let mut stage = Real::new(rig.clone())?;
        loop {
            let next = seeds.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some(seed) = next else { return Ok(()) };
            let (plan, began) = (Plan::of(seed), Instant::now());
            let played = play(&mut stage, &plan);
            let has_failed = played.is_err();
            if !told(&plan, played, began.elapsed()) {
                return Ok(());
            }
            if has_failed {
                // Nobody knows what is left on that one.
                stage = Real::new(rig.clone())?;
            }
        }
    };
    std::thread::scope(|scope| {
        let lanes: Vec<_> = (0..lanes).map(|_| scope.spawn(&lane)).collect();
        lanes.into_iter().try_for_each(|lane| lane.join().map_err(|_| anyhow!("a machine panicked"))?)
    })
}
