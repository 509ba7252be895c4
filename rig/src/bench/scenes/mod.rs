//! The scenes of the bench, a file for each kind of cost.

mod contexts;
mod decisions;
mod desk;
mod hook_cost;
mod hooks;
mod idle;
mod line_mode;
mod machine;
mod memory;
mod neovim;
mod plugins;
mod proposals;
mod repository;
mod requests;
mod starts;
mod stops;
mod turns;

use std::path::Path;
use std::time::{Duration, Instant};

use super::plan::{KB, MB};

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// The time from one moment to another, at least zero.
fn between(since: Instant, at: Instant) -> Duration {
    at.saturating_duration_since(since)
}

/// Returns "1 session", "50 sessions".
fn sessions(number: usize) -> String {
    format!("{number} session{}", if number == 1 { "" } else { "s" })
}

/// Returns a text of about so many bytes. `changed` of its lines, each at a distance from the next, contain
/// `version` instead of the original words.
fn text(bytes: usize, changed: usize, version: &str) -> String {
    const LINE: usize = 64;
    let lines = (bytes / LINE).max(1);
    let distance = (lines / changed.max(1)).max(1);
    let mut text = String::with_capacity(lines * LINE);
    for line in 0..lines {
        let is_changed = line % distance == distance / 2 && line / distance < changed;
        let version = if is_changed { version } else { "as it was" };
        let start = text.len();
        text.push_str(&format!("let value_{line} = compute({line}); // {version} "));
        text.extend(std::iter::repeat_n('x', (start + LINE - 1).saturating_sub(text.len())));
        text.push('\n');
    }
    text
}

/// The number of edits in a proposal that people see. They are so far apart that git shows each by itself.
fn edits(bytes: usize) -> usize {
    if bytes < MB { 10 } else { 400 }
}

/// Returns "10 KB", "1 MB".
fn size(bytes: usize) -> String {
    if bytes < MB { format!("{} KB", bytes / KB) } else { format!("{} MB", bytes / MB) }
}

fn file(project: &Path, name: &str) -> String {
    project.join(name).display().to_string()
}
