//! The turn review in line mode: the changes since a baseline, file by file and hunk by hunk. A change stays
//! unless the person marks it; changes are undone and comments are sent only after the person has confirmed
//! their list. Proposals of agents are announced, and decided at another desk.

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

pub(crate) use desk::{TurnDesk, review_request};
