//! The part of a relay for plugins that only present reviews. A *relay* is the program between a plugin and
//! the companion, such as the language server.
//!
//! Such a plugin shows texts, sentences and diffs, and sends what the person types. [`Presentation`] writes
//! the sentences and diffs, and keeps the plugin's texts equal to the companion's. A plugin that shows texts
//! side by side gets exact ones. It does nothing by itself: the relay carries out each [`Effect`]. Diffs and
//! merges are also for relays that present reviews in another way.

mod effect;
mod hunk_diff;
mod hunk_words;
mod merge;
mod presentation;
mod presented_review;
mod replacement;
#[cfg(test)]
mod tests;
mod text_form;
mod text_history;
mod text_requests;

pub use effect::Effect;
pub use hunk_diff::{fenced, hunk_diff};
pub use merge::{differences, merge};
pub use presentation::Presentation;
pub use replacement::Replacement;
pub use text_requests::TextParams;
