//! The one thing that keeps line mode from listening to the person.

use alongside_desk::ReviewId;
use alongside_desk::review_model::Acceptances;
use alongside_terminal::Editing;

/// The thing that keeps the desk from listening to the person.
#[derive(Debug)]
pub(super) enum Activity {
    /// Nothing: the desk listens.
    Listening,
    /// A decision was sent, and its review has not closed yet.
    Deciding(ReviewId),
    /// Acceptances of a list were sent, and not all have been answered.
    Accepting(Acceptances),
    /// The person's editor has the terminal.
    Editor(Box<Editing>),
}
