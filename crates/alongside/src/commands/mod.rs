//! The commands, one file each. A command returns its exit code, or an error that `main` prints with its
//! hints.

mod agreeing;
mod check;
mod completions;
mod demo;
pub(crate) mod desk;
mod doctor;
mod drafts;
mod env;
mod host;
mod install;
mod log;
mod lsp;
mod man;
mod pane;
mod review;
mod run;
pub(crate) mod serving;
mod status;
mod stdio;
mod uninstall;
mod variables;

use std::io::Write;
use std::process::ExitCode;

use clap::Subcommand;

use crate::Globals;

/// What can be done.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Review(review::Args),
    Run(run::Args),
    Env(env::Args),
    Status(status::Args),
    Stdio(stdio::Args),
    Drafts(drafts::Args),
    Demo(demo::Args),
    Log(log::Args),
    Lsp(lsp::Args),
    Host(host::Args),
    Check(check::Args),
    Doctor(doctor::Args),
    Install(install::Args),
    Uninstall(uninstall::Args),
    Completions(completions::Args),
    Man(man::Args),
}

impl Command {
    /// Whether this is the host itself, which has no terminal to say anything on.
    pub(crate) fn is_host(&self) -> bool {
        matches!(self, Self::Host(args) if args.serves())
    }

    /// Does it.
    pub(crate) async fn run(self, globals: Globals) -> anyhow::Result<ExitCode> {
        match self {
            Self::Review(args) => review::run(args, globals).await,
            Self::Run(args) => run::run(args, globals).await,
            Self::Env(args) => env::run(&args).await,
            Self::Status(args) => status::run(&args).await,
            Self::Stdio(_) => stdio::run(globals).await,
            Self::Drafts(args) => drafts::run(args),
            Self::Demo(args) => demo::run(&args).await,
            Self::Log(args) => log::run(&args).await,
            Self::Lsp(args) => lsp::run(args, globals).await,
            Self::Host(args) => host::run(args, globals).await,
            Self::Check(args) => check::run(args, globals).await,
            Self::Doctor(args) => doctor::run(args).await,
            Self::Install(args) => install::run(args, globals).await,
            Self::Uninstall(args) => uninstall::run(args, globals).await,
            Self::Completions(args) => completions::run(args, globals).await,
            Self::Man(args) => man::run(args, globals).await,
        }
    }
}

/// Writes to standard output. A reader that went away wants no more, and that is no error.
fn print(text: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// Tells the person something beside the output.
fn note(text: &str) {
    let line = format!("alongside: {}", alongside_desk::harmless::name(text));
    let columns = alongside_platform::terminal::columns_for_errors();
    let _ = writeln!(std::io::stderr().lock(), "{}", crate::failure::wrapped(&line, columns));
}

/// The program to name in records and variables for agents that start a stdio server.
pub(crate) fn own_program() -> String {
    let own = std::env::current_exe().ok().and_then(|path| path.into_os_string().into_string().ok());
    own.unwrap_or_else(|| "alongside".into())
}

/// Where desks keep texts that a person typed and no companion took.
pub(crate) fn draft_store() -> alongside_terminal::DraftStore {
    alongside_terminal::DraftStore::among_drafts(|file, agent, why, text| {
        alongside_companion::drafts::Drafts::open(&alongside_companion::Places::of_this_process())
            .keep(file, agent, why, text)
    })
}
