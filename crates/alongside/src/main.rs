//! `alongside`: the IDE companion for every editor, as a command.
//!
//! `commands` holds one file per command; the doc comments of its arguments are the help. `line_mode` is the
//! desk of `alongside review`. A module imports only modules below it. `harmless` escapes printed text from
//! outside.

mod age;
mod commands;
mod draft_keeper;
mod line_mode;
mod panics;

use std::process::ExitCode;

use alongside_common::{failure, logging};
use commands::cli::{Cli, print_usage_error};

fn main() -> ExitCode {
    panics::end_the_process();
    alongside_platform::memory::give_back();
    let cli = match Cli::parse_arguments() {
        Ok(cli) => cli,
        Err(error) => return print_usage_error(&error),
    };
    // A core file would hold the token. The program that `alongside run` starts would inherit the limit, so
    // that command sets none.
    if !cli.is_run() {
        alongside_platform::limits::leave_no_core();
    }
    let file = cli.globals.log.as_deref();
    let (is_hook, is_turn) = (cli.is_hook(), cli.is_turn());
    if is_hook {
        commands::hook::refuse_on_panic();
    }
    if is_turn {
        commands::turn::ignore_panics();
    }
    let logging = if cli.is_host() { logging::start_for_host(file) } else { logging::start(file) };
    // Dropping the log writes it out, also when a command fails.
    let (log, logging) = match logging {
        Ok(log) => (Some(log), Ok(())),
        // A hook runs without a log: an agent takes the exit code of an error for permission.
        Err(_) if is_hook || is_turn => (None, Ok(())),
        Err(error) => (None, Err(error)),
    };
    let outcome = logging.and_then(|()| {
        let mut runtime = match is_hook || is_turn {
            // A hook has one task, and each further thread could fail to start.
            true => tokio::runtime::Builder::new_current_thread(),
            false => tokio::runtime::Builder::new_multi_thread(),
        };
        if cli.is_host() {
            // The steps of a request follow each other, so a second worker thread would wake up for nothing.
            runtime.worker_threads(1);
        }
        let runtime = runtime.enable_all().build()?;
        let outcome = runtime.block_on(cli.run());
        // A thread that reads from a terminal cannot be interrupted, and its line is not needed any more.
        runtime.shutdown_background();
        outcome
    });
    let code = outcome.unwrap_or_else(|error| {
        tracing::error!("{error:#}");
        if is_turn {
            return ExitCode::SUCCESS;
        }
        failure::print(&error);
        if is_hook { commands::hook::REFUSAL_CODE.into() } else { ExitCode::FAILURE }
    });
    drop(log);
    code
}
