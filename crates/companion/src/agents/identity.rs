//! Tells which agent a session belongs to, by its token and by the name that the agent gives itself.

use alongside_contract::agent::FamilyAgent;
use alongside_contract::family::{Dialect, Transport};
use alongside_contract::mcp::Implementation;
use bytes::Bytes;

use super::context_frames::ContextFrames;
use crate::persistence::journal::KnownSession;

/// The longest name or version of an agent that is kept, in bytes: every status repeats it.
const LONGEST_NAME: usize = 256;

/// The name that agents give themselves over stdio.
const OVER_STDIO: &str = "stdio-client";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Credential {
    /// The token, with the agent that it was issued to if it says so.
    Token(Option<FamilyAgent>),
    /// No token, which the user has allowed.
    Nothing,
}

#[derive(Debug)]
pub(crate) struct Identity {
    client: Implementation,
    /// The negotiated protocol version.
    version: String,
    pub(super) transport: Transport,
    pub(super) dialect: Dialect,
    family: Option<FamilyAgent>,
    /// The agent sent no token, so it is a release of mid 2025.
    tokenless: bool,
}

impl Identity {
    pub(crate) fn new(
        mut client: Implementation,
        version: String,
        credential: Credential,
        transport: Transport,
    ) -> Self {
        for said in [&mut client.name, &mut client.version].into_iter().chain(&mut client.title) {
            said.truncate(said.floor_char_boundary(LONGEST_NAME));
        }
        let comes_so = |agent: &FamilyAgent| agent.family.transport == transport;
        let named = || FamilyAgent::of_client(&client.name).filter(comes_so);
        let family = match (credential, transport) {
            (Credential::Token(Some(family)), Transport::Http) => Some(family),
            // Agents with a WebSocket read one file, and tell their names.
            (Credential::Token(family), _) => named().or(family),
            (Credential::Nothing, _) => named(),
        };
        let dialect = match (family.filter(comes_so), transport) {
            (Some(agent), _) => agent.family.dialect,
            (None, Transport::Http) => Dialect::CONTRACT,
            (None, Transport::WebSocket) => Dialect::CLAUDE,
        };
        Self { client, version, transport, dialect, family, tokenless: credential == Credential::Nothing }
    }

    /// The frame of the context in the form that the agent reads.
    pub(super) fn frame_of(&self, context: &ContextFrames) -> Bytes {
        context.of(self.dialect.context, self.transport)
    }

    /// The agent of a session in the journal, which holds only those over HTTP.
    pub(super) fn of_known(known: &KnownSession) -> Self {
        let family = known.family.as_deref().and_then(FamilyAgent::named);
        let credential = if known.tokenless { Credential::Nothing } else { Credential::Token(family) };
        Self::new(known.client.clone(), known.version.clone(), credential, Transport::Http)
    }

    /// The part of a session in the journal that says who its agent is.
    pub(super) fn known(&self) -> KnownSession {
        KnownSession {
            client: self.client.clone(),
            version: self.version.clone(),
            tokenless: self.tokenless,
            family: self.family_id().map(str::to_owned),
            ..KnownSession::default()
        }
    }

    pub(super) fn family_id(&self) -> Option<&'static str> {
        self.family.map(|family| family.id)
    }

    /// The name that the agent gives itself.
    pub(super) fn client_name(&self) -> &str {
        &self.client.name
    }

    /// Name and version of the agent, as desks show them.
    pub(super) fn shown(&self) -> (String, String) {
        // The names that agents give themselves when they say neither who they are nor which version.
        let says_nothing = matches!(self.client_name(), "streamable-http-client" | OVER_STDIO);
        let name = match self.family {
            Some(family) => family.display_name,
            None if says_nothing || self.client.name.is_empty() => "an agent",
            None => &self.client.name,
        };
        let version = if says_nothing && self.client.version == "1.0.0" { "" } else { &self.client.version };
        (name.to_owned(), version.to_owned())
    }

    /// Whether both identities are of the same release, as far as agents say.
    pub(super) fn is_same_release(&self, other: &Self) -> bool {
        self.client == other.client && self.family_id() == other.family_id()
    }

    /// Whether the agent may be a release that understands no rejection but `ide/diffClosed`: it sends no
    /// token, or is of a family that has such releases, or comes over stdio, to which agents turn that were
    /// refused without a token. Newer releases understand both.
    pub(super) fn hears_that_diffs_close(&self) -> bool {
        let among_family = self.family.is_some_and(|agent| agent.family.behaviour.hears_that_diffs_close());
        self.tokenless || among_family || self.client_name() == OVER_STDIO
    }
}
