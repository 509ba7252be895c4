//! `alongside run`.

use std::ffi::OsString;
use std::process::{ExitCode, ExitStatus};

use alongside_desk::{Desk, Event, Status};
use alongside_platform::process;
use anyhow::Context;
use tokio::process::{Child, Command};

use super::{desk, pane, serving, variables};
use crate::failure::Hint;
use crate::globals::Globals;
use crate::host::{self, JoinRequest};
use crate::signals::{self, INTERRUPT, Signals};

/// Start an agent together with a companion
///
/// The agent gets the companion of this directory, or one that runs for as long as the agent does. Within
/// tmux, zellij, WezTerm or kitty the review desk is opened in a pane beside it, if there is none yet;
/// elsewhere, start `alongside` in another terminal, or answer proposals in the agent's own prompt.
///
/// The agent is told of the companion by the variables of every agent family, and the loopback is added to
/// NO_PROXY.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  alongside run gemini
  alongside run -- qwen -p 'what does this file do?'

Exit codes: the agent's own; 128 and the signal's number if a signal ended it; 1 if it could not be started.")]
pub(crate) struct Args {
    /// Open no desk beside the agent
    #[arg(long)]
    no_desk: bool,

    /// The agent and its arguments
    #[arg(value_name = "AGENT", required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    agent: Vec<OsString>,
}

pub(crate) async fn run(args: Args, globals: Globals) -> anyhow::Result<ExitCode> {
    let here = serving::surroundings()?;
    // From now on signals are the agent's to answer; we end after it.
    let mut signals = Signals::listen()?;
    let (keeper, environment) = match serving::of_others(&here).await? {
        Some(serving) => {
            tracing::info!(
                port = serving.record.port,
                "another program's companion serves this directory already"
            );
            (None, variables::of(&serving))
        }
        None => {
            let mut keeper = host::join(JoinRequest::keeper(vec![here.cwd.clone()], globals)).await?.desk;
            let status = status(&mut keeper).await?;
            if status.desks == 0 && !args.no_desk {
                // An agent that talks to a program has nobody beside it.
                let opened = if desk::can_draw() {
                    pane::open(&here.cwd).await
                } else {
                    Err(pane::BY_HAND.to_owned())
                };
                opened.err().inspect(|otherwise| super::note(otherwise));
            }
            (Some(keeper), status.environment.0.into_iter().collect())
        }
    };
    let ended = match spawn(&args.agent, environment) {
        Ok(agent) => wait(agent, &mut signals).await,
        Err(error) => Err(error),
    };
    if let Some(keeper) = keeper {
        keeper.leave().await;
    }
    Ok(exit_code(ended?))
}

/// What the host says of itself first.
async fn status(keeper: &mut Desk) -> anyhow::Result<Status> {
    loop {
        match keeper.next().await.context("the companion ended before the agent was started")? {
            Event::Status(status) => return Ok(status),
            Event::Problem(problem) => tracing::warn!(%problem, "the companion says"),
            _ => {}
        }
    }
}

fn spawn(agent: &[OsString], environment: Vec<(String, String)>) -> anyhow::Result<Child> {
    let (program, args) = agent.split_first().context("no agent is named")?;
    let current = |name: &str| std::env::var(name).ok();
    Command::new(program)
        .args(args)
        .envs(environment)
        .envs(variables::proxy_exceptions(current))
        .spawn()
        .with_context(|| format!("cannot start {}", program.display()))
        .hint("name a program that is installed, as you would without `alongside run`")
}

/// Waits for the agent, and passes signals on to it. Ctrl-C on a terminal reaches it without us.
async fn wait(mut agent: Child, signals: &mut Signals) -> anyhow::Result<ExitStatus> {
    let terminal = std::io::IsTerminal::is_terminal(&std::io::stdin());
    loop {
        tokio::select! {
            status = agent.wait() => return status.context("cannot wait for the agent"),
            signal = signals.next() => {
                if !(terminal && signal == INTERRUPT) && let Some(pid) = agent.id() {
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
