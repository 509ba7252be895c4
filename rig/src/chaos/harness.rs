//! The harness plays a plan against companions and records what happens. There are two: on a paused clock in
//! this process, and with real clients and processes.

use super::oracle::{Bounds, Excuse, Violation, judge};
use super::plan::Plan;
use super::record::Record;

/// Plays plans. A step that is impossible when its time comes (no such review, a dead agent) is void and
/// skipped.
///
/// After the last step the harness lets every outcome arrive: it thaws what is frozen, restarts the companion
/// if it is gone, joins a desk, rejects the reviews that still wait, waits [`Bounds::calm`], and stops the
/// companion properly.
pub trait Harness {
    /// Plays a round.
    /// An error is a fault of the harness, not of the product.
    fn play(&mut self, plan: &Plan) -> anyhow::Result<Record>;

    /// How long things may take here.
    fn bounds(&self) -> Bounds;

    /// Known defects of this harness's agents.
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
