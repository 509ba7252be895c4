//! `cargo xtask load`: plays hundreds of agents at once against this program, and reports the cost.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use alongside_rig::load::{Plan, run};
use alongside_testing::chores::{cargo, run as start};
use anyhow::Context as _;

use crate::run::program;

/// Options of `cargo xtask load`.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Number of connected agents; each takes two connections
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=2_000))]
    sessions: u32,

    /// Duration; memory growth counts only from three minutes on
    #[arg(long, default_value_t = 600)]
    seconds: u64,

    /// Average number of proposals per agent and minute
    #[arg(long, default_value_t = 3.0)]
    pace: f64,

    /// The program to load [default: built now]
    #[arg(long, value_name = "PROGRAM")]
    alongside: Option<PathBuf>,

    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn load(options: &Options) -> anyhow::Result<ExitCode> {
    if cfg!(debug_assertions) {
        return rerun_as_release();
    }
    let program = program(options.alongside.as_deref(), &["--quiet", "--release"])?;
    let plan = Plan {
        sessions: options.sessions as usize,
        seconds: options.seconds,
        pace: Duration::from_secs_f64(60.0 / options.pace.clamp(0.01, 6000.0)),
        vanish: true,
    };
    let interrupted = async {
        // Without a handler, Ctrl-C ends this process at once.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending().await
        }
    };
    let runtime = tokio::runtime::Runtime::new().context("cannot start a runtime")?;
    let report = runtime.block_on(run(plan, &program, interrupted, |line| eprintln!("{line}")))?;
    match options.json {
        true => println!("{}", serde_json::to_string(&report)?),
        false => print!("{report}"),
    }
    Ok(match (report.broken.is_empty(), report.interrupted) {
        (false, _) => ExitCode::FAILURE,
        (true, true) => ExitCode::from(130),
        (true, false) => ExitCode::SUCCESS,
    })
}

/// Runs this chore again as a release build: in a debug build the agents would dominate the figures.
pub(crate) fn rerun_as_release() -> anyhow::Result<ExitCode> {
    let mut again = cargo();
    again
        .args(["run", "--quiet", "--release", "-p", "alongside-rig", "--bin", "rig", "--"])
        .args(std::env::args_os().skip(1));
    let status = start(&mut again)?;
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from))
}
