//! How a run goes on, for whoever watches it.

use std::time::Duration;

use crate::check::Check;
use crate::run::report::CheckResult;

/// How a run goes on.
#[derive(Debug)]
pub enum Progress<'a> {
    /// A check begins.
    Begins {
        /// Which one.
        check: &'static Check,
        /// How many are done.
        done: usize,
        /// How many there are.
        of: usize,
    },
    /// A check is done.
    Done(&'a CheckResult),
    /// Nothing is left to do but to let time pass. This comes again every second.
    Waits {
        /// For what.
        left: &'a [&'static Check],
        /// How long already.
        so_far: Duration,
        /// How many checks are done.
        done: usize,
        /// How many there are.
        of: usize,
    },
}
