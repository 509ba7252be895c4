//! `alongside completions`.

use std::process::ExitCode;

use clap::{Command, CommandFactory as _};
use clap_complete::Shell;

use crate::{Cli, Globals};

/// Print a script with which a shell completes commands and options
///
/// A package or the install script has put it where the shell looks already.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  alongside completions bash > ~/.local/share/bash-completion/completions/alongside
  alongside completions zsh > ~/.zfunc/_alongside
  alongside completions fish > ~/.config/fish/completions/alongside.fish
  alongside completions powershell | Out-String | Invoke-Expression

For zsh, ~/.zshrc needs fpath+=~/.zfunc before compinit.")]
pub(crate) struct Args {
    /// The shell that shall read it
    #[arg(value_enum)]
    shell: Shell,
}

pub(crate) async fn run(args: Args, _: Globals) -> anyhow::Result<ExitCode> {
    super::print(&script(args.shell))?;
    Ok(ExitCode::SUCCESS)
}

fn script(shell: Shell) -> String {
    let whole = Cli::command();
    // The generators know no hidden commands: they would offer them all.
    let shown = whole.get_subcommands().filter(|command| !command.is_hide_set()).cloned();
    let mut shown =
        Command::new("alongside").version("").args(whole.get_arguments().cloned()).subcommands(shown);
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut shown, "alongside", &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum as _;

    use super::*;

    #[test]
    fn every_shell_completes_the_commands_that_people_type() {
        for shell in Shell::value_variants() {
            let script = script(*shell);
            for word in ["review", "drafts", "config", "version"] {
                assert!(script.contains(word), "{shell} does not complete {word}");
            }
            assert!(!script.contains("manual pages"), "{shell} offers what is for those who make packages");
        }
    }

    #[test]
    fn bash_reads_the_script_and_completes_a_command() {
        let program = format!(
            "{}\nCOMP_WORDS=(alongside rev); COMP_CWORD=1; _alongside alongside rev alongside; echo \"${{COMPREPLY[@]}}\"",
            script(Shell::Bash)
        );
        let Ok(ran) = std::process::Command::new("bash").args(["--norc", "-c", &program]).output() else {
            println!("skipped: there is no bash here");
            return;
        };
        assert_eq!(String::from_utf8_lossy(&ran.stdout).trim(), "review");
        assert_eq!(String::from_utf8_lossy(&ran.stderr), "");
    }
}
