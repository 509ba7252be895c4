//! `alongside run`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{ExitCode, ExitStatus};

use alongside_companion::Companion;
use alongside_contract::discovery::{Record, Stdio, WRITER, join_roots};
use anyhow::Context;
use tokio::process::{Child, Command};
use tokio::sync::mpsc;

use super::serving::{self, Serving};
use super::{review, variables};
use crate::failure::Hint;
use crate::saved::{self, Filter};
use crate::settings::Settings;
use crate::signals::Signals;

/// Start an agent together with a companion
///
/// If a companion serves this directory already, the agent gets that one. Otherwise one runs for as long as the agent
/// does; proposals are then answered in the agent's own prompt. To decide them change by change, start `alongside
/// review` in another terminal first.
///
/// The agent is told of the companion by the variables of every agent family, and the loopback is added to NO_PROXY.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  alongside run gemini
  alongside run -- qwen -p 'what does this file do?'

Exit codes: the agent's own; 128 and the signal's number if a signal ended it; 1 if it could not be started.")]
pub(crate) struct Args {
    /// The agent and its arguments
    #[arg(value_name = "AGENT", required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    agent: Vec<OsString>,
}

pub(crate) async fn run(args: Args, config: Option<PathBuf>) -> anyhow::Result<ExitCode> {
    let here = serving::surroundings()?;
    // From now on signals are the agent's to answer; we end after it.
    let mut signals = Signals::listen()?;
    let (companion, serving) = match serving::here(&here).await {
        Some(serving) => {
            tracing::info!(port = serving.record.port, "a companion serves this directory already");
            (None, serving)
        }
        None => {
            let (companion, serving) = start(here.cwd, config).await?;
            (Some(companion), serving)
        }
    };
    let ended = match spawn(&args.agent, &serving) {
        Ok(agent) => wait(agent, &mut signals).await,
        Err(error) => Err(error),
    };
    if let Some(companion) = companion {
        companion.stop().await;
    }
    Ok(exit_code(ended?))
}

/// A companion for this directory, and the record of how to connect to it.
async fn start(root: PathBuf, config: Option<PathBuf>) -> anyhow::Result<(Companion, Serving)> {
    let roots = [root];
    let settings = Settings::load(config.as_deref(), &roots)?;
    let companion = review::start(&settings, &roots).await?;
    let (problems, mut problems_in) = mpsc::unbounded_channel::<alongside_desk::Problem>();
    if settings.context {
        let filter = Filter::new(&roots, &settings.exclude, settings.include_git_ignored);
        saved::start(companion.observe(), roots.to_vec(), filter, problems);
    }
    // The terminal is the agent's: what is wrong goes to the log.
    tokio::spawn(async move {
        while let Some(problem) = problems_in.recv().await {
            tracing::warn!(%problem, "while watching saved files");
        }
    });
    super::note(
        "proposals can be answered in the agent's own prompt; to decide them change by change, \
         start `alongside review` in another terminal first",
    );
    let record = Record {
        port: companion.port(),
        workspace_path: join_roots(roots.iter().filter_map(|root| root.to_str())).unwrap_or_default(),
        auth_token: Some(companion.token().to_owned()),
        ide_info: None,
        ppid: None,
        ide_name: None,
        stdio: Some(Stdio { command: super::own_program(), args: vec!["stdio".into()] }),
        writer: Some(WRITER.to_owned()),
    };
    Ok((companion, Serving { record, pid: Some(std::process::id()) }))
}

fn spawn(agent: &[OsString], serving: &Serving) -> anyhow::Result<Child> {
    let (program, args) = agent.split_first().context("no agent is named")?;
    let current = |name: &str| std::env::var(name).ok();
    Command::new(program)
        .args(args)
        .envs(variables::all(&serving.record, serving.pid, current))
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
                if !(terminal && signal == Signals::INTERRUPT) {
                    pass_on(&agent, signal);
                }
            }
        }
    }
}

#[cfg(unix)]
fn pass_on(agent: &Child, signal: i32) {
    use rustix::process::{Pid, Signal, kill_process};
    let pid = agent.id().and_then(|id| Pid::from_raw(id.cast_signed()));
    if let (Some(pid), Some(signal)) = (pid, Signal::from_named_raw(signal)) {
        // An agent that has ended in between needs no signal.
        let _ = kill_process(pid, signal);
    }
}

#[cfg(not(unix))]
fn pass_on(_: &Child, _: i32) {}

fn exit_code(status: ExitStatus) -> ExitCode {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return crate::signals::exit_code(signal);
    }
    status.code().and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from)
}
