//! Runs a failed test that waits for processes once more, alone, and keeps both logs.
//!
//! Such a test depends on the timing of agents, editors, tmux, or a busy machine. The second run
//! distinguishes a slow machine from a fault; the logs and the limit keep an intermittent fault from passing
//! forever.

use std::path::{Path, PathBuf};

use anyhow::Context as _;

use super::output::Output;
use super::run_result::{Failure, Outcome};
use super::runner;

/// The most flaky tests of a run that passes.
const MAX_FLAKY: usize = 3;

/// The most failures that may be a coincidence: with more, no test runs again.
const MAX_RERUNS: usize = 10;

/// Runs failed tests again, and counts those that pass now as passed.
pub(super) fn rerun(outcome: &mut Outcome) -> anyhow::Result<()> {
    rerun_with(outcome, |failure| {
        println!("\n==> {} {}, once more and alone", failure.program.title(), failure.test);
        let (passed, log) = runner::run_alone(&failure.program, &failure.test)?;
        if passed {
            let logs = keep(failure, &log)?;
            println!("FLAKY: {}: {} (logs: {})", failure.test, failure.why(), logs.display());
        } else {
            println!("{log}\n{} failed twice", failure.test);
        }
        Ok(passed)
    })
}

/// As [`rerun`], with a function that runs a test alone and returns whether it passed.
fn rerun_with(
    outcome: &mut Outcome,
    mut passes_alone: impl FnMut(&Failure) -> anyhow::Result<bool>,
) -> anyhow::Result<()> {
    let mut flaky = 0;
    let may_rerun = may_rerun(&outcome.failures);
    for failure in std::mem::take(&mut outcome.failures) {
        if may_rerun && failure.program.waits_for_processes() && passes_alone(&failure)? {
            flaky += 1;
            outcome.sum.failed = outcome.sum.failed.saturating_sub(1);
            outcome.sum.passed += 1;
        } else {
            outcome.failures.push(failure);
        }
    }
    if flaky > MAX_FLAKY {
        let name = format!("{flaky} flaky tests, of at most {MAX_FLAKY}");
        outcome.check(&name, false, &mut Output::at_once());
    }
    Ok(())
}

/// Whether a second run may excuse these failures, if they are of tests that wait for processes.
fn may_rerun(failures: &[Failure]) -> bool {
    failures.iter().filter(|failure| failure.program.waits_for_processes()).count() <= MAX_RERUNS
}

/// Keeps both logs, and returns their directory.
fn keep(failure: &Failure, second: &str) -> anyhow::Result<PathBuf> {
    let directory = alongside_testing::chores::target_directory().join("flaky");
    std::fs::create_dir_all(&directory)?;
    for (run, log) in [("first", failure.log.as_str()), ("second", second)] {
        let path = directory.join(file_name(failure, run));
        std::fs::write(&path, log).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(directory)
}

fn file_name(failure: &Failure, run: &str) -> PathBuf {
    let test = failure.test.replace("::", ".");
    Path::new(&format!("{}.{test}.{run}.log", failure.program.label())).to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::libtest::Sum;
    use super::super::programs::tests::program;
    use super::*;

    fn failures(package: &str, name: &str, count: usize) -> Vec<Failure> {
        let test = |n| format!("a::test_{n}");
        let failure =
            |n| Failure { program: program(package, "test", name), test: test(n), log: String::new() };
        (0..count).map(failure).collect()
    }

    #[test]
    fn only_tests_that_wait_for_processes_run_again() {
        let mut all = failures("rig", "stories", 2);
        all.extend(failures("rig", "chaos", 20));
        all.extend(failures("terminal", "alongside_terminal", 20));
        let mut again = Vec::new();
        let mut outcome = Outcome { failures: all, ..Outcome::default() };
        rerun_with(&mut outcome, |failure| {
            again.push(failure.test.clone());
            Ok(true)
        })
        .unwrap();
        assert_eq!((again, outcome.failures.len()), (vec!["a::test_0".to_owned(), "a::test_1".into()], 40));
    }

    /// Returns the sum after a run in which ten tests passed, `failed` failed, and `flaky` of those pass
    /// alone.
    fn sum_after(failed: usize, flaky: usize) -> Sum {
        let sum = Sum { passed: 10, failed, skipped: 0 };
        let mut outcome = Outcome { sum, failures: failures("rig", "stories", failed), checks: Vec::new() };
        let mut again = 0;
        let passes = |_: &Failure| {
            again += 1;
            Ok(again <= flaky)
        };
        rerun_with(&mut outcome, passes).unwrap();
        outcome.sum
    }

    #[test]
    fn a_test_that_passes_alone_counts_as_passed() {
        assert_eq!(sum_after(3, 3), Sum { passed: 13, failed: 0, skipped: 0 });
        assert_eq!(sum_after(3, 1), Sum { passed: 11, failed: 2, skipped: 0 });
    }

    #[test]
    fn more_than_three_flaky_tests_fail_the_run() {
        assert_eq!(sum_after(4, 4), Sum { passed: 14, failed: 1, skipped: 0 });
    }

    #[test]
    fn too_many_failures_are_no_coincidence() {
        assert!(may_rerun(&failures("rig", "stories", MAX_RERUNS)));
        assert!(!may_rerun(&failures("rig", "stories", MAX_RERUNS + 1)));
    }

    #[test]
    fn logs_are_named_after_program_and_test() {
        let failure = &failures("rig", "stories", 1)[0];
        assert_eq!(file_name(failure, "first"), Path::new("rig-test-stories.a.test_0.first.log"));
    }
}
