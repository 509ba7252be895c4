//! The agent of a session, identified by its token and by the name that it sends.

use alongside_contract::agent::FamilyAgent;
use alongside_contract::family::{Dialect, Transport};
use alongside_contract::mcp::Implementation;
use bytes::Bytes;

use super::context_frames::ContextFrames;
use crate::persistence::journal::KnownSession;

/// The longest name or version of an agent that is kept, in bytes: every status repeats it.
const MAX_NAME_BYTES: usize = 256;

/// The client name of agents that connect over stdio.
const STDIO_CLIENT: &str = "stdio-client";

/// The means by which a request authenticated itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Credential {
    /// The token, with the agent that it names, if it names one.
    Token(Option<FamilyAgent>),
    /// No token, which the user has allowed.
    Nothing,
}

/// An agent as its session knows it.
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
    /// Creates the identity of the agent that sent these values.
    pub(crate) fn new(
        mut client: Implementation,
        version: String,
        credential: Credential,
        transport: Transport,
    ) -> Self {
        for text in [&mut client.name, &mut client.version].into_iter().chain(&mut client.title) {
            text.truncate(text.floor_char_boundary(MAX_NAME_BYTES));
        }
        let uses_transport = |agent: &FamilyAgent| agent.family.transport == transport;
        let by_name = || FamilyAgent::of_client(&client.name).filter(uses_transport);
        let family = match (credential, transport) {
            (Credential::Token(Some(family)), Transport::Http) => Some(family),
            // All agents with a WebSocket read the same file, so only their names tell them apart.
            (Credential::Token(family), _) => by_name().or(family),
            (Credential::Nothing, _) => by_name(),
        };
        let dialect = match (family.filter(uses_transport), transport) {
            (Some(agent), _) => agent.family.dialect,
            (None, Transport::Http) => Dialect::CONTRACT,
            (None, Transport::WebSocket) => Dialect::CLAUDE,
        };
        Self { client, version, transport, dialect, family, tokenless: credential == Credential::Nothing }
    }

    /// Returns the frame of the context in the form that the agent reads.
    pub(super) fn frame_of(&self, context: &mut ContextFrames<'_>) -> Bytes {
        context.get(self.dialect.context, self.transport)
    }

    /// Creates the identity of a session in the journal, which holds only sessions over HTTP.
    pub(super) fn of_known(known: &KnownSession) -> Self {
        let family = known.family.as_deref().and_then(FamilyAgent::named);
        let credential = if known.tokenless { Credential::Nothing } else { Credential::Token(family) };
        Self::new(known.client.clone(), known.version.clone(), credential, Transport::Http)
    }

    /// Returns the part of the journal's session that identifies its agent.
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

    /// Returns the name that the agent sent.
    pub(super) fn client_name(&self) -> &str {
        &self.client.name
    }

    /// Returns name and version of the agent, as desks show them.
    pub(super) fn name_and_version(&self) -> (String, String) {
        // These client names are defaults of an SDK: they name neither the agent nor its release.
        let is_anonymous = matches!(self.client_name(), "streamable-http-client" | STDIO_CLIENT);
        let name = match self.family {
            Some(family) => family.display_name,
            None if is_anonymous || self.client.name.is_empty() => "an agent",
            None => &self.client.name,
        };
        let version = if is_anonymous && self.client.version == "1.0.0" { "" } else { &self.client.version };
        (name.to_owned(), version.to_owned())
    }

    /// Whether both agents sent the same name and version, and are of the same family.
    pub(super) fn is_same_release(&self, other: &Self) -> bool {
        self.client == other.client && self.family_id() == other.family_id()
    }

    /// Whether the agent may be a release that understands no rejection but `ide/diffClosed`. Such an agent
    /// sends no token, or is of a family that has such releases, or comes over stdio, because agents switch
    /// to stdio after a refusal for lack of a token. Newer releases understand both messages.
    pub(super) fn hears_that_diffs_close(&self) -> bool {
        let may_be_by_family =
            self.family.is_some_and(|agent| agent.family.behaviour.hears_that_diffs_close());
        self.tokenless || may_be_by_family || self.client_name() == STDIO_CLIENT
    }
}
