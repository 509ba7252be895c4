//! Takes one release through everything. What it needs is found out by trying: nothing first, then what the
//! oldest releases were given by the one editor they knew.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Result;
use serde_json::Value;

use super::results::{Cell, Need, Row, STEPS, Step};
use super::stage::{Stage, is_connected};
use super::{scratch, stories};
use crate::ide_client::RealClient;

/// What is run, and what runs it.
#[derive(Debug, Clone)]
pub struct Tools {
    /// The program under test.
    pub alongside: PathBuf,
    /// A Node that is new enough for all agents.
    pub node: PathBuf,
}

/// A release on disk.
#[derive(Debug, Clone)]
pub struct Subject {
    /// The agent's id.
    pub agent: String,
    /// Its version.
    pub version: String,
    /// The package's name.
    pub package: String,
    /// The package's directory.
    pub directory: PathBuf,
}

impl std::fmt::Display for Subject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.agent, self.version)
    }
}

/// In the order they are tried.
const LADDER: [&[Need]; 6] = [
    &[],
    &[Need::Vscode],
    &[Need::Tokenless],
    &[Need::Vscode, Need::Tokenless],
    &[Need::Tokenless, Need::Variables],
    &[Need::Vscode, Need::Tokenless, Need::Variables],
];

/// Takes a release through every step.
///
/// # Errors
/// When this machine fails, not the release: what a release does is in the row.
pub async fn prove(tools: &Tools, subject: &Subject) -> Result<Row> {
    let mut row = Row {
        agent: subject.agent.clone(),
        version: subject.version.clone(),
        package: subject.package.clone(),
        sdk: scratch::sdk_of(&subject.directory),
        protocol: None,
        needs: Vec::new(),
        cells: BTreeMap::new(),
    };
    if !scratch::has_ide_mode(&subject.directory) {
        return Ok(row);
    }
    let mut said = Vec::new();
    for needs in LADDER {
        let stage = Stage::set(tools, subject, needs).await?;
        let agent = match stage.agent().await {
            Ok(agent) => agent,
            Err(error) => {
                row.cells = STEPS.map(|step| (step, failure(&error, &stage))).into();
                return Ok(row);
            }
        };
        let status = agent.try_to_connect().await;
        match status {
            Ok(status) if is_connected(&status) => {
                row.needs = needs.to_vec();
                row.protocol = status["protocol"].as_str().map(str::to_owned);
                row.cells = play_all(&stage, agent, &status).await;
                if needs.contains(&Need::Variables) {
                    row.cells.insert(Step::Found, Cell::Lacks("its files alone do not suffice".to_owned()));
                }
                return Ok(row);
            }
            Ok(status) => said.push(status["details"].as_str().unwrap_or("disconnected").to_owned()),
            Err(error) => said.push(first_line(&error, &stage)),
        }
    }
    let why = format!("it never connects: {}", said.first().cloned().unwrap_or_default());
    row.cells = STEPS.map(|step| (step, Cell::Fails(why.clone()))).into();
    Ok(row)
}

async fn play_all(stage: &Stage<'_>, agent: RealClient, status: &Value) -> BTreeMap<Step, Cell> {
    let lacks: Vec<_> = status["lacks"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut cells = BTreeMap::new();
    let mut agent = Some(agent);
    for step in STEPS {
        if let Some(missing) = stories::calls(step).iter().find(|call| lacks.contains(call)) {
            cells.insert(step, Cell::Lacks(format!("its IdeClient has no {missing}")));
            continue;
        }
        // One that went wrong may be stuck for good, which says nothing of the next step.
        let played = match agent.take() {
            Some(agent) => Ok(agent),
            None => stage.connected(1).await,
        };
        let played = match played {
            Ok(with) => stories::play(step, stage, &with).await.map(|()| agent = Some(with)),
            Err(error) => Err(error),
        };
        let cell = played.map_or_else(|error| failure(&error, stage), |()| Cell::Works);
        cells.insert(step, cell);
    }
    cells
}

fn failure(error: &anyhow::Error, stage: &Stage<'_>) -> Cell {
    eprintln!("{error:#}");
    Cell::Fails(first_line(error, stage))
}

/// What stays the same from run to run: what was awaited, and what Node says it died of.
fn first_line(error: &anyhow::Error, stage: &Stage<'_>) -> String {
    let said = format!("{error:#}");
    let line = said.lines().next().unwrap_or_default();
    let died = said.lines().find(|line| line.starts_with("Error [")).unwrap_or_default();
    let imported = died.split(" imported from ").next().unwrap_or_default();
    format!("{line} {imported}")
        .trim_end()
        .replace(&stage.sandbox.project().display().to_string(), "PROJECT")
        .chars()
        .take(300)
        .collect()
}
