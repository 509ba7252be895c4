//! The text that an agent writes once it has an outcome. Most agents write the decided text; unruly ones may
//! not.

use super::record::Outcome;
use crate::rng::Rng;

/// Returns the text that an agent writes after the outcome of a proposal; `None` if it writes nothing.
/// Without a seed, every agent obeys. With a seed, the choice depends only on the seed and the text, and not
/// on the plan.
pub(super) fn text_to_write(seed: Option<u64>, proposed: &str, outcome: &Outcome) -> Option<String> {
    let text_seed = proposed.bytes().fold(0_u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
    let chance = seed.map_or(0, |seed| Rng::new(seed ^ text_seed).below(100));
    match (outcome, chance) {
        // As if a formatter had run.
        (Outcome::Accepted(text), 80..90) => Some(format!("formatted\n{text}")),
        (Outcome::Accepted(_), 90..) | (Outcome::Rejected, ..90) => None,
        (Outcome::Accepted(text), _) => Some(text.clone()),
        (Outcome::Rejected, _) => Some(proposed.to_owned()),
    }
}
