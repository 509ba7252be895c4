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
    print(&failure::wrap_lines(text, alongside_platform::terminal::columns()))
}

/// Writes a remark to standard error.
pub(super) fn note(text: &str) {
    let line = remark(text);
    let columns = alongside_platform::terminal::columns_for_errors();
    let _ = writeln!(std::io::stderr().lock(), "{}", failure::wrap(&line, columns));
}

/// Writes a prompt or the progress to standard error at once, because standard output has the results. A
/// failure changes nothing else.
pub(super) fn print_to_stderr(text: &str) {
    let mut err = std::io::stderr().lock();
    let _ = err.write_all(text.as_bytes()).and_then(|()| err.flush());
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
}
