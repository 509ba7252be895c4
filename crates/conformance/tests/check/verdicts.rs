//! Verdicts that also depend on the environment of agents, and on the agents for which a rule exists.

use alongside_conformance::{Options, Report, Target, Verdict};

use crate::companion::Companion;
use crate::fault::Fault;
use crate::{TIMEOUTS, run};

/// Returns the verdict of one check on a companion with this fault, where an agent would see this of its
/// surroundings.
async fn verdict(fault: Fault, id: &str, variable: Option<(&str, &str)>) -> (Report, Verdict) {
    let companion = Companion::start(Some(fault)).await;
    let mut here = companion.surroundings();
    here.variables.extend(variable.map(|(name, value)| (name.to_owned(), value.to_owned())));
    let target = Target::find(None, here).unwrap();
    let options = Options { only: vec![id.into()], timeouts: TIMEOUTS, ..Options::default() };
    let report = run(&target, &options, Some(&companion), std::future::pending()).await;
    let verdict = report.results[0].verdict.clone();
    (report, verdict)
}

#[tokio::test]
async fn agents_know_vs_code_by_its_terminal_without_ide_info() {
    let id = "discovery.ide-info";
    let elsewhere = verdict(Fault::NoIdeInfo, id, Some(("TERM_PROGRAM", "tmux"))).await.1;
    assert!(matches!(elsewhere, Verdict::Fail(_)), "{elsewhere:?}");
    let there = verdict(Fault::NoIdeInfo, id, Some(("TERM_PROGRAM", "vscode"))).await.1;
    assert_eq!(there, Verdict::Pass);
    let unnamed = verdict(Fault::NoDisplayName, id, Some(("TERM_PROGRAM", "vscode"))).await.1;
    assert!(matches!(unnamed, Verdict::Fail(_)), "half a name is none: {unnamed:?}");
}

#[tokio::test]
async fn an_advice_is_no_must() {
    for (fault, id) in
        [(Fault::NoQwenFile, "discovery.qwen-file"), (Fault::RejectedIsClosed, "diffs.rejected-name")]
    {
        let (report, verdict) = verdict(fault, id, None).await;
        assert!(matches!(verdict, Verdict::Fail(_)), "{id}: {verdict:?}");
        assert!(report.conforms() && report.serves_shipped_agents(), "{id}");
    }
}
