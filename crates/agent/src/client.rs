//! The requests of a session over HTTP: one endpoint, a bearer token, three methods. Knows nothing of diffs.

use std::time::Duration;

use alongside_contract::mcp::SESSION_HEADER;
use bytes::BytesMut;

use crate::Error;
use crate::endpoint::Endpoint;
use crate::wire::{Caller, Connection, Head, Request, is_header_value};

/// How long a connection may take to come about.
const CONNECT: Duration = Duration::from_secs(5);

/// How long a response may take: as long as agents grant tools.
const RESPONSE: Duration = Duration::from_secs(600);

/// How long the response to a good-bye may take.
const GOOD_BYE: Duration = Duration::from_secs(5);

/// How much of a refusal an error quotes, in bytes.
const QUOTED: usize = 300;

/// The largest response, in bytes: a text as large as one may propose, each byte of it escaped. Anybody may
/// answer on a port.
const LARGEST: usize = 2 << 30;

/// A response whose body was not read yet.
pub(crate) struct Response {
    pub(crate) head: Head,
    connection: Connection,
}

impl Response {
    /// The next part of the body; `None` at its end.
    pub(crate) async fn part(&mut self) -> std::io::Result<Option<BytesMut>> {
        self.connection.part().await
    }
}

/// The client of one endpoint, and of one session once that is known. Every request has a connection of its
/// own.
#[derive(Clone)]
pub(crate) struct Client {
    pub(crate) url: String,
    caller: Caller,
}

impl Client {
    pub(crate) fn new(endpoint: Endpoint, token: Option<&str>) -> Result<Self, Error> {
        let url = endpoint.url();
        if token.is_some_and(|token| !is_header_value(token)) {
            let why = "the token holds characters that no header can carry".into();
            return Err(Error::OffContract { what: "connect", url, why });
        }
        Ok(Self { url, caller: Caller::new(endpoint, token) })
    }

    /// Takes over the session that the response to `initialize` names.
    pub(crate) fn adopt_session(&mut self, response: &Response) {
        self.caller.session = response.head.get(SESSION_HEADER).map(str::to_owned);
    }

    pub(crate) fn adopt_version(&mut self, version: &str) {
        self.caller.version = is_header_value(version).then(|| version.to_owned());
    }

    /// POSTs a message and returns the response whatever its status.
    pub(crate) async fn post(&self, what: &'static str, json: String) -> Result<Response, Error> {
        self.send(what, RESPONSE, self.caller.request("POST").body(json)).await
    }

    /// Opens the stream.
    pub(crate) async fn get(&self, what: &'static str) -> Result<Response, Error> {
        let response = self.send(what, RESPONSE, self.caller.request("GET")).await?;
        self.successful(what, response).await
    }

    /// Ends the session. A companion that cannot, or has forgotten it already, is as good.
    pub(crate) async fn delete(&self, what: &'static str) -> Result<(), Error> {
        let response = self.send(what, GOOD_BYE, self.caller.bare_request("DELETE")).await?;
        match response.head.status {
            404 | 405 => Ok(()),
            _ => self.successful(what, response).await.map(drop),
        }
    }

    /// Reads a response to its end.
    pub(crate) async fn body(&self, what: &'static str, mut response: Response) -> Result<BytesMut, Error> {
        let read = tokio::time::timeout(RESPONSE, response.connection.body(LARGEST)).await;
        let read = read.map_err(|_| self.timeout(what, RESPONSE))?;
        let body = read.map_err(|error| self.unreachable(what, error.to_string()))?;
        if body.len() > LARGEST {
            return Err(self.off_contract(what, format!("the response is larger than {LARGEST} bytes")));
        }
        Ok(body)
    }

    /// Passes a response that reports success, and turns any other into an error.
    pub(crate) async fn successful(
        &self,
        what: &'static str,
        mut response: Response,
    ) -> Result<Response, Error> {
        if response.head.is_success() {
            return Ok(response);
        }
        let body = response.connection.body(QUOTED).await.unwrap_or_default();
        let said = String::from_utf8_lossy(&body[..body.len().min(QUOTED)]).trim().to_owned();
        Err(Error::Status { what, url: self.url.clone(), status: response.head.status, said })
    }

    async fn send(
        &self,
        what: &'static str,
        patience: Duration,
        request: Request,
    ) -> Result<Response, Error> {
        let dialled = tokio::time::timeout(CONNECT, Connection::dial(&self.caller.endpoint)).await;
        let no_connection =
            || self.unreachable(what, format!("no connection within {} s", CONNECT.as_secs()));
        let dialled = dialled.map_err(|_| no_connection())?;
        let mut connection = dialled.map_err(|error| self.unreachable(what, error.to_string()))?;
        let request = request.bytes();
        let head = tokio::time::timeout(patience, connection.exchange(&request)).await;
        let head = head.map_err(|_| self.timeout(what, patience))?;
        let head = head.map_err(|error| self.unreachable(what, error.to_string()))?;
        Ok(Response { head, connection })
    }

    fn unreachable(&self, what: &'static str, why: String) -> Error {
        Error::Unreachable { what, url: self.url.clone(), why }
    }

    /// The error about an answer of this companion that breaks the contract.
    pub(crate) fn off_contract(&self, what: &'static str, why: impl Into<String>) -> Error {
        Error::OffContract { what, url: self.url.clone(), why: why.into() }
    }

    fn timeout(&self, what: &'static str, after: Duration) -> Error {
        Error::Timeout { what, url: self.url.clone(), seconds: after.as_secs() }
    }
}
