//! How an agent authenticated itself.

use alongside_contract::family::Family;

/// The credential that came with a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Credential {
    /// The token, with the family that it was issued to if it says so.
    Token(Option<&'static Family>),
    /// No token, which the user has allowed.
    Nothing,
}
