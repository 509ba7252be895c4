//! The other parts of the companion, as far as turn reviews need them.

use std::path::Path;

use crate::reviews::registry::Reviews;

/// See the module.
pub(crate) struct Surroundings<'a> {
    /// Whether an editor holds unsaved changes of a file, given by its path and by that without links.
    pub(crate) is_dirty: &'a dyn Fn(&str, &Path) -> bool,
    /// They give ids away.
    pub(crate) reviews: &'a mut Reviews,
}
