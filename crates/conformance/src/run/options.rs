//! The options of a run: its checks, and its longest waits.

use alongside_contract::family::Transport;

use crate::check::Check;
use crate::checks::CHECKS;
use crate::claude::CLAUDE_CHECKS;
use crate::time::timeouts::Timeouts;

/// The checks of a run, and its longest waits.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Only these checks: ids, or names of groups. All if there are none.
    pub only: Vec<String>,
    /// Checks to leave out: ids, or names of groups.
    pub skip: Vec<String>,
    /// The longest waits.
    pub timeouts: Timeouts,
}

impl Options {
    /// Returns the selected checks over a transport.
    pub fn wanted(&self, transport: Transport) -> Vec<&'static Check> {
        let names = |names: &[String], check: &Check| {
            names.iter().any(|name| name == check.id || name == check.group.name())
        };
        let wanted =
            |check: &Check| (self.only.is_empty() || names(&self.only, check)) && !names(&self.skip, check);
        table(transport).iter().copied().filter(|check| wanted(check)).collect()
    }

    /// Returns the names in `only` and `skip` that no check and no group over a transport has.
    pub fn unknown(&self, transport: Transport) -> impl Iterator<Item = &str> {
        let checks = table(transport);
        let known =
            move |name: &str| checks.iter().any(|check| check.id == name || check.group.name() == name);
        self.only.iter().chain(&self.skip).map(String::as_str).filter(move |name| !known(name))
    }
}

/// Returns the checks over a transport.
fn table(transport: Transport) -> &'static [&'static Check] {
    match transport {
        Transport::Http => &CHECKS,
        Transport::WebSocket => &CLAUDE_CHECKS,
    }
}
