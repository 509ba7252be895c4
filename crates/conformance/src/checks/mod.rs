//! The table of checks. `docs/conformance.md` is made from it.

mod all_stream_events;
mod close_diff;
pub(crate) mod context;
mod cursor;
mod discovery_contents;
mod discovery_paths;
mod get_stream;
pub(crate) mod host_and_origin;
pub(crate) mod idle;
mod json_rpc;
mod mcp;
mod open_diff;
mod outcome_delivery;
mod outcome_recipients;
mod outcomes;
mod proposal_texts;
mod published_files;
pub(crate) mod sessions;
mod stop;
mod token_access;

use std::sync::LazyLock;

use crate::check::Check;

/// Every check, in the order in which checks are made and reported.
pub static CHECKS: LazyLock<Vec<&'static Check>> = LazyLock::new(|| {
    let groups: [&'static [Check]; 18] = [
        discovery_paths::CHECKS,
        discovery_contents::CHECKS,
        token_access::CHECKS,
        host_and_origin::CHECKS,
        mcp::CHECKS,
        json_rpc::CHECKS,
        sessions::CHECKS,
        get_stream::CHECKS,
        idle::CHECKS,
        outcome_delivery::CHECKS,
        context::CHECKS,
        cursor::CHECKS,
        open_diff::CHECKS,
        proposal_texts::CHECKS,
        close_diff::CHECKS,
        outcomes::CHECKS,
        outcome_recipients::CHECKS,
        stop::CHECKS,
    ];
    let mut checks: Vec<&'static Check> = groups.into_iter().flatten().collect();
    // The sort is stable: within a group, the order is that of the modules.
    checks.sort_by_key(|check| check.group);
    checks
});

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::Action;
    use crate::claude::CLAUDE_CHECKS;

    #[test]
    fn every_check_has_a_name_of_its_own_that_begins_with_its_group() {
        let mut ids: Vec<_> = CHECKS.iter().chain(CLAUDE_CHECKS.iter()).map(|check| check.id).collect();
        for check in CHECKS.iter().chain(CLAUDE_CHECKS.iter()) {
            let rest = check.id.strip_prefix(check.group.name()).and_then(|rest| rest.strip_prefix('.'));
            assert!(rest.is_some_and(|rest| !rest.is_empty()), "{}", check.id);
        }
        ids.sort_unstable();
        let all = ids.len();
        ids.dedup();
        assert_eq!(ids.len(), all);
    }

    #[test]
    fn sentences_are_sentences_and_actions_are_known() {
        for check in CHECKS.iter().chain(CLAUDE_CHECKS.iter()) {
            for sentence in [check.title, check.harm, check.clause.says()] {
                assert!(!sentence.is_empty() && !sentence.ends_with('.'), "{}: {sentence}", check.id);
            }
            for need in check.needs {
                assert!(Action::NAMES.iter().any(|(name, _)| name == need), "{}: {need}", check.id);
            }
        }
    }
}
