//! `alongside env`.

use std::process::ExitCode;

use clap::ValueEnum;

use super::{serving, variables};
use crate::failure::failure;

/// Print the variables that lead agents to the companion of this directory
///
/// Agents find the companion by its files. Variables choose one where several companions serve a directory, and lead agents
/// that take the terminal for an editor's, such as VS Code's. An agent with another TMPDIR is to be started with the
/// companion's: `alongside doctor` says how. The output holds the token: it is meant for your shell, not for a log.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  eval \"$(alongside env)\"                               bash, zsh, ksh, dash
  alongside env --shell fish | source                   fish
  alongside env --shell pwsh | Out-String | Invoke-Expression
  alongside env --shell nu | from json | load-env       Nushell

Exit codes: 0, or 1 with nothing on standard output if none serves this directory.")]
pub(crate) struct Args {
    /// The shell that shall read it; that of $SHELL if not given
    #[arg(long, value_enum)]
    shell: Option<Shell>,
}

/// How assignments are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Shell {
    /// bash, and every shell that reads the same: sh, zsh, ksh, dash
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
    let here = serving::surroundings()?;
    let serving = serving::here_or_error(&here).await?;
    let current = |name: &str| std::env::var(name).ok();
    let variables = variables::all(&serving.record, serving.pid, current);
    let shell = match args.shell {
        Some(shell) => shell,
        None => Shell::named(&std::env::var("SHELL").unwrap_or_default())?,
    };
    super::print(&shell.assign(&variables))?;
    Ok(ExitCode::SUCCESS)
}

impl Shell {
    /// The shell that `$SHELL` names.
    ///
    /// # Errors
    /// For one that is not known: to guess would print what it may misread, silently.
    fn named(path: &str) -> anyhow::Result<Self> {
        match path.rsplit(['/', '\\']).next().unwrap_or_default().trim_end_matches(".exe") {
            "fish" => Ok(Self::Fish),
            "pwsh" | "powershell" => Ok(Self::Pwsh),
            "nu" => Ok(Self::Nu),
            "" | "sh" | "bash" | "rbash" | "zsh" | "dash" | "ash" | "ksh" | "ksh93" | "mksh" | "oksh"
            | "loksh" | "yash" | "busybox" => Ok(Self::Bash),
            _ => Err(failure(
                format!("$SHELL is {path}, and what that reads is not known"),
                "name a kind of shell with --shell; in csh and tcsh, start the agent with `alongside run`, \
                 which needs no shell",
            )),
        }
    }

    fn assign(self, variables: &[(&str, String)]) -> String {
        let line = |(name, value): &(&str, String)| match self {
            Self::Bash => format!("export {name}={}\n", in_quotes(value)),
            Self::Fish => format!("set -gx {name} '{}'\n", value.replace('\\', r"\\").replace('\'', r"\'")),
            Self::Pwsh => format!("$env:{name} = '{}'\n", doubled(value)),
            Self::Nu => String::new(),
        };
        if self == Self::Nu {
            let record: serde_json::Map<_, _> =
                variables.iter().map(|(name, value)| ((*name).to_owned(), value.clone().into())).collect();
            return format!("{}\n", serde_json::Value::from(record));
        }
        variables.iter().map(line).collect()
    }
}

/// A text in the quotes of bash, and of every shell that reads the same.
fn in_quotes(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// As a shell reads it: in quotes where that is needed.
pub(super) fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+,:@%".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    in_quotes(text)
}

/// PowerShell takes each of these for a single quote, and two of them for one.
fn doubled(value: &str) -> String {
    let quote = |c: char| matches!(c, '\'' | '\u{2018}' | '\u{2019}' | '\u{201A}' | '\u{201B}');
    value.chars().flat_map(|c| std::iter::repeat_n(c, if quote(c) { 2 } else { 1 })).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    const ODD: &str = "a'b\"c $HOME `id` \\ 'x' ;|&\n\t!é\u{2019}*?~";

    #[test]
    fn each_shell_is_quoted_in_its_own_way() {
        let variables = [("V", "it's \\ \"$x\"\u{2019}".to_owned())];
        assert_eq!(Shell::Bash.assign(&variables), "export V='it'\\''s \\ \"$x\"\u{2019}'\n");
        assert_eq!(Shell::Fish.assign(&variables), "set -gx V 'it\\'s \\\\ \"$x\"\u{2019}'\n");
        assert_eq!(Shell::Pwsh.assign(&variables), "$env:V = 'it''s \\ \"$x\"\u{2019}\u{2019}'\n");
        assert_eq!(Shell::Nu.assign(&variables), "{\"V\":\"it's \\\\ \\\"$x\\\"\u{2019}\"}\n");
    }

    /// Has a shell read what is printed for it. One that is not installed is no proof, and counted as skipped (as
    /// `alongside-rig` does): said aloud, and noted in the file that `ALONGSIDE_SKIPS` names.
    fn reads_back(test: &str, program: &str, shell: Shell, print: &str) {
        use std::io::Write as _;
        let variables = [("ODD", ODD.to_owned()), ("PLAIN", "7".to_owned())];
        let script = format!("{}{print}", shell.assign(&variables));
        match Command::new(program).arg("-c").arg(script).env_remove("ODD").output() {
            Ok(output) => assert_eq!(String::from_utf8_lossy(&output.stdout), ODD, "{program}"),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                let line = format!("{test}: {program} is not installed\n");
                std::io::stderr().write_all(format!("skipped: {line}").as_bytes()).unwrap();
                if let Some(path) = std::env::var_os("ALONGSIDE_SKIPS") {
                    let skips = std::fs::File::options().create(true).append(true).open(path);
                    skips.unwrap().write_all(line.as_bytes()).unwrap();
                }
            }
            Err(error) => panic!("{program}: {error}"),
        }
    }

    #[test]
    fn sh_and_bash_read_back_what_was_meant() {
        for program in ["sh", "bash"] {
            reads_back("sh_and_bash_read_back_what_was_meant", program, Shell::Bash, "printf %s \"$ODD\"");
        }
    }

    #[test]
    fn zsh_reads_back_what_was_meant() {
        reads_back("zsh_reads_back_what_was_meant", "zsh", Shell::Bash, "printf %s \"$ODD\"");
    }

    #[test]
    fn fish_reads_back_what_was_meant() {
        reads_back("fish_reads_back_what_was_meant", "fish", Shell::Fish, "printf %s \"$ODD\"");
    }

    #[test]
    fn powershell_reads_back_what_was_meant() {
        let print = "[Console]::Out.Write($env:ODD)";
        reads_back("powershell_reads_back_what_was_meant", "pwsh", Shell::Pwsh, print);
    }

    #[test]
    fn the_shell_is_known_by_its_name() {
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
