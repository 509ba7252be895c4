//! Texts in columns of the screen, and texts as a person types them.

pub(crate) mod fit;
pub(crate) mod typing;
pub(crate) mod width;
