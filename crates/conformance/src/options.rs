//! Which checks a run makes.

use crate::check::Check;
use crate::checks::CHECKS;
use crate::timeouts::Timeouts;

/// The checks of a run, and its patience.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Only these checks: ids, or names of groups. All if there are none.
    pub only: Vec<String>,
    /// Not these: ids, or names of groups.
    pub skip: Vec<String>,
    /// How long to wait.
    pub timeouts: Timeouts,
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
