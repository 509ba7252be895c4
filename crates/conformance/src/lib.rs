//! A conformance suite for any companion, ours or not: clause by clause, with what was sent, what came, and
//! what a user suffers.
//!
//! ```no_run
//! use alongside_agent::find::Surroundings;
//! use alongside_conformance as check;
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let target = check::Target::find(None, Surroundings::of_this_process()?)?;
//! let options = check::Options::default();
//! let report = check::run(&target, &options, None, &mut |_| (), std::future::pending()).await?;
//! for result in report.failed() {
//!     println!("{}: {}", result.check.id, result.verdict.reason().unwrap_or_default());
//! }
//! # Ok(()) }
//! ```
//!
//! The suite speaks HTTP of its own making ([`wire`], [`peer`], [`listener`]), for it has to be able to do
//! what no client library lets one do. It uses sessions of its own, closes every diff it opened, also when it
//! is interrupted, and writes nothing into the project: proposals are about files in a directory that does
//! not exist, files that are opened in the editor lie in a temporary directory.
//!
//! A check is a row of a table beside the function that makes it. What needs somebody at the editor goes
//! through a [`Driver`]; without one it is [not observable](Verdict::NotObservable), which is never a pass.
//! Several checks may judge one *scene*, so that nobody is asked twice for the same thing.

mod access;
mod bench;
mod clock;
mod closing;
mod contents;
mod context;
mod cursor;
mod delivery;
mod diffs;
mod discovery;
mod driver;
mod hangs;
mod idle;
mod listener;
mod messages;
mod opened;
mod origin;
mod outcomes;
mod peer;
mod probe;
mod protocol;
mod published;
mod report;
mod scenes;
mod schedule;
mod sessions;
mod several;
mod sse;
mod stop;
mod streams;
mod table;
mod taken;
mod tally;
mod target;
mod texts;
mod wire;

use std::sync::PoisonError;
use std::time::{Duration, Instant};

pub use driver::{Action, Driver, Refusal, Reply};
pub use probe::NoCompanion;
pub use report::{CheckResult, Companion, Report, Verdict};
pub use table::{CHECKS, Check, Clause, Group, Level};
pub use target::{NoTarget, Target};

use bench::Bench;
use schedule::Schedule;

/// What to check, and how patiently.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Only these checks: ids, or names of groups. All if there are none.
    pub only: Vec<String>,
    /// Not these: ids, or names of groups.
    pub skip: Vec<String>,
    /// How long to wait.
    pub pace: Pace,
}

/// How long to wait, and for how much.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// For an answer, or for something that must come by itself.
    pub answer: Duration,
    /// For something that must not come.
    pub quiet: Duration,
    /// How long agents hear nothing on a stream before they give it up.
    pub keep_alive: Duration,
    /// How often there should be a sign of life on an idle stream.
    pub sign_of_life: Duration,
    /// When a session is to be freed whose agent is gone.
    pub freed: Duration,
    /// How long a run goes on for what only time shows; what takes longer is skipped.
    pub wait: Duration,
    /// For the companion to be gone after the editor has ended.
    pub stop: Duration,
    /// The size of a large proposal, in bytes.
    pub large: usize,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            answer: Duration::from_secs(5),
            quiet: Duration::from_millis(400),
            keep_alive: Duration::from_secs(300),
            sign_of_life: Duration::from_secs(20),
            freed: Duration::from_secs(60),
            wait: Duration::from_secs(70),
            stop: Duration::from_secs(40),
            large: 12 << 20,
        }
    }
}

impl Options {
    /// The checks that are wanted.
    pub fn wanted(&self) -> Vec<&'static Check> {
        let names = |names: &[String], check: &Check| {
            names.iter().any(|name| name == check.id || name == check.group.name())
        };
        let wanted =
            |check: &Check| (self.only.is_empty() || names(&self.only, check)) && !names(&self.skip, check);
        CHECKS.iter().copied().filter(|check| wanted(check)).collect()
    }

    /// Names in `only` and `skip` that no check and no group has.
    pub fn unknown(&self) -> impl Iterator<Item = &str> {
        let known = |name: &str| CHECKS.iter().any(|check| check.id == name || check.group.name() == name);
        self.only.iter().chain(&self.skip).map(String::as_str).filter(move |name| !known(name))
    }
}

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

/// Checks a companion. What `interrupted` becomes ready for breaks the run off, in good order.
///
/// # Errors
/// When there is no room for temporary files. Whatever is wrong with the companion is in the report.
pub async fn run(
    target: &Target,
    options: &Options,
    driver: Option<&dyn Driver>,
    progress: &mut (dyn FnMut(Progress<'_>) + Send),
    interrupted: impl Future<Output = ()>,
) -> std::io::Result<Report> {
    let begun = Instant::now();
    let bench = Bench::new(target, options.pace, driver)?;
    let wanted = options.wanted();
    let schedule = Schedule::new(&bench, &wanted, progress);
    let finished = tokio::select! {
        () = schedule.all() => true,
        () = interrupted => false,
    };
    let mut results = schedule.results();
    bench.tidy_up().await;
    let made = |check: &Check, results: &[CheckResult]| results.iter().any(|it| it.check.id == check.id);
    for check in &wanted {
        if !made(check, &results) {
            let verdict = Verdict::Skipped("the run was interrupted".into());
            results.push(CheckResult { check, verdict, evidence: Vec::new(), took: Duration::ZERO });
        }
    }
    let place = |id: &str| wanted.iter().position(|check| check.id == id);
    results.sort_by_key(|result| place(result.check.id));
    let companion = bench.companion();
    let failures = bench.failures.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(Report {
        companion,
        results,
        took: begun.elapsed(),
        interrupted: !finished,
        driver_failures: failures,
    })
}
