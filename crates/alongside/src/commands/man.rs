//! `alongside man`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use clap::CommandFactory as _;

use super::cli::Cli;
use crate::failure::Hint as _;
use crate::globals::Globals;

/// Write the manual pages into a directory
///
/// For those who make packages: alongside.1, and a page for each command.
#[derive(Debug, clap::Args)]
#[command(hide = true)]
pub(crate) struct Args {
    /// Where; it must exist
    #[arg(value_name = "DIR")]
    directory: PathBuf,
}

pub(crate) async fn run(args: Args, _: Globals) -> anyhow::Result<ExitCode> {
    write(&args.directory)?;
    Ok(ExitCode::SUCCESS)
}

fn write(directory: &Path) -> anyhow::Result<()> {
    clap_mangen::generate_to(Cli::command(), directory)
        .with_context(|| format!("cannot write manual pages into {}", directory.display()))
        .hint("name a directory that exists and is yours")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_command_that_people_type_has_a_page() {
        let directory = tempfile::tempdir().unwrap();
        write(directory.path()).unwrap();
        let page = |name: &str| std::fs::read_to_string(directory.path().join(name));
        assert!(page("alongside.1").unwrap().contains("alongside\\-review(1)"));
        assert!(page("alongside-run.1").unwrap().contains("Examples"));
        assert!(page("alongside-man.1").is_err(), "hidden commands have none");
        let lost = write(&directory.path().join("none")).unwrap_err();
        assert!(format!("{lost:#}").contains("none"), "{lost:#}");
    }
}
