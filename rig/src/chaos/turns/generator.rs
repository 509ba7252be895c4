//! Makes the plan of a seed for turns. As for other plans, the order of random draws determines the plan and
//! must not change.

use crate::chaos::plan::{Action, Plan, ReviewEnd, Step};
use crate::rng::Rng;

impl Plan {
    /// Makes the plan of a seed for agents with turn hooks, and people who review their turns.
    pub fn with_turns(seed: u64) -> Self {
        // A sequence of its own, so that this plan is independent of the seed's other plans.
        let mut rng = Rng::new(seed ^ 0x7475_726e);
        let (agents, files) = (1 + rng.index(2), 2 + rng.index(3));
        let scenes = rng.between(5, 9);
        let mut steps = Vec::new();
        for at in 0..scenes {
            let action = match rng.below(100) {
                0..55 => Action::Turn {
                    agent: rng.index(agents),
                    file: rng.index(files),
                    beside: rng.percent(30),
                    kill_prompt: rng.percent(30).then(|| rng.below(40)),
                    kill_end: rng.percent(20).then(|| rng.below(40)),
                },
                55..90 => Action::ReviewTurn {
                    file: rng.index(files),
                    undo: rng.percent(60),
                    send: rng.percent(60),
                    end: match rng.below(10) {
                        0..4 => ReviewEnd::Properly,
                        4..7 => ReviewEnd::HostKilled,
                        7 => ReviewEnd::HostKilledWithComment,
                        8 => ReviewEnd::DeskKilled,
                        _ => ReviewEnd::DeskKilledWithComment,
                    },
                    after: rng.below(60),
                },
                90..95 => Action::Rewrite { file: rng.index(files) },
                _ => Action::FillDisk { ms: 0 },
            };
            steps.push(Step { at, loop_turns: 0, action });
        }
        Self { seed, agents, desks: 1, files, unruly: false, steps }
    }
}
