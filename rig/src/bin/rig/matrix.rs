//! `cargo xtask matrix`: proves every release of every agent on npm, and writes docs/compatibility.md.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use alongside_rig::matrix::releases::{self, AGENTS, Release};
use alongside_rig::matrix::scratch::Scratch;
use alongside_rig::matrix::{Cell, Results, Row, Subject, Tools, explain, page, prove};
use anyhow::{Context as _, bail};
use tokio::task::JoinSet;

use crate::run::Progress;

/// Options of `cargo xtask matrix`.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Only these: an agent (`gemini`) or one release of it (`gemini@0.30.0`)
    #[arg(long, value_name = "AGENT[@VERSION]")]
    only: Vec<String>,

    /// Also run releases that have a result
    #[arg(long)]
    again: bool,

    /// Number of releases at once
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=8))]
    jobs: u8,

    /// The program to prove [default: built now]
    #[arg(long, value_name = "PROGRAM")]
    alongside: Option<PathBuf>,

    /// Prove the package in this directory, for a release that npm does not have; needs one --only
    /// AGENT@VERSION. rig/node/pack-from-source.mjs packs a checkout like an npm package
    #[arg(long, value_name = "DIR", requires = "only")]
    package: Option<PathBuf>,

    /// Run nothing: only write docs/compatibility.md from the results
    #[arg(long)]
    page: bool,
}

pub(crate) fn matrix(options: &Options) -> anyhow::Result<ExitCode> {
    let mut results = Results::committed()?;
    if !options.page {
        let runtime = tokio::runtime::Runtime::new().context("cannot start a runtime")?;
        let result = runtime.block_on(run(options, &mut results));
        // Blocking tasks that still run belong to sandboxes that are being removed.
        runtime.shutdown_timeout(Duration::from_secs(10));
        if result?.is_none() {
            println!("Interrupted. The next run continues from here.");
            return Ok(ExitCode::from(130));
        }
    }
    page::write(&results.rows)?;
    let unexplained = explain::unexplained(&results.rows);
    for cell in &unexplained {
        println!("UNEXPLAINED: {cell}");
    }
    println!(
        "{} releases, {} unexplained cells; wrote docs/compatibility.md",
        results.rows.len(),
        unexplained.len()
    );
    Ok(if unexplained.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Proves the releases that the options choose. Returns `None` if the person interrupted.
async fn run(options: &Options, results: &mut Results) -> anyhow::Result<Option<()>> {
    if let Some(package) = &options.package {
        return prove_package(options, package, results).await;
    }
    let releases = chosen_releases(options, results).await?;
    let scratch = Arc::new(Scratch::new()?);
    let tools = Arc::new(tools(options)?);
    let prover = Prover { scratch, tools };
    println!("==> proving {} releases, {} at a time", releases.len(), options.jobs);
    let Some(suspects) = prover.prove(releases, options.jobs.into(), results).await? else { return Ok(None) };
    if suspects.is_empty() {
        return Ok(Some(()));
    }
    println!("==> proving {} of them once more, alone: the machine may have been the cause", suspects.len());
    Ok(prover.prove(suspects, 1, results).await?.map(drop))
}

/// Proves a package that npm does not have.
async fn prove_package(
    options: &Options,
    package: &Path,
    results: &mut Results,
) -> anyhow::Result<Option<()>> {
    let [only] = options.only.as_slice() else { bail!("--package needs exactly one --only") };
    let Some((agent, version)) = only.split_once('@') else {
        bail!("--only {only} has no version; write AGENT@VERSION")
    };
    check_agent(agent)?;
    let directory =
        package.canonicalize().with_context(|| format!("cannot find the directory {}", package.display()))?;
    let manifest = directory.join("package.json");
    let text =
        std::fs::read_to_string(&manifest).with_context(|| format!("cannot read {}", manifest.display()))?;
    let name = serde_json::from_str::<serde_json::Value>(&text)
        .with_context(|| format!("{} is not JSON", manifest.display()))?["name"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    let (agent, version) = (agent.to_owned(), version.to_owned());
    let subject = Subject { agent, version, package: format!("{name}, packed from source"), directory };
    let tools = tools(options)?;
    tokio::select! {
        row = prove(&tools, &subject) => {
            let row = row?;
            println!("{}", summary(&row));
            results.put(row)?;
            Ok(Some(()))
        }
        _ = tokio::signal::ctrl_c() => Ok(None),
    }
}

fn check_agent(id: &str) -> anyhow::Result<()> {
    let known: Vec<_> = AGENTS.iter().map(|agent| agent.id).collect();
    if !known.contains(&id) {
        bail!("unknown agent {id:?}; the agents are {}", known.join(", "));
    }
    Ok(())
}

/// Returns the releases that the options choose, without those that have a result.
async fn chosen_releases(options: &Options, results: &Results) -> anyhow::Result<Vec<Release>> {
    let choices: Vec<_> =
        options.only.iter().map(|only| only.split_once('@').unwrap_or((only, ""))).collect();
    for (id, _) in &choices {
        check_agent(id)?;
    }
    let mut all = Vec::new();
    for &agent in AGENTS {
        let choices: Vec<_> = choices.iter().filter(|(id, _)| *id == agent.id).collect();
        if choices.is_empty() && !options.only.is_empty() {
            continue;
        }
        let releases = releases::of(agent).await?;
        println!("==> {}: npm has {} releases", agent.name, releases.len());
        let is_chosen = |release: &Release| {
            let version = &release.version;
            choices.is_empty() || choices.iter().any(|(_, chosen)| chosen.is_empty() || chosen == version)
        };
        let is_due = |release: &Release| options.again || results.row(agent.id, &release.version).is_none();
        let chosen: Vec<_> = releases.into_iter().filter(is_chosen).collect();
        if let Some((_, missing)) = choices.iter().find(|(_, version)| {
            !version.is_empty() && chosen.iter().all(|release| release.version != **version)
        }) {
            bail!("npm has no stable release {missing} of {}", agent.name);
        }
        all.extend(chosen.into_iter().filter(is_due));
    }
    Ok(all)
}

fn tools(options: &Options) -> anyhow::Result<Tools> {
    let alongside = crate::run::program(options.alongside.as_deref(), &[])?;
    let node = alongside_rig::install().context("cannot install Node")?.node().to_owned();
    Ok(Tools { alongside, node })
}

/// Proves lists of releases.
struct Prover {
    scratch: Arc<Scratch>,
    tools: Arc<Tools>,
}

impl Prover {
    /// Proves releases, `jobs` at once. Returns the releases with unexplained failures; `None` if the person
    /// interrupted.
    async fn prove(
        &self,
        releases: Vec<Release>,
        jobs: usize,
        results: &mut Results,
    ) -> anyhow::Result<Option<Vec<Release>>> {
        let mut progress = Progress::of(releases.len());
        let mut waiting = VecDeque::from(releases);
        let mut running = JoinSet::new();
        let mut suspects = Vec::new();
        let interrupt = tokio::signal::ctrl_c();
        tokio::pin!(interrupt);
        loop {
            while running.len() < jobs {
                let Some(release) = waiting.pop_front() else { break };
                let (scratch, tools) = (self.scratch.clone(), self.tools.clone());
                running.spawn(async move {
                    let row = prove_release(&scratch, &tools, &release).await;
                    (release, row)
                });
            }
            let ended = tokio::select! {
                ended = running.join_next() => ended,
                _ = &mut interrupt => {
                    // The tasks end their processes, and remove their sandboxes and folders.
                    running.shutdown().await;
                    return Ok(None);
                }
            };
            let Some(ended) = ended else { return Ok(Some(suspects)) };
            let (release, row) = ended.context("a proof panicked")?;
            let progress = progress.count();
            match row {
                Ok(row) => {
                    println!("{progress} {}", summary(&row));
                    let failed = |cell: &Cell| matches!(cell, Cell::Fails(_));
                    let is_unexplained = !explain::unexplained(std::slice::from_ref(&row)).is_empty();
                    if is_unexplained && row.cells.values().any(failed) {
                        suspects.push(release);
                    }
                    results.put(row)?;
                }
                // The second run gives up: a registry that is unreachable again will stay so.
                Err(error) if jobs == 1 => return Err(error),
                Err(error) => {
                    println!("{progress} {} {}: {error:#}", release.agent.id, release.version);
                    suspects.push(release);
                }
            }
            if running.is_empty() {
                self.scratch.limit_cache()?;
            }
        }
    }
}

async fn prove_release(scratch: &Scratch, tools: &Tools, release: &Release) -> anyhow::Result<Row> {
    let installation = scratch.install(release).await?;
    let subject = Subject {
        agent: release.agent.id.to_owned(),
        version: release.version.clone(),
        package: release.package.to_owned(),
        directory: installation.package(),
    };
    prove(tools, &subject).await
}

fn summary(row: &Row) -> String {
    let works = row.cells.values().filter(|cell| **cell == Cell::Works).count();
    let name = format!("{} {}", row.agent, row.version);
    match row.has_ide_mode() {
        false => format!("{name}: no IDE mode"),
        true => format!("{name}: {works} of {} work; needs {:?}", row.cells.len(), row.needs),
    }
}
