//! For tests and chores only: reports a test that cannot run on this machine as skipped, holds the hostile
//! names and texts, parses the pages for people, and has the common parts of tests and of chores.
//!
//! libtest decides before a test starts whether the test is ignored. A test that finds out later has to
//! return early, which libtest counts as passed. [`skip`] therefore records the test and the reason in a
//! file, and `cargo xtask test` reports the test as ignored.

pub mod chores;
pub mod hostile;
mod lateness;
pub mod pages;

use std::fmt::Display;
use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

pub use lateness::Lateness;

/// The environment variable that names the file of skipped tests.
pub const SKIPS: &str = "ALONGSIDE_SKIPS";

/// Reports the running test as skipped; the test returns right after that.
///
/// Call it on the thread of the test: libtest names the thread after the test. Without [`SKIPS`], as under a
/// plain `cargo test`, it prints `SKIPPED: …` to stderr, which libtest does not capture.
///
/// # Panics
/// When the file cannot be written: the test would count as passed.
pub fn skip(reason: impl Display) {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("unknown test");
    let reason = reason.to_string().replace('\n', " ");
    let written = match std::env::var_os(SKIPS) {
        Some(path) => File::options()
            .create(true)
            .append(true)
            .open(path)
            .and_then(|mut file| file.write_all(format!("{test}\t{reason}\n").as_bytes())),
        None => io::stderr().write_all(format!("SKIPPED: {test}: {reason}\n").as_bytes()),
    };
    assert!(written.is_ok(), "{test} cannot be reported as skipped ({reason}): {written:?}");
}

/// Returns the tests and reasons in a file of skipped tests, in the order in which they were recorded.
pub fn parse_skips(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.lines().filter_map(|line| line.split_once('\t'))
}

/// Returns all files below a directory, sorted; none if the directory is missing. Follows no link.
pub fn files_below(directory: impl AsRef<Path>) -> Vec<PathBuf> {
    let (mut directories, mut found) = (vec![directory.as_ref().to_owned()], Vec::new());
    while let Some(directory) = directories.pop() {
        for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
            let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_directory { &mut directories } else { &mut found }.push(entry.path());
        }
    }
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parse_skips_reads_test_and_reason() {
        let skips: Vec<_> = parse_skips("a::b\tno shell: \tfish\nunfinished").collect();
        assert_eq!(skips, [("a::b", "no shell: \tfish")]);
    }

    #[test]
    fn skip_records_the_name_of_the_test() {
        const NAME: &str = "tests::skip_records_the_name_of_the_test";
        let path = std::env::temp_dir().join(format!("alongside-testing-{}", std::process::id()));
        if std::env::var_os("ALONGSIDE_TESTING_CHILD").is_some() {
            return skip("two\nlines");
        }
        let exe = std::env::current_exe().expect("a path");
        let mut child = std::process::Command::new(exe);
        child.args(["--exact", NAME]).env("ALONGSIDE_TESTING_CHILD", "1").env(SKIPS, &path);
        assert!(child.output().expect("it starts").status.success());
        let text = std::fs::read_to_string(&path).expect("it was written");
        std::fs::remove_file(&path).expect("it is there");
        assert_eq!(text, format!("{NAME}\ttwo lines\n"));
    }
}
