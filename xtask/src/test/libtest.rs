//! Reads the output of libtest: what each test did, the totals, and what a failed test printed.
//!
//! Reports a test that recorded itself as skipped as ignored, in its own line and in the totals.

use std::fmt;

/// The line with which libtest reports a test that only `--all` runs, by its `#[ignore]`.
const LEFT_TO_ALL: &str = "ignored, cargo xtask test --all";

/// The totals of a run.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sum {
    pub(super) passed: usize,
    pub(super) failed: usize,
    pub(super) skipped: usize,
}

impl Sum {
    pub(super) fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

impl fmt::Display for Sum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped)
    }
}

/// The output of one test program, taken in line by line.
#[derive(Debug, Default)]
pub(super) struct Report {
    pub(super) sum: Sum,
    /// The tests that ran, by name.
    pub(super) tests: Vec<String>,
    /// The tests that failed.
    pub(super) failed: Vec<String>,
    /// The number of tests that were left to `--all`.
    pub(super) left_out: usize,
    /// Whether libtest came to its totals; otherwise the program ended before.
    pub(super) is_complete: bool,
    /// Tests left to `--all` that the next totals count as ignored.
    to_discount: usize,
    /// Tests reported as ignored that the next totals count as passed.
    to_correct: usize,
    output: String,
}

impl Report {
    /// Parses a line and returns the line to print. `skipped` returns why a test skipped itself, if it did.
    pub(super) fn take(&mut self, line: &str, skipped: impl FnOnce(&str) -> Option<String>) -> String {
        self.output.push_str(line);
        self.output.push('\n');
        match parse(line) {
            Some(Line::Passed(test)) => {
                self.tests.push(test.to_owned());
                if let Some(reason) = skipped(test) {
                    self.to_correct += 1;
                    return format!("test {test} ... ignored, {reason}");
                }
            }
            Some(Line::Failed(test)) => {
                self.tests.push(test.to_owned());
                self.failed.push(test.to_owned());
            }
            Some(Line::LeftOut) => {
                self.left_out += 1;
                self.to_discount += 1;
            }
            Some(Line::Totals(mut totals)) => {
                let corrected = self.to_correct.min(totals.passed);
                self.to_correct = 0;
                let printed = corrected_totals(line, totals, corrected);
                totals.passed -= corrected;
                totals.skipped += corrected;
                totals.skipped = totals.skipped.saturating_sub(self.to_discount);
                self.to_discount = 0;
                self.sum.add(totals);
                self.is_complete = true;
                return printed;
            }
            None => {}
        }
        line.to_owned()
    }

    /// Returns the output of each failed test, as libtest repeats it after all tests: names and texts.
    pub(super) fn failure_logs(&self) -> Vec<(String, String)> {
        failure_logs(&self.output, &self.failed)
    }
}

/// A line about a test or about the totals.
#[derive(Debug, PartialEq, Eq)]
enum Line<'a> {
    Passed(&'a str),
    Failed(&'a str),
    LeftOut,
    Totals(Sum),
}

fn parse(line: &str) -> Option<Line<'_>> {
    if let Some(totals) = line.strip_prefix("test result: ") {
        return Some(Line::Totals(parse_totals(totals)));
    }
    let (test, result) = line.strip_prefix("test ")?.rsplit_once(" ... ")?;
    let test = test.strip_suffix(" - should panic").unwrap_or(test);
    match result {
        "ok" => Some(Line::Passed(test)),
        "FAILED" => Some(Line::Failed(test)),
        _ if result.starts_with(LEFT_TO_ALL) => Some(Line::LeftOut),
        _ => None,
    }
}

/// Reads `ok. 3 passed; 0 failed; 1 ignored; …`.
fn parse_totals(totals: &str) -> Sum {
    let mut sum = Sum::default();
    for part in totals.split(['.', ';']) {
        let mut words = part.split_whitespace();
        let Some(count) = words.next().and_then(|count| count.parse::<usize>().ok()) else {
            continue;
        };
        match words.next() {
            Some("passed") => sum.passed = count,
            Some("failed") => sum.failed = count,
            Some("ignored") => sum.skipped = count,
            _ => {}
        }
    }
    sum
}

/// Returns the line of totals, with some of the passed tests as ignored.
fn corrected_totals(line: &str, totals: Sum, corrected: usize) -> String {
    let Sum { passed, skipped, .. } = totals;
    let line = line.replacen(&format!(" {passed} passed"), &format!(" {} passed", passed - corrected), 1);
    line.replacen(&format!(" {skipped} ignored"), &format!(" {} ignored", skipped + corrected), 1)
}

/// Finds the output of each failed test, between its heading `---- NAME stdout ----` and the next heading.
///
/// Only headings of tests that failed count: a test may itself print the output of another test program.
fn failure_logs(output: &str, failed: &[String]) -> Vec<(String, String)> {
    let mut logs: Vec<(String, String)> = Vec::new();
    let lines: Vec<&str> = output.lines().collect();
    let start = lines.iter().position(|line| *line == "failures:").map_or(lines.len(), |at| at + 1);
    // libtest ends with a list of the names, under the same word.
    let end = lines.iter().rposition(|line| *line == "failures:").unwrap_or(0);
    let heading = |line: &str| {
        let test = line.strip_prefix("---- ")?.strip_suffix(" stdout ----")?;
        failed.iter().find(|failed| *failed == test)
    };
    for line in lines.get(start..end).unwrap_or_default() {
        match heading(line) {
            Some(test) if logs.iter().all(|(known, _)| known != test) => {
                logs.push((test.clone(), String::new()));
            }
            _ => {
                if let Some((_, log)) = logs.last_mut() {
                    log.push_str(line);
                    log.push('\n');
                }
            }
        }
    }
    let log = |test: &String| logs.iter().find(|(known, _)| known == test).map(|(_, log)| log.trim());
    failed.iter().map(|test| (test.clone(), log(test).unwrap_or_default().to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &str = "
running 4 tests
test quick ... ok
test a::skips ... ok
test a::breaks ... FAILED
test b::panics - should panic ... FAILED
test later ... ignored, not yet

failures:

---- a::breaks stdout ----
it ran another test program:
failures:
---- c::of_that_program stdout ----
thread panicked

---- b::panics stdout ----
note: test did not panic as expected


failures:
    a::breaks
    b::panics

test result: FAILED. 2 passed; 2 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.02s
";

    fn report(output: &str) -> (Report, Vec<String>) {
        let mut report = Report::default();
        let skipped = |test: &str| (test == "a::skips").then(|| "no shell".to_owned());
        let printed = output.lines().map(|line| report.take(line, skipped)).collect();
        (report, printed)
    }

    #[test]
    fn skipped_tests_are_printed_and_counted_as_ignored() {
        let (report, printed) = report(OUTPUT);
        assert_eq!(report.sum, Sum { passed: 1, failed: 2, skipped: 2 });
        assert!(report.is_complete);
        assert!(printed.contains(&"test a::skips ... ignored, no shell".to_owned()), "{printed:?}");
        assert!(printed.contains(&"test quick ... ok".to_owned()));
        let totals = "test result: FAILED. 1 passed; 2 failed; 2 ignored; 0 measured; 0 filtered out; \
                      finished in 0.02s";
        assert_eq!(printed.last().map(String::as_str), Some(totals));
    }

    #[test]
    fn tests_that_are_left_to_all_are_not_counted_as_skipped() {
        let (report, _) = report(
            "test a ... ignored, cargo xtask test --all\ntest b ... ignored, not yet\n\
             test result: ok. 1 passed; 0 failed; 2 ignored; 0 measured",
        );
        assert_eq!(report.sum, Sum { passed: 1, failed: 0, skipped: 1 });
        assert_eq!(report.left_out, 1);
    }

    #[test]
    fn failure_logs_end_at_the_next_failed_test() {
        let (report, _) = report(OUTPUT);
        assert_eq!(report.failed, ["a::breaks", "b::panics"]);
        let logs = report.failure_logs();
        let first = "it ran another test program:\nfailures:\n---- c::of_that_program stdout ----\n\
                     thread panicked";
        assert_eq!(logs[0], ("a::breaks".to_owned(), first.to_owned()));
        assert_eq!(logs[1].1, "note: test did not panic as expected");
    }

    #[test]
    fn a_failed_test_without_output_has_an_empty_log() {
        let failed = ["quiet".to_owned()];
        assert_eq!(failure_logs("failures:\n\nfailures:\n    quiet\n", &failed)[0].1, "");
        assert_eq!(failure_logs("", &failed)[0].1, "");
    }

    #[test]
    fn totals_of_several_programs_add_up() {
        let (mut report, _) = report("test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured");
        report.take("test result: FAILED. 58 passed; 2 failed; 0 ignored; 0 measured", |_| None);
        assert_eq!(report.sum, Sum { passed: 61, failed: 2, skipped: 1 });
        assert_eq!(report.sum.to_string(), "61 passed, 2 failed, 1 skipped");
    }

    #[test]
    fn a_program_that_aborts_is_incomplete() {
        assert!(!report("running 2 tests\ntest quick ... ok\n").0.is_complete);
    }
}
