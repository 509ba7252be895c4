//! The output of commands: the result to standard output, remarks to standard error.

use std::io::{ErrorKind, IsTerminal as _, Write as _};

use alongside_common::failure;
use alongside_desk::{harmless, without_error_codes};
use serde_json::Value;

/// Writes to standard output. A reader that has gone away is no error: it wants no more.
pub(super) fn print(text: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// Writes JSON to standard output, in one line that harms no terminal.
pub(super) fn print_json(json: &Value) -> anyhow::Result<()> {
    print(&format!("{}\n", harmless::json(&json.to_string())))
}

/// Writes lines of ours to standard output. A terminal gets them broken at blanks; a path stays whole.
pub(super) fn print_lines(text: &str) -> anyhow::Result<()> {
    print(&broken(text, alongside_platform::terminal::columns()))
}

/// Lines for a terminal of so many columns. Without a terminal they stay whole, for programs to read.
fn broken(text: &str, columns: Option<u16>) -> String {
    text.split('\n').map(|line| failure::wrapped(line, columns)).collect::<Vec<_>>().join("\n")
}

/// Writes a remark to standard error.
pub(super) fn note(text: &str) {
    let line = remark(text);
    let columns = alongside_platform::terminal::columns_for_errors();
    let _ = writeln!(std::io::stderr().lock(), "{}", failure::wrapped(&line, columns));
}

/// A remark as people read it, without the numbers of the system errors that it quotes.
fn remark(text: &str) -> String {
    format!("alongside: {}", without_error_codes(&harmless::name(text)))
}

/// Whether input and output are a terminal that can be drawn on.
pub(super) fn can_draw() -> bool {
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    std::io::stdout().is_terminal() && std::io::stdin().is_terminal() && !dumb
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
    fn lines_break_at_blanks_and_paths_stay_whole() {
        let path = "/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o.txt";
        let text = &format!("1. {path} (Codex, now): the text before an undo\n  draft    kept\n");
        let rows = broken(text, Some(25));
        assert!(rows.lines().all(|row| row.len() <= 25 || row.contains(path)), "{rows}");
        assert!(rows.lines().count() > 3 && rows.ends_with("\n  draft    kept\n"), "{rows}");
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(words(&rows), words(text));
        assert_eq!(&broken(text, None), text);
    }
}
