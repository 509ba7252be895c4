//! Hosts that nobody uses any more, and that wait a moment for somebody to come back.

use alongside_desk::harmless;
use alongside_desk::socket::Report;
use alongside_platform::process;

/// Whether the host only waits: for its editor, which is gone, or for a desk.
pub(super) fn only_waits(report: &Report) -> bool {
    let is_gone = |pid| process::look_up(pid).is_none();
    let has_no_one = || report.status.desks == 0 && report.owner.as_ref().is_some_and(|of| is_gone(of.pid));
    report.hidden || report.seconds_left.is_some() || has_no_one()
}

/// Its wait, as in "waits 9 s more for Neovim to come back".
pub(super) fn waits(report: &Report) -> String {
    let left = left(report);
    match &report.owner {
        Some(owner) => format!("waits {left} more for {} to come back", harmless::name(&owner.display_name)),
        None => format!("waits {left} more for a desk"),
    }
}

/// The seconds that are left, as in "9 s".
pub(super) fn left(report: &Report) -> String {
    // An older host, and one that has not missed its editor yet, does not say how many.
    report.seconds_left.map_or("up to 30 s".into(), |left| format!("{left} s"))
}
