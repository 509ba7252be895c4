//! Chaos with the shipped agents' own clients and the real program, on the machine's clock: what is worst
//! that can happen to a waiting diff, once each, and a round as it comes. The rest is `cargo xtask chaos
//! --real`.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use alongside_rig::chaos::real::RealHarness;
use alongside_rig::chaos::{Action, Plan, Step, play};
use alongside_rig::rig_or_skip;
use anyhow::{Result, ensure};

/// A plan by hand: agents and desks, all on one file, and what happens when, in milliseconds. The seed says
/// which releases play, and that the first desk is an editor's if it is odd.
fn plan(seed: u64, (agents, desks): (usize, usize), steps: &[(u64, Action)]) -> Plan {
    let steps = steps.iter().map(|(at, action)| Step { at: *at, turns: 0, action: *action }).collect();
    Plan { seed, agents, desks, files: 1, steps }
}

/// Plays them one after the other on one machine.
fn hold(name: &str, plans: &[Plan]) -> Result<()> {
    let Some(rig) = rig_or_skip(name) else { return Ok(()) };
    let mut stage = RealHarness::new(rig)?;
    for plan in plans {
        let (record, broken) = play(&mut stage, plan)?;
        ensure!(broken.is_empty(), "seed {}: {broken:#?}\n{record:#?}", plan.seed);
        ensure!(!record.proposals.is_empty(), "seed {}: nothing was proposed", plan.seed);
    }
    Ok(())
}

const FIRST: Action = Action::Propose { agent: 0, file: 0 };
const SECOND: Action = Action::Propose { agent: 1, file: 0 };
const ACCEPT: Action = Action::Decide { desk: 0, pick: 0, accept: true };
const EDIT: Action = Action::Edit { desk: 0, pick: 0 };

#[test]
fn killed_frozen_or_replaced_host_loses_no_decision() -> Result<()> {
    hold(
        "a_host_that_is_killed_frozen_or_replaced_in_mid_diff",
        &[
            plan(
                20,
                (2, 1),
                &[(0, FIRST), (0, SECOND), (200, EDIT), (300, ACCEPT), (302, Action::Kill { back: 0 })],
            ),
            plan(20, (2, 1), &[(0, FIRST), (0, SECOND), (200, Action::Freeze { ms: 1_200 }), (250, ACCEPT)]),
            plan(
                20,
                (2, 1),
                &[
                    (0, FIRST),
                    (0, SECOND),
                    (200, Action::HandOver { back: 0 }),
                    (900, FIRST),
                    (1_100, ACCEPT),
                ],
            ),
            plan(
                20,
                (1, 1),
                &[
                    (0, FIRST),
                    (200, EDIT),
                    (300, Action::Stop { back: 200 }),
                    (1_300, FIRST),
                    (1_500, ACCEPT),
                ],
            ),
        ],
    )
}

#[test]
fn killed_desk_or_editor_wedges_nobody() -> Result<()> {
    let killed = Action::LeaveDesk { desk: 0, says_so: false };
    let back = Action::JoinDesk { desk: 0 };
    hold(
        "a_desk_an_editor_or_everybody_at_once_that_is_killed",
        &[
            plan(
                24,
                (2, 1),
                &[(0, FIRST), (0, SECOND), (200, EDIT), (300, killed), (500, back), (900, ACCEPT)],
            ),
            plan(24, (1, 1), &[(0, FIRST), (200, EDIT), (300, killed), (301, Action::Kill { back: 500 })]),
            plan(
                35,
                (2, 2),
                &[
                    (0, FIRST),
                    (200, EDIT),
                    (300, Action::Hide { back: 400 }),
                    (1_200, FIRST),
                    (1_500, ACCEPT),
                ],
            ),
            plan(
                35,
                (1, 1),
                &[
                    (0, FIRST),
                    (200, EDIT),
                    (300, Action::Kill { back: 0 }),
                    (301, Action::Hide { back: 400 }),
                ],
            ),
        ],
    )
}

#[test]
fn squatter_on_a_free_port_gets_no_valid_token() -> Result<()> {
    let killed = Action::LeaveDesk { desk: 0, says_so: false };
    let (back, again) = (Action::JoinDesk { desk: 0 }, Action::StartAgent { agent: 0 });
    let squat = Action::Squat { ms: 2_500 };
    let kill = Action::Kill { back: 400 };
    hold(
        "whoever_takes_a_port_that_nobody_holds",
        &[
            // The desk holds the port.
            plan(24, (1, 1), &[(0, FIRST), (100, squat), (200, EDIT), (300, kill), (1_500, FIRST)]),
            // Nobody does.
            plan(
                24,
                (1, 1),
                &[
                    (0, FIRST),
                    (100, squat),
                    (200, EDIT),
                    (300, killed),
                    (301, kill),
                    (900, back),
                    (3_500, again),
                    (4_300, FIRST),
                ],
            ),
        ],
    )
}

#[test]
fn frozen_or_cut_agent_gets_its_outcome_once() -> Result<()> {
    let cut = Action::Cut { agent: Some(0) };
    let in_mid_outcome = Action::CutAfter { agent: 0, stream: true, up: false, bytes: 700 };
    hold(
        "an_agent_that_is_frozen_or_cut_in_mid_outcome",
        &[
            plan(
                6,
                (2, 1),
                &[
                    (0, FIRST),
                    (200, Action::FreezeAgent { agent: 0, ms: 1_000 }),
                    (300, ACCEPT),
                    (400, SECOND),
                    (600, ACCEPT),
                ],
            ),
            plan(
                6,
                (1, 1),
                &[(0, FIRST), (200, in_mid_outcome), (201, cut), (1_251, ACCEPT), (1_300, FIRST)],
            ),
            plan(6, (1, 1), &[(0, FIRST), (200, ACCEPT), (200, cut), (1_200, FIRST), (1_350, ACCEPT)]),
            plan(
                6,
                (1, 1),
                &[(0, FIRST), (200, EDIT), (300, Action::Answer { agent: 0 }), (300, ACCEPT), (300, cut)],
            ),
        ],
    )
}

#[test]
fn random_round_breaks_no_rule() -> Result<()> {
    hold("a_round_as_it_comes", &[Plan::from_seed(4)])
}
