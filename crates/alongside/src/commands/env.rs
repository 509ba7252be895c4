//! `alongside env`.

use std::process::ExitCode;

use clap::ValueEnum;

use alongside_desk::harmless;

use super::{serving, variables};
use crate::failure::failure;

/// Print the variables that lead agents to the companion of this directory
///
/// Agents find the companion by its files. Variables choose one where several companions serve a directory,
/// and lead agents that take the terminal for an editor's, such as VS Code's. An agent with another TMPDIR is
/// to be started with the companion's: `alongside doctor` says how. The output holds the token: it is meant
/// for your shell, not for a log.
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
            Self::Bash => posix(name, value),
            Self::Fish => format!("set -gx {name} {}\n", in_pieces(value, "", fish, fish_escape)),
            Self::Pwsh => format!("$env:{name} = {}\n", in_pieces(value, " + ", pwsh, pwsh_escape)),
            Self::Nu => String::new(),
        };
        if self == Self::Nu {
            let record: serde_json::Map<_, _> =
                variables.iter().map(|(name, value)| ((*name).to_owned(), value.clone().into())).collect();
            return format!("{}\n", harmless::json(&serde_json::Value::from(record).to_string()));
        }
        variables.iter().map(line).collect()
    }
}

/// An assignment for bash, and every shell that reads the same. Not all of them know the escapes of `$'…'`,
/// but all know those of `printf`; a last character keeps the line ends that a substitution would lose.
fn posix(name: &str, value: &str) -> String {
    if is_safe(value) {
        return format!("export {name}={}\n", in_quotes(value));
    }
    let format = value.replace('\\', r"\\").replace('%', "%%");
    let octal = |c: char| c.to_string().bytes().map(|byte| format!("\\{byte:03o}")).collect();
    let format = in_quotes(&escaped(&format, octal));
    format!("export {name}=\"$(printf {format}_)\"; {name}=\"${{{name}%_}}\"\n")
}

/// Whether a terminal may be given this text.
fn is_safe(text: &str) -> bool {
    harmless::harmful(text).next().is_none()
}

/// A text with escapes for what a terminal must not get.
fn escaped(text: &str, escape: impl Fn(char) -> String) -> String {
    let one = |c: char| if harmless::is_harmful(c) { escape(c) } else { c.to_string() };
    text.chars().map(one).collect()
}

/// A text in quotes, and between them escapes for what a terminal must not get.
fn in_pieces(text: &str, between: &str, quote: fn(&str) -> String, escape: fn(char) -> String) -> String {
    let mut pieces = Vec::new();
    let mut quoted = 0;
    for (at, c) in harmless::harmful(text) {
        // A shell that adds characters up begins with a text.
        if at > quoted || pieces.is_empty() {
            pieces.push(quote(&text[quoted..at]));
        }
        pieces.push(escape(c));
        quoted = at + c.len_utf8();
    }
    if quoted < text.len() || pieces.is_empty() {
        pieces.push(quote(&text[quoted..]));
    }
    pieces.join(between)
}

/// A text in the quotes of bash, and of every shell that reads the same.
fn in_quotes(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// As a shell reads it that a person types into: in quotes where that is needed.
pub(super) fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+,:@%".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    if is_safe(text) {
        return in_quotes(text);
    }
    let octal = |c: char| c.to_string().bytes().map(|byte| format!("\\{byte:03o}")).collect();
    format!("$'{}'", escaped(&text.replace('\\', r"\\").replace('\'', r"\'"), octal))
}

fn fish(text: &str) -> String {
    format!("'{}'", text.replace('\\', r"\\").replace('\'', r"\'"))
}

/// fish knows escapes outside of quotes, where no digit of ours can follow.
fn fish_escape(c: char) -> String {
    match u32::from(c) {
        code @ ..=0x7f => format!("\\x{code:02x}"),
        code @ ..=0xffff => format!("\\u{code:04x}"),
        code => format!("\\U{code:08x}"),
    }
}

/// PowerShell takes each of these for a single quote, and two of them for one.
fn pwsh(text: &str) -> String {
    let quote = |c: char| matches!(c, '\'' | '\u{2018}' | '\u{2019}' | '\u{201A}' | '\u{201B}');
    let doubled: String =
        text.chars().flat_map(|c| std::iter::repeat_n(c, if quote(c) { 2 } else { 1 })).collect();
    format!("'{doubled}'")
}

/// Its older versions know no escapes for most characters.
fn pwsh_escape(c: char) -> String {
    match u32::from(c) {
        code @ ..=0xffff => format!("[char]0x{code:x}"),
        code => format!("[char]::ConvertFromUtf32(0x{code:x})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    const ODD: &str = "a'b\"c $HOME `id` \\ 'x' ;|&\n\t!é\u{2019}*?~\
        %s\x1b]0;x\x07\\1\u{9b}31m\u{202e}4\u{e0041}\u{fe0f}\n\n";

    #[test]
    fn each_shell_is_quoted_in_its_own_way() {
        let variables = [("V", "it's \\ \"$x\"\u{2019}".to_owned())];
        assert_eq!(Shell::Bash.assign(&variables), "export V='it'\\''s \\ \"$x\"\u{2019}'\n");
        assert_eq!(Shell::Fish.assign(&variables), "set -gx V 'it\\'s \\\\ \"$x\"\u{2019}'\n");
        assert_eq!(Shell::Pwsh.assign(&variables), "$env:V = 'it''s \\ \"$x\"\u{2019}\u{2019}'\n");
        assert_eq!(Shell::Nu.assign(&variables), "{\"V\":\"it's \\\\ \\\"$x\\\"\u{2019}\"}\n");
    }

    #[test]
    fn no_shell_is_told_what_a_terminal_would_obey_or_hide() {
        for shell in [Shell::Bash, Shell::Fish, Shell::Pwsh, Shell::Nu] {
            let said = shell.assign(&[("ODD", ODD.to_owned()), ("PLAIN", "7".to_owned())]);
            assert!(is_safe(said.trim_end_matches('\n').replace('\n', " ").as_str()), "{said:?}");
            assert!(said.lines().count() <= 2, "a line for each: {said:?}");
        }
        assert!(is_safe(&quoted(ODD)), "{}", quoted(ODD));
        let value = [("V", "a\x1b1\u{202e}\u{e0041}".to_owned())];
        assert_eq!(Shell::Fish.assign(&value), "set -gx V 'a'\\x1b'1'\\u202e\\U000e0041\n");
        let pwsh = "$env:V = 'a' + [char]0x1b + '1' + [char]0x202e + [char]::ConvertFromUtf32(0xe0041)\n";
        assert_eq!(Shell::Pwsh.assign(&value), pwsh);
        assert_eq!(Shell::Pwsh.assign(&[("V", "\x1b".to_owned())]), "$env:V = '' + [char]0x1b\n");
    }

    #[test]
    fn a_command_to_copy_means_what_was_meant() {
        let printed = Command::new("bash").arg("-c").arg(format!("printf %s {}", quoted(ODD))).output();
        match printed {
            Ok(output) => assert_eq!(String::from_utf8_lossy(&output.stdout), ODD),
            Err(error) => skip("bash", &error),
        }
    }

    /// Has a shell read what is printed for it. Without that shell, the test is skipped.
    fn reads_back(program: &str, shell: Shell, print: &str) {
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
    fn sh_and_bash_read_back_what_was_meant() {
        for program in ["sh", "bash", "dash"] {
            reads_back(program, Shell::Bash, "printf %s \"$ODD\"");
        }
    }

    #[test]
    fn zsh_reads_back_what_was_meant() {
        reads_back("zsh", Shell::Bash, "printf %s \"$ODD\"");
    }

    #[test]
    fn fish_reads_back_what_was_meant() {
        reads_back("fish", Shell::Fish, "printf %s \"$ODD\"");
    }

    #[test]
    fn powershell_reads_back_what_was_meant() {
        let print = "[Console]::Out.Write($env:ODD)";
        reads_back("pwsh", Shell::Pwsh, print);
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
