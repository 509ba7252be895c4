//! The test programs of the workspace: builds them and runs them.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Output as Printed, Stdio};
use std::time::Duration;

use alongside_testing::chores::{announce, cargo, checkout};
use anyhow::Context as _;

use super::libtest::{Report, Sum};
use super::outcome::{Failure, Outcome};
use super::output::Output;
use super::skips::Skips;
use super::table::{self, ALL_ONLY, Row};
use super::tier::Tier;

/// Tests that mostly wait, for each processor: more of them at once would wait for processors.
const WAITING_TESTS: usize = 2;

/// A test program, as cargo built it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Program {
    package: String,
    /// `lib`, `bin`, `test` or `bench`.
    kind: String,
    name: String,
    manifest: PathBuf,
    executable: PathBuf,
}

/// Builds the test programs. `None` when they do not compile, which cargo has said.
pub(super) fn build(tier: Tier) -> anyhow::Result<Option<Vec<Program>>> {
    let mut build = cargo();
    build.args(["test", "--workspace", "--no-run", "--message-format=json-render-diagnostics"]);
    match tier {
        Tier::Fast => drop(build.args(["--lib", "--bins"])),
        Tier::Default | Tier::All => {
            build.args(["--lib", "--bins", "--examples"]);
            // By name, as cargo leaves out those with `test = false` otherwise, also beside `--tests`.
            let wanted = |name: &&String| tier == Tier::All || !ALL_ONLY.contains(&name.as_str());
            build.args(names_in("tests")?.iter().filter(wanted).flat_map(|name| ["--test", name]));
            build.args(names_in("benches")?.iter().flat_map(|name| ["--bench", name]));
        }
    }
    announce(&build);
    let output = build.stdin(Stdio::null()).stderr(Stdio::inherit()).output();
    let output = output.context("cannot start cargo test")?;
    if !output.status.success() {
        return Ok(None);
    }
    let messages = String::from_utf8(output.stdout).context("cargo prints no UTF-8")?;
    let mut programs: Vec<_> = messages.lines().filter_map(Program::parse).collect();
    programs.sort();
    programs.dedup();
    Ok(Some(programs))
}

/// The programs of our packages in folders of this name.
fn names_in(folder: &str) -> anyhow::Result<BTreeSet<String>> {
    let read = |directory: &Path| -> anyhow::Result<Vec<PathBuf>> {
        let entries = std::fs::read_dir(directory);
        let entries = entries.with_context(|| format!("cannot read {}", directory.display()))?;
        Ok(entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>()?)
    };
    let mut packages = read(&checkout().join("crates"))?;
    packages.push(checkout().join("rig"));
    let mut names = BTreeSet::new();
    for package in packages.iter().map(|package| package.join(folder)).filter(|package| package.is_dir()) {
        let is_program = |path: &PathBuf| path.is_file() || path.join("main.rs").is_file();
        let programs = read(&package)?.into_iter().filter(is_program);
        names.extend(programs.filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned())));
    }
    Ok(names)
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

impl Program {
    /// Reads a message of cargo. `None` when it announces no test program.
    fn parse(message: &str) -> Option<Self> {
        let message: serde_json::Value = serde_json::from_str(message).ok()?;
        let executable = message["executable"].as_str()?;
        if message["profile"]["test"] != true {
            return None;
        }
        let manifest = Path::new(message["manifest_path"].as_str()?);
        Some(Self {
            package: manifest.parent()?.file_name()?.to_str()?.to_owned(),
            kind: message["target"]["kind"][0].as_str()?.to_owned(),
            name: message["target"]["name"].as_str()?.to_owned(),
            manifest: manifest.to_owned(),
            executable: executable.into(),
        })
    }

    fn row(&self) -> Option<&'static Row> {
        (self.kind == "test").then(|| table::row_of(&self.package, &self.name)).flatten()
    }

    /// Whether its tests depend on the timing of processes, which a busy machine may delay.
    pub(super) fn waits_for_processes(&self) -> bool {
        self.row().is_some_and(|row| row.waits || row.third_party.is_some())
    }

    /// How long it takes as a rule.
    pub(super) fn usually(&self, tier: Tier) -> Duration {
        table::usually(self.row(), &self.name, tier == Tier::All)
    }

    /// The program as a person reads it.
    pub(super) fn title(&self) -> String {
        format!("{} {} {}", self.package, self.kind, self.name)
    }

    /// The program as a word that can stand in a file name.
    pub(super) fn label(&self) -> String {
        self.title().replace(' ', "-")
    }

    /// Runs all tests whose name contains `filter`; those that `#[ignore]` leaves to `--all` only there.
    pub(super) fn run(
        &self,
        filter: Option<&str>,
        tier: Tier,
        output: &mut Output,
    ) -> anyhow::Result<Outcome> {
        let skips = Skips::new()?;
        let mut command = self.command(&skips);
        command.args(filter);
        if self.kind != "bench" {
            command.args((tier == Tier::All).then_some("--include-ignored"));
            if self.row().is_some_and(|row| row.waits) {
                let processors = std::thread::available_parallelism().map_or(1, |count| count.get());
                command.arg(format!("--test-threads={}", processors * WAITING_TESTS));
            }
        }
        let (report, status) = follow(&mut command, &skips, output)?;
        let mut outcome = Outcome { sum: report.sum, ..Outcome::default() };
        if report.left_out > 0 {
            output.line(format!("{} tests are left to cargo xtask test --all", report.left_out));
        }
        // A bench runs once, and without libtest: its exit status is the result.
        if self.kind == "bench" {
            if filter.is_none() || !status.success() {
                outcome.check(&self.label(), status.success(), output);
            }
        } else if !report.is_complete || status.success() != report.failed.is_empty() {
            outcome.check(&format!("{}, which ended early ({status})", self.label()), false, output);
        }
        for test in skips.read().into_keys().filter(|test| !report.tests.contains(test)) {
            let name = format!("{test:?}, which called alongside_testing::skip and is no test");
            outcome.check(&name, false, output);
        }
        let failures = report.failure_logs().into_iter();
        outcome.failures = failures.map(|(test, log)| Failure { program: self.clone(), test, log }).collect();
        Ok(outcome)
    }

    /// Runs one test alone; whether it passed, and what was printed.
    pub(super) fn run_alone(&self, test: &str) -> anyhow::Result<(bool, String)> {
        let skips = Skips::new()?;
        let Printed { status, stdout, stderr } =
            self.command(&skips).args(["--exact", test, "--show-output", "--include-ignored"]).output()?;
        let output = String::from_utf8_lossy(&stdout);
        let mut report = Report::default();
        for line in output.lines() {
            report.take(line, |test| skips.read().remove(test));
        }
        let passed = status.success() && report.sum == Sum { passed: 1, failed: 0, skipped: 0 };
        Ok((passed, format!("{output}\n{}", String::from_utf8_lossy(&stderr))))
    }

    /// The program as cargo would start it.
    fn command(&self, skips: &Skips) -> Command {
        let directory = self.manifest.parent().unwrap_or(Path::new("."));
        let mut command = Command::new(&self.executable);
        command.current_dir(directory).env("CARGO_MANIFEST_DIR", directory);
        command.env(alongside_testing::SKIPS, skips.path()).stdin(Stdio::null());
        // Each test has a directory of its own for hosts; one that forgets it still meets no real host.
        let mut hosts = skips.path().as_os_str().to_owned();
        hosts.push("-hosts");
        command.env("ALONGSIDE_RUNTIME_DIR", hosts);
        command
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in super::super) fn program(package: &str, kind: &str, name: &str) -> Program {
        let manifest = format!("/w/{package}/Cargo.toml");
        let message = serde_json::json!({
            "reason": "compiler-artifact",
            "manifest_path": manifest,
            "target": { "kind": [kind], "name": name },
            "profile": { "test": true },
            "executable": "/w/target/debug/deps/it-1",
        });
        Program::parse(&message.to_string()).unwrap()
    }

    #[test]
    fn only_test_programs_are_read_from_cargo() {
        assert_eq!(program("rig", "test", "stories").label(), "rig-test-stories");
        for message in ["", "{}", r#"{"executable":"/x","profile":{"test":false}}"#] {
            assert_eq!(Program::parse(message), None, "{message}");
        }
    }

    #[test]
    fn programs_that_wait_for_processes_are_known_by_the_table() {
        assert!(program("rig", "test", "stories").waits_for_processes());
        assert!(program("alongside", "test", "it").waits_for_processes());
        assert!(!program("rig", "test", "chaos").waits_for_processes());
        assert!(!program("rig", "lib", "stories").waits_for_processes());
        assert!(!program("terminal", "test", "screens").waits_for_processes());
    }
}
