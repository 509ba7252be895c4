//! Proves a release with every story. First it finds the settings that the release needs, by trial: without
//! any, then with the settings of VS Code, the only editor of the oldest releases.

use std::collections::BTreeMap;

use anyhow::Result;
use serde_json::Value;

use super::failure::{failure, first_line};
use super::results::{Cell, Need, Row, STEPS, Step};
use super::stage::{Stage, is_connected};
use super::subject::{Subject, Tools};
use super::{claude, scratch, stories};
use crate::agent_cli::Cli;
use crate::ide_client::RealClient;

/// The needs, in the order of the trials.
const ATTEMPTS: [&[Need]; 6] = [
    &[],
    &[Need::Vscode],
    &[Need::Tokenless],
    &[Need::Vscode, Need::Tokenless],
    &[Need::Tokenless, Need::Variables],
    &[Need::Vscode, Need::Tokenless, Need::Variables],
];

/// Plays every step with a release. Failures of the release are in the row.
///
/// # Errors
///
/// Fails only if this machine does.
pub async fn prove(tools: &Tools, subject: &Subject) -> Result<Row> {
    if subject.agent == Cli::Claude.command() {
        return claude::prove(tools, subject).await;
    }
    let mut row = Row { sdk: scratch::sdk_of(&subject.directory), ..Row::of(subject) };
    if !scratch::has_ide_mode(&subject.directory) {
        return Ok(row);
    }
    let mut failures = Vec::new();
    for needs in ATTEMPTS {
        let stage = Stage::start(tools, subject, needs).await?;
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
            Ok(status) => failures.push(status["details"].as_str().unwrap_or("disconnected").to_owned()),
            Err(error) => failures.push(first_line(&error, &stage)),
        }
    }
    let why = format!("it never connects: {}", failures.first().cloned().unwrap_or_default());
    row.cells = STEPS.map(|step| (step, Cell::Fails(why.clone()))).into();
    Ok(row)
}

async fn play_all(stage: &Stage<'_>, agent: RealClient, status: &Value) -> BTreeMap<Step, Cell> {
    let lacks: Vec<_> = status["lacks"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut cells = BTreeMap::new();
    let mut agent = Some(agent);
    for step in STEPS {
        if let Some(missing) = stories::needed_commands(step).iter().find(|call| lacks.contains(call)) {
            cells.insert(step, Cell::Lacks(format!("its IdeClient has no {missing}")));
            continue;
        }
        // An agent that failed a step may be stuck, so the next step gets a new agent.
        let connected = match agent.take() {
            Some(agent) => Ok(agent),
            None => stage.connect_agent(1).await,
        };
        let played = match connected {
            Ok(with) => stories::play(step, stage, &with).await.map(|()| with),
            Err(error) => Err(error),
        };
        let cell = match played {
            Ok(with) => {
                agent = Some(with);
                Cell::Works
            }
            Err(error) => failure(&error, stage),
        };
        cells.insert(step, cell);
    }
    cells
}
