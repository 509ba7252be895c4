//! A run of the suite, from the first request to the report.

pub(crate) mod options;
pub(crate) mod probe;
pub(crate) mod progress;
pub(crate) mod report;
pub(crate) mod schedule;

use std::sync::PoisonError;
use std::time::{Duration, Instant};

use self::options::Options;
use self::progress::Progress;
use self::report::{CheckResult, Report, Verdict};
use self::schedule::Schedule;
use crate::check::Check;
use crate::discovery::target::Target;
use crate::driver::Driver;
use crate::harness::fixture::Fixture;

/// Checks a companion. The run ends early, with its cleanup, once `interrupted` is ready.
///
/// # Errors
/// When there is no room for temporary files. All faults of the companion are in the report.
pub async fn run(
    target: &Target,
    options: &Options,
    driver: Option<&dyn Driver>,
    progress: &mut (dyn FnMut(Progress<'_>) + Send),
    interrupted: impl Future<Output = ()>,
) -> std::io::Result<Report> {
    let begun = Instant::now();
    let fixture = Fixture::new(target, options.timeouts, driver)?;
    let wanted = options.wanted(target.transport);
    let schedule = Schedule::new(&fixture, &wanted, progress);
    let finished = tokio::select! {
        () = schedule.all() => true,
        () = interrupted => false,
    };
    let mut results = schedule.results();
    fixture.tidy_up().await;
    let made =
        |check: &Check, results: &[CheckResult]| results.iter().any(|result| result.check.id == check.id);
    for check in &wanted {
        if !made(check, &results) {
            let verdict = Verdict::Skipped("the run was interrupted".into());
            results.push(CheckResult { check, verdict, evidence: Vec::new(), took: Duration::ZERO });
        }
    }
    let place = |id: &str| wanted.iter().position(|check| check.id == id);
    results.sort_by_key(|result| place(result.check.id));
    let companion = fixture.companion();
    let failures = fixture.failures.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(Report {
        companion,
        results,
        took: begun.elapsed(),
        interrupted: !finished,
        driver_failures: failures,
    })
}
