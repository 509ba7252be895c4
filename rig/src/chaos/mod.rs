//! Chaos: agents, desks and companions are played against each other, and killed, frozen, cut and delayed at
//! random points.
//!
//! A round is a pure function of its seed: a [`Plan`] of timed steps. A [`Stage`] plays it and fills a
//! [`Record`]; the [`oracle`] reads nothing but that: what the script itself did, what the agents' clients
//! returned, what lies on the disk at the end. There are two stages: [`paused`] plays our own agents within
//! this process on a paused clock, some ten rounds a second; the other one plays the shipped agents' own
//! clients and the real program. A plan that fails is [minimised](minimise) and kept as a test.

pub mod dice;
pub mod log;
pub mod minimise;
pub mod oracle;
pub mod paused;
pub mod plan;
mod project;
pub mod real;
pub mod record;
pub mod small;
pub mod squatter;

pub use oracle::{Bounds, Broken, Excuse, Rule, judge};
pub use plan::{Plan, Step, What};
pub use record::Record;

/// What plays plans. A step that cannot be done when its time comes (no such review, a dead agent) is void:
/// it is left out.
///
/// After the last step the stage sees that every outcome can arrive: it thaws what is frozen, starts the
/// companion again if it is gone, joins a desk, has it reject what still waits, waits [`Bounds::calm`], and
/// at last stops the companion properly.
pub trait Stage {
    /// Plays a round.
    ///
    /// # Errors
    /// When it cannot be played at all, which is no fault of the product's.
    fn play(&mut self, plan: &Plan) -> anyhow::Result<Record>;

    /// How long things may take here.
    fn bounds(&self) -> Bounds;

    /// What this stage's agents are known for.
    fn excuses(&self) -> &[Excuse] {
        &[]
    }
}

/// Plays a plan, and says what was broken.
///
/// # Errors
/// As [`Stage::play`].
pub fn play(stage: &mut dyn Stage, plan: &Plan) -> anyhow::Result<(Record, Vec<Broken>)> {
    let record = stage.play(plan)?;
    let broken = judge(&record, &stage.bounds(), stage.excuses());
    Ok((record, broken))
}
