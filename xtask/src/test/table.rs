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
    /// How long it takes on two idle processors, in seconds: by default, and with `--all`.
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

/// The table. A program without a row takes some seconds.
pub(super) const ROWS: &[Row] = &[
    row("alongside", "it", [60, 80]).waits(),
    row("conformance", "check", [60, 60]).waits(),
    row("rig", "bench", [40, 60]).starts("a companion on the official TypeScript SDK"),
    row("rig", "chaos", [20, 20]),
    row("rig", "chaos_real", [0, 60]).starts("the agents' own clients"),
    row("rig", "editors", [100, 600]).waits().starts("real editors, the agents and tmux"),
    row("rig", "matrix", [0, 30]).starts("the agents' own clients"),
    row("rig", "peers", [60, 60]).waits(),
    row("rig", "real_clients", [30, 80]).waits().starts("the agents' own clients"),
    row("rig", "screens", [40, 80]).waits().starts("tmux"),
    row("rig", "sdks", [30, 30]).waits().starts("the official TypeScript SDKs and the MCP conformance suite"),
    row("rig", "stories", [60, 100]).waits().starts("the agents and tmux"),
];

/// The programs of `rig/tests` that only `--all` builds and runs: Cargo.toml has `test = false` for them.
pub(super) const ALL_ONLY: &[&str] = &["chaos_real", "matrix"];

/// The row of a program.
pub(super) fn row_of(package: &str, name: &str) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.package == package && row.name == name)
}

/// How long a program takes as a rule.
pub(super) fn usually(row: Option<&Row>, all: bool) -> Duration {
    Duration::from_secs(row.map_or(2, |row| row.seconds[usize::from(all)]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_of_the_table_exist() {
        for row in ROWS {
            let root = alongside_testing::chores::checkout();
            let package =
                if row.package == "rig" { root.join("rig") } else { root.join("crates").join(row.package) };
            let tests = package.join("tests");
            let (folder, file) =
                (tests.join(row.name).join("main.rs"), tests.join(format!("{}.rs", row.name)));
            assert!(folder.is_file() || file.is_file(), "{} has no test program {}", row.package, row.name);
        }
    }

    #[test]
    fn cargo_leaves_out_what_only_all_runs() {
        let manifest =
            std::fs::read_to_string(alongside_testing::chores::checkout().join("rig/Cargo.toml")).unwrap();
        for name in ALL_ONLY {
            let target = format!("[[test]]\nname = \"{name}\"\ntest = false\n");
            assert!(manifest.contains(&target), "rig/Cargo.toml builds {name} for every run");
        }
        assert_eq!(manifest.matches("test = false").count(), ALL_ONLY.len());
    }
}
