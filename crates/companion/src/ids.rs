//! The ids that every part of the companion names.

/// Identifies a desk for as long as the companion lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeskId(pub(crate) u64);
