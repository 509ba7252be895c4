//! `alongside man`: writes the manual pages, for packages.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use alongside_common::failure::Hint as _;
use anyhow::Context as _;
use clap::Command;

/// Write the manual pages into a directory
///
/// For packages: alongside.1, and a page for each command.
#[derive(Debug, clap::Args)]
#[command(hide = true)]
pub(crate) struct Args {
    /// The directory, which must exist
    #[arg(value_name = "DIR")]
    directory: PathBuf,
}

pub(crate) fn run(args: &Args, cli: Command) -> anyhow::Result<ExitCode> {
    write(cli, &args.directory)?;
    Ok(ExitCode::SUCCESS)
}

fn write(cli: Command, directory: &Path) -> anyhow::Result<()> {
    clap_mangen::generate_to(cli, directory)
        .with_context(|| format!("cannot write manual pages into {}", directory.display()))
        .hint("name a directory that exists and that you can write to")
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::super::cli::Cli;
    use super::*;

    #[test]
    fn each_command_has_a_page_unless_hidden() {
        let directory = tempfile::tempdir().unwrap();
        write(Cli::command(), directory.path()).unwrap();
        let page = |name: &str| std::fs::read_to_string(directory.path().join(name));
        assert!(page("alongside.1").unwrap().contains("alongside\\-review(1)"));
        assert!(page("alongside-run.1").unwrap().contains("Examples"));
        assert!(page("alongside-man.1").is_err(), "a hidden command has no page");
        let error = write(Cli::command(), &directory.path().join("none")).unwrap_err();
        assert!(format!("{error:#}").contains("none"), "{error:#}");
    }
}
