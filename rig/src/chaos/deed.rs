//! The deed of an agent on its file once it has an outcome. Most write what was decided, and some do not.

use super::record::Outcome;
use crate::rng::Rng;

/// The text that an agent writes after the outcome of a proposal; `None` if it writes nothing. Without a
/// seed, every agent obeys. With one, the choice depends on it and on the text alone, and not on the plan.
pub(super) fn written(seed: Option<u64>, proposed: &str, outcome: &Outcome) -> Option<String> {
    let text_seed = proposed.bytes().fold(0_u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
    let chance = seed.map_or(0, |seed| Rng::new(seed ^ text_seed).below(100));
    match (outcome, chance) {
        // A hook of its own, or a formatter, has run.
        (Outcome::Accepted(text), 80..90) => Some(format!("formatted\n{text}")),
        (Outcome::Accepted(_), 90..) | (Outcome::Rejected, ..90) => None,
        (Outcome::Accepted(text), _) => Some(text.clone()),
        (Outcome::Rejected, _) => Some(proposed.to_owned()),
    }
}
