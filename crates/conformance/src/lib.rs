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
//! The suite speaks HTTP through our own client, [`alongside_agent::wire`] ([`http`]), for it
//! has to be able to do what no client library lets one do; a WebSocket it opens by hand ([`claude`]). It
//! uses sessions of its own, closes every diff it opened, also when it is interrupted, and writes nothing
//! into the project: proposals are about files in a directory that does not exist, files that are opened in
//! the editor lie in a temporary directory.
//!
//! A check is a row of a table beside the function that makes it. A step at the editor goes through a
//! [`Driver`]; without one it is [not observable](Verdict::NotObservable), which is never a pass.
//! Several checks may judge one *scene*, so that nobody is asked twice for the same thing.

mod action;
mod check;
mod check_ending;
mod checks;
mod claude;
mod cleanup;
mod companion;
mod discovery;
mod driver;
mod evidence;
mod harness;
mod http;
mod mutex;
mod run;
mod time;

pub use action::Action;
pub use check::{Check, Clause, Group, Level};
pub use checks::CHECKS;
pub use claude::CLAUDE_CHECKS;
pub use companion::Companion;
pub use discovery::target::{NoTarget, Target};
pub use driver::{Driver, Refusal, Reply};
pub use run::options::Options;
pub use run::probe::{NoCompanion, find_companion};
pub use run::progress::Progress;
pub use run::report::{CheckResult, Report, Verdict};
pub use run::run;
pub use time::timeouts::Timeouts;
