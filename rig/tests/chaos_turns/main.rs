//! A small part of chaos with turns: hooks, hosts and desks are killed, and no comment, no baseline and no
//! file is lost. `cargo xtask chaos --turns` plays more rounds.

use alongside_rig::chaos::record::Record;
use alongside_rig::chaos::turns::TurnsHarness;
use alongside_rig::chaos::{Plan, play};
use anyhow::{Result, ensure};

alongside_rig::tests! {
    rounds_of_turns_break_no_rule: break_no_rule(0..3),
    more_rounds_of_turns_break_no_rule: break_no_rule(3..6),
}

fn break_no_rule(seeds: std::ops::Range<u64>) -> Result<()> {
    if !TurnsHarness::can_play() {
        alongside_testing::skip("there is no git");
        return Ok(());
    }
    let mut lists = 0;
    for seed in seeds {
        let (Record { turns, .. }, violations) = play(&mut TurnsHarness::new(), &Plan::with_turns(seed))?;
        ensure!(violations.is_empty(), "seed {seed}: {violations:#?}\n{turns:#?}");
        lists += turns.lists;
    }
    ensure!(lists > 3, "too little was looked at");
    Ok(())
}
