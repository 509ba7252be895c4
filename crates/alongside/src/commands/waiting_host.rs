//! Describes hosts without a party, which wait a moment for an editor or a desk.

use alongside_desk::harmless;
use alongside_desk::socket::Report;
use alongside_platform::process;

/// Whether the host only waits, for a closed editor or for a desk.
pub(super) fn only_waits(report: &Report) -> bool {
    let have_editors_ended = || report.editors.iter().all(|editor| !process::is_alive(editor.pid));
    let has_no_desk = || report.status.desks == 0 && !report.editors.is_empty() && have_editors_ended();
    report.hidden || report.seconds_left.is_some() || has_no_desk()
}

/// Describes the wait, as in "waits 9 s more for Neovim to come back".
pub(super) fn wait_words(report: &Report) -> String {
    let left = time_left(report);
    match report.editors.first() {
        Some(editor) => {
            format!("waits {left} more for {} to come back", harmless::name(&editor.display_name))
        }
        None => format!("waits {left} more for a desk"),
    }
}

/// Returns the time that is left, as in "9 s".
pub(super) fn time_left(report: &Report) -> String {
    // A host reports no seconds if it is older, or has not noticed the end of its editor yet.
    report.seconds_left.map_or("up to 30 s".into(), |left| format!("{left} s"))
}
