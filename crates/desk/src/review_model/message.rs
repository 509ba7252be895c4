//! A message to the person, and how much it matters.

/// One or more lines for the person, rendered harmless.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The text; lines are separated by `\n`.
    pub text: String,
    /// How much it matters.
    pub kind: MessageKind,
}

/// How much a message matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageKind {
    /// Something happened.
    Notice,
    /// Something is wrong.
    Warning,
    /// Something happened, and the next message of this kind says the same and more.
    Transient,
}

impl Message {
    /// Something happened.
    pub fn notice(text: impl Into<String>) -> Self {
        Self { text: text.into(), kind: MessageKind::Notice }
    }

    /// Something is wrong.
    pub fn warning(text: impl Into<String>) -> Self {
        Self { text: text.into(), kind: MessageKind::Warning }
    }

    /// Something happened that the next message of this kind repeats.
    pub fn transient(text: impl Into<String>) -> Self {
        Self { text: text.into(), kind: MessageKind::Transient }
    }
}
