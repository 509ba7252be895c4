//! The result of a run: its sum, and everything that failed, for the list at the end of the output.

use super::libtest::Sum;
use super::output::Output;
use super::programs::Program;

/// A test that failed, and what it printed.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) program: Program,
    pub(super) test: String,
    pub(super) log: String,
}

/// The result of a run.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    pub(super) sum: Sum,
    /// The tests that failed.
    pub(super) failures: Vec<Failure>,
    /// The checks that failed, which are not tests.
    pub(super) checks: Vec<String>,
}

impl Outcome {
    /// Counts a check that is not a test, and prints its result.
    pub(super) fn check(&mut self, name: &str, passed: bool, output: &mut Output) {
        output.line(format!("{name}: {}", if passed { "ok" } else { "FAILED" }));
        if passed {
            self.sum.passed += 1;
        } else {
            self.sum.failed += 1;
            self.checks.push(name.to_owned());
        }
    }

    /// Counts a check that cannot run here, and prints why.
    pub(super) fn skip(&mut self, name: &str, reason: &str, output: &mut Output) {
        output.line(format!("SKIPPED: {name}: {reason}"));
        self.sum.skipped += 1;
    }

    pub(super) fn add(&mut self, other: Self) {
        self.sum.add(other.sum);
        self.failures.extend(other.failures);
        self.checks.extend(other.checks);
    }

    /// Returns a line for everything that failed.
    pub(super) fn failed(&self) -> Vec<String> {
        let line =
            |failure: &Failure| format!("{}, {}: {}", failure.program.title(), failure.test, failure.why());
        let tests = self.failures.iter().map(line);
        self.checks.iter().cloned().chain(tests).collect()
    }
}

impl Failure {
    /// Returns the line behind the place of the panic, or the first one of the log.
    pub(super) fn why(&self) -> &str {
        let mut lines = self.log.lines().skip_while(|line| !line.contains(" panicked at ")).skip(1);
        lines.next().or(self.log.lines().next()).unwrap_or("see above")
    }
}

#[cfg(test)]
mod tests {
    use super::super::programs::tests::program;
    use super::*;

    #[test]
    fn everything_that_failed_is_listed_with_its_panic() {
        let mut outcome = Outcome::default();
        outcome.check("lints", true, &mut Output::kept());
        outcome.check("formatting", false, &mut Output::kept());
        let log = "asked twice\nthread 'a' (7) panicked at src/a.rs:1:2:\nleft: 2\nright: 1";
        for log in [log, "Error: late\nat once", ""] {
            let program = program("rig", "test", "stories");
            outcome.failures.push(Failure { program, test: "a".into(), log: log.into() });
        }
        let stories = "rig test stories, a";
        let lines = ["left: 2", "Error: late", "see above"].map(|why| format!("{stories}: {why}"));
        assert_eq!(outcome.failed(), [&["formatting".to_owned()], &lines[..]].concat());
        assert_eq!(outcome.sum, Sum { passed: 1, failed: 1, skipped: 0 });
    }
}
