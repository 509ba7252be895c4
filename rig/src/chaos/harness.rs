//! The interface of the harnesses, which play a plan and record what happens.

use super::oracle::{Bounds, Excuse, Violation, judge};
use super::plan::Plan;
use super::record::Record;

/// Plays plans. A step that is impossible at its time, for example because its agent has ended, is void and
/// skipped.
///
/// After the last step the harness lets every outcome arrive: it thaws frozen processes, restarts a companion
/// that is gone, joins a desk, rejects the reviews that still wait, waits [`Bounds::settle`], and stops the
/// companion properly.
pub trait Harness {
    /// Plays a round.
    ///
    /// # Errors
    ///
    /// Fails on a fault of the harness, not of the product.
    fn play(&mut self, plan: &Plan) -> anyhow::Result<Record>;

    /// The time limits for rounds of this harness.
    fn bounds(&self) -> Bounds;

    /// The known defects of this harness's agents.
    fn excuses(&self) -> &[Excuse] {
        &[]
    }
}

/// Plays a plan and judges the record.
pub fn play(harness: &mut dyn Harness, plan: &Plan) -> anyhow::Result<(Record, Vec<Violation>)> {
    let record = harness.play(plan)?;
    let violations = judge(&record, &harness.bounds(), harness.excuses());
    Ok((record, violations))
}
