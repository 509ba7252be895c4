//! Runs test programs, and reads what each test did.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, ExitStatus, Output as Printed, Stdio};

use alongside_testing::chores::{announce, cargo};
use anyhow::Context as _;

use super::libtest::{Report, Sum};
use super::output::Output;
use super::programs::Program;
use super::run_result::{Failure, Outcome};
use super::skips::Skips;
use super::tier::Tier;

/// The number of mostly waiting tests for each processor: more of them at once would wait for processors.
const WAITING_TESTS: usize = 2;

/// Runs all tests of a program whose name contains `filter`; those that `#[ignore]` leaves to `--all` only
/// there.
pub(super) fn run(
    program: &Program,
    filter: Option<&str>,
    tier: Tier,
    output: &mut Output,
) -> anyhow::Result<Outcome> {
    let skips = Skips::new()?;
    let mut command = program.command(&skips);
    command.args(filter);
    if !program.is_bench() {
        command.args((tier == Tier::All).then_some("--include-ignored"));
        if program.row().is_some_and(|row| row.waits) {
            let processors = std::thread::available_parallelism().map_or(1, |count| count.get());
            command.arg(format!("--test-threads={}", processors * WAITING_TESTS));
        }
    }
    let (report, status) = follow(&mut command, &skips, output)?;
    let mut outcome = Outcome { sum: report.sum, ..Outcome::default() };
    if report.left_out > 0 {
        output.line(format!("{} tests are left to cargo xtask test --all", report.left_out));
    }
    // The exit status of a bench is its result.
    if program.is_bench() {
        if filter.is_none() || !status.success() {
            outcome.check(&program.label(), status.success(), output);
        }
    } else if !report.is_complete || status.success() != report.failed.is_empty() {
        outcome.check(&format!("{}, which ended early ({status})", program.label()), false, output);
    }
    for test in skips.read().into_keys().filter(|test| !report.tests.contains(test)) {
        let name = format!("{test:?}, which called alongside_testing::skip and is no test");
        outcome.check(&name, false, output);
    }
    let failures = report.failure_logs().into_iter();
    outcome.failures = failures.map(|(test, log)| Failure { program: program.clone(), test, log }).collect();
    Ok(outcome)
}

/// Runs one test of a program alone. Returns whether it passed, and its output.
pub(super) fn run_alone(program: &Program, test: &str) -> anyhow::Result<(bool, String)> {
    let skips = Skips::new()?;
    let Printed { status, stdout, stderr } =
        program.command(&skips).args(["--exact", test, "--show-output", "--include-ignored"]).output()?;
    let output = String::from_utf8_lossy(&stdout);
    let mut report = Report::default();
    for line in output.lines() {
        report.take(line, |test| skips.read().remove(test));
    }
    let passed = status.success() && report.sum == Sum { passed: 1, failed: 0, skipped: 0 };
    Ok((passed, format!("{output}\n{}", String::from_utf8_lossy(&stderr))))
}

/// Runs the examples in the documentation, which rustdoc compiles one by one.
pub(super) fn run_doc_tests(filter: Option<&str>, output: &mut Output) -> anyhow::Result<Outcome> {
    let mut command = cargo();
    command.args(["test", "--workspace", "--doc", "--no-fail-fast"]).args(filter).stdin(Stdio::null());
    announce(&command);
    let (report, status) = follow(&mut command, &Skips::new()?, output)?;
    let mut outcome = Outcome { sum: report.sum, ..Outcome::default() };
    outcome.checks.extend(report.failed.iter().cloned());
    if status.success() != report.failed.is_empty() {
        outcome.check("examples in the documentation", false, output);
    }
    Ok(outcome)
}

/// Runs a command to its end and prints its output, with the tests that skipped themselves as ignored.
fn follow(
    command: &mut Command,
    skips: &Skips,
    printed: &mut Output,
) -> anyhow::Result<(Report, ExitStatus)> {
    let program = command.get_program().to_owned();
    let child = command.stdout(Stdio::piped()).spawn();
    let mut child = child.with_context(|| format!("cannot start {}", program.display()))?;
    let output = child.stdout.take().context("the test program has no output")?;
    let mut report = Report::default();
    for line in BufReader::new(output).split(b'\n') {
        let line = String::from_utf8_lossy(&line?).into_owned();
        printed.line(report.take(&line, |test| skips.read().remove(test)));
    }
    Ok((report, child.wait()?))
}
