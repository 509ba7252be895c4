//! Command lines in settings such as `$EDITOR`, with arguments and quotation marks.
//!
//! On Unix, a shell reads the line, as in git. On Windows, no shell does, because `cmd` interprets arguments
//! again, and the name of a file may contain its special characters. There spaces split the line, except
//! within quotation marks.

use std::ffi::{OsStr, OsString};

use crate::Os;

/// Returns the default editor.
pub const fn default_editor(os: Os) -> &'static str {
    match os {
        Os::Linux | Os::MacOs => "vi",
        Os::Windows => "notepad",
    }
}

/// Returns the program and arguments that run a command line with further arguments, which no shell
/// interprets.
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
            (program(&words.next().unwrap_or_default()), words.chain(arguments).collect())
        }
    }
}

/// Returns the path of the program with this name in PATH: on Windows also of one that ends in `.cmd`, as npm
/// installs it and only shells find it. On other systems, and if there is no such program, returns the name
/// itself.
pub fn program(name: &OsStr) -> OsString {
    #[cfg(windows)]
    return which::which(name).map_or_else(|_| name.to_owned(), Into::into);
    #[cfg(not(windows))]
    name.to_owned()
}

/// Returns the program in a command line: `nvim` in `/usr/bin/nvim -n` and `"C:\Program Files\nvim.exe" -n`.
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

/// Returns a word of a command line, in quotes if the shell would otherwise read something else. On Unix,
/// fish reads it like POSIX shells: a backslash is outside the quotes, because within them only fish treats
/// it as an escape. On Windows the shell is `cmd`, which treats `,` as a space, and replaces `%NAME%` even in
/// quotes: see [`is_replaced_by_cmd`].
pub fn quoted(os: Os, word: &str) -> String {
    let plain = if os == Os::Windows { r"/._-+:\" } else { "/._-+,:@%" };
    if !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || plain.contains(c)) {
        return word.to_owned();
    }
    match os {
        Os::Linux | Os::MacOs => {
            let escaped = |c: char| match c {
                '\'' | '\\' => format!(r"'\{c}'"),
                c => c.to_string(),
            };
            format!("'{}'", word.chars().map(escaped).collect::<String>())
        }
        // No path of Windows has a quotation mark.
        Os::Windows => format!("\"{word}\""),
    }
}

/// Whether `cmd` may read something else, even in quotes: the value of a variable between two `%`.
pub fn is_replaced_by_cmd(word: &str) -> bool {
    word.matches('%').count() > 1
}

/// The characters that PowerShell treats as single quotation marks. Two of them are one mark within such
/// marks.
const POWERSHELL_QUOTES: [char; 5] = ['\'', '\u{2018}', '\u{2019}', '\u{201A}', '\u{201B}'];

/// Returns a text in the single quotation marks of PowerShell, in which nothing is replaced.
pub fn in_powershell_quotes(text: &str) -> String {
    let times = |c: char| if POWERSHELL_QUOTES.contains(&c) { 2 } else { 1 };
    let doubled: String = text.chars().flat_map(|c| std::iter::repeat_n(c, times(c))).collect();
    format!("'{doubled}'")
}

/// Returns the word that a shell makes of the text; `None` if the text is several words, or the shell would
/// replace a part of it.
pub fn unquoted(os: Os, text: &str) -> Option<String> {
    let text = text.trim();
    match os {
        Os::Linux | Os::MacOs => posix_word(text),
        Os::Windows => windows_word(text),
    }
}

/// Returns the word as the shells of Windows read it: PowerShell after `&`, PowerShell and Bash in single
/// quotation marks.
fn windows_word(text: &str) -> Option<String> {
    if let Some(text) = text.strip_prefix("& ") {
        return powershell_word(text);
    }
    if let Some(word) = text.strip_prefix('\'').and_then(|text| text.strip_suffix('\'')) {
        let word = word.replace(r"'\''", "\0");
        return (!word.contains('\'')).then(|| word.replace('\0', "'"));
    }
    <[String; 1]>::try_from(words(text)).ok().map(|[word]| word)
}

fn powershell_word(text: &str) -> Option<String> {
    let Some(text) = text.strip_prefix('\'') else {
        return <[String; 1]>::try_from(words(text)).ok().map(|[word]| word);
    };
    let (mut word, mut chars) = (String::new(), text.chars().peekable());
    while let Some(c) = chars.next() {
        if POWERSHELL_QUOTES.contains(&c) && chars.next_if(|next| POWERSHELL_QUOTES.contains(next)).is_none()
        {
            return chars.next().is_none().then_some(word);
        }
        word.push(c);
    }
    None
}

fn posix_word(text: &str) -> Option<String> {
    let mut word = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\'' => loop {
                match chars.next()? {
                    '\'' => break,
                    c => word.push(c),
                }
            },
            '"' => loop {
                match chars.next()? {
                    '"' => break,
                    '$' | '`' => return None,
                    '\\' => match chars.next()? {
                        c @ ('"' | '\\' | '$' | '`') => word.push(c),
                        c => word.extend(['\\', c]),
                    },
                    c => word.push(c),
                }
            },
            '\\' => word.push(chars.next()?),
            c if c.is_whitespace() || "$`;&|<>()*?[]{}~#!".contains(c) => return None,
            c => word.push(c),
        }
    }
    (!text.is_empty()).then_some(word)
}

/// Splits a Windows command line into words, as most programs do.
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

    #[test]
    fn quoting_and_unquoting_returns_the_same_word() {
        for os in Os::ALL {
            for word in
                ["/usr/bin/alongside", "/a b/alongside", "C:\\x\\alongside.exe", "/é/$x", "a;b", "~/a"]
            {
                assert_eq!(unquoted(os, &quoted(os, word)).as_deref(), Some(word), "{os:?}");
            }
        }
        assert_eq!(quoted(Os::Linux, "/usr/bin/alongside"), "/usr/bin/alongside");
        assert_eq!(quoted(Os::Linux, "/it's"), r"'/it'\''s'");
        assert_eq!(quoted(Os::Linux, r"/a\'b"), r"'/a'\\''\''b'");
        assert_eq!(unquoted(Os::Linux, r"'/a'\\''\''b'").as_deref(), Some(r"/a\'b"));
        assert_eq!(quoted(Os::Windows, r"C:\Program Files\a.exe"), r#""C:\Program Files\a.exe""#);
        assert_eq!(unquoted(Os::Windows, r"& 'C:\it''s\a.exe'").as_deref(), Some(r"C:\it's\a.exe"));
        assert_eq!(unquoted(Os::Windows, "'C:/a b/a.exe'").as_deref(), Some("C:/a b/a.exe"));
        assert_eq!(unquoted(Os::Windows, "'C:/a' 'b'"), None);
        assert_eq!(unquoted(Os::Linux, "\"/a \\\"b\"/c").as_deref(), Some("/a \"b/c"));
        for text in ["", "a b", "$HOME/a", "~/a", "\"$HOME/a\"", "a; b", "'a", "a\\"] {
            assert_eq!(unquoted(Os::Linux, text), None, "{text}");
        }
    }

    #[test]
    fn powershell_reads_curly_marks_as_quotation_marks() {
        for word in ["C:\\a b.exe", "it's", "\u{2018}a\u{2019} \u{201A}b\u{201B}", "a''b", "'", "\u{2019}'"] {
            let quoted = in_powershell_quotes(word);
            assert_eq!(unquoted(Os::Windows, &format!("& {quoted}")).as_deref(), Some(word), "{quoted}");
        }
        assert_eq!(in_powershell_quotes("Ada\u{2019}s"), "'Ada\u{2019}\u{2019}s'");
        // The mark in the middle ends the word.
        for text in ["& 'C:\\Ada\u{2019}s'", "& 'a' 'b'", "& 'a", "& a b"] {
            assert_eq!(unquoted(Os::Windows, text), None, "{text}");
        }
    }

    #[test]
    fn words_for_cmd_are_quoted_and_variables_in_them_are_found() {
        assert_eq!(quoted(Os::Windows, r"C:\a,b\a.exe"), r#""C:\a,b\a.exe""#);
        assert_eq!(quoted(Os::Windows, r"C:\100%\a.exe"), r#""C:\100%\a.exe""#);
        assert_eq!(quoted(Os::Linux, "/a,b/100%/a"), "/a,b/100%/a");
        assert!(is_replaced_by_cmd(r"C:\%PATH%\a.exe") && !is_replaced_by_cmd(r"C:\100%\a.exe"));
    }

    #[cfg(unix)]
    #[test]
    fn every_installed_shell_reads_a_quoted_word() {
        let words = [
            "/a b",
            "it's",
            r"\",
            r"a\\b\'c\n",
            "$HOME",
            "`id`",
            "a;b&c|d",
            "*?[~#",
            "!x",
            "%a",
            "\"",
            "a\nb",
        ];
        for shell in ["sh", "dash", "bash", "zsh", "fish"] {
            for word in words {
                let line = format!("printf %s {}", quoted(Os::HERE, word));
                let ran = std::process::Command::new(shell).args(["-c", &line]).output();
                let Ok(ran) = ran else { continue };
                assert_eq!(String::from_utf8_lossy(&ran.stdout), word, "{shell}: {line}");
            }
        }
    }

    #[cfg(unix)]
    #[test]
    fn the_shell_interprets_only_the_command() {
        let (program, arguments) = run(Os::HERE, "printf '%s|' \"a b\"", ["$HOME `id`; x".into()]);
        let ran = std::process::Command::new(program).args(arguments).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&ran.stdout), "a b|$HOME `id`; x|");
    }
}
