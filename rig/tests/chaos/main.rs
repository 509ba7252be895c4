//! A small part of chaos with the rig's own agents on a paused clock, see `alongside_rig::chaos`. `cargo
//! xtask chaos` plays more rounds.
//!
//! This program must not start another one: between fork and exec, a child has every open file. A companion
//! that restarts in that moment finds its journal locked and, on a paused clock, continues without the
//! journal.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fs;
use std::ops::Range;
use std::path::Path;

use alongside_rig::chaos::paused::PausedHarness;
use alongside_rig::chaos::{Plan, Violation, play};
use anyhow::Result;

/// Enough rounds to detect falsified receipts.
const ROUNDS: u64 = 200;

/// The number of rounds without `--all`.
const FIRST_ROUNDS: u64 = 60;

alongside_rig::tests! {
    sixty_rounds_break_no_rule: break_no_rule(0..FIRST_ROUNDS),
    #[ignore = "cargo xtask test --all"]
    two_hundred_rounds_break_no_rule: break_no_rule(FIRST_ROUNDS..ROUNDS),
}

fn break_no_rule(seeds: Range<u64>) -> Result<()> {
    for seed in seeds {
        let violations = violations_of(&Plan::from_seed(seed))?;
        assert!(violations.is_empty(), "seed {seed}: {violations:#?}");
    }
    Ok(())
}

/// The plans broke a rule once; `cargo xtask chaos --minimise` wrote them.
#[test]
fn kept_plans_break_no_rule() -> Result<()> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/chaos/plans");
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        let violations = violations_of(&serde_json::from_str(&fs::read_to_string(&path)?)?)?;
        assert!(violations.is_empty(), "{}: {violations:#?}", path.display());
    }
    Ok(())
}

fn violations_of(plan: &Plan) -> Result<Vec<Violation>> {
    Ok(play(&mut PausedHarness::default(), plan)?.1)
}

mod broken_receipts {
    use alongside_rig::chaos::Rule;
    use alongside_rig::wire::ReceiptFault;

    use super::*;

    alongside_rig::tests! {
        chaos_notices_outcomes_delivered_by_writing_alone:
            expect_violation(ReceiptFault::WrittenIsDelivered, &[Rule::Lost, Rule::Wedged]),
        chaos_notices_blind_resends: expect_violation(ReceiptFault::SentAgainBlindly, &[Rule::Invented]),
    }

    fn expect_violation(fault: ReceiptFault, rules: &[Rule]) -> Result<()> {
        for seed in 0..ROUNDS {
            let (_, violations) = play(&mut PausedHarness::with(fault), &Plan::from_seed(seed))?;
            if violations.iter().any(|violation| rules.contains(&violation.rule)) {
                return Ok(());
            }
        }
        anyhow::bail!("none of {ROUNDS} rounds breaks any of {rules:?}")
    }
}
