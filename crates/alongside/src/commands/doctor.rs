//! `alongside doctor`: examines why agents do not find their companion.

mod agents;
mod causes;
mod connection_failure;
mod diagnosis;
mod examine;
mod finding;
mod hook_trust;
mod hooks;
mod lock_search;
mod own_installation;
mod probe;
mod report;
mod rules;
mod running_companions;
mod stale_files;

use std::path::PathBuf;
use std::process::ExitCode;

use alongside_agent::find::{self, Surroundings};
use alongside_agent::settings::hooks::OurHook;
use alongside_common::failure::{self, Hint, failure};
use alongside_common::globals::Globals;
use alongside_contract::agent::Agent as AgentRow;
use alongside_contract::agents::AGENTS;
use alongside_host::companions;
use alongside_platform::paths::Canonical as _;
use anyhow::Context;
use clap::ValueEnum;

use super::completions::Names;
use agents::Agent;
use diagnosis::any_fails;
use examine::Examiner;
use finding::Finding;
use hooks::HookFinding;
use report::Report;
use rules::Explanation;
use running_companions::Companions;

/// The exit code if there is nothing to examine. Exit code 1 means that an agent would fail.
const NOTHING_EXAMINED: u8 = 2;

/// The longest line of a report, in columns, also on a wider terminal.
const MAX_COLUMNS: usize = 100;

/// Find out why an agent does not find its companion, and what to do
///
/// Run it in the terminal and the directory where the agent fails. For each installed agent it repeats the
/// search of that agent's release, connects as the agent would, and reads the agent's settings. It reports
/// which companion the agent would connect to, or why it would fail and what to do. It also reports whether
/// the agent runs the hooks of alongside and waits long enough for them, and whether the hook finds the
/// companion. With --path, it examines nothing, and tells which rule of your settings holds for a file.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  alongside doctor
  alongside doctor gemini --verbose     every step of Gemini CLI's search
  alongside doctor --pid 12345          as that running agent sees it
  alongside doctor --path docs/a.md     whether a change of that file needs your decision, and why

Exit codes: 0 if each agent would connect, 1 if one would fail or alongside cannot start, 2 if there is \
nothing to examine. With --path: 0 if every change needs your decision or is refused, 1 if one can pass \
without it, 2 if the settings cannot be read.")]
pub(crate) struct Args {
    #[arg(
        value_name = "AGENT",
        help = agents_help(),
        value_parser = Names::Agents,
        hide_possible_values = true
    )]
    agents: Vec<String>,

    /// Show every step of the search
    #[arg(long, short)]
    verbose: bool,

    /// Print JSON
    #[arg(long)]
    json: bool,

    /// Remove files that alongside has left behind; the files of others are only reported
    #[arg(long)]
    fix: bool,

    /// Use the directory and the variables of this process, an agent or a shell
    #[arg(long, value_name = "PID")]
    pid: Option<u32>,

    /// Use this directory
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,

    /// Tell for a file whether its changes need your decision, and which rule says so
    #[arg(long, value_name = "FILE", conflicts_with_all = ["fix", "pid", "verbose", "container"])]
    path: Option<PathBuf>,

    /// Whether the agent runs in a container [default: whether this command does]
    #[arg(long, value_enum, value_name = "WHETHER")]
    container: Option<Container>,
}

fn agents_help() -> String {
    format!("The agents: {}, … [default: those that are installed]", super::lists::agents_to_examine())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Container {
    /// It runs in a container
    Yes,
    /// It does not
    No,
}

pub(crate) async fn run(args: Args, globals: Globals) -> anyhow::Result<ExitCode> {
    match diagnose(args, globals).await {
        Err(error) => {
            tracing::error!("{error:#}");
            failure::print(&error);
            Ok(NOTHING_EXAMINED.into())
        }
        code => code,
    }
}

async fn diagnose(args: Args, globals: Globals) -> anyhow::Result<ExitCode> {
    let here = surroundings(&args)?;
    if let Some(path) = &args.path {
        let file = here.cwd.join(path);
        let explanation = Explanation::new((&file, &here.cwd), &args.agents, globals.config.as_deref())?;
        match args.json {
            true => super::print_json(&explanation.json())?,
            false => super::print(&explanation.text())?,
        }
        return Ok(explanation.exit_code());
    }
    let agents = agents_to_examine(&args, &here).await?;
    let mut companions = Companions::find(&here).await;
    let removed = if args.fix { stale_files::remove(&companions).await } else { Vec::new() };
    if !removed.is_empty() {
        companions = Companions::find(&here).await;
    }
    let in_container = args.container.map_or_else(find::in_container, |is| is == Container::Yes);
    let running_agents = agents::running(&here);
    let examiner =
        Examiner { here: &here, companions: &companions, running_agents: &running_agents, in_container };
    let mut findings: Vec<Finding> = Vec::new();
    for agent in agents {
        findings.push(examiner.examine(agent).await);
    }
    let search_cause = hooks::failed_search(&here, &companions).await;
    let mut hook_findings: Vec<HookFinding> = Vec::new();
    for agent in hooks::agents_to_examine(&args.agents, &findings, &here) {
        let release = findings.iter().find(|finding| finding.agent.row.id == agent.id);
        let release = release.and_then(|finding| finding.agent.release);
        for ours in OurHook::ALL.into_iter().filter(|ours| ours.is_run_by(agent)) {
            hook_findings.push(hooks::examine((agent, ours), release, &here, search_cause.as_ref()).await);
        }
    }
    for finding in &mut findings {
        let is_of_agent = |hook: &HookFinding| hook.agent.id == finding.agent.row.id;
        if hook_findings.iter().any(|hook| is_of_agent(hook) && hook.works()) {
            finding.remove_mode_cause();
        }
    }
    let installation = own_installation::check(&here, &companions, globals.config.as_deref()).await;
    let columns = alongside_platform::terminal::columns().map(usize::from);
    let report = Report {
        companions: &companions,
        findings: &findings,
        hooks: &hook_findings,
        installation: &installation,
        verbose: args.verbose,
        columns: columns.map(|columns| columns.min(MAX_COLUMNS)),
    };
    match args.json {
        true => super::print_json(&report.json(&removed))?,
        false => super::print(&(removed_text(&args, &removed) + &report.text()))?,
    }
    let has_nothing_examined = findings.is_empty() && hook_findings.is_empty();
    if has_nothing_examined {
        super::note("no agent is in PATH, so there is nothing to examine; name one: alongside doctor AGENT");
    }
    let agent_fails = findings.iter().any(|finding| any_fails(&finding.diagnoses()));
    Ok(match any_fails(&installation) || agent_fails {
        true => ExitCode::FAILURE,
        false if has_nothing_examined => NOTHING_EXAMINED.into(),
        false => ExitCode::SUCCESS,
    })
}

/// Returns the agents that the person named, or the agent that runs as `--pid`, or else the installed ones.
async fn agents_to_examine(args: &Args, here: &Surroundings) -> anyhow::Result<Vec<Agent>> {
    let connects_to_none = |name: &String| AgentRow::named(name).is_some_and(|row| row.family.is_none());
    let (only_hooks, named): (Vec<String>, Vec<String>) =
        args.agents.iter().cloned().partition(connects_to_none);
    if named.is_empty() && !only_hooks.is_empty() {
        return Ok(Vec::new());
    }
    let rows = agents::named(&named).map_err(|name| {
        let known: Vec<_> = AGENTS.iter().map(|agent| agent.id).collect();
        failure(format!("no agent is called {name}"), format!("name one of: {}", known.join(", ")))
    })?;
    if args.agents.is_empty() {
        return Ok(match args.pid.and_then(agents::process_of_agent) {
            Some(running) => vec![Agent::of_process(&running).await],
            None => agents::installed(&rows, here).await,
        });
    }
    let mut agents = agents::installed(&rows, here).await;
    for row in rows {
        if !agents.iter().any(|agent| agent.row.id == row.id) {
            agents.push(Agent::not_installed(row));
        }
    }
    Ok(agents)
}

/// Returns the part of the report about files that `--fix` has removed.
fn removed_text(args: &Args, removed: &[String]) -> String {
    match removed {
        [] if args.fix => "nothing to remove: alongside has left no stale files\n\n".into(),
        [] => String::new(),
        removed => format!("{}\n\n", removed.join("\n")),
    }
}

/// Returns the directory and the variables of this terminal or of the process `--pid`; `--dir` replaces the
/// directory.
fn surroundings(args: &Args) -> anyhow::Result<Surroundings> {
    let mut here = match args.pid {
        None => companions::surroundings()?,
        Some(pid) => {
            let context = || format!("cannot read the directory and the variables of process {pid}");
            Surroundings::of_process(pid).with_context(context).hint(
                "name a running process of yours; if the system hides its variables, run `alongside doctor` \
                 in its \
                 terminal",
            )?
        }
    };
    if let Some(dir) = &args.dir {
        let dir = std::path::absolute(dir)?;
        here.cwd = dir.canonical().with_context(|| format!("{} is not a directory", dir.display()))?;
    }
    Ok(here)
}
