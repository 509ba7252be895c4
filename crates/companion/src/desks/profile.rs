//! The description of a desk that joins: its name, its abilities, and the parties that keep the companion
//! beside it.

/// The description of a desk, which the program gives that embeds the companion.
#[derive(Debug, Clone, Default)]
pub struct DeskProfile {
    /// The name of the desk for people, who read it at the other desks.
    pub name: Option<String>,
    /// Whether the desk shows no reviews, and only reports files.
    pub observes: bool,
    /// Whether the desk knows problems in files, for agents that ask.
    pub diagnoses: bool,
    /// Whether the desk shows turns.
    pub shows_turns: bool,
    /// As [`Status::kept_by`](alongside_desk::Status::kept_by). Without it, desks take each other for
    /// those who keep the companion.
    pub kept_by: Option<Vec<String>>,
}
