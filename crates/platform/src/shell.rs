//! Command lines from settings such as `$EDITOR`, with arguments and quotation marks.
//!
//! On Unix a shell reads the line, as in git. On Windows no shell does, because `cmd` interprets arguments
//! again, and the name of a file may contain its special characters: blanks split the line, except within
//! quotation marks.

use std::ffi::OsString;

use crate::Os;

/// The default editor.
pub const fn default_editor(os: Os) -> &'static str {
    match os {
        Os::Linux | Os::MacOs => "vi",
        Os::Windows => "notepad",
    }
}

/// The program and arguments that run a command line with further arguments. Nothing interprets these.
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

/// The program in a command line: `nvim` in `/usr/bin/nvim -n` and `"C:\Program Files\nvim.exe" -n`.
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

/// The words of a Windows command line, as most programs split it.
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
    fn windows_never_interprets_a_file_name() {
        let file = r"C:\a & calc\%PATH%.txt";
        let (program, arguments) =
            run(Os::Windows, r#""C:\Program Files\Neovim\bin\nvim.exe" -n"#, [file.into()]);
        assert_eq!(program, r"C:\Program Files\Neovim\bin\nvim.exe");
        assert_eq!(arguments, ["-n", file]);
        assert_eq!(run(Os::Windows, "", []), ("".into(), vec![]));
    }

    #[test]
    fn program_name_ignores_directory_and_extension() {
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
    fn the_shell_interprets_the_command_only() {
        let (program, arguments) = run(Os::HERE, "printf '%s|' \"a b\"", ["$HOME `id`; x".into()]);
        let ran = std::process::Command::new(program).args(arguments).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&ran.stdout), "a b|$HOME `id`; x|");
    }
}
