//! `alongside check`: finds a companion, runs the conformance suite against it, and reports.

mod drive_command;
mod json_report;
mod junit;
mod manual_driver;
mod printer;
mod ticker;

use std::fs::File;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use alongside_common::failure::{self, Hint, failure};
use alongside_common::globals::Globals;
use alongside_common::person_file::{PersonFile, links_to};
use alongside_common::signals::Signals;
use alongside_conformance::{self as check, Driver, NoCompanion, Options, Progress, Report, Target};
use alongside_contract::agent::FamilyAgent;
use alongside_contract::agents::with_family;
use alongside_contract::family::Transport;
use alongside_desk::harmless;
use alongside_host::companions;
use alongside_platform::directories;
use alongside_platform::files::Links;
use anyhow::Context as _;

use super::completions::Names;
use crate::line_mode::Inks;

/// The exit code if there is nothing to check, or an argument is wrong.
const NOTHING_CHECKED: u8 = 2;

/// Check a companion against the contract, clause by clause
///
/// Finds a companion as an agent would, of whatever make, and checks it: discovery, access, protocol,
/// sessions, streams, context, diffs, and the end. Each verdict comes with the clause it is about, with what
/// was sent and what came, and with what a failure does to a user.
///
/// Checks that need somebody at the editor ask you in the terminal, or run a program (--drive); otherwise
/// they are not observable, which is never a pass. Do not review anything else meanwhile: diffs open and
/// close. The check closes every diff it opened, also when you interrupt it, and writes nothing into your
/// project: its proposals are about files in a directory "alongside-check-…" that does not exist, and the
/// files it asks you to open lie in the temporary directory.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  alongside check                           the companion an agent would find here
  alongside check --family claude           the same for Claude Code, which has its own checks
  alongside check --only diffs --details    every check of diffs, with its evidence
  alongside check --drive ./drive.sh --junit check.xml
  alongside check --wait 25                 without the checks that take a minute
  alongside check --list

CMD of --drive is run for each action as `CMD ACTION ARGUMENT…`. It exits with 0 when that is done, or \
with 3 if the editor cannot do it. docs/conformance.md lists the actions and all checks.

Exit codes: 0 if no MUST is broken, 1 if one is or the command of --drive failed, 2 if there is no companion \
to check, or an argument is wrong.")]
pub(crate) struct Args {
    /// Find it as this agent does: gemini, qwen, llxprt, …
    #[arg(
        value_name = "AGENT",
        conflicts_with_all = ["port", "file"],
        value_parser = Names::Agents,
        hide_possible_values = true
    )]
    agent: Option<String>,

    /// Make the checks for this agent, also with --port or --file: claude has its own
    #[arg(
        long,
        value_name = "AGENT",
        conflicts_with = "agent",
        value_parser = Names::Agents,
        hide_possible_values = true
    )]
    family: Option<String>,

    /// Check the companion that listens on this port
    #[arg(
        long,
        value_name = "PORT",
        conflicts_with = "file",
        value_parser = clap::value_parser!(u16).range(1..)
    )]
    port: Option<u16>,

    /// Use this token; without it, the one in its discovery file
    #[arg(
        long,
        value_name = "TOKEN",
        requires = "port",
        env = "ALONGSIDE_CHECK_TOKEN",
        hide_env_values = true
    )]
    token: Option<String>,

    /// Check the companion that this discovery file leads to
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,

    /// Have this command do what is needed in the editor
    #[arg(long, value_name = "CMD")]
    drive: Option<String>,

    /// Ask nobody: checks that need somebody at the editor are not observable
    #[arg(long, conflicts_with = "drive")]
    unattended: bool,

    /// Only these checks: ids or names of groups
    #[arg(
        long,
        value_name = "NAME",
        value_delimiter = ',',
        value_parser = Names::Checks,
        hide_possible_values = true
    )]
    only: Vec<String>,

    /// Not these
    #[arg(
        long,
        value_name = "NAME",
        value_delimiter = ',',
        value_parser = Names::Checks,
        hide_possible_values = true
    )]
    skip: Vec<String>,

    /// Also end with 1 if something fails that shipped agents need
    #[arg(long)]
    strict: bool,

    /// Show the complete evidence of every check: messages sent and received
    #[arg(long)]
    details: bool,

    /// Print JSON
    #[arg(long)]
    json: bool,

    /// Write a JUnit report to FILE
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,

    /// List all checks, and check nothing
    #[arg(long)]
    list: bool,

    /// Wait so long for an answer, in seconds
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 5,
        value_parser = clap::value_parser!(u64).range(1..=600)
    )]
    patience: u64,

    /// Wait so long for slow observations, in seconds: a silent stream, an agent that is gone. Checks that
    /// take longer are skipped
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 70,
        value_parser = clap::value_parser!(u64).range(0..=3600)
    )]
    wait: u64,
}

pub(crate) async fn run(args: Args, _globals: Globals) -> anyhow::Result<ExitCode> {
    match check_companion(&args).await {
        // Exit code 1 would be a result for a companion, and there is none.
        Err(error) => {
            tracing::error!("{error:#}");
            failure::print(&error);
            Ok(NOTHING_CHECKED.into())
        }
        code => code,
    }
}

async fn check_companion(args: &Args) -> anyhow::Result<ExitCode> {
    let mut options = Options { only: args.only.clone(), skip: args.skip.clone(), ..Options::default() };
    options.timeouts.answer = Duration::from_secs(args.patience);
    options.timeouts.wait = Duration::from_secs(args.wait);
    let agent = args.family.as_deref().or(args.agent.as_deref()).map(agent_named).transpose()?;
    let transport = agent.map_or(Transport::Http, |agent| agent.family.transport);
    if let Some(name) = options.unknown(transport).next() {
        return Err(failure(
            format!("there is no check and no group {name:?}"),
            "`alongside check --list` shows them all; Claude Code has its own, with `--family claude`",
        ));
    }
    if args.list {
        let wanted = options.wanted(transport);
        match args.json {
            true => super::print_json(&json_report::list(&wanted))?,
            false => super::print(&printer::list(&wanted))?,
        }
        return Ok(ExitCode::SUCCESS);
    }
    let target = find(args, agent).await?;
    if let Some(path) = &args.junit {
        // An error is reported now, and not after minutes.
        write_report(path, None)?;
    }
    let report = examine(args, &target, &options).await?;
    if let Some(path) = &args.junit {
        write_report(path, Some(&junit::junit(&report)))?;
    }
    if args.json {
        super::print_json(&json_report::report(&report))?;
    } else {
        let columns = alongside_platform::terminal::columns().filter(|_| std::io::stdout().is_terminal());
        let printer = printer::Printer {
            inks: Inks::for_stdout(),
            columns: usize::from(columns.unwrap_or(100)).clamp(40, 120),
            details: args.details,
        };
        super::print(&printer.report(&report))?;
    }
    let has_passed = if args.strict { report.serves_shipped_agents() } else { report.conforms() };
    let is_complete = !report.interrupted && report.driver_failures.is_empty();
    Ok(if has_passed && is_complete { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Writes the report to the file that the person names; without a report, only tests whether it could. In a
/// project, no link is followed, because it may come from the repository.
fn write_report(path: &Path, report: Option<&str>) -> anyhow::Result<()> {
    let write = || -> anyhow::Result<()> {
        let (full, cwd) = (std::path::absolute(path)?, std::env::current_dir()?);
        let links = links_to(&full, &directories::home().unwrap_or_default(), &cwd);
        match (PersonFile::find(&full, links)?.filter(|_| links == Links::Refused), report) {
            (Some(file), Some(report)) => file.replace(report),
            (Some(file), None) if file.read()?.is_none() => Ok(file.create("")?),
            (Some(_), None) => Ok(()),
            (None, Some(report)) => Ok(std::fs::write(path, report)?),
            (None, None) => Ok(File::options().create(true).read(true).append(true).open(path).map(drop)?),
        }
    };
    write()
        .with_context(|| format!("cannot write {}", harmless::path(path)))
        .hint("name a file of yours, in a directory that is there")
}

/// Finds the companion, and tests that it answers.
async fn find(args: &Args, agent: Option<FamilyAgent>) -> anyhow::Result<Target> {
    let here = companions::surroundings()?;
    let target = if let Some(port) = args.port {
        Target::at(port, args.token.clone(), agent, here)
    } else if let Some(file) = &args.file {
        Target::in_file(file, agent, here)
            .hint("name a discovery file, such as those that `alongside status --files` lists")?
    } else {
        Target::find(agent, here).hint(
            "start one with `alongside` in another terminal of this project, cd into the project of an \
             editor that has one, or name it with --port and --token or with --file",
        )?
    };
    if !target.is_there().await {
        let hint = match &target.file {
            Some(file) => format!(
                "the editor is gone, and has left {} behind; start the editor again",
                harmless::path(file)
            ),
            None => {
                "no discovery file names that port; `alongside status` lists the companions that run".into()
            }
        };
        return Err(failure(format!("nobody listens on port {}", target.record.port), hint));
    }
    // A person who gives port and token has chosen the program that gets the token.
    if args.port.is_none() || args.token.is_none() {
        companions::guard(&target.record).await?;
    }
    if let Err(why) = check::find_companion(&target, Duration::from_secs(args.patience)).await {
        return Err(failure(harmless::name(&why.to_string()), hint(&why)));
    }
    Ok(target)
}

/// Returns the remedy if another program listens, or the token is wrong.
fn hint(why: &NoCompanion) -> String {
    match why {
        NoCompanion::Refused { file: Some(file), .. } => {
            format!("the right one is in {}", harmless::path(file))
        }
        NoCompanion::Refused { file: None, .. } => {
            "name the token of its discovery file with --token, or the file itself with --file".into()
        }
        NoCompanion::Foreign { .. } | NoCompanion::Silent { .. } => {
            "`alongside status` lists the companions that run; one that is broken is checked by its file, \
                with --file"
                .into()
        }
    }
}

/// Returns the agent of this name, if it finds companions.
fn agent_named(name: &str) -> anyhow::Result<FamilyAgent> {
    FamilyAgent::named(name).ok_or_else(|| {
        let known: Vec<&str> = with_family().map(|agent| agent.id).collect();
        failure(format!("{name:?} is no agent that is known"), format!("take one of {}", known.join(", ")))
    })
}

async fn examine(args: &Args, target: &Target, options: &Options) -> anyhow::Result<Report> {
    let mut signals = Signals::listen().context("cannot watch for signals")?;
    let wanted = options.wanted(target.transport);
    let attended = wanted.iter().filter(|check| !check.needs.is_empty()).count();
    let actions = wanted.iter().map(|check| check.needs.len()).sum();
    let is_at_terminal = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    let run_failure = drive_command::RunFailure::default();
    let driver: Option<Box<dyn Driver>> = match &args.drive {
        Some(command) => Some(Box::new(drive_command::Command::new(command, run_failure.clone()))),
        None if args.unattended || !is_at_terminal || attended == 0 => None,
        None => {
            manual_driver::offer(attended, actions, &mut signals).await?.map(|driver| Box::new(driver) as _)
        }
    };
    let mut ticker = ticker::Ticker::new();
    let mut progress = |progress: Progress<'_>| ticker.show(&progress);
    // A command that cannot be run ends the checks: they would count as not observable.
    let interrupted = async {
        tokio::select! {
            _ = signals.next() => (),
            () = run_failure.wait() => (),
        }
    };
    let report = check::run(target, options, driver.as_deref(), &mut progress, interrupted).await;
    ticker.clear();
    if let Some(why) = run_failure.reason() {
        return Err(failure(
            format!("the command of --drive cannot be run: {}", harmless::name(&why)),
            "name a program that is there and may be executed; nothing is known of the companion",
        ));
    }
    report
        .context("cannot make temporary files")
        .hint("make room in the temporary directory, or name another one with TMPDIR")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_are_found_by_their_identifiers() {
        assert_eq!(agent_named("qwen").unwrap().id, "qwen");
        assert!(agent_named("emacs").unwrap_err().to_string().contains("emacs"));
    }
}
