//! `cargo xtask bench`: measures the cost and speed of a companion beside another one.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use alongside_rig::bench::{Kind, Plan, Scene, Subject, run};

use crate::run::{interruption, program};

/// The name of the baseline: what a plugin author would write today.
const BASELINE: &str = "baseline";

/// Options of `cargo xtask bench`.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Measure the companion that this command starts; an `alongside` program is started as a host
    #[arg(long, value_name = "CMD", conflicts_with = "file")]
    start: Option<String>,

    /// Measure the running companion of this discovery file
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,

    /// Measure in turns with the companion that this command starts; `baseline` is the one in
    /// rig/node/baseline
    #[arg(long, value_name = "CMD")]
    vs: Option<String>,

    /// The driver that moves the cursor and accepts: a command as for `alongside check`, or unix:SOCKET
    #[arg(long, value_name = "CMD")]
    drive: Option<String>,

    /// The driver for the companion of --vs
    #[arg(long, value_name = "CMD", requires = "vs")]
    vs_drive: Option<String>,

    /// How long the companions collect moves before they send a context, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 50)]
    debounce: u64,

    /// Measure only these: machine, starts, memory, requests, decisions, contexts, proposals, hooks, turns,
    /// desk, line-mode, plugins, hook-cost, neovim, stops, rest
    #[arg(long, value_name = "WHAT", value_delimiter = ',', value_parser = scene)]
    only: Vec<Scene>,

    /// Measure only a little of everything, to see that it works
    #[arg(long)]
    quick: bool,

    /// Print JSON
    #[arg(long, conflicts_with = "markdown")]
    json: bool,

    /// Print a Markdown table, as in docs/performance.md
    #[arg(long)]
    markdown: bool,
}

pub(crate) fn bench(options: &Options) -> anyhow::Result<ExitCode> {
    if cfg!(debug_assertions) && !options.quick {
        return crate::load::rerun_as_release();
    }
    let plan = if options.quick { Plan::quick() } else { Plan::default() };
    let mut plan = Plan { debounce: Duration::from_millis(options.debounce), ..plan };
    plan.scenes.retain(|scene| options.only.is_empty() || options.only.contains(scene));
    let is_default = options.start.is_none() && options.file.is_none();
    let first = match (&options.start, &options.file) {
        (_, Some(file)) => Kind::File(file.clone()),
        (Some(command), None) => kind(command)?,
        (None, None) => Kind::Ours(program(None, if cfg!(debug_assertions) { &[] } else { &["--release"] })?),
    };
    let mut subjects = vec![subject(first, options.drive.clone())];
    let second = options.vs.clone().or(is_default.then(|| BASELINE.to_owned()));
    if let Some(command) = second {
        subjects.push(subject(kind(&command)?, options.vs_drive.clone()));
    }
    let report = run(&plan, &subjects, interruption(), &|line| eprintln!("{line}"))?;
    if options.json {
        println!("{}", serde_json::to_string(&report)?);
    } else if options.markdown {
        print!("{}", report.markdown());
    } else {
        print!("{report}");
    }
    Ok(ExitCode::SUCCESS)
}

fn scene(name: &str) -> Result<Scene, String> {
    let known = Scene::ALL.into_iter().find(|(known, _)| *known == name).map(|(_, scene)| scene);
    known.ok_or_else(|| format!("choose one of {}", Scene::ALL.map(|(name, _)| name).join(", ")))
}

/// Returns the kind of a command. A program named `alongside` counts as alongside itself.
fn kind(command: &str) -> anyhow::Result<Kind> {
    if command == BASELINE {
        return Ok(Kind::Baseline(Box::new(alongside_rig::install()?)));
    }
    let named = Path::new(command);
    if named.file_name().is_some_and(|name| name == "alongside") {
        return Ok(Kind::Ours(program(Some(named), &[])?));
    }
    Ok(Kind::Command(command.to_owned()))
}

fn subject(kind: Kind, drive: Option<String>) -> Subject {
    let name = match &kind {
        Kind::Ours(_) => "alongside".to_owned(),
        Kind::Baseline(_) => BASELINE.to_owned(),
        Kind::Command(command) => command.chars().take(30).collect(),
        Kind::File(file) => file.file_name().unwrap_or_default().to_string_lossy().into_owned(),
    };
    Subject { name, kind, drive }
}
