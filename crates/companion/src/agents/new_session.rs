//! A session that an agent asks for.

use alongside_contract::family::{self, Family};
use alongside_contract::mcp::Implementation;

use super::credential::Credential;

/// The facts that `initialize` tells of an agent.
#[derive(Debug)]
pub(crate) struct NewSession {
    pub(crate) client: Implementation,
    /// The negotiated protocol version.
    pub(crate) version: String,
    pub(crate) credential: Credential,
}

impl NewSession {
    /// The family, known by the token that the agent sends, or by the name that it gives itself.
    pub(super) fn family(&self) -> Option<&'static Family> {
        match self.credential {
            Credential::Token(Some(family)) => Some(family),
            _ => family::by_client_name(&self.client.name),
        }
    }
}
