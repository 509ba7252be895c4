//! `alongside env`: prints the variables that lead agents to a companion.

use std::process::ExitCode;

use alongside_common::failure::failure;
use alongside_host::companions;
use clap::ValueEnum;

use alongside_desk::harmless;

use super::shell_quoting::{fish_value, posix_assignment, pwsh_value};
use super::{agent_variables, serving_companion};

/// Print the variables that lead agents to the companion of this directory
///
/// Agents find the companion by its files. The variables choose one of several companions, and lead agents
/// that mistake the terminal for that of an editor, such as VS Code's. They do not help an agent with another
/// TMPDIR: `alongside doctor` shows how to start it. The output holds the token, so keep it out of logs.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  eval \"$(alongside env)\"                               bash, zsh, ksh, dash
  alongside env --shell fish | source                   fish
  alongside env --shell pwsh | Out-String | Invoke-Expression
  alongside env --shell nu | from json | load-env       Nushell

Exit codes: 0, or 1 with nothing on standard output if no companion serves this directory.")]
pub(crate) struct Args {
    /// The shell to print for [default: the one in $SHELL]
    #[arg(long, value_enum)]
    shell: Option<Shell>,
}

/// A kind of shell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Shell {
    /// bash, sh, zsh, ksh, dash
    #[value(aliases = ["sh", "zsh", "ksh", "dash"])]
    Bash,
    /// fish
    Fish,
    /// PowerShell
    #[value(alias = "powershell")]
    Pwsh,
    /// Nushell: a record for load-env
    #[value(alias = "nushell")]
    Nu,
}

pub(crate) async fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let serving = serving_companion::required(&companions::surroundings()?).await?;
    let current = |name: &str| std::env::var(name).ok();
    let variables = agent_variables::all(&serving.record, serving.pid, current);
    let shell = match args.shell {
        Some(shell) => shell,
        None => Shell::named(&std::env::var("SHELL").unwrap_or_default())?,
    };
    super::print(&shell.assign(&variables))?;
    Ok(ExitCode::SUCCESS)
}

impl Shell {
    /// Returns the shell of a path in `$SHELL`.
    ///
    /// # Errors
    /// If the shell is unknown. A guess could print assignments that the shell misreads without an error.
    fn named(path: &str) -> anyhow::Result<Self> {
        match path.rsplit(['/', '\\']).next().unwrap_or_default().trim_end_matches(".exe") {
            "fish" => Ok(Self::Fish),
            "pwsh" | "powershell" => Ok(Self::Pwsh),
            "nu" => Ok(Self::Nu),
            "" | "sh" | "bash" | "rbash" | "zsh" | "dash" | "ash" | "ksh" | "ksh93" | "mksh" | "oksh"
            | "loksh" | "yash" | "busybox" => Ok(Self::Bash),
            _ => Err(failure(
                format!("$SHELL is {path}, an unknown shell"),
                "name a shell with --shell; in csh and tcsh, start the agent with `alongside run`, which \
                 needs no \
                 shell",
            )),
        }
    }

    fn assign(self, variables: &[(&str, String)]) -> String {
        let line: fn(&str, &str) -> String = match self {
            Self::Bash => posix_assignment,
            Self::Fish => |name, value| format!("set -gx {name} {}\n", fish_value(value)),
            Self::Pwsh => |name, value| format!("$env:{name} = {}\n", pwsh_value(value)),
            Self::Nu => {
                let record = variables.iter().map(|(name, value)| (*name, value.as_str()));
                let record: serde_json::Value = record.collect();
                return format!("{}\n", harmless::json(&record.to_string()));
            }
        };
        variables.iter().map(|(name, value)| line(name, value)).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::super::shell_quoting::{is_safe, quoted};
    use super::*;

    const ODD: &str = "a'b\"c $HOME `id` \\ 'x' ;|&\n\t!é\u{2019}*?~\
        %s\x1b]0;x\x07\\1\u{9b}31m\u{202e}4\u{e0041}\u{fe0f}\n\n";

    #[test]
    fn each_shell_has_its_own_quotes() {
        let variables = [("V", "it's \\ \"$x\"\u{2019}".to_owned())];
        assert_eq!(Shell::Bash.assign(&variables), "export V='it'\\''s \\ \"$x\"\u{2019}'\n");
        assert_eq!(Shell::Fish.assign(&variables), "set -gx V 'it\\'s \\\\ \"$x\"\u{2019}'\n");
        assert_eq!(Shell::Pwsh.assign(&variables), "$env:V = 'it''s \\ \"$x\"\u{2019}\u{2019}'\n");
        assert_eq!(Shell::Nu.assign(&variables), "{\"V\":\"it's \\\\ \\\"$x\\\"\u{2019}\"}\n");
    }

    #[test]
    fn assignments_have_no_harmful_characters() {
        for shell in [Shell::Bash, Shell::Fish, Shell::Pwsh, Shell::Nu] {
            let printed = shell.assign(&[("ODD", ODD.to_owned()), ("PLAIN", "7".to_owned())]);
            assert!(is_safe(printed.trim_end_matches('\n').replace('\n', " ").as_str()), "{printed:?}");
            assert!(printed.lines().count() <= 2, "a line for each: {printed:?}");
        }
        assert!(is_safe(&quoted(ODD)), "{}", quoted(ODD));
        let value = [("V", "a\x1b1\u{202e}\u{e0041}".to_owned())];
        assert_eq!(Shell::Fish.assign(&value), "set -gx V 'a'\\x1b'1'\\u202e\\U000e0041\n");
        let pwsh = "$env:V = 'a' + [char]0x1b + '1' + [char]0x202e + [char]::ConvertFromUtf32(0xe0041)\n";
        assert_eq!(Shell::Pwsh.assign(&value), pwsh);
        assert_eq!(Shell::Pwsh.assign(&[("V", "\x1b".to_owned())]), "$env:V = '' + [char]0x1b\n");
    }

    #[test]
    fn bash_reads_back_a_pasted_argument() {
        let printed = Command::new("bash").arg("-c").arg(format!("printf %s {}", quoted(ODD))).output();
        match printed {
            Ok(output) => assert_eq!(String::from_utf8_lossy(&output.stdout), ODD),
            Err(error) => skip("bash", &error),
        }
    }

    /// Asserts that a shell reads back the printed value. Without the shell, the test is skipped.
    fn assert_reads_back(program: &str, shell: Shell, print: &str) {
        let variables = [("ODD", ODD.to_owned()), ("PLAIN", "7".to_owned())];
        let script = format!("{}{print}", shell.assign(&variables));
        match Command::new(program).arg("-c").arg(script).env_remove("ODD").output() {
            Ok(output) => assert_eq!(String::from_utf8_lossy(&output.stdout), ODD, "{program}"),
            Err(error) => skip(program, &error),
        }
    }

    fn skip(program: &str, error: &std::io::Error) {
        assert_eq!(error.kind(), std::io::ErrorKind::NotFound, "{program}: {error}");
        alongside_testing::skip(format!("{program} is not installed"));
    }

    #[test]
    fn posix_shells_read_back_the_value() {
        for program in ["sh", "bash", "dash"] {
            assert_reads_back(program, Shell::Bash, "printf %s \"$ODD\"");
        }
    }

    #[test]
    fn zsh_reads_back_the_value() {
        assert_reads_back("zsh", Shell::Bash, "printf %s \"$ODD\"");
    }

    #[test]
    fn fish_reads_back_the_value() {
        assert_reads_back("fish", Shell::Fish, "printf %s \"$ODD\"");
    }

    #[test]
    fn powershell_reads_back_the_value() {
        let print = "[Console]::Out.Write($env:ODD)";
        assert_reads_back("pwsh", Shell::Pwsh, print);
    }

    #[test]
    fn a_shell_is_recognised_by_its_name() {
        let named = |path| Shell::named(path).unwrap();
        assert_eq!(named("/usr/bin/fish"), Shell::Fish);
        assert_eq!(named("/opt/nu"), Shell::Nu);
        assert_eq!(named("C:\\pwsh.exe"), Shell::Pwsh);
        for name in ["/bin/zsh", "/bin/dash", "ksh", ""] {
            assert_eq!(named(name), Shell::Bash);
        }
        assert!(Shell::named("/bin/tcsh").unwrap_err().to_string().contains("/bin/tcsh"));
    }
}
