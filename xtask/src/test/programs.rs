//! The test programs of the workspace, and their build.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use alongside_testing::chores::{announce, cargo, checkout};
use anyhow::Context as _;

use super::program_table::{self, ALL_ONLY, Row};
use super::skips::Skips;
use super::tier::Tier;

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

/// Builds the test programs. `None` if they do not compile, which cargo has reported.
pub(super) fn build(tier: Tier) -> anyhow::Result<Option<Vec<Program>>> {
    let mut build = cargo();
    build.args(["test", "--workspace", "--no-run", "--message-format=json-render-diagnostics"]);
    match tier {
        Tier::Fast => drop(build.args(["--lib", "--bins"])),
        Tier::Default | Tier::All => {
            build.args(["--lib", "--bins", "--examples"]);
            // Selected by name, because cargo otherwise leaves out those with `test = false`, also with
            // `--tests`.
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

/// Returns the programs of our packages in folders of this name.
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

    pub(super) fn row(&self) -> Option<&'static Row> {
        (self.kind == "test").then(|| program_table::row_of(&self.package, &self.name)).flatten()
    }

    /// Whether it is a bench, which runs once and without libtest.
    pub(super) fn is_bench(&self) -> bool {
        self.kind == "bench"
    }

    /// Whether its tests depend on the timing of processes, which a busy machine may delay.
    pub(super) fn waits_for_processes(&self) -> bool {
        self.row().is_some_and(|row| row.waits || row.third_party.is_some())
    }

    /// Returns the usual duration.
    pub(super) fn usually(&self, tier: Tier) -> Duration {
        program_table::usually(self.row(), &self.name, tier == Tier::All)
    }

    /// Returns the program as a person reads it.
    pub(super) fn title(&self) -> String {
        format!("{} {} {}", self.package, self.kind, self.name)
    }

    /// Returns the program as a word that can stand in a file name.
    pub(super) fn label(&self) -> String {
        self.title().replace(' ', "-")
    }

    /// Returns the program as cargo would start it.
    pub(super) fn command(&self, skips: &Skips) -> Command {
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
