//! Rules and grants: which changes need no decision of a person. The rules are the settings', the grants are
//! given at desks.

pub(crate) mod book;
mod diff;
pub(crate) mod evaluation;
mod patterns;
mod protected;
