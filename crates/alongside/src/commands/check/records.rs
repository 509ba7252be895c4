//! The report for programs: JSON and JUnit.

use alongside_conformance::{Check, CheckResult, Report, Verdict};
use alongside_desk::harmless;
use anyhow::Context as _;
use quick_junit::{NonSuccessKind, Property, TestCase, TestCaseStatus, TestSuite};
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

pub(super) fn list(checks: &[&'static Check]) -> String {
    let checks: Vec<Value> = checks.iter().map(|it| check(it)).collect();
    format!("{}\n", Value::from(checks))
}

pub(super) fn json(report: &Report) -> String {
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
    let json = json!({
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
    });
    format!("{}\n", harmless::json(&json.to_string()))
}

/// The report for CI servers. A check that is not observable is a skipped test with its reason.
pub(super) fn junit(report: &Report) -> anyhow::Result<String> {
    let mut junit = quick_junit::Report::new("alongside check");
    junit.set_time(report.took);
    for group in alongside_conformance::Group::ALL {
        let mut suite = TestSuite::new(group.name());
        suite.add_test_cases(report.of(group).map(case));
        if suite.tests > 0 {
            junit.add_test_suite(suite);
        }
    }
    junit.to_string().context("cannot write the JUnit report")
}

fn case(result: &CheckResult) -> TestCase {
    let status = match &result.verdict {
        Verdict::Pass => TestCaseStatus::success(),
        Verdict::Fail(why) => {
            let mut failure = TestCaseStatus::non_success(NonSuccessKind::Failure);
            failure.set_message(why).set_type(result.check.clause.level());
            let clause = result.check.clause;
            let evidence = result.evidence.join("\n");
            failure.set_description(format!(
                "{}: {}\nWithout it: {}\n{evidence}",
                clause.source(),
                clause.says(),
                result.check.harm
            ));
            failure
        }
        Verdict::NotObservable(why) | Verdict::Skipped(why) => {
            let mut skipped = TestCaseStatus::skipped();
            skipped.set_message(format!("{}: {why}", result.verdict.word()));
            skipped
        }
    };
    let mut case = TestCase::new(result.check.id, status);
    case.set_classname(format!("alongside.check.{}", result.check.group.name())).set_time(result.took);
    case.add_property(Property::new("title", result.check.title));
    case.add_property(Property::new("level", result.check.clause.level()));
    case
}
