//! The progress of a run, for its caller.

use std::time::Duration;

use crate::check::Check;
use crate::run::report::CheckResult;

/// A step in the progress of a run.
#[derive(Debug)]
pub enum Progress<'a> {
    /// A check begins.
    Begins {
        /// Which one.
        check: &'static Check,
        /// The number of checks that are done.
        done: usize,
        /// The number of all checks.
        of: usize,
    },
    /// A check is done.
    Done(&'a CheckResult),
    /// Only long checks remain. Sent every second.
    Waits {
        /// The remaining checks.
        left: &'a [&'static Check],
        /// The time of waiting so far.
        so_far: Duration,
        /// The number of checks that are done.
        done: usize,
        /// The number of all checks.
        of: usize,
    },
}
