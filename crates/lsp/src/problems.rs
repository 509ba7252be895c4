//! Problems that the language server itself reports to a person.

use alongside_desk::Problem;
use alongside_desk::agent_setup::SettingsOffer;
use alongside_desk::socket::SPOKEN;

/// Returns the message that the companion has stopped, because somebody stopped it.
pub(crate) fn companion_stopped() -> Problem {
    Problem::new(
        "the companion has stopped",
        "it restarts when you continue in the editor; then run `/ide enable` in each agent",
    )
}

/// Returns the problem that IDE mode is off in agents, so they find no editor; `None` if it is on in all.
/// `command` sets agents up.
pub(crate) fn ide_mode_is_off(offers: &[SettingsOffer], command: &str) -> Option<Problem> {
    let agents = SettingsOffer::unconnected(offers)?;
    Some(Problem::new(format!("IDE mode is off in {agents}"), format!("`{command}` switches it on")))
}

/// Returns the message that the editor's plugin speaks version `theirs` of the desk protocol, and alongside
/// `version` does not.
pub(crate) fn protocol_mismatch(theirs: u32, version: &str) -> String {
    if theirs < *SPOKEN.start() {
        format!("the editor's plugin is older than alongside {version}: update the plugin")
    } else {
        format!("the editor's plugin is newer than alongside {version}: update the program")
    }
}
