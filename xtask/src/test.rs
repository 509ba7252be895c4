//! `cargo xtask test`: everything that must be true before a commit is one to stop on.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use anyhow::Context as _;

use crate::deny::deny;
use crate::rig::rig;
use crate::run::{announce, cargo, must, run};

/// What to test.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Only tests whose name contains this; formatting and lints are left out then.
    filter: Option<String>,
}

/// What libtest reports, added up.
#[derive(Debug, Default, PartialEq, Eq)]
struct Sum {
    passed: usize,
    failed: usize,
    skipped: usize,
}

/// Where the program cannot be run here, it must at least compile.
const ELSEWHERE: [&str; 2] = ["x86_64-pc-windows-gnu", "aarch64-apple-darwin"];

/// The last line of the output is the sum, whatever comes of it.
pub(crate) fn test(options: &Options) -> anyhow::Result<ExitCode> {
    rig()?;
    let mut sum = Sum::default();
    if options.filter.is_none() {
        sum.check("formatting", run(cargo().args(["fmt", "--all", "--check"]))?.success());
        let clippy = ["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"];
        sum.check("lints", run(cargo().args(clippy))?.success());
        for target in ELSEWHERE {
            sum.check_for(target)?;
        }
        for (part, is_good) in deny()? {
            match is_good {
                Some(is_good) => sum.check(part, is_good),
                None => sum.skipped += 1,
            }
        }
    }
    // Tests start the built programs as their users would.
    must(cargo().args(["build", "--workspace", "--bins"]))?;
    let ran = run_tests(options, &mut sum)?;
    println!("{} passed, {} failed, {} skipped", sum.passed, sum.failed, sum.skipped);
    Ok(if sum.failed == 0 && ran { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn run_tests(options: &Options, sum: &mut Sum) -> anyhow::Result<bool> {
    let scratch = std::env::temp_dir().join(format!("alongside-skips-{}", std::process::id()));
    let mut command = cargo();
    command.args(["test", "--workspace", "--no-fail-fast"]).args(&options.filter);
    command.env("ALONGSIDE_SKIPS", &scratch).stdin(Stdio::null()).stdout(Stdio::piped());
    announce(&command);
    let mut child = command.spawn().context("cannot start cargo test")?;
    let output = child.stdout.take().context("cargo test has no output")?;
    for line in BufReader::new(output).lines() {
        let line = line?;
        println!("{line}");
        sum.add(&line);
    }
    let success = child.wait()?.success();
    let skips = std::fs::read_to_string(&scratch).unwrap_or_default();
    let _ = std::fs::remove_file(&scratch);
    for skip in skips.lines() {
        println!("SKIPPED: {skip}");
        // To libtest, a test that returns early has passed.
        sum.passed = sum.passed.saturating_sub(1);
        sum.skipped += 1;
    }
    Ok(success)
}

impl Sum {
    fn check(&mut self, what: &str, good: bool) {
        println!("{what}: {}", if good { "ok" } else { "FAILED" });
        if good { self.passed += 1 } else { self.failed += 1 }
    }

    /// Checks the program for a target, if its standard library is installed; checking needs nothing else.
    fn check_for(&mut self, target: &str) -> anyhow::Result<()> {
        let installed = Command::new("rustc").args(["--print", "target-libdir", "--target", target]).output();
        let installed = installed.is_ok_and(|output| {
            Path::new(String::from_utf8_lossy(&output.stdout).trim()).is_dir() && output.status.success()
        });
        if installed {
            let check = ["check", "--quiet", "--package", "alongside", "--target", target];
            self.check(target, run(cargo().args(check))?.success());
        } else {
            println!("SKIPPED: {target}: its standard library is not installed (rustup target add {target})");
            self.skipped += 1;
        }
        Ok(())
    }

    /// Takes in a line such as `test result: ok. 3 passed; 0 failed; 1 ignored; …`.
    fn add(&mut self, line: &str) {
        let Some(result) = line.strip_prefix("test result: ") else {
            return;
        };
        for part in result.split(['.', ';']) {
            let mut words = part.split_whitespace();
            let Some(count) = words.next().and_then(|count| count.parse::<usize>().ok()) else {
                continue;
            };
            match words.next() {
                Some("passed") => self.passed += count,
                Some("failed") => self.failed += count,
                Some("ignored") => self.skipped += count,
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_of_all_test_programs_are_added_up() {
        let mut sum = Sum::default();
        sum.add(
            "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.97s",
        );
        sum.add("test result: FAILED. 58 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out");
        sum.add("test some::thing ... ok");
        assert_eq!(sum, Sum { passed: 61, failed: 2, skipped: 1 });
    }
}
