//! The report for programs, as JSON.

use alongside_conformance::{Check, CheckResult, Report};
use serde_json::{Value, json};

/// Where a rule comes from, and what a failure does.
fn check(check: &Check) -> Value {
    let clause = check.clause;
    let mut json = json!({
        "id": check.id,
        "group": check.group.name(),
        "title": check.title,
        "level": clause.level(),
        "source": clause.source(),
        "clause": clause.says(),
        "harm": check.harm,
        "needs": check.needs,
    });
    if let Some(breaks) = clause.breaks() {
        json["breaks"] = breaks.into();
    }
    json
}

pub(super) fn list(checks: &[&'static Check]) -> Value {
    checks.iter().map(|it| check(it)).collect()
}

pub(super) fn json(report: &Report) -> Value {
    let result = |result: &CheckResult| {
        let mut json = check(result.check);
        json["verdict"] = result.verdict.word().into();
        json["milliseconds"] = u64::try_from(result.took.as_millis()).unwrap_or(u64::MAX).into();
        json["evidence"] = result.evidence.clone().into();
        if let Some(reason) = result.verdict.reason() {
            json["reason"] = reason.into();
        }
        json
    };
    let count = |word: &str| report.results.iter().filter(|it| it.verdict.word() == word).count();
    let companion = &report.companion;
    json!({
        "companion": {
            "address": companion.address,
            "server": companion.server,
            "editor": companion.editor,
            "file": companion.file,
        },
        "conforms": report.conforms(),
        "servesShippedAgents": report.serves_shipped_agents(),
        "interrupted": report.interrupted,
        "driverFailures": report.driver_failures,
        "pass": count("pass"),
        "fail": count("fail"),
        "notObservable": count("not observable"),
        "skipped": count("skipped"),
        "checks": report.results.iter().map(result).collect::<Vec<_>>(),
    })
}
