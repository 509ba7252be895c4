//! The output of the tests under Wine, and the tests that Wine itself makes fail.

/// Tests that fail by a fault of Wine: a part of the name, and the fault.
pub(super) const OF_WINE: &[(&str, &str)] = &[];

/// The outcome of all tests.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Sum {
    pub(super) passed: usize,
    pub(super) skipped: usize,
    /// The names.
    pub(super) failed: Vec<String>,
}

impl Sum {
    /// Adds the output of one program with tests, which ended with a success or did not.
    pub(super) fn add(&mut self, program: &str, output: &str, succeeded: bool) {
        let before = self.failed.len();
        let mut is_whole = false;
        for line in output.lines() {
            let line = line.trim_end();
            if let Some(sum) = line.strip_prefix("test result: ") {
                is_whole = true;
                self.passed += number_before(sum, " passed");
                self.skipped += number_before(sum, " ignored") + number_before(sum, " filtered out");
            } else if let Some(name) =
                line.strip_prefix("test ").and_then(|line| line.strip_suffix(" ... FAILED"))
            {
                self.failed.push(format!("{program}: {name}"));
            }
        }
        if !is_whole || !succeeded && self.failed.len() == before {
            self.failed.push(format!("{program}: it has died"));
        }
    }
}

fn number_before(text: &str, what: &str) -> usize {
    let before = text.split(what).next().filter(|before| before.len() < text.len()).unwrap_or_default();
    before.rsplit(' ').next().and_then(|number| number.parse().ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_are_added_and_a_dead_program_has_failed() {
        let mut sum = Sum::default();
        let output = "test a::b ... ok\r\ntest a::c ... FAILED\r\n\r\n\
                      test result: FAILED. 7 passed; 1 failed; 2 ignored; 0 \
                      measured; 3 filtered out; finished in 0.1s\r\n";
        sum.add("crates/a", output, false);
        let failed = vec!["crates/a: a::c".to_owned()];
        assert_eq!(sum, Sum { passed: 7, skipped: 5, failed });
        sum.add("crates/b", "test x ... ok\n", false);
        assert_eq!(sum.failed.last().unwrap(), "crates/b: it has died");
    }
}
