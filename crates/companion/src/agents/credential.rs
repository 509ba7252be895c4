//! How an agent authenticated itself.

use alongside_contract::agent::FamilyAgent;

/// The credential that came with a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Credential {
    /// The token, with the agent that it was issued to if it says so.
    Token(Option<FamilyAgent>),
    /// No token, which the user has allowed.
    Nothing,
}
