//! The other parts of the companion, as far as turn reviews need them.

use std::path::Path;

use crate::reviews::registry::Reviews;

/// The other parts of the companion, as far as turn reviews need them.
pub(crate) struct Surroundings<'a> {
    /// Whether an editor holds unsaved changes of a file, given by its path and by its real path.
    pub(crate) is_dirty: &'a dyn Fn(&str, &Path) -> bool,
    /// The reviews of proposals, with which texts of turn reviews share their ids.
    pub(crate) reviews: &'a mut Reviews,
}
