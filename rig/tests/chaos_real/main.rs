//! A slice of chaos with the shipped agents' own clients and the real program: the worst troubles of a
//! waiting diff, once each, and one random round. `cargo xtask chaos --real` plays the rest.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use alongside_rig::chaos::real::RealHarness;
use alongside_rig::chaos::{Action, Plan, Step, play};
use alongside_rig::{install_every_release, or_skip};
use anyhow::{Result, ensure};

/// A plan by hand for one file: number of agents and desks, and the steps with their times in milliseconds.
/// The seed chooses the releases; with an odd seed the first desk is an editor's.
fn plan(seed: u64, (agents, desks): (usize, usize), steps: &[(u64, Action)]) -> Plan {
    let steps = steps.iter().map(|(at, action)| Step { at: *at, turns: 0, action: *action }).collect();
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

const FIRST: Action = Action::Propose { agent: 0, file: 0 };
const SECOND: Action = Action::Propose { agent: 1, file: 0 };
const ACCEPT: Action = Action::Decide { desk: 0, pick: 0, accept: true };
const ACCEPT_AT_DESK: Action = Action::Decide { desk: 2, pick: 0, accept: true };
const EDIT: Action = Action::Edit { desk: 0, pick: 0 };

#[test]
fn killed_frozen_or_replaced_host_loses_no_decision() -> Result<()> {
    let (kill, stop) = (Action::Kill { back: 0 }, Action::Stop { back: 200 });
    let (freeze, replace) = (Action::Freeze { ms: 1_200 }, Action::HandOver { back: 0 });
    expect_no_violation(&[
        plan(20, (2, 1), &[(0, FIRST), (0, SECOND), (200, EDIT), (300, ACCEPT), (302, kill)]),
        plan(20, (2, 1), &[(0, FIRST), (0, SECOND), (200, freeze), (250, ACCEPT)]),
        plan(20, (2, 1), &[(0, FIRST), (0, SECOND), (200, replace), (900, FIRST), (1_100, ACCEPT)]),
        plan(20, (1, 1), &[(0, FIRST), (200, EDIT), (300, stop), (1_300, FIRST), (1_500, ACCEPT)]),
    ])
}

#[test]
fn killed_desk_or_editor_wedges_nobody() -> Result<()> {
    let (killed, back) = (Action::LeaveDesk { desk: 0, says_so: false }, Action::JoinDesk { desk: 0 });
    let (kill, kill_host) = (Action::Kill { back: 0 }, Action::Kill { back: 500 });
    let (hide, leave) = (Action::Hide { back: 400 }, Action::LeaveDesk { desk: 1, says_so: true });
    expect_no_violation(&[
        plan(24, (2, 1), &[(0, FIRST), (0, SECOND), (200, EDIT), (300, killed), (500, back), (900, ACCEPT)]),
        plan(24, (1, 1), &[(0, FIRST), (200, EDIT), (300, killed), (301, kill_host)]),
        // The review stays at the other editor, and then at the desk.
        plan(35, (1, 3), &[(0, FIRST), (200, EDIT), (300, hide), (310, leave), (600, ACCEPT_AT_DESK)]),
        plan(35, (1, 1), &[(0, FIRST), (200, EDIT), (300, kill), (301, hide)]),
    ])
}

#[test]
fn squatter_on_a_free_port_gets_no_valid_token() -> Result<()> {
    let killed = Action::LeaveDesk { desk: 0, says_so: false };
    let (back, again) = (Action::JoinDesk { desk: 0 }, Action::StartAgent { agent: 0 });
    let (squat, kill) = (Action::Squat { ms: 2_500 }, Action::Kill { back: 400 });
    let held = [(0, FIRST), (100, squat), (200, EDIT), (300, kill), (1_500, FIRST)];
    let ended = [(0, FIRST), (100, squat), (200, EDIT), (300, killed), (301, kill)];
    let returned = [(900, back), (3_500, again), (4_300, FIRST)];
    // In the first round the desk holds the port, in the second nobody does.
    expect_no_violation(&[plan(24, (1, 1), &held), plan(24, (1, 1), &[&ended[..], &returned].concat())])
}

#[test]
fn frozen_or_cut_agent_gets_its_outcome_once() -> Result<()> {
    let (cut, freeze) = (Action::Cut { agent: Some(0) }, Action::FreezeAgent { agent: 0, ms: 1_000 });
    let in_mid_outcome = Action::CutAfter { agent: 0, stream: true, up: false, bytes: 700 };
    let answer = Action::Answer { agent: 0 };
    expect_no_violation(&[
        plan(6, (2, 1), &[(0, FIRST), (200, freeze), (300, ACCEPT), (400, SECOND), (600, ACCEPT)]),
        plan(6, (1, 1), &[(0, FIRST), (200, in_mid_outcome), (201, cut), (1_251, ACCEPT), (1_300, FIRST)]),
        plan(6, (1, 1), &[(0, FIRST), (200, ACCEPT), (200, cut), (1_200, FIRST), (1_350, ACCEPT)]),
        plan(6, (1, 1), &[(0, FIRST), (200, EDIT), (300, answer), (300, ACCEPT), (300, cut)]),
    ])
}

#[test]
fn random_round_breaks_no_rule() -> Result<()> {
    expect_no_violation(&[Plan::from_seed(4)])
}
