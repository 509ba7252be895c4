//! The test programs that are not ordinary unit tests: what they start, how long they take, and which of them
//! only `--all` builds.

use std::time::Duration;

/// A test program, by its package and name.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) package: &'static str,
    pub(super) name: &'static str,
    /// The programs of third parties that it starts: their timing is not ours.
    pub(super) third_party: Option<&'static str>,
    /// The usual duration on two idle processors, in seconds: by default, and with `--all`.
    pub(super) seconds: [u64; 2],
    /// Whether its tests mostly wait, so that many of them can run at once.
    pub(super) waits: bool,
}

const fn row(package: &'static str, name: &'static str, seconds: [u64; 2]) -> Row {
    Row { package, name, third_party: None, seconds, waits: false }
}

impl Row {
    const fn waits(self) -> Self {
        Self { waits: true, ..self }
    }

    const fn starts(self, third_party: &'static str) -> Self {
        Self { third_party: Some(third_party), ..self }
    }
}

/// The table of test programs. Unit tests have no rows.
pub(super) const ROWS: &[Row] = &[
    row("alongside", "everywhere", [10, 10]).waits(),
    row("alongside", "it", [110, 110]).waits(),
    row("conformance", "check", [90, 270]).waits(),
    row("rig", "bench", [35, 35]).starts("a companion on the official TypeScript SDK, editors and tmux"),
    row("rig", "chaos", [20, 60]),
    row("rig", "chaos_full", [25, 25]),
    row("rig", "chaos_hooks", [35, 35]).waits(),
    row("rig", "chaos_real", [0, 60]).starts("the agents' own clients"),
    row("rig", "chaos_turns", [15, 15]).waits(),
    row("rig", "editors", [140, 400]).waits().starts("real editors, the agents and tmux"),
    row("rig", "load", [12, 12]),
    row("rig", "matrix", [0, 30]).starts("the agents' own clients"),
    row("rig", "peers", [60, 120]).waits(),
    row("rig", "real_clients", [60, 150]).waits().starts("the agents' own clients"),
    row("rig", "screens", [60, 70]).waits().starts("tmux"),
    row("rig", "sdks", [8, 8]).waits().starts("the official TypeScript SDKs and the MCP conformance suite"),
    row("rig", "stories", [110, 180]).waits().starts("the agents and tmux"),
    row("rig", "turns", [8, 120]),
    row("rig", "tools", [15, 300]).starts("Codex's `apply_patch`"),
];

/// The programs of `rig/tests` that only `--all` builds and runs.
pub(super) const ALL_ONLY: &[&str] = &["chaos_real", "matrix"];

/// Returns the row of a program.
pub(super) fn row_of(package: &str, name: &str) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.package == package && row.name == name)
}

/// The unit tests that take longer than others, by their library, in seconds.
const LONG_UNIT_TESTS: &[(&str, u64)] =
    &[("alongside_terminal", 35), ("alongside_companion", 15), ("alongside_host", 15), ("xtask", 15)];

/// Returns the usual duration of a test program.
pub(super) fn usually(row: Option<&Row>, name: &str, all: bool) -> Duration {
    let of_unit_tests =
        || LONG_UNIT_TESTS.iter().find(|(library, _)| *library == name).map_or(2, |(_, time)| *time);
    Duration::from_secs(row.map_or_else(of_unit_tests, |row| row.seconds[usize::from(all)]))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;
    use std::path::PathBuf;

    use alongside_testing::chores::checkout;

    use super::*;
    use crate::rust_sources::files_below;

    /// Returns every test program: its path without `.rs`, from the root of the checkout, and its sources.
    fn programs() -> BTreeMap<String, Vec<PathBuf>> {
        let crates = fs::read_dir(checkout().join("crates")).unwrap().map(|entry| entry.unwrap().path());
        let tests = crates.chain([checkout().join("rig")]).map(|package| package.join("tests"));
        let entries = tests.filter_map(|tests| fs::read_dir(tests).ok()).flatten();
        let mut found = BTreeMap::new();
        for path in entries.map(|entry| entry.unwrap().path()) {
            let sources = match path.extension() {
                Some(_) => vec![path.clone()],
                None => files_below(&path),
            };
            let name = path.strip_prefix(checkout()).unwrap().with_extension("");
            found.insert(name.display().to_string(), sources);
        }
        assert!(found.len() > 10, "{found:?}");
        found
    }

    /// Returns which of its tests the default run has: "yes" for all, "part", "–" for none.
    fn in_default_run(name: &str, sources: &[PathBuf]) -> &'static str {
        let leaves_some =
            sources.iter().any(|source| fs::read_to_string(source).unwrap().contains("[ignore"));
        match name.strip_prefix("rig/tests/").is_some_and(|name| ALL_ONLY.contains(&name)) {
            true => "–",
            false if leaves_some => "part",
            false => "yes",
        }
    }

    #[test]
    fn the_table_of_tiers_is_true() {
        let page = fs::read_to_string(checkout().join("CONTRIBUTING.md")).unwrap();
        let rows = page.lines().filter(|line| line.starts_with("| `"));
        let cells: Vec<Vec<&str>> = rows.map(|row| row.split('|').map(str::trim).collect()).collect();
        for (name, sources) in programs() {
            let row = cells.iter().find(|row| row[1] == format!("`{name}`"));
            let row = row.unwrap_or_else(|| panic!("CONTRIBUTING.md has no row of the test program {name}"));
            let expected = ["–", in_default_run(&name, &sources), "yes"];
            assert_eq!(row[2..5], expected, "CONTRIBUTING.md, --fast, default and --all of {name}");
        }
    }

    #[test]
    fn tests_are_left_to_all_and_to_nothing_else() {
        let directories = ["crates", "rig", "xtask"].map(|name| checkout().join(name));
        for path in directories.iter().flat_map(|directory| files_below(directory)) {
            let text = fs::read_to_string(&path).unwrap();
            for line in text.lines().filter(|line| line.trim_start().starts_with("#[ignore")) {
                assert_eq!(line.trim(), "#[ignore = \"cargo xtask test --all\"]", "in {}", path.display());
            }
        }
    }

    #[test]
    fn rows_and_cargo_name_programs_that_exist() {
        for row in ROWS {
            let package = if row.package == "rig" { "rig".into() } else { format!("crates/{}", row.package) };
            let name = format!("{package}/tests/{}", row.name);
            assert!(programs().contains_key(&name), "there is no {name}");
        }
        for name in ALL_ONLY {
            assert!(checkout().join("rig/tests").join(name).is_dir(), "there is no rig/tests/{name}");
        }
    }

    #[test]
    fn a_plain_cargo_test_starts_no_agent_and_no_editor() {
        let manifest = fs::read_to_string(checkout().join("rig/Cargo.toml")).unwrap();
        for entry in fs::read_dir(checkout().join("rig/tests")).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let target = format!("[[test]]\nname = \"{name}\"\ntest = false\n");
            assert!(manifest.contains(&target), "rig/Cargo.toml has no test = false for {name}");
        }
        let manifest = fs::read_to_string(checkout().join("crates/conformance/Cargo.toml")).unwrap();
        assert!(manifest.contains("[[test]]\nname = \"check\"\ntest = false\n"), "it takes minutes");
    }
}
