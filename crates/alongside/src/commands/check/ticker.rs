//! Prints the progress of a run to standard error: one line that is rewritten, or a line for each stage on a
//! dumb terminal. Prints nothing if standard error is not a terminal.

use std::io::IsTerminal as _;

use alongside_conformance::Progress;
use alongside_platform::terminal::columns_for_errors;

use crate::commands::output::print_to_stderr;

/// The escape sequence that erases the line of the [`Ticker`].
pub(super) const ERASE: &str = "\r\x1b[K";

/// The progress on standard error.
pub(super) struct Ticker {
    kind: Kind,
    /// Whether a line has to be erased.
    has_line: bool,
    /// The stages that were printed.
    stages: Vec<String>,
}

#[derive(PartialEq)]
enum Kind {
    OneLine,
    Stages,
    Silent,
}

impl Ticker {
    pub(super) fn new() -> Self {
        let is_dumb = std::env::var_os("TERM").is_none_or(|term| term.is_empty() || term == "dumb");
        let kind = match std::io::stderr().is_terminal() {
            true if is_dumb => Kind::Stages,
            true => Kind::OneLine,
            false => Kind::Silent,
        };
        Self { kind, has_line: false, stages: Vec::new() }
    }

    pub(super) fn show(&mut self, progress: &Progress<'_>) {
        let (line, stage) = match progress {
            Progress::Begins { check, done, of } => {
                (format!("{done}/{of}  {}", check.id), format!("Checking: {}", check.group.title()))
            }
            Progress::Waits { left, so_far, done, of } => {
                let left: Vec<&str> = left.iter().map(|check| check.id).collect();
                let left = left.join(", ");
                let line = format!("{done}/{of}  {} s of waiting for {left}", so_far.as_secs());
                (line, format!("Waiting for {left}"))
            }
            Progress::Done(_) => return,
        };
        match self.kind {
            Kind::OneLine => {
                // A line that wraps cannot be erased.
                let columns = usize::from(columns_for_errors().unwrap_or(80)).saturating_sub(1);
                let line: String = line.chars().take(columns).collect();
                print_to_stderr(&format!("{ERASE}{line}"));
                self.has_line = true;
            }
            Kind::Stages if !self.stages.contains(&stage) => {
                print_to_stderr(&format!("{stage}\n"));
                self.stages.push(stage);
            }
            _ => {}
        }
    }

    pub(super) fn clear(&mut self) {
        if std::mem::take(&mut self.has_line) {
            print_to_stderr(ERASE);
        }
    }
}
