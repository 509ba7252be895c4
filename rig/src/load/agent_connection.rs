//! The requests of an agent under load: a thousand of these connections must cost less than the companion
//! that they are held against.

use alongside_agent::wire::{Connection, Request};
use anyhow::{Context as _, Result};

use crate::wire::{Address, Response};

/// A connection for one request after the other.
#[derive(Debug)]
pub(super) struct AgentConnection {
    address: Address,
    connection: Connection,
}

impl AgentConnection {
    pub(super) async fn open(address: &Address) -> Result<Self> {
        let connection = Connection::dial(&address.endpoint()).await.context("cannot connect")?;
        Ok(Self { address: address.clone(), connection })
    }

    pub(super) async fn post(&mut self, session: &str, body: &str) -> Result<Response> {
        self.ask(self.address.caller(session).request("POST").body(body)).await
    }

    pub(super) async fn delete(&mut self, session: &str) -> Result<Response> {
        self.ask(self.address.caller(session).bare_request("DELETE")).await
    }

    async fn ask(&mut self, request: Request) -> Result<Response> {
        let head = self.connection.exchange(&request.bytes()).await?;
        let body = self.connection.body(usize::MAX).await?;
        Ok(Response { head, body })
    }
}
