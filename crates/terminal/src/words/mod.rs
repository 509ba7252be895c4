//! The sentences of the terminal desk, a file for each subject.

pub(crate) mod comment_words;
pub(crate) mod finish_words;
pub(crate) mod messages;
pub(crate) mod turn_words;
