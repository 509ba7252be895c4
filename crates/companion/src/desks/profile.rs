//! A desk as it joins: its name, its part, and those who keep the companion beside it.

/// A desk as the program knows it that the companion is part of.
#[derive(Debug, Clone, Default)]
pub struct DeskProfile {
    /// Its name for people, who read it at the other desks.
    pub name: Option<String>,
    /// It shows no reviews.
    pub observes: bool,
    /// It knows problems in files, for agents that ask.
    pub diagnoses: bool,
    /// It shows turns.
    pub shows_turns: bool,
    /// As [`Status::kept_by`](alongside_desk::Status::kept_by). Without it, desks take each other for
    /// those who keep the companion.
    pub kept_by: Option<Vec<String>>,
}
