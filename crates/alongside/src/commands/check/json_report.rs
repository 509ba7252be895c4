//! The report for programs in JSON.

use alongside_conformance::{Check, CheckResult, Report};
use serde_json::{Value, json};

/// Returns a check as JSON: its identity, its rule with the source, and the harm of a failure.
fn check_json(check: &Check) -> Value {
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

/// Returns checks as JSON.
pub(super) fn list(checks: &[&'static Check]) -> Value {
    checks.iter().map(|check| check_json(check)).collect()
}

/// Returns a report as JSON.
pub(super) fn report(report: &Report) -> Value {
    let result_json = |result: &CheckResult| {
        let mut json = check_json(result.check);
        json["verdict"] = result.verdict.word().into();
        json["milliseconds"] = u64::try_from(result.took.as_millis()).unwrap_or(u64::MAX).into();
        json["evidence"] = result.evidence.clone().into();
        if let Some(reason) = result.verdict.reason() {
            json["reason"] = reason.into();
        }
        json
    };
    let count = |word: &str| report.results.iter().filter(|result| result.verdict.word() == word).count();
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
        "checks": report.results.iter().map(result_json).collect::<Vec<_>>(),
    })
}
