//! Rules and grants: the changes that need no decision of a person. Rules come from the settings, grants from
//! desks.

pub(crate) mod book;
mod diff;
pub(crate) mod evaluation;
mod patterns;
mod protected;
