//! A small part of chaos, with the agents' shipped clients and the real program: the worst troubles while a
//! diff waits, once each, and one random round. `cargo xtask chaos --real` plays more rounds.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use alongside_rig::chaos::real::RealHarness;
use alongside_rig::chaos::{Action, Plan, Step, play};
use alongside_rig::{install_every_release, or_skip};
use anyhow::{Result, ensure};

/// Returns a hand-written plan for one file, with a number of agents and a number of desks. The times of
/// `steps` are milliseconds since the start. The seed chooses the releases; if it is odd, the first desk is
/// an editor's.
fn plan(seed: u64, (agents, desks): (usize, usize), steps: &[(u64, Action)]) -> Plan {
    let steps = steps.iter().map(|(at, action)| Step { at: *at, loop_turns: 0, action: *action }).collect();
    Plan { seed, agents, desks, files: 1, unruly: false, steps }
}

/// Plays the plans one after the other on one machine.
fn expect_no_violation(plans: &[Plan]) -> Result<()> {
    let Some(rig) = or_skip(install_every_release()) else { return Ok(()) };
    let mut harness = RealHarness::new(rig)?;
    for plan in plans {
        let (record, violations) = play(&mut harness, plan)?;
        ensure!(violations.is_empty(), "seed {}: {violations:#?}\n{record:#?}", plan.seed);
        ensure!(!record.proposals.is_empty(), "seed {}: nothing was proposed", plan.seed);
    }
    Ok(())
}

const PROPOSE: Action = Action::Propose { agent: 0, file: 0 };
const PROPOSE_2: Action = Action::Propose { agent: 1, file: 0 };
const ACCEPT: Action = Action::Decide { desk: 0, pick: 0, accept: true };
const ACCEPT_AT_THIRD_DESK: Action = Action::Decide { desk: 2, pick: 0, accept: true };
const EDIT: Action = Action::Edit { desk: 0, pick: 0 };

#[test]
fn killed_frozen_or_replaced_host_loses_no_decision() -> Result<()> {
    let (kill_host, stop) = (Action::Kill { back: 0 }, Action::Stop { back: 200 });
    let (freeze, replace) = (Action::Freeze { ms: 1_200 }, Action::HandOver { back: 0 });
    expect_no_violation(&[
        plan(20, (2, 1), &[(0, PROPOSE), (0, PROPOSE_2), (200, EDIT), (300, ACCEPT), (302, kill_host)]),
        plan(20, (2, 1), &[(0, PROPOSE), (0, PROPOSE_2), (200, freeze), (250, ACCEPT)]),
        plan(20, (2, 1), &[(0, PROPOSE), (0, PROPOSE_2), (200, replace), (900, PROPOSE), (1_100, ACCEPT)]),
        plan(20, (1, 1), &[(0, PROPOSE), (200, EDIT), (300, stop), (1_300, PROPOSE), (1_500, ACCEPT)]),
    ])
}

#[test]
fn killed_desk_or_editor_blocks_no_agent() -> Result<()> {
    let (kill_desk, rejoin) = (Action::LeaveDesk { desk: 0, says_so: false }, Action::JoinDesk { desk: 0 });
    let (kill_host, kill_host_longer) = (Action::Kill { back: 0 }, Action::Kill { back: 500 });
    let (end_editor, leave) = (Action::Hide { back: 400 }, Action::LeaveDesk { desk: 1, says_so: true });
    expect_no_violation(&[
        plan(
            24,
            (2, 1),
            &[(0, PROPOSE), (0, PROPOSE_2), (200, EDIT), (300, kill_desk), (500, rejoin), (900, ACCEPT)],
        ),
        plan(24, (1, 1), &[(0, PROPOSE), (200, EDIT), (300, kill_desk), (301, kill_host_longer)]),
        // The review stays at the other editor, and then at the desk.
        plan(
            35,
            (1, 3),
            &[(0, PROPOSE), (200, EDIT), (300, end_editor), (310, leave), (600, ACCEPT_AT_THIRD_DESK)],
        ),
        plan(35, (1, 1), &[(0, PROPOSE), (200, EDIT), (300, kill_host), (301, end_editor)]),
    ])
}

#[test]
fn squatter_on_a_free_port_gets_no_valid_token() -> Result<()> {
    let kill_desk = Action::LeaveDesk { desk: 0, says_so: false };
    let (rejoin_desk, restart_agent) = (Action::JoinDesk { desk: 0 }, Action::StartAgent { agent: 0 });
    let (squat, kill_host) = (Action::Squat { ms: 2_500 }, Action::Kill { back: 400 });
    let while_desk_holds_port = [(0, PROPOSE), (100, squat), (200, EDIT), (300, kill_host), (1_500, PROPOSE)];
    let without_desk = [(0, PROPOSE), (100, squat), (200, EDIT), (300, kill_desk), (301, kill_host)];
    let after_return = [(900, rejoin_desk), (3_500, restart_agent), (4_300, PROPOSE)];
    let without_port_hold = [&without_desk[..], &after_return].concat();
    expect_no_violation(&[plan(24, (1, 1), &while_desk_holds_port), plan(24, (1, 1), &without_port_hold)])
}

#[test]
fn frozen_or_cut_agent_gets_its_outcome_once() -> Result<()> {
    let (cut, freeze) = (Action::Cut { agent: Some(0) }, Action::FreezeAgent { agent: 0, ms: 1_000 });
    let cut_during_outcome = Action::CutAfter { agent: 0, stream: true, up: false, bytes: 700 };
    let answer = Action::Answer { agent: 0 };
    expect_no_violation(&[
        plan(6, (2, 1), &[(0, PROPOSE), (200, freeze), (300, ACCEPT), (400, PROPOSE_2), (600, ACCEPT)]),
        plan(
            6,
            (1, 1),
            &[(0, PROPOSE), (200, cut_during_outcome), (201, cut), (1_251, ACCEPT), (1_300, PROPOSE)],
        ),
        plan(6, (1, 1), &[(0, PROPOSE), (200, ACCEPT), (200, cut), (1_200, PROPOSE), (1_350, ACCEPT)]),
        plan(6, (1, 1), &[(0, PROPOSE), (200, EDIT), (300, answer), (300, ACCEPT), (300, cut)]),
    ])
}

#[test]
fn random_round_has_no_violation() -> Result<()> {
    expect_no_violation(&[Plan::from_seed(4)])
}
