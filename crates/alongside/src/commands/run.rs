//! `alongside run`: starts an agent together with a companion.

use std::ffi::OsString;
use std::path::Path;
use std::process::{ExitCode, ExitStatus};

use alongside_common::failure::{Hint, failure};
use alongside_common::globals::Globals;
use alongside_common::signals::{self, INTERRUPT, Signals};
use alongside_common::similar_name::nearest;
use alongside_contract::agent::{Agent, FamilyAgent};
use alongside_contract::agents::with_family;
use alongside_desk::{Desk, Event, Status};
use alongside_host::companions;
use alongside_host::{JoinRequest, project_of};
use alongside_platform::{process, shell};
use anyhow::Context;
use tokio::process::{Child, Command};

use super::{agent_setup, agent_variables, desk_pane, note, output, serving_companion};

/// Start an agent together with a companion
///
/// The agent gets the companion of this directory, or a new one that ends with the agent. In tmux, zellij,
/// WezTerm or kitty, the review desk opens in a pane beside it, unless one is open. Elsewhere, start
/// `alongside` in another terminal, or answer proposals in the agent's own prompt.
///
/// It sets the variables of every agent family, and adds the loopback to NO_PROXY.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  alongside run gemini
  alongside run -- qwen -p 'what does this file do?'

Exit codes: the agent's own; 128 plus the signal's number if a signal ended it; 1 if it cannot start.")]
pub(crate) struct Args {
    /// Do not open a desk beside the agent
    #[arg(long)]
    no_desk: bool,

    /// The agent and its arguments
    #[arg(value_name = "AGENT", required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    agent: Vec<OsString>,
}

/// The name of the missing agent in a usage error.
pub(super) const AGENT: &str = "<AGENT>...";

pub(crate) async fn run(args: Args, globals: Globals) -> anyhow::Result<ExitCode> {
    let here = companions::surroundings()?;
    // A missing program is reported before a companion and a desk are started for it.
    if let Some(name) = args.agent.first()
        && Path::new(name).components().count() == 1
        && which::which(name).is_err()
    {
        return Err(failure(
            format!("cannot start {}: PATH has no such program", name.display()),
            hint(name),
        ));
    }
    if let Err(code) = agent_setup::prepare_start(&args.agent).await {
        return Ok(code);
    }
    // From now on, the agent handles signals, and this process ends after it.
    let mut signals = Signals::listen()?;
    let (keeper, environment) = match serving_companion::of_other_program(&here).await? {
        Some(serving) => {
            tracing::info!(port = serving.record.port, "another program's companion serves this directory");
            (None, agent_variables::of_families(&serving))
        }
        None => {
            let request =
                JoinRequest::keeper(&keeper_name(&args.agent), vec![project_of(&here.cwd)], globals);
            let mut keeper = alongside_host::join(request).await?.desk;
            let status = first_status(&mut keeper).await?;
            if status.desks == 0 && !args.no_desk {
                // Without a terminal, a program runs the agent, and no person would see the desk.
                let pane = if output::can_draw() {
                    desk_pane::open(&here.cwd, agent_of_command(&args.agent)).await
                } else {
                    Err(desk_pane::OPEN_BY_HAND.to_owned())
                };
                if let Err(hint) = pane {
                    note(&hint);
                }
            }
            (Some(keeper), status.environment.0.into_iter().collect())
        }
    };
    let status = match spawn(&args.agent, environment) {
        Ok(agent) => wait(agent, &mut signals).await,
        Err(error) => Err(error),
    };
    if let Some(keeper) = keeper {
        keeper.leave().await;
    }
    Ok(exit_code(status?))
}

/// Returns the agent that a command starts, if the table has it.
fn agent_of_command(agent: &[OsString]) -> Option<&'static Agent> {
    agent.first()?.to_str().and_then(Agent::of_command)
}

/// Returns the name of this keeper, which people read at desks.
fn keeper_name(agent: &[OsString]) -> String {
    let program = agent.first().and_then(|program| Path::new(program).file_name());
    format!("alongside run {}", program.unwrap_or_default().to_string_lossy())
}

/// Waits for the first status that the host sends.
async fn first_status(keeper: &mut Desk) -> anyhow::Result<Status> {
    loop {
        match keeper.next().await.context("the companion ended before the agent was started")? {
            Event::Status(status) => return Ok(status),
            Event::Problem(problem) => tracing::warn!(%problem, "problem reported by the companion"),
            _ => {}
        }
    }
}

fn spawn(agent: &[OsString], environment: Vec<(String, String)>) -> anyhow::Result<Child> {
    let (program, args) = agent.split_first().context("no agent is given")?;
    let current = |name: &str| std::env::var(name).ok();
    let mut command = Command::new(shell::program(program));
    command.args(args).envs(environment).envs(agent_variables::proxy_exceptions(current));
    let agent = program.to_str().and_then(FamilyAgent::of_command);
    let tokenless_variables =
        agent.and_then(|agent| agent.family.lock_rules()).map(|rules| rules.tokenless_port_variables);
    for name in tokenless_variables.into_iter().flatten() {
        command.env_remove(name);
    }
    command.spawn().with_context(|| format!("cannot start {}", program.display())).hint(hint(program))
}

fn hint(program: &std::ffi::OsStr) -> String {
    let commands = with_family().flat_map(|agent| agent.commands).copied();
    match program.to_str().and_then(|program| nearest(program, commands)) {
        Some(similar) => format!("did you mean `alongside run -- {similar}`?"),
        None => "give the command as you would type it without `alongside run`".into(),
    }
}

/// Waits for the agent, and forwards signals to it. SIGINT of Ctrl-C is not forwarded, because the terminal
/// sends it to the agent.
async fn wait(mut agent: Child, signals: &mut Signals) -> anyhow::Result<ExitStatus> {
    let is_terminal = std::io::IsTerminal::is_terminal(&std::io::stdin());
    loop {
        tokio::select! {
            status = agent.wait() => return status.context("cannot wait for the agent"),
            signal = signals.next() => {
                if !(is_terminal && signal == INTERRUPT) && let Some(pid) = agent.id() {
                    process::send(pid, signal);
                }
            }
        }
    }
}

fn exit_code(status: ExitStatus) -> ExitCode {
    if let Some(signal) = process::ended_by(&status) {
        return signals::exit_code(signal);
    }
    status.code().and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from)
}
