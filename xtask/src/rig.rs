//! The chores that need the rig: `cargo xtask` hands them to the rig's own program, which takes minutes to
//! build, and starts without it.

use std::ffi::OsString;
use std::process::{Command, ExitCode};

use alongside_testing::chores::{cargo, run, run_to_success, target_directory};

/// The arguments of a chore of the rig, which reads them itself.
#[derive(Debug, clap::Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Arguments {
    /// See `cargo xtask CHORE --help`
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

/// Builds the rig and runs one of its chores.
pub(crate) fn start(chore: &str, arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let status = run(built_now().arg(chore).args(&arguments.arguments))?;
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from))
}

/// Builds the extension for VS Code. Where npm or its registry is out of reach, says that `lost` is the
/// consequence.
pub(crate) fn build_extension(lost: &str) -> anyhow::Result<()> {
    run_to_success(built_now().args(["vscode", "--or-say", lost]))
}

/// Returns the program of the rig, which is built first.
pub(crate) fn built_now() -> Command {
    let mut command = cargo();
    command.args(["run", "--quiet", "--package", "alongside-rig", "--bin", "rig", "--"]);
    command
}

/// Returns the rig's program, as the build of the tests has left it.
pub(crate) fn built() -> Command {
    Command::new(target_directory().join("debug").join(format!("rig{}", std::env::consts::EXE_SUFFIX)))
}
