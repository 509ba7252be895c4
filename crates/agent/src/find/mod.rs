//! How agents find a companion: through files that companions write to well-known places, matched by process
//! or by directory, and through variables in the terminal. This module replays the search for every agent of
//! the table, to answer why an agent does not find an editor. It only reads: it deletes no file and opens no
//! connection.

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
pub use search_result::{Found, Search, SkipReason, Skipped, Why};
pub use trace::{Attempt, End, ExaminedFile, NamedBy, Step, StepResult, To, Trace};
pub use workspace::holds;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_by_release;
