//! The prompt that the person's next line answers in line mode.

use alongside_desk::review_model::Question;

use super::accept_all::AcceptAll;

/// The open prompt.
#[derive(Debug)]
pub(super) enum Prompt {
    /// The person's place in a review, if they read one.
    Place,
    Question(Question),
    /// The list of reviews to accept together.
    List(AcceptAll),
}
