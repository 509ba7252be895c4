//! A message to the person, how much it matters, and its cause.

use crate::review::ReviewId;
use crate::review::last_word::LastWord;

/// One or more lines for the person, rendered harmless.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The text; lines are separated by `\n`.
    pub text: String,
    /// The importance of the message.
    pub kind: MessageKind,
    /// The cause, with which the message ends.
    pub about: Option<Subject>,
}

/// The cause of a message. When the cause ends, a desk removes the message if it still shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// A review that waits.
    Review(ReviewId),
    /// A review that came while the person read another one. This cause ends when they turn to the new one.
    Arrival(ReviewId),
    /// The file of a review changed on disk.
    Stale(ReviewId),
    /// An editor holds unsaved changes to the file of a review.
    Dirty(ReviewId),
    /// The arrival or leaving of an agent, by its number.
    Agent(u64),
    /// The turn review: that it waits, or that a look is under way.
    Turn,
    /// New files of the turn review. This cause ends when the person lists them, or none is left.
    TurnFiles,
    /// The message to an agent; over when something else becomes of it, which stands elsewhere.
    TurnMessage,
    /// The agents' own settings, as the desk last found them, or the look for them.
    AgentSetup,
    /// Several reviews that were accepted together.
    Together,
}

/// The importance of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageKind {
    /// Something happened.
    Notice,
    /// Something is wrong.
    Warning,
}

impl Message {
    /// Something happened.
    pub fn notice(text: impl Into<String>) -> Self {
        Self { text: text.into(), kind: MessageKind::Notice, about: None }
    }

    /// Something is wrong.
    pub fn warning(text: impl Into<String>) -> Self {
        Self { text: text.into(), kind: MessageKind::Warning, about: None }
    }

    /// Returns the content of the file of a decided review.
    pub fn last_word(told: LastWord) -> Self {
        match told.word.is_as_decided() {
            true => Self::notice(told.message),
            false => Self::warning(told.message),
        }
    }

    /// Returns the message with this cause.
    #[must_use]
    pub fn about(self, cause: Subject) -> Self {
        Self { about: Some(cause), ..self }
    }
}
