//! How agents find a companion: files that companions leave in well-known places, matched by process or by
//! directory, and variables in the terminal. This replays it for every agent of the table, so that "why does
//! my agent not see my editor?" has an answer. It only looks: nothing is ever deleted or connected to.

mod agent_environment;
mod candidates;
mod dialled_addresses;
mod lock_search;
mod record_files;
mod record_search;
mod replay;
mod search_result;
mod trace;
mod workspace;

pub use agent_environment::{Surroundings, editor_pid, in_container};
pub use alongside_platform::process::{Process, is_alive, look_up};
pub use candidates::{all_files, all_records, candidates};
pub use lock_search::{ClaudeSettings, Lock, LockSearch, lock_of, locks};
pub use replay::replay;
pub use search_result::{Found, Reason, Search, Skipped, Why};
pub use trace::{Attempt, End, NamedBy, Seen, Step, To, Trace, Verdict};
pub use workspace::holds;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_by_release;
