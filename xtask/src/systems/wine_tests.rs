//! The output of the tests under Wine, and the tests that are not run there.

/// The tests that use paths, names and programs of Unix: the directory of the package, and the name.
const OF_UNIX: &str = include_str!("unix.txt");

/// The tests that fail by a fault of Wine: the directory of the package, the name, and the fault.
const FAULTS_OF_WINE: &str = include_str!("faults_of_wine.txt");

/// Returns the directory of the package and the name of each test that is not run.
fn skipped_tests() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = OF_UNIX.lines().chain(FAULTS_OF_WINE.lines());
    lines.filter_map(|line| {
        let mut words = line.split(' ');
        words.next().zip(words.next())
    })
}

/// Returns the tests of a package that are not run.
pub(super) fn skipped(directory: &str) -> impl Iterator<Item = &'static str> {
    skipped_tests().filter(move |(package, _)| *package == directory).map(|(_, name)| name)
}

/// The outcome of all tests.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Sum {
    pub(super) passed: usize,
    pub(super) skipped: usize,
    /// The names.
    pub(super) failed: Vec<String>,
}

impl Sum {
    /// Adds the output of one program with tests, and whether the program succeeded.
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
    use alongside_testing::chores::checkout;
    use alongside_testing::files_below;

    use super::*;

    #[test]
    fn skipped_tests_belong_to_a_package() {
        assert!(skipped("crates/lsp").any(|name| name.starts_with("uri::tests::")));
        assert!(skipped("crates/platform").any(|name| name.starts_with("watch::")));
        assert_eq!(skipped("crates/turns").next(), None);
    }

    #[test]
    fn each_fault_of_wine_is_named() {
        for line in FAULTS_OF_WINE.lines() {
            assert!(line.split(' ').count() > 4, "{line}: which fault?");
        }
    }

    #[test]
    fn every_skipped_test_is_there() {
        for (package, name) in skipped_tests() {
            let function = format!("fn {}(", name.rsplit("::").next().unwrap());
            let files = files_below(checkout().join(package).join("src")).into_iter();
            let mut texts = files.filter_map(|file| std::fs::read_to_string(file).ok());
            let is_there = texts.any(|text| text.contains(&function));
            assert!(is_there, "{package}/src has no {name}: take its row out");
        }
    }

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
