//! The requests of a session over HTTP: an endpoint, a bearer token and three methods. It does not depend on
//! diffs.

use std::time::Duration;

use alongside_contract::mcp::SESSION_HEADER;
use bytes::BytesMut;

use crate::Error;
use crate::endpoint::Endpoint;
use crate::wire::{Caller, Connection, Head, Request, is_header_value};

/// The longest time until a connection is established.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// The longest time until a response is complete, the same that agents grant tools.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(600);

/// The longest time until the response to the end of the session.
const END_TIMEOUT: Duration = Duration::from_secs(5);

/// The bytes of a refusal that an error quotes.
const MAX_QUOTED_BYTES: usize = 300;

/// The largest response, in bytes: the largest text that may be proposed, with each byte escaped. Any program
/// may answer on a port.
const MAX_RESPONSE_BYTES: usize = 2 << 30;

/// A response whose body is not yet read.
pub(crate) struct Response {
    pub(crate) head: Head,
    connection: Connection,
}

impl Response {
    /// Returns the next part of the body. `None` at its end.
    pub(crate) async fn part(&mut self) -> std::io::Result<Option<BytesMut>> {
        self.connection.part().await
    }
}

/// The client of an endpoint, and of a session once that is known. Every request has its own connection.
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

    /// Takes the session from the response to `initialize`.
    pub(crate) fn adopt_session(&mut self, response: &Response) {
        self.caller.session = response.head.get(SESSION_HEADER).map(str::to_owned);
    }

    pub(crate) fn adopt_version(&mut self, version: &str) {
        self.caller.version = is_header_value(version).then(|| version.to_owned());
    }

    /// POSTs a message and returns the response, whatever its status.
    pub(crate) async fn post(&self, what: &'static str, json: String) -> Result<Response, Error> {
        self.send(what, RESPONSE_TIMEOUT, self.caller.request("POST").body(json)).await
    }

    /// Opens the stream.
    pub(crate) async fn get(&self, what: &'static str) -> Result<Response, Error> {
        let response = self.send(what, RESPONSE_TIMEOUT, self.caller.request("GET")).await?;
        self.successful(what, response).await
    }

    /// Ends the session. A companion that does not support this, or that does not know the session any more,
    /// is not an error.
    pub(crate) async fn delete(&self, what: &'static str) -> Result<(), Error> {
        let response = self.send(what, END_TIMEOUT, self.caller.bare_request("DELETE")).await?;
        match response.head.status {
            404 | 405 => Ok(()),
            _ => self.successful(what, response).await.map(drop),
        }
    }

    /// Reads a response to its end.
    pub(crate) async fn body(&self, what: &'static str, mut response: Response) -> Result<BytesMut, Error> {
        let read = tokio::time::timeout(RESPONSE_TIMEOUT, response.connection.body(MAX_RESPONSE_BYTES)).await;
        let read = read.map_err(|_| self.timeout(what, RESPONSE_TIMEOUT))?;
        let body = read.map_err(|error| self.unreachable(what, error.to_string()))?;
        if body.len() > MAX_RESPONSE_BYTES {
            return Err(
                self.off_contract(what, format!("the response is larger than {MAX_RESPONSE_BYTES} bytes"))
            );
        }
        Ok(body)
    }

    /// Returns a response that reports success, and turns any other response into an error.
    pub(crate) async fn successful(
        &self,
        what: &'static str,
        mut response: Response,
    ) -> Result<Response, Error> {
        if response.head.is_success() {
            return Ok(response);
        }
        let body = response.connection.body(MAX_QUOTED_BYTES).await.unwrap_or_default();
        let message = String::from_utf8_lossy(&body[..body.len().min(MAX_QUOTED_BYTES)]).trim().to_owned();
        Err(Error::Status { what, url: self.url.clone(), status: response.head.status, message })
    }

    async fn send(
        &self,
        what: &'static str,
        patience: Duration,
        request: Request,
    ) -> Result<Response, Error> {
        let dialled = tokio::time::timeout(CONNECT_TIMEOUT, Connection::dial(&self.caller.endpoint)).await;
        let no_connection =
            || self.unreachable(what, format!("no connection within {} s", CONNECT_TIMEOUT.as_secs()));
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

    /// Makes the error for an answer of this companion that breaks the contract.
    pub(crate) fn off_contract(&self, what: &'static str, why: impl Into<String>) -> Error {
        Error::OffContract { what, url: self.url.clone(), why: why.into() }
    }

    fn timeout(&self, what: &'static str, after: Duration) -> Error {
        Error::Timeout { what, url: self.url.clone(), seconds: after.as_secs() }
    }
}
