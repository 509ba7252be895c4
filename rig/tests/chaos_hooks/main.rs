//! A small part of chaos with agents that run the program's hook: each kind of trouble once, and random
//! rounds. `cargo xtask chaos --hooks` plays more rounds.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use alongside_rig::chaos::hooks::{HookFault, HooksHarness};
use alongside_rig::chaos::record::{Call, HookEnd, Record};
use alongside_rig::chaos::tool_call::{CallScript, Conduct, FilePath, OtherHook, Variables};
use alongside_rig::chaos::{Action, Plan, Rule, Step, Violation, play};
use anyhow::{Result, ensure};

/// A seed with Gemini CLI, Qwen Code, Codex and Claude Code with `onFailure`, without a directory below
/// `/run/user`.
const WITHOUT_RUNTIME_DIR: u64 = 30;
/// A seed with Claude Code, Qwen Code that asks, Codex and Gemini CLI.
const WITH_RUNTIME_DIR: u64 = 29;

/// A tool call without any trouble.
const CALL: CallScript = CallScript {
    tool: 0,
    file_path: FilePath::Project,
    variables: Variables::Same,
    program_missing: false,
    other: None,
    conduct: Conduct::Faithful,
};

const fn call(agent: usize, call: CallScript) -> Action {
    Action::Call { agent, file: agent, call }
}

/// Repeats an action every 250 ms. A decision is void as long as no review is open.
fn repeatedly(action: Action, from: u64, until: u64) -> impl Iterator<Item = (u64, Action)> {
    (from..until).step_by(250).map(move |at| (at, action))
}

const ACCEPT: Action = Action::Decide { desk: 0, pick: 0, accept: true };
const REJECT: Action = Action::Decide { desk: 0, pick: 0, accept: false };

/// Returns a hand-written plan for four agents, each with its own file, and one desk. The times of `steps`
/// are milliseconds since the start. The seed chooses the agents.
fn plan(seed: u64, steps: &[(u64, Action)]) -> Plan {
    let mut steps: Vec<_> =
        steps.iter().map(|(at, action)| Step { at: *at, loop_turns: 0, action: *action }).collect();
    steps.sort_by_key(|step| step.at);
    Plan { seed, agents: 4, desks: 1, files: 4, unruly: false, steps }
}

/// Plays a plan that must break no rule, and returns the record; `None` if the plan cannot be played here.
fn play_without_violation(plan: &Plan) -> Result<Option<Record>> {
    let Some((record, violations)) = play_with(plan, None)? else { return Ok(None) };
    ensure!(violations.is_empty(), "seed {}: {violations:#?}\n{record:#?}", plan.seed);
    Ok(Some(record))
}

fn play_with(plan: &Plan, fault: Option<HookFault>) -> Result<Option<(Record, Vec<Violation>)>> {
    if !HooksHarness::can_play() {
        alongside_testing::skip("this user cannot make a machine of its own for a test");
        return Ok(None);
    }
    let mut harness = HooksHarness::with(fault)?;
    Ok(Some(play(&mut harness, plan)?))
}

fn count(record: &Record, is_counted: impl Fn(&Call) -> bool) -> usize {
    record.calls.iter().filter(|call| is_counted(call)).count()
}

/// Four agents at a time, each with different variables and in a different directory.
#[test]
fn no_environment_hides_the_host_from_a_hook() -> Result<()> {
    let variables = [
        Variables::Same,
        Variables::NoRuntimeDir,
        Variables::OtherRuntimeDir,
        Variables::MissingRuntimeDir,
        Variables::OtherTmp,
        Variables::OtherHome,
        Variables::NoHome,
        Variables::Cleaned,
    ];
    let paths = [FilePath::Outside, FilePath::DirectoryLink, FilePath::FileLink];
    let mut steps = Vec::new();
    for (number, variables) in variables.into_iter().enumerate() {
        let at = 2_000 * (number / 4) as u64;
        let file_path = paths[number % paths.len()];
        steps.push((at, call(number % 4, CallScript { variables, file_path, ..CALL })));
    }
    steps.extend(repeatedly(ACCEPT, 700, 6_000));
    for seed in [WITHOUT_RUNTIME_DIR, WITH_RUNTIME_DIR] {
        let Some(record) = play_without_violation(&plan(seed, &steps))? else { return Ok(()) };
        ensure!(count(&record, Call::may_write) == 8, "{record:#?}");
    }
    Ok(())
}

#[test]
fn the_accepted_text_is_written_beside_another_hook() -> Result<()> {
    let with = |rewrites| Some(OtherHook { rewrites, has_last_word: false });
    let mut steps = Vec::new();
    for agent in 0..4 {
        let at = 200 * agent as u64;
        steps.push((at, call(agent, CallScript { other: with(true), tool: 1, ..CALL })));
        steps.push((1_200 + 600 * agent as u64, Action::Edit { desk: 0, pick: 0 }));
        steps.push((1_500 + 600 * agent as u64, ACCEPT));
        steps.push((5_500, call(agent, CallScript { other: with(agent % 2 == 0), ..CALL })));
    }
    steps.extend(repeatedly(ACCEPT, 3_700, 5_300));
    steps.extend(repeatedly(REJECT, 6_000, 8_000));
    for seed in [WITHOUT_RUNTIME_DIR, WITH_RUNTIME_DIR] {
        let Some(record) = play_without_violation(&plan(seed, &steps))? else { return Ok(()) };
        ensure!(count(&record, Call::may_write) >= 3, "{record:#?}");
        ensure!(count(&record, |call| !call.may_write()) >= 3, "{record:#?}");
    }
    Ok(())
}

/// The patience of the agents is 8 s.
#[test]
fn a_dead_hook_lets_through_only_where_its_agent_does() -> Result<()> {
    let missing = CallScript { program_missing: true, ..CALL };
    let mut steps = Vec::new();
    for agent in 0..4 {
        steps.push((0, call(agent, CALL)));
        steps.push((900, Action::KillHook { agent }));
        steps.push((1_500, call(agent, missing)));
        steps.push((2_500, call(agent, CALL)));
        steps.push((3_400, Action::FreezeHook { agent, ms: 30_000 }));
    }
    let Some(record) = play_without_violation(&plan(WITHOUT_RUNTIME_DIR, &steps))? else { return Ok(()) };
    let ended = |end: HookEnd| count(&record, |call| call.runs.iter().any(|run| run.end == end));
    ensure!(
        ended(HookEnd::Missing) == 4 && ended(HookEnd::Killed) == 4 && ended(HookEnd::Late) == 4,
        "{record:#?}"
    );
    ensure!(count(&record, |call| call.refuses_without_hook && call.may_write()) == 0, "{record:#?}");
    ensure!(count(&record, Call::may_write) == 9, "{record:#?}");
    Ok(())
}

#[test]
fn a_dead_host_lets_nothing_through() -> Result<()> {
    let mut steps = vec![
        (2_000, Action::Kill { back: 0 }),
        (4_500, Action::Kill { back: 1_500 }),
        (8_000, Action::LeaveDesk { desk: 0, says_so: false }),
        (8_600, Action::JoinDesk { desk: 0 }),
    ];
    for agent in 0..4 {
        let at = 1_200 + 200 * agent as u64;
        steps.push((at, call(agent, CALL)));
        steps.push((at + 1_000, ACCEPT));
        steps.push((at + 3_200, call(agent, CALL)));
        steps.push((at + 6_500, call(agent, CALL)));
        steps.push((at + 8_000, ACCEPT));
    }
    play_without_violation(&plan(WITHOUT_RUNTIME_DIR, &steps)).map(drop)
}

#[test]
fn random_rounds_break_no_rule() -> Result<()> {
    for seed in 0..3 {
        play_without_violation(&Plan::with_hooks(seed))?;
    }
    Ok(())
}

mod broken_hooks {
    use super::*;

    #[test]
    fn chaos_notices_a_yes_without_arguments() -> Result<()> {
        let other = Some(OtherHook { rewrites: true, has_last_word: false });
        let steps = [(0, call(0, CallScript { other, ..CALL })), (1_000, ACCEPT)];
        expect_violation(HookFault::YesWithoutArguments, &steps, Rule::Altered)
    }

    #[test]
    fn chaos_notices_a_hook_that_a_variable_leads_astray() -> Result<()> {
        let steps = [(0, call(0, CallScript { variables: Variables::NoRuntimeDir, ..CALL }))];
        expect_violation(HookFault::LooksInRuntimeDirOnly, &steps, Rule::Unreviewed)
    }

    fn expect_violation(fault: HookFault, steps: &[(u64, Action)], rule: Rule) -> Result<()> {
        let Some((record, violations)) = play_with(&plan(WITH_RUNTIME_DIR, steps), Some(fault))? else {
            return Ok(());
        };
        let is_broken = violations.iter().any(|violation| violation.rule == rule);
        ensure!(is_broken, "{rule:?} is not broken: {violations:#?}\n{record:#?}");
        Ok(())
    }
}
