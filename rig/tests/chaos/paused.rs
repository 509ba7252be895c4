//! Our own agents on a paused clock.

use std::fs;
use std::path::Path;

use alongside_rig::chaos::paused::Paused;
use alongside_rig::chaos::{Plan, play};

/// As many as it takes to notice that receipts are wrong, and more.
const ROUNDS: u64 = 200;

#[test]
fn two_hundred_rounds_of_chaos_break_nothing() {
    for seed in 0..ROUNDS {
        breaks_nothing(&format!("seed {seed}"), &Plan::of(seed));
    }
}

/// Those that broke something once, as `cargo xtask chaos --minimise` wrote them.
#[test]
fn plans_that_failed_once_break_nothing() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/chaos/plans");
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let plan = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        breaks_nothing(&path.display().to_string(), &plan);
    }
}

fn breaks_nothing(name: &str, plan: &Plan) {
    let (_, broken) = play(&mut Paused::default(), plan).unwrap();
    assert!(broken.is_empty(), "{name}: {broken:#?}");
}

#[cfg(debug_assertions)]
mod without_receipts {
    use alongside_rig::chaos::Rule;
    use alongside_rig::chaos::paused::Fault;

    use super::*;

    #[test]
    fn what_counts_as_delivered_when_it_is_written_is_noticed() {
        is_noticed(Fault::WrittenIsDelivered, &[Rule::Lost, Rule::Wedged]);
    }

    #[test]
    fn what_is_sent_again_blindly_is_noticed() {
        is_noticed(Fault::SentAgainBlindly, &[Rule::Invented]);
    }

    fn is_noticed(fault: Fault, rules: &[Rule]) {
        let notices = |seed: u64| {
            let (_, broken) = play(&mut Paused::with(fault), &Plan::of(seed)).unwrap();
            broken.iter().any(|broken| rules.contains(&broken.rule))
        };
        assert!((0..ROUNDS).any(notices), "none of {ROUNDS} rounds breaks any of {rules:?}");
    }
}
