//! The output of commands: results go to standard output, remarks to standard error.

use std::io::{ErrorKind, IsTerminal as _, Write as _};

use alongside_common::failure;
use alongside_desk::{harmless, without_error_codes};
use serde_json::Value;

/// Writes to standard output. A closed pipe is not an error, because its reader needs no more output.
pub(super) fn print(text: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// Writes JSON to standard output on one line, with escapes for characters that are harmful to a terminal.
pub(super) fn print_json(json: &Value) -> anyhow::Result<()> {
    print(&format!("{}\n", harmless::json(&json.to_string())))
}

/// Writes lines of ours to standard output. On a terminal, they are wrapped at spaces, and a path is not
/// split.
pub(super) fn print_lines(text: &str) -> anyhow::Result<()> {
    print(&wrapped(text, alongside_platform::terminal::columns()))
}

/// Wraps lines for a terminal of this width. Without a terminal, lines stay whole for programs.
fn wrapped(text: &str, columns: Option<u16>) -> String {
    text.split('\n').map(|line| failure::wrap(line, columns)).collect::<Vec<_>>().join("\n")
}

/// Writes a remark to standard error.
pub(super) fn note(text: &str) {
    let line = remark(text);
    let columns = alongside_platform::terminal::columns_for_errors();
    let _ = writeln!(std::io::stderr().lock(), "{}", failure::wrap(&line, columns));
}

/// Escapes a remark for people, and removes the numbers of system errors from it.
fn remark(text: &str) -> String {
    format!("alongside: {}", without_error_codes(&harmless::name(text)))
}

/// Whether standard input and output are a terminal on which a desk can draw.
pub(super) fn can_draw() -> bool {
    let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    std::io::stdout().is_terminal() && std::io::stdin().is_terminal() && !is_dumb
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remark_has_no_number_of_a_system_error() {
        let error = std::io::Error::from_raw_os_error(2);
        let remark = remark(&format!("a\x1b stays: {error}"));
        assert!(remark.starts_with("alongside: a\\x1b stays: ") && !remark.contains("os error"), "{remark}");
    }

    #[test]
    fn lines_are_wrapped_at_spaces_and_paths_stay_whole() {
        let path = "/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o.txt";
        let text = &format!("1. {path} (Codex, now): the text before an undo\n  draft    kept\n");
        let rows = wrapped(text, Some(25));
        assert!(rows.lines().all(|row| row.len() <= 25 || row.contains(path)), "{rows}");
        assert!(rows.lines().count() > 3 && rows.ends_with("\n  draft    kept\n"), "{rows}");
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(words(&rows), words(text));
        assert_eq!(&wrapped(text, None), text);
    }
}
