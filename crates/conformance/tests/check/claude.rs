//! The checks for Claude Code, of a companion that it finds as it does. The faults that they catch are among
//! all others.

use std::time::Duration;

use alongside_conformance::{CLAUDE_CHECKS, Options, Target, Verdict};
use alongside_contract::agent::FamilyAgent;

use crate::companion::Companion;
use crate::fault::Fault;
use crate::{MACHINE, TIMEOUTS, not_passed, run};

/// Returns the companion as Claude Code finds it.
fn found_by_claude(companion: &Companion) -> Target {
    let target = Target::find(FamilyAgent::named("claude"), companion.surroundings());
    target.unwrap_or_else(|why| panic!("Claude Code does not find it: {why}"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_reference_companion_passes_every_check_of_claude() {
    let _machine = MACHINE.lock().await;
    let options = Options { timeouts: TIMEOUTS, ..Options::default() };
    let companion = Companion::start(None).await;
    let target = found_by_claude(&companion);
    let report = run(&target, &options, Some(&companion), std::future::pending()).await;
    let others = not_passed(&report);
    assert!(others.is_empty(), "{}", others.join("\n"));
    assert_eq!(report.results.len(), CLAUDE_CHECKS.len());
    assert_eq!(report.companion.editor.as_deref(), Some("Reference Editor"));
    // Nobody at the editor leaves what needs somebody unseen, and nothing else.
    let companion = Companion::start(None).await;
    let report = run(&found_by_claude(&companion), &options, None, std::future::pending()).await;
    for result in &report.results {
        let is_unseen = matches!(result.verdict, Verdict::NotObservable(_));
        assert_eq!(is_unseen, !result.check.needs.is_empty(), "{}: {:?}", result.check.id, result.verdict);
        assert!(is_unseen || result.verdict == Verdict::Pass, "{}: {:?}", result.check.id, result.verdict);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_interrupted_run_closes_its_websockets() {
    let _machine = MACHINE.lock().await;
    for after in (0..240).step_by(16).chain([2500, 4000]) {
        let companion = Companion::start(None).await;
        let options = Options { timeouts: TIMEOUTS, ..Options::default() };
        let soon = tokio::time::sleep(Duration::from_millis(after));
        let report = run(&found_by_claude(&companion), &options, Some(&companion), soon).await;
        assert!(report.interrupted && report.results.len() == CLAUDE_CHECKS.len());
        let shared = &companion.shared;
        // The companion may not have noticed yet that a connection is gone.
        let gone = async {
            while shared.tabs_and_sockets() != (0, 0) {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        let gone = tokio::time::timeout(Duration::from_secs(5), gone).await;
        assert!(gone.is_ok(), "after {after} ms there are {:?}", shared.tabs_and_sockets());
        assert_eq!(shared.environment.litter(), [""; 0], "after {after} ms");
        assert_eq!(shared.open_files(), [""; 0], "after {after} ms");
    }
}

#[tokio::test]
async fn of_two_locks_an_agent_takes_none() {
    let companion = Companion::start(Some(Fault::TwoLocks)).await;
    let none = Target::find(FamilyAgent::named("claude"), companion.surroundings());
    let why = none.map(drop).unwrap_err().to_string();
    assert!(why.contains(&companion.shared.port.to_string()), "{why}");
}
