//! `alongside` without a command: the terminal desk.

use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::process::ExitCode;

use alongside_platform::process;
use alongside_terminal::{Ending, Layout, Options, Theme};
use clap::CommandFactory as _;

use super::review;
use crate::Globals;
use crate::failure;
use crate::host::{self, Wish};
use crate::settings::Settings;
use crate::signals;

/// The terminal desk's own arguments.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The projects; the current directory if none is given
    #[arg(value_name = "DIR")]
    dirs: Vec<PathBuf>,

    /// Join the companion of this name or process, where several serve the project (see `alongside status`)
    #[arg(long, value_name = "HOST")]
    host: Option<String>,

    /// Colours for a light or a dark terminal; the terminal is asked otherwise
    #[arg(long, value_enum)]
    theme: Option<Shade>,

    /// Leave when this process has ended
    #[arg(long, value_name = "PID", hide = true)]
    until: Option<u32>,
}

impl Args {
    /// The error of arguments of the desk in front of a command, which has its own.
    pub(crate) fn misplaced(&self) -> Option<clap::Error> {
        let any = !self.dirs.is_empty() || self.host.is_some() || self.theme.is_some();
        let what = "arguments of the desk stand in front of a command; a directory that is named like a command is written \
                    ./NAME";
        any.then(|| crate::Cli::command().error(clap::error::ErrorKind::ArgumentConflict, what))
    }
}

/// A terminal's background.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub(crate) enum Shade {
    Light,
    Dark,
}

/// The exit code where no screen can be drawn.
const NO_TERMINAL: i32 = 2;

pub(crate) async fn run(args: Args, globals: Globals) -> anyhow::Result<ExitCode> {
    if !can_draw() {
        let error = failure::failure(
            "the desk needs a terminal that it can draw on",
            "`alongside review` decides line by line, from scripts too (--json), and `alongside status` shows what runs",
        );
        failure::print(&error);
        return Ok(ExitCode::from(u8::try_from(NO_TERMINAL).unwrap_or(1)));
    }
    let roots = review::roots(&args.dirs)?;
    let settings = Settings::load(globals.config.as_deref(), &roots)?;
    let reached = host::reach(Wish::desk(roots.clone(), args.host, globals)).await?;
    if let Some(pid) = args.until {
        tokio::spawn(end_with(pid));
    }
    let theme = args.theme.map(|shade| match shade {
        Shade::Light => Theme::Light,
        Shade::Dark => Theme::Dark,
    });
    let options = Options {
        roots: reached.welcome.alongside.roots,
        theme: theme.or(settings.theme),
        layout: None::<Layout>,
        drafts: super::draft_store(),
        rehearsal: false,
    };
    let ending = alongside_terminal::run(reached.desk, options).await?;
    Ok(match ending {
        Ending::Left => ExitCode::SUCCESS,
        Ending::Signal(signal) => signals::exit_code(signal),
        Ending::Gone => ExitCode::FAILURE,
    })
}

/// Whether a screen can be drawn here.
pub(super) fn can_draw() -> bool {
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    std::io::stdout().is_terminal() && std::io::stdin().is_terminal() && !dumb
}

/// Asks this process to end when another has: the desk gives the terminal back and leaves as for any signal.
async fn end_with(pid: u32) {
    process::ended(pid).await;
    process::send(std::process::id(), signals::TERMINATE);
}
