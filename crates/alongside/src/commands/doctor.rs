//! `alongside doctor`.

mod agents;
mod cause;
mod examine;
mod fix;
mod living;
mod ourselves;
mod probe;
mod report;
mod unreached;
mod words;

use std::path::PathBuf;
use std::process::ExitCode;

use alongside_agent::find::{self, Surroundings};
use alongside_desk::harmless;
use anyhow::Context;
use clap::ValueEnum;

use super::completions::Names;
use super::serving;
use crate::failure::{self, Hint, failure};
use agents::Agent;
use examine::{Examiner, Finding};
use living::Machine;
use report::Report;

/// The exit code where there is nothing to examine, or not as it was asked for.
const NOTHING: u8 = 2;

/// Find out why an agent does not find its companion, and what to do
///
/// Type it in the terminal and the directory where the agent fails. It finds the agents that are installed,
/// does what each one's release would do here to find a companion, connects as it would, and reads the
/// settings that matter. For each it says whether it would connect, and to whom; or what keeps it from it,
/// and what helps.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  alongside doctor
  alongside doctor gemini --verbose     every step of Gemini CLI
  alongside doctor --pid 12345          as that running agent sees it

Exit codes: 0 if each agent would connect and propose, 1 if something is wrong, 2 if there is nothing to examine, or not as you asked.")]
pub(crate) struct Args {
    /// Which agents: gemini, qwen, llxprt, …; those that are installed if nothing is said
    #[arg(value_name = "AGENT", value_parser = Names::Agents, hide_possible_values = true)]
    agents: Vec<String>,

    /// Tell every step
    #[arg(long, short)]
    verbose: bool,

    /// Print JSON
    #[arg(long)]
    json: bool,

    /// Remove files that alongside has left behind; what is not ours is said, never done
    #[arg(long)]
    fix: bool,

    /// See it as this process does, an agent or a shell: its directory and its variables
    #[arg(long, value_name = "PID")]
    pid: Option<u32>,

    /// See it from this directory
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,

    /// Whether the agent runs in a container; where this command runs if nothing is said
    #[arg(long, value_enum, value_name = "WHETHER")]
    container: Option<Container>,
}

/// Whether an agent runs in a container.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Container {
    /// In one
    Yes,
    /// In none
    No,
}

pub(crate) async fn run(args: Args) -> anyhow::Result<ExitCode> {
    match diagnose(args).await {
        // 1 says that something is wrong with an agent.
        Err(error) => {
            tracing::error!("{error:#}");
            failure::print(&error);
            Ok(NOTHING.into())
        }
        code => code,
    }
}

async fn diagnose(args: Args) -> anyhow::Result<ExitCode> {
    let here = surroundings(&args)?;
    let families = agents::families(&args.agents).map_err(|name| {
        let known = alongside_contract::family::FAMILIES.iter().map(|family| family.id);
        failure(
            format!("no agent is called {name}"),
            format!("those that are known: {}", known.collect::<Vec<_>>().join(", ")),
        )
    })?;
    let named = args.pid.and_then(agents::process_of_agent).filter(|_| args.agents.is_empty());
    let mut found = match &named {
        Some(running) => vec![Agent::of_process(running).await],
        None => agents::installed(&families, &here).await,
    };
    for family in families.iter().filter(|_| !args.agents.is_empty()) {
        if !found.iter().any(|agent| agent.family.id == family.id) {
            found.push(Agent::not_installed(family));
        }
    }
    let mut machine = Machine::look(&here).await;
    let mended = if args.fix { fix::mend(&machine).await } else { Vec::new() };
    if !mended.is_empty() {
        machine = Machine::look(&here).await;
    }
    let running = agents::running(&here);
    let in_container = args.container.map_or_else(find::in_container, |is| is == Container::Yes);
    let examiner = Examiner { here: &here, machine: &machine, running: &running, in_container };
    let mut findings: Vec<Finding> = Vec::new();
    for agent in found {
        findings.push(examiner.examine(agent).await);
    }
    let ourselves = ourselves::look(&here, &machine).await;
    let columns = alongside_platform::terminal::columns().map(|columns| usize::from(columns).min(100));
    let report = Report {
        machine: &machine,
        findings: &findings,
        ourselves: &ourselves,
        verbose: args.verbose,
        columns,
    };
    if args.json {
        let line = report.json(&mended).to_string();
        super::print(&format!("{}\n", harmless::json(&line)))?;
    } else {
        let mended: String = match mended.as_slice() {
            [] if args.fix => {
                "nothing to remove: no file of alongside is left of a companion that is gone\n\n".into()
            }
            [] => String::new(),
            mended => mended.iter().map(|line| format!("{line}\n")).chain(["\n".into()]).collect(),
        };
        super::print(&(mended + &report.text()))?;
    }
    if findings.is_empty() {
        super::note(
            "no agent is installed in PATH, so there is nothing to examine; name one: alongside doctor gemini",
        );
        return Ok(NOTHING.into());
    }
    Ok(if findings.iter().any(report::is_wrong) { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Whose eyes it is seen with.
fn surroundings(args: &Args) -> anyhow::Result<Surroundings> {
    let mut here = match args.pid {
        None => serving::surroundings()?,
        Some(pid) => Surroundings::of_process(pid).with_context(|| format!("nothing can be known of process {pid}")).hint(
            "it must be one of yours that runs; where its variables cannot be read, type `alongside doctor` in its terminal",
        )?,
    };
    if let Some(dir) = &args.dir {
        let dir = std::path::absolute(dir)?;
        here.cwd = dir.canonicalize().with_context(|| format!("{} is no directory", dir.display()))?;
    }
    Ok(here)
}
