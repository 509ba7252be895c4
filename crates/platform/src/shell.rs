//! Commands as people write them into settings, such as `$EDITOR`: one line, with arguments and quotation
//! marks.
//!
//! On Unix a shell reads the line, as with git. On Windows none does: `cmd` reads its arguments a second
//! time, and the name of a file may hold what means something there. The line is divided at blanks, and
//! quotation marks hold some together.

use std::ffi::OsString;

use crate::Os;

/// The editor of people who did not say which.
pub const fn default_editor(os: Os) -> &'static str {
    match os {
        Os::Linux | Os::MacOs => "vi",
        Os::Windows => "notepad",
    }
}

/// The program and the arguments that run a command with more arguments behind its own, which mean what they
/// say.
pub fn run(
    os: Os,
    command: &str,
    arguments: impl IntoIterator<Item = OsString>,
) -> (OsString, Vec<OsString>) {
    match os {
        Os::Linux | Os::MacOs => {
            let line = [OsString::from("-c"), format!("{command} \"$@\"").into(), "alongside".into()];
            ("sh".into(), line.into_iter().chain(arguments).collect())
        }
        Os::Windows => {
            let mut words = words(command).into_iter().map(OsString::from);
            (words.next().unwrap_or_default(), words.chain(arguments).collect())
        }
    }
}

/// What the program of a command is called: `nvim` for `/usr/bin/nvim -n` and for `"C:\Program
/// Files\Neovim\nvim.exe" -n`.
pub fn program_name(os: Os, command: &str) -> String {
    match os {
        Os::Linux | Os::MacOs => {
            let program = command.split_whitespace().next().unwrap_or_default();
            program.rsplit('/').next().unwrap_or_default().to_owned()
        }
        Os::Windows => {
            let program = words(command).into_iter().next().unwrap_or_default().to_lowercase();
            let name = program.rsplit(['/', '\\']).next().unwrap_or_default();
            let endings = [".exe", ".cmd", ".bat"];
            let name = endings.iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name);
            name.to_owned()
        }
    }
}

/// The words of a command line of Windows. Quotation marks hold blanks together; each program may read them
/// otherwise.
pub(crate) fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let (mut word, mut quoted) = (None::<String>, false);
    for c in line.chars() {
        match c {
            '"' => {
                quoted = !quoted;
                word.get_or_insert_default();
            }
            ' ' | '\t' if !quoted => words.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn on_windows_nothing_in_a_files_name_is_read_as_a_command() {
        let file = r"C:\a & calc\%PATH%.txt";
        let (program, arguments) =
            run(Os::Windows, r#""C:\Program Files\Neovim\bin\nvim.exe" -n"#, [file.into()]);
        assert_eq!(program, r"C:\Program Files\Neovim\bin\nvim.exe");
        assert_eq!(arguments, ["-n", file]);
        assert_eq!(run(Os::Windows, "", []), ("".into(), vec![]));
    }

    #[test]
    fn programs_are_known_by_name_wherever_they_lie() {
        for os in [Os::Linux, Os::MacOs] {
            assert_eq!(program_name(os, "/usr/bin/nvim -n"), "nvim");
            assert_eq!(program_name(os, ""), "");
        }
        for command in [r#""C:\Program Files\Neovim\bin\Nvim.EXE" -n"#, "nvim", "nvim.cmd +1"] {
            assert_eq!(program_name(Os::Windows, command), "nvim");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_shell_reads_the_command_and_not_its_arguments() {
        let (program, arguments) = run(Os::HERE, "printf '%s|' \"a b\"", ["$HOME `id`; x".into()]);
        let ran = std::process::Command::new(program).args(arguments).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&ran.stdout), "a b|$HOME `id`; x|");
    }
}
