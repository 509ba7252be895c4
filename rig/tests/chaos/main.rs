//! Chaos with our own agents on a paused clock, a slice of it: see `alongside_rig::chaos`. The rest is `cargo
//! xtask chaos`.
//!
//! Nothing in this program may start another: a child has whatever is open here until it runs its own
//! program. A companion that comes back in that moment finds the lock of its journal taken and, on a clock
//! that waits for nobody, goes without.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fs;
use std::path::Path;

use alongside_rig::chaos::paused::PausedHarness;
use alongside_rig::chaos::{Plan, Violation, play};
use anyhow::Result;

/// As many as it takes to notice that receipts are wrong, and more.
const ROUNDS: u64 = 200;

#[test]
fn two_hundred_rounds_break_no_rule() -> Result<()> {
    for seed in 0..ROUNDS {
        let broken = broken_by(&Plan::from_seed(seed))?;
        assert!(broken.is_empty(), "seed {seed}: {broken:#?}");
    }
    Ok(())
}

/// Those that broke something once, as `cargo xtask chaos --minimise` wrote them.
#[test]
fn kept_plans_break_no_rule() -> Result<()> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/chaos/plans");
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        let broken = broken_by(&serde_json::from_str(&fs::read_to_string(&path)?)?)?;
        assert!(broken.is_empty(), "{}: {broken:#?}", path.display());
    }
    Ok(())
}

fn broken_by(plan: &Plan) -> Result<Vec<Violation>> {
    Ok(play(&mut PausedHarness::default(), plan)?.1)
}

#[cfg(debug_assertions)]
mod without_receipts {
    use alongside_rig::chaos::Rule;
    use alongside_rig::chaos::paused::Fault;

    use super::*;

    #[test]
    fn chaos_notices_outcomes_delivered_by_writing_alone() -> Result<()> {
        is_noticed(Fault::WrittenIsDelivered, &[Rule::Lost, Rule::Wedged])
    }

    #[test]
    fn chaos_notices_blind_resends() -> Result<()> {
        is_noticed(Fault::SentAgainBlindly, &[Rule::Invented])
    }

    fn is_noticed(fault: Fault, rules: &[Rule]) -> Result<()> {
        for seed in 0..ROUNDS {
            let (_, broken) = play(&mut PausedHarness::with(fault), &Plan::from_seed(seed))?;
            if broken.iter().any(|broken| rules.contains(&broken.rule)) {
                return Ok(());
            }
        }
        anyhow::bail!("none of {ROUNDS} rounds breaks any of {rules:?}")
    }
}
