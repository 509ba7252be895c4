//! HTTP as agents use it towards a companion: one endpoint, a bearer token, three methods. Knows nothing of
//! diffs.

use std::time::Duration;

use alongside_contract::mcp::{SESSION_HEADER, VERSION_HEADER};
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use reqwest::{Client, Method, RequestBuilder, Response};

use crate::Error;

/// How long a connection may take to come about.
const CONNECT: Duration = Duration::from_secs(5);

/// How long an answer may take: what agents grant tools.
const ANSWER: Duration = Duration::from_secs(600);

/// How much of an unwelcome answer an error quotes, in bytes.
const QUOTED: usize = 300;

/// The largest answer, in bytes: a text as large as one may propose, each byte of it escaped. Anybody may
/// answer on a port.
const LARGEST: usize = 2 << 30;
/// Where a companion listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    host: String,
    port: u16,
}

impl Endpoint {
    /// On this machine.
    pub fn local(port: u16) -> Self {
        Self::at("127.0.0.1", port)
    }

    /// On another address, such as `host.docker.internal`; IPv6 in brackets.
    pub fn at(host: impl Into<String>, port: u16) -> Self {
        Self { host: host.into(), port }
    }

    /// The host as it was named, and the port.
    pub(crate) fn parts(&self) -> (&str, u16) {
        (self.host.trim_matches(['[', ']']), self.port)
    }

    /// What a request says as its `Host`.
    pub(crate) fn authority(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }

    /// The URL of the MCP endpoint.
    pub fn url(&self) -> String {
        format!("http://{}:{}/mcp", self.host, self.port)
    }

    /// The URL of the status page.
    pub fn status_url(&self) -> String {
        format!("http://{}:{}/status", self.host, self.port)
    }
}

/// What came back for [`Session::raw`](crate::Session::raw), whatever it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawReply {
    /// The HTTP status.
    pub status: u16,
    /// The body; lossy if it was not UTF-8.
    pub body: String,
}

/// A connection to one endpoint, and once it is known, to one session of it.
#[derive(Clone)]
pub(crate) struct Wire {
    client: Client,
    pub(crate) url: String,
    authorization: Option<HeaderValue>,
    session: Option<HeaderValue>,
    version: Option<HeaderValue>,
}

impl Wire {
    pub(crate) fn new(endpoint: &Endpoint, token: Option<&str>) -> Result<Self, Error> {
        let what = "connect";
        let url = endpoint.url();
        // Proxies are for the world outside; a proxy between an agent and its editor only loses the stream.
        let client =
            Client::builder().no_proxy().connect_timeout(CONNECT).redirect(reqwest::redirect::Policy::none());
        let client = client.build().map_err(|error| unreachable(what, &url, &error))?;
        let header = token.map(|token| HeaderValue::from_str(&format!("Bearer {token}"))).transpose();
        let mut authorization = header.map_err(|_| Error::OffContract {
            what,
            url: url.clone(),
            why: "the token holds characters that no header can carry".into(),
        })?;
        if let Some(value) = &mut authorization {
            value.set_sensitive(true);
        }
        Ok(Self { client, url, authorization, session: None, version: None })
    }

    /// Takes over the session that an answer to `initialize` names.
    pub(crate) fn adopt_session(&mut self, answer: &Response) {
        self.session = answer.headers().get(SESSION_HEADER).cloned();
    }

    pub(crate) fn adopt_version(&mut self, version: &str) {
        self.version = HeaderValue::from_str(version).ok();
    }

    /// POSTs a message and returns the answer whatever its status.
    pub(crate) async fn post(&self, what: &'static str, json: String) -> Result<Response, Error> {
        let request = self.request(Method::POST, &self.url);
        let request = request.header(CONTENT_TYPE, "application/json");
        let request = request.header(ACCEPT, "application/json, text/event-stream");
        self.ask(what, &self.url, ANSWER, request.body(json)).await
    }

    /// Opens the stream.
    pub(crate) async fn get(&self, what: &'static str) -> Result<Response, Error> {
        let request = self.request(Method::GET, &self.url).header(ACCEPT, "text/event-stream");
        welcome(what, &self.url, self.ask(what, &self.url, ANSWER, request).await?).await
    }

    /// Ends the session. A companion that cannot, or has forgotten it already, is as good.
    pub(crate) async fn delete(&self, what: &'static str) -> Result<(), Error> {
        let request = self.request(Method::DELETE, &self.url);
        let answer = self.ask(what, &self.url, Duration::from_secs(5), request).await?;
        match answer.status().as_u16() {
            404 | 405 => Ok(()),
            _ => welcome(what, &self.url, answer).await.map(drop),
        }
    }

    /// Reads an answer to its end.
    pub(crate) async fn body(&self, what: &'static str, answer: Response) -> Result<Vec<u8>, Error> {
        let read = tokio::time::timeout(ANSWER, beginning(answer, LARGEST)).await;
        let read = read.map_err(|_| timeout(what, &self.url, ANSWER))?;
        let body = read.map_err(|error| unreachable(what, &self.url, &error))?;
        if body.len() > LARGEST {
            let why = format!("the answer is larger than {LARGEST} bytes");
            return Err(Error::OffContract { what, url: self.url.clone(), why });
        }
        Ok(body)
    }

    fn request(&self, method: Method, url: &str) -> RequestBuilder {
        let mut request = self.client.request(method, url);
        let headers = [
            (AUTHORIZATION.as_str(), &self.authorization),
            (SESSION_HEADER, &self.session),
            (VERSION_HEADER, &self.version),
        ];
        for (name, value) in headers {
            if let Some(value) = value {
                request = request.header(name, value);
            }
        }
        request
    }

    async fn ask(
        &self,
        what: &'static str,
        url: &str,
        patience: Duration,
        request: RequestBuilder,
    ) -> Result<Response, Error> {
        let asked = tokio::time::timeout(patience, request.send()).await;
        asked.map_err(|_| timeout(what, url, patience))?.map_err(|error| unreachable(what, url, &error))
    }
}

/// Passes an answer that means yes, and turns any other into an error.
pub(crate) async fn welcome(what: &'static str, url: &str, answer: Response) -> Result<Response, Error> {
    if answer.status().is_success() {
        return Ok(answer);
    }
    let status = answer.status().as_u16();
    let body = beginning(answer, QUOTED).await.unwrap_or_default();
    let said = String::from_utf8_lossy(&body[..body.len().min(QUOTED)]).trim().to_owned();
    Err(Error::Status { what, url: url.to_owned(), status, said })
}

/// Reads an answer up to its end, or to the first piece beyond so many bytes.
async fn beginning(mut answer: Response, most: usize) -> Result<Vec<u8>, reqwest::Error> {
    let mut body = Vec::new();
    while body.len() <= most {
        let Some(piece) = answer.chunk().await? else { break };
        body.extend_from_slice(&piece);
    }
    Ok(body)
}

/// Whether the body is a stream of events.
pub(crate) fn is_stream(answer: &Response) -> bool {
    let kind = answer.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    kind.is_some_and(|kind| kind.starts_with("text/event-stream"))
}

fn unreachable(what: &'static str, url: &str, error: &reqwest::Error) -> Error {
    // The outer layers only say that a request failed; the innermost says why.
    let mut why: &dyn std::error::Error = error;
    while let Some(deeper) = why.source() {
        why = deeper;
    }
    Error::Unreachable { what, url: url.to_owned(), why: why.to_string() }
}

fn timeout(what: &'static str, url: &str, after: Duration) -> Error {
    Error::Timeout { what, url: url.to_owned(), seconds: after.as_secs() }
}
