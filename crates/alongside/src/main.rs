//! `alongside`: the IDE companion for every editor, as a command.
//!
//! One file per command in `commands`, and its doc comment is its help. `line` is the desk that commands show
//! reviews at; `saved` tells agents about files without an editor; everything that is printed and comes from
//! outside goes through `harmless`. Reviews themselves, and the wire, are the business of the crates below.

mod adapters;
mod commands;
mod companions;
mod failure;
mod globals;
mod host;
mod line;
mod logging;
mod own_program;
mod recovery_store;
mod runtime_dir;
mod saved;
mod settings;
mod signals;
mod unified;

use std::process::ExitCode;

use commands::cli::Cli;

fn main() -> ExitCode {
    let cli = match Cli::parse_arguments() {
        Ok(cli) => cli,
        Err(error) => return failure::misunderstood(&error),
    };
    // The token is in our memory. What `alongside run` starts is the person's, and so is what that leaves.
    if !cli.is_run() {
        alongside_platform::limits::leave_no_core();
    }
    let file = cli.globals.log.as_deref();
    let logging = if cli.is_host() { logging::start_for_host(file) } else { logging::start(file) };
    // Written out at the end, also when it fails.
    let (log, logging) = match logging {
        Ok(log) => (Some(log), Ok(())),
        Err(error) => (None, Err(error)),
    };
    let outcome = logging.and_then(|()| {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        let outcome = runtime.block_on(cli.run());
        // A thread that waits for input on a terminal cannot be interrupted, and nobody needs its line any
        // more.
        runtime.shutdown_background();
        outcome
    });
    let code = outcome.unwrap_or_else(|error| {
        tracing::error!("{error:#}");
        failure::print(&error);
        ExitCode::FAILURE
    });
    drop(log);
    code
}
