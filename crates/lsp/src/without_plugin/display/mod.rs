//! The display of a review by LSP's own means: marks and hovers.

pub(super) mod diagnostics;
pub(super) mod hover;
pub(super) mod hunk_messages;
