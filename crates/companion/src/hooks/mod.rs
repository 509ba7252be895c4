//! The hooks of agents: programs that wait until a person has decided on what a tool is about to write.

pub(crate) mod call;
pub(crate) mod registry;

/// The answer to a hook where no desk has been open for a while.
pub(crate) const NO_DESK: &str = "No desk of alongside is open, so nobody can review this change. Ask the \
                                  person to run `alongside` in the project.";
