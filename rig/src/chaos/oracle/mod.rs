//! The oracle judges a round from its [`Record`] alone. Every rule is as strict as the product's promise.

mod calls;
mod judge;
mod last_words;
mod leftovers;
mod limits;
mod proposals;
mod rule;
mod turns;

pub(super) use limits::GRACE;
pub use limits::{Bounds, Excuse};
pub use rule::{Rule, Violation};

use judge::Judge;

use super::record::Record;

/// Judges a round. Returns the rules that it has broken.
pub fn judge(record: &Record, bounds: &Bounds, excuses: &[Excuse]) -> Vec<Violation> {
    let mut judge = Judge::new(record, bounds, excuses);
    for proposal in &record.proposals {
        judge.check_outcome(proposal);
        judge.check_decisions(proposal);
        judge.check_no_endless_wait(proposal);
        judge.check_close(proposal);
        judge.check_call(proposal);
        judge.check_word_is_reported(proposal);
    }
    judge.check_reported_words();
    for call in &record.calls {
        judge.check_result(call);
        judge.check_decisions_on_call(call);
        judge.check_runs(call);
    }
    judge.check_typed();
    judge.check_leftovers();
    judge.check_leaks();
    judge.check_turns();
    judge.violations
}

#[cfg(test)]
mod call_tests;
#[cfg(test)]
mod tests;
