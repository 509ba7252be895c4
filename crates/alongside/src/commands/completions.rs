//! `alongside completions`, and the names that shells complete.

use std::process::ExitCode;

use alongside_adapters::editors::names_to_install;
use alongside_common::failure::failure;
use alongside_conformance::{CHECKS, CLAUDE_CHECKS, Group};
use alongside_contract::agents::AGENTS;
use clap::Command;
use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap_complete::Shell;

/// Print a script that makes a shell complete commands and options
///
/// Packages and the install script have installed it already.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  alongside completions bash > ~/.local/share/bash-completion/completions/alongside
  alongside completions zsh > ~/.zfunc/_alongside
  alongside completions fish > ~/.config/fish/completions/alongside.fish
  alongside completions powershell | Out-String | Invoke-Expression

For zsh, ~/.zshrc needs fpath+=~/.zfunc before compinit.")]
pub(crate) struct Args {
    /// The shell to print it for [default: the one of $SHELL]
    #[arg(value_enum)]
    shell: Option<Shell>,
}

pub(crate) fn run(args: &Args, cli: &Command) -> anyhow::Result<ExitCode> {
    let shell = args.shell.or_else(Shell::from_env).ok_or_else(|| {
        failure("$SHELL names no shell with completions", "give one: `alongside completions bash`")
    })?;
    super::print(&script(shell, cli))?;
    Ok(ExitCode::SUCCESS)
}

fn script(shell: Shell, cli: &Command) -> String {
    // The generators would also offer hidden commands.
    let shown = cli.get_subcommands().filter(|command| !command.is_hide_set()).cloned();
    let mut shown =
        Command::new("alongside").version("").args(cli.get_arguments().cloned()).subcommands(shown);
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut shown, "alongside", &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

/// The names to which shells complete a word. The parser accepts every word, because a command has a better
/// error for a wrong one.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Names {
    /// The editors and agents that alongside can be installed into.
    Installed,
    Agents,
    /// Checks and their groups.
    Checks,
}

impl Names {
    /// Returns all names of this kind.
    fn all(self) -> Vec<&'static str> {
        match self {
            Self::Installed => names_to_install(),
            Self::Agents => AGENTS.iter().map(|agent| agent.id).collect(),
            Self::Checks => {
                let groups = Group::ALL.iter().map(|group| group.name());
                let checks = CHECKS.iter().chain(CLAUDE_CHECKS.iter());
                groups.chain(checks.map(|check| check.id)).collect()
            }
        }
    }
}

impl TypedValueParser for Names {
    type Value = String;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&clap::Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.all().into_iter().map(PossibleValue::new)))
    }
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory as _, Parser as _, ValueEnum as _};

    use super::super::cli::Cli;
    use super::*;

    #[test]
    fn every_shell_completes_the_commands() {
        for shell in Shell::value_variants() {
            let script = script(*shell, &Cli::command());
            for word in ["review", "drafts", "config", "version"] {
                assert!(script.contains(word), "{shell} does not complete {word}");
            }
            assert!(!script.contains("manual pages"), "{shell} offers a hidden command");
        }
    }

    #[test]
    fn bash_completes_commands_and_names() {
        for (typed, completed) in [
            (vec!["rev"], "review"),
            (vec!["install", "hel"], "helix"),
            (vec!["uninstall", "neo"], "neovim"),
            (vec!["doctor", "gem"], "gemini"),
            (vec!["check", "--only", "context.st"], "context.steady"),
        ] {
            let (before, word) = (typed.len() - 1, typed[typed.len() - 1]);
            let previous = if before == 0 { "alongside" } else { typed[before - 1] };
            let program = format!(
                "{}\nCOMP_WORDS=(alongside {}); COMP_CWORD={}; _alongside alongside {word} {previous}; echo \
                 \"${{COMPREPLY[@]}}\"",
                script(Shell::Bash, &Cli::command()),
                typed.join(" "),
                typed.len(),
            );
            let Ok(output) = std::process::Command::new("bash").args(["--norc", "-c", &program]).output()
            else {
                println!("skipped: there is no bash here");
                return;
            };
            assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), completed, "{typed:?}");
            assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        }
    }

    #[test]
    fn the_parser_accepts_unknown_names() {
        for line in ["install vim", "uninstall vim", "doctor vim", "check --only vim", "check vim"] {
            let parsed = Cli::try_parse_from(["alongside"].into_iter().chain(line.split(' ')));
            assert!(parsed.is_ok(), "{line}: {}", parsed.unwrap_err());
        }
    }
}
