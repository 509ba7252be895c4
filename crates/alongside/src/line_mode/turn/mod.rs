//! The review of a turn, line by line: the changes since a baseline, file by file and hunk by hunk. Nothing
//! is written. Proposals of agents are announced, and not decided here.

mod desk;
mod proposals;
mod reading;
mod walk;
mod words;
mod work;

#[cfg(test)]
mod tests;

pub(crate) use desk::{TurnDesk, look};
