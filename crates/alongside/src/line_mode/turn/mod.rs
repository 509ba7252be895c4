//! The review of a turn, line by line: the changes since a baseline, file by file and hunk by hunk. A change
//! stays unless the person marks it to be undone; nothing is written or sent before they confirm the list of
//! it. Proposals of agents are announced, and not decided here.

mod comment_words;
mod comments;
mod desk;
mod proposals;
mod reading;
mod steps;
mod unsent;
mod walk;
mod words;
mod work;

#[cfg(test)]
mod tests;

pub(crate) use desk::{TurnDesk, look};
