//! The person's editor as a command: `$VISUAL`, else `$EDITOR`, else `vi`, and the arguments with which each
//! editor opens a file at a line.

use std::path::Path;
use std::process::Stdio;

use alongside_platform::terminal::keyboard;
use alongside_platform::{Os, shell};
use tokio::process::Command;

/// Editors that take `+LINE` in front of the file.
const TAKE_PLUS_LINE: &str =
    "ee emacs emacsclient ex gvim jed joe jove kak mcedit mg micro nano ne nvi nvim pico vi view vim";

/// Editors that take `FILE:LINE`, each with the option before it.
const TAKE_FILE_LINE: &[(&str, &str)] =
    &[("code", "--goto"), ("codium", "--goto"), ("hx", ""), ("helix", ""), ("subl", ""), ("zed", "")];

/// The person's editor as a command: `$VISUAL`, else `$EDITOR`, else `vi` (Notepad on Windows).
pub fn command() -> String {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
    variable("VISUAL")
        .or_else(|| variable("EDITOR"))
        .unwrap_or_else(|| shell::default_editor(Os::HERE).into())
}

/// The process that edits `path` at `line`, counted from 1. `editor` may contain arguments and quotes.
pub(crate) fn editor_command(editor: &str, path: &Path, line: usize) -> Command {
    let (program, arguments) = shell::run(Os::HERE, editor, arguments(editor, path, line));
    let mut command = Command::new(program);
    command.args(arguments);
    command
}

fn arguments(editor: &str, path: &Path, line: usize) -> Vec<std::ffi::OsString> {
    let program = shell::program_name(Os::HERE, editor);
    if TAKE_PLUS_LINE.split(' ').any(|name| name == program) {
        return vec![format!("+{line}").into(), path.into()];
    }
    if let Some((_, flag)) = TAKE_FILE_LINE.iter().find(|(name, _)| *name == program) {
        let mut place = path.as_os_str().to_owned();
        place.push(format!(":{line}"));
        let flag = Some(*flag).filter(|flag| !flag.is_empty()).map(Into::into);
        return flag.into_iter().chain([place]).collect();
    }
    vec![path.into()]
}

/// The standard input of the editor: the terminal, even if our own standard input is something else.
pub(crate) fn terminal_input() -> Stdio {
    if std::io::IsTerminal::is_terminal(&std::io::stdin()) {
        return Stdio::inherit();
    }
    keyboard().map_or_else(|_| Stdio::null(), Stdio::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_editor_opens_at_the_line() {
        let arguments = |editor| arguments(editor, Path::new("/t/a.rs"), 7);
        assert_eq!(arguments("/usr/bin/nvim -n"), ["+7", "/t/a.rs"]);
        assert_eq!(arguments("code --wait"), ["--goto", "/t/a.rs:7"]);
        assert_eq!(arguments("hx"), ["/t/a.rs:7"]);
        assert_eq!(arguments("my-editor"), ["/t/a.rs"]);
    }
}
