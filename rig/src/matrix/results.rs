//! The results of the matrix: a line of JSON for each release in `rig/matrix/results.jsonl`. The file is
//! committed, because the document is generated from it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};

use super::subject::Subject;

/// A step of a proof, in the order of the document's columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Step {
    /// The agent finds the companion by its files, without any variable.
    Found,
    /// The agent has the active file, the cursor and the selection.
    Context,
    /// A person edits and accepts, and the agent's `openDiff` returns the edited text.
    Accept,
    /// A person rejects, and the agent's `openDiff` returns a rejection.
    Reject,
    /// A person answers in the agent's own prompt: the review closes, and the agent gets the person's edits.
    Answer,
    /// Two agents propose the same file, and each gets its own outcome.
    Two,
    /// The companion crashes during an open proposal: the prompt is freed, and the next proposal works.
    Crash,
}

/// All steps.
pub const STEPS: [Step; 7] =
    [Step::Found, Step::Context, Step::Accept, Step::Reject, Step::Answer, Step::Two, Step::Crash];

/// The result of a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Cell {
    /// The step succeeds.
    Works,
    /// The release lacks a feature that the step needs; the text names it.
    Lacks(String),
    /// The step failed, with this error.
    Fails(String),
}

/// A setting that old releases need.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Need {
    /// `TERM_PROGRAM=vscode` in its environment.
    Vscode,
    /// `[server] allow-tokenless-agents` in alongside's settings.
    Tokenless,
    /// The variables that `alongside run` and `alongside env` set.
    Variables,
}

/// The results of a release.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Row {
    /// The agent's id, as in [`AGENTS`](super::releases::AGENTS).
    pub agent: String,
    /// The version.
    pub version: String,
    /// The package.
    pub package: String,
    /// The release of the MCP SDK that npm installs with the agent; absent if the package bundles an SDK.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sdk: Option<String>,
    /// The version of MCP between agent and companion, if the SDK reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocol: Option<String>,
    /// The settings that the release needs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<Need>,
    /// The result of each step; empty for a release without IDE mode.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub cells: BTreeMap<Step, Cell>,
}

impl Row {
    /// Creates the row of a release without any result.
    pub(super) fn of(subject: &Subject) -> Self {
        let Subject { agent, version, package, .. } = subject.clone();
        Self { agent, version, package, ..Self::default() }
    }

    /// Whether the release has IDE mode at all.
    pub fn has_ide_mode(&self) -> bool {
        !self.cells.is_empty()
    }
}

/// The results of all releases, with their file.
#[derive(Debug, Clone)]
pub struct Results {
    path: PathBuf,
    /// The rows, in the order of [`AGENTS`](super::releases::AGENTS) and then by version.
    pub rows: Vec<Row>,
}

impl Results {
    /// Reads the committed file of this checkout.
    pub fn committed() -> Result<Self> {
        Self::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("matrix/results.jsonl"))
    }

    /// Reads a file; a missing file has no rows.
    pub fn read(path: &Path) -> Result<Self> {
        let text = match std::fs::read_to_string(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            read => read.with_context(|| format!("cannot read {}", path.display()))?,
        };
        let rows = text.lines().enumerate().map(|(number, line)| {
            serde_json::from_str(line).with_context(|| format!("{}:{}", path.display(), number + 1))
        });
        let mut results = Self { path: path.to_owned(), rows: rows.collect::<Result<_>>()? };
        results.sort();
        Ok(results)
    }

    /// Returns the row of a release.
    pub fn row(&self, agent: &str, version: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.agent == agent && row.version == version)
    }

    /// Adds a row, or replaces the earlier row of the release, and writes the file.
    pub fn put(&mut self, row: Row) -> Result<()> {
        // Another process may have added rows meanwhile.
        self.rows = Self::read(&self.path)?.rows;
        self.rows.retain(|other| (&other.agent, &other.version) != (&row.agent, &row.version));
        self.rows.push(row);
        self.sort();
        let lines = self.rows.iter().map(|row| Ok(serde_json::to_string(row)? + "\n"));
        let text = lines.collect::<Result<String>>()?;
        let directory = self.path.parent().context("the file has no parent directory")?;
        let mut file = tempfile::NamedTempFile::new_in(directory)
            .with_context(|| format!("cannot write in {}", directory.display()))?;
        std::io::Write::write_all(&mut file, text.as_bytes())?;
        // A temporary file is readable by its owner only; the results must be readable for everybody.
        file.as_file().set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644))?;
        file.persist(&self.path).with_context(|| format!("cannot write {}", self.path.display()))?;
        Ok(())
    }

    fn sort(&mut self) {
        let position = |row: &Row| super::releases::AGENTS.iter().position(|agent| agent.id == row.agent);
        self.rows.sort_by_key(|row| (position(row), super::releases::number(&row.version)));
    }
}
