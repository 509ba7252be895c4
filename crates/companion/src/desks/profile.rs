//! The description of a desk that joins: its name, its abilities, and the other parties that keep the
//! companion running.

/// The description of a desk. The program that embeds the companion supplies it.
#[derive(Debug, Clone, Default)]
pub struct DeskProfile {
    /// The name of the desk for people, who read it at the other desks.
    pub name: Option<String>,
    /// Whether the desk shows no reviews, and only reports files.
    pub observes: bool,
    /// Whether the desk knows problems in files, for agents that ask for diagnostics.
    pub diagnoses: bool,
    /// Whether the desk shows turns.
    pub shows_turns: bool,
    /// The names of the parties that keep the companion when this desk leaves, as in
    /// [`Status::kept_by`](alongside_desk::Status::kept_by). `None`: every other desk counts as such a party.
    pub kept_by: Option<Vec<String>>,
}
