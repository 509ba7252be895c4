//! The output of commands: the result to standard output, remarks to standard error.

use std::io::{ErrorKind, IsTerminal as _, Write as _};

use alongside_common::failure;
use alongside_desk::harmless;

/// Writes to standard output. A reader that has gone away is no error: it wants no more.
pub(super) fn print(text: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// Writes a remark to standard error.
pub(super) fn note(text: &str) {
    let line = format!("alongside: {}", harmless::name(text));
    let columns = alongside_platform::terminal::columns_for_errors();
    let _ = writeln!(std::io::stderr().lock(), "{}", failure::wrapped(&line, columns));
}

/// Whether input and output are a terminal that can be drawn on.
pub(super) fn can_draw() -> bool {
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    std::io::stdout().is_terminal() && std::io::stdin().is_terminal() && !dumb
}
