//! Access control by headers, before a body is read: a local `Host`, no `Origin` of a web page, the token.

use std::sync::Arc;
use std::time::Instant;

use alongside_contract::{rpc, token, token_proof, websocket};
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, HOST, ORIGIN, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, HeaderName, Method, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use subtle::ConstantTimeEq as _;

use super::listener::Connection;
use super::rate_limited_log::RateLimitedLog;
use crate::agents::identity::Credential;
use crate::mcp::refusals::refusal;

/// [`token_proof::NONCE_HEADER`] in lower case, as `HeaderName` requires.
const NONCE: &str = "alongside-nonce";

const BARE_TOKEN: HeaderName = HeaderName::from_static(websocket::TOKEN_HEADER);

/// The status and reason of a refusal.
type Refusal = (StatusCode, &'static str);

/// The check of requests before their routes.
#[derive(Debug)]
pub(crate) struct Gate {
    token: Arc<str>,
    /// The accepted values of `Host`.
    hosts: Vec<String>,
    allow_tokenless: bool,
    refusals: RateLimitedLog,
}

impl Gate {
    /// Creates a gate. `hosts`: the values of `Host` in requests to the sockets behind it.
    pub(crate) fn new(hosts: Vec<String>, token: Arc<str>, allow_tokenless: bool) -> Self {
        Self { token, hosts, allow_tokenless, refusals: RateLimitedLog::default() }
    }

    /// Refuses requests for other hosts, and requests of web pages.
    fn check_local(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Refusal> {
        let is_ours = |host: &str| self.hosts.iter().any(|allowed| allowed.eq_ignore_ascii_case(host));
        // A host in the request line outranks the header.
        if !is_ours(single_value(headers, HOST)) || !uri.authority().is_none_or(|host| is_ours(host.as_str()))
        {
            return Err((StatusCode::FORBIDDEN, "this Host is not served here"));
        }
        if headers.contains_key(ORIGIN) {
            return Err((StatusCode::FORBIDDEN, "web pages are not served here"));
        }
        Ok(())
    }

    fn admit(&self, method: &Method, uri: &Uri, headers: &HeaderMap) -> Result<Credential, Refusal> {
        self.check_local(uri, headers)?;
        let given = match headers.get(AUTHORIZATION) {
            Some(_) => Some(single_value(headers, AUTHORIZATION).split_at_checked(7)),
            // An agent that opens a WebSocket sends the bare token.
            None => headers.get(BARE_TOKEN).map(|_| Some(("Bearer ", single_value(headers, BARE_TOKEN)))),
        };
        match given {
            // The content type alone distinguishes a tokenless agent from a page, which has to ask before it
            // sends JSON.
            None if self.allow_tokenless && is_simple(method, headers) => {
                Err((StatusCode::UNSUPPORTED_MEDIA_TYPE, "without a token, send application/json"))
            }
            None if self.allow_tokenless => Ok(Credential::Nothing),
            None => {
                Err((StatusCode::UNAUTHORIZED, "a bearer token is required; it stands in the discovery file"))
            }
            Some(given) => given
                .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("Bearer "))
                .and_then(|(_, token)| self.check_token(token))
                .ok_or((StatusCode::UNAUTHORIZED, "this is not the token of this companion")),
        }
    }

    /// Returns the proof of the token, for a request that asks for it without sending the token; otherwise
    /// `None`.
    fn prove(&self, request: &Request) -> Option<String> {
        let headers = request.headers();
        let is_asked = request.method() == Method::GET && request.uri().path() == "/status";
        let nonce = single_value(headers, HeaderName::from_static(NONCE));
        if !is_asked || headers.contains_key(AUTHORIZATION) || !token_proof::is_nonce(nonce) {
            return None;
        }
        self.check_local(request.uri(), headers).ok()?;
        let dialled = request.extensions().get::<Connection>()?.dialled?;
        Some(token_proof::prove(&self.token, nonce, dialled))
    }

    /// Checks a token in constant time. Returns it as a credential with the agent that it names; `None` for
    /// another token.
    fn check_token(&self, given: &str) -> Option<Credential> {
        let (secret, agent) = token::split(given);
        bool::from(secret.as_bytes().ct_eq(self.token.as_bytes())).then_some(Credential::Token(agent))
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        if let Some(reasons) = self.refusals.unlogged() {
            tracing::warn!(%reasons, "more requests were refused");
        }
    }
}

/// Whether a browser would send this request for any page without a preflight request.
fn is_simple(method: &Method, headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    method == Method::POST && !kind.eq_ignore_ascii_case("application/json")
}

/// Returns the value of a header that occurs once; otherwise an empty one, because two parsers may take
/// different values.
fn single_value(headers: &HeaderMap, name: HeaderName) -> &str {
    let mut values = headers.get_all(name).iter();
    let first = values.next().and_then(|value| value.to_str().ok());
    first.filter(|_| values.next().is_none()).unwrap_or_default()
}

/// Runs as the middleware in front of every route.
pub(crate) async fn gate(State(gate): State<Arc<Gate>>, mut request: Request, next: Next) -> Response {
    if let Some(proof) = gate.prove(&request) {
        return (StatusCode::NO_CONTENT, [(token_proof::PROOF_HEADER, proof)]).into_response();
    }
    match gate.admit(request.method(), request.uri(), request.headers()) {
        Ok(credential) => {
            if let Some(connection) = request.extensions().get::<Connection>() {
                connection.mark_authenticated();
            }
            request.extensions_mut().insert(credential);
            next.run(request).await
        }
        Err((status, why)) => {
            if let Some(reasons) = gate.refusals.count(why, Instant::now()) {
                tracing::warn!(%reasons, "requests were refused");
            }
            let refusal = refusal(status, rpc::INVALID_REQUEST, why);
            if status == StatusCode::UNAUTHORIZED {
                return ([(WWW_AUTHENTICATE, "Bearer")], refusal).into_response();
            }
            refusal
        }
    }
}

#[cfg(test)]
mod tests;
