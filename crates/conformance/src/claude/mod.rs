//! The checks of a companion to which Claude Code connects: a lock file, and MCP over a WebSocket. No
//! document describes this dialect; its rules are what the released agent was seen to need.

pub(crate) mod agent;
pub(crate) mod connecting;
mod context;
mod diffs;
pub(crate) mod handshake;
mod lock_file;
mod mcp;
mod rule_source;
mod stop;
mod websocket_opening;

use std::sync::LazyLock;

use crate::check::Check;

/// Every check of this dialect, in the order in which checks are made and reported.
pub static CLAUDE_CHECKS: LazyLock<Vec<&'static Check>> = LazyLock::new(|| {
    let groups: [&'static [Check]; 6] = [
        lock_file::CHECKS,
        websocket_opening::CHECKS,
        mcp::CHECKS,
        context::CHECKS,
        diffs::CHECKS,
        stop::CHECKS,
    ];
    groups.into_iter().flatten().collect()
});

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::When;

    #[test]
    fn every_check_is_made_at_a_time_that_this_dialect_has() {
        for check in CLAUDE_CHECKS.iter() {
            assert!(matches!(check.when, When::InTurn | When::Last), "{}", check.id);
        }
        assert!(CLAUDE_CHECKS.is_sorted_by_key(|check| check.group), "the report goes by groups");
    }
}
