//! Our own agents on a paused clock.

use alongside_rig::chaos::paused::Paused;
use alongside_rig::chaos::{Plan, play};

#[test]
fn twenty_rounds_break_nothing() {
    for seed in 0..20 {
        let (_, broken) = play(&mut Paused, &Plan::of(seed)).unwrap();
        assert!(broken.is_empty(), "seed {seed}: {broken:#?}");
    }
}
