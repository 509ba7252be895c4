//! Hosts that nobody uses any more, and that wait a moment for somebody to come back.

use alongside_desk::harmless;
use alongside_desk::socket::Report;
use alongside_platform::process;

/// Whether the host only waits: for an editor that was closed, or for a desk.
pub(super) fn only_waits(report: &Report) -> bool {
    let are_gone = || report.editors.iter().all(|editor| !process::is_alive(editor.pid));
    let has_no_one = || report.status.desks == 0 && !report.editors.is_empty() && are_gone();
    report.hidden || report.seconds_left.is_some() || has_no_one()
}

/// Its wait, as in "waits 9 s more for Neovim to come back".
pub(super) fn waits(report: &Report) -> String {
    let left = left(report);
    match report.editors.first() {
        Some(editor) => {
            format!("waits {left} more for {} to come back", harmless::name(&editor.display_name))
        }
        None => format!("waits {left} more for a desk"),
    }
}

/// The seconds that are left, as in "9 s".
pub(super) fn left(report: &Report) -> String {
    // An older host does not tell the seconds, nor does one that has not missed its editor yet.
    report.seconds_left.map_or("up to 30 s".into(), |left| format!("{left} s"))
}
