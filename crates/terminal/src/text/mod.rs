//! Texts measured in columns of the screen, and texts that a person types.

pub(crate) mod fit;
pub(crate) mod typing;
pub(crate) mod width;
