//! Who may talk to the companion at all, decided on the headers before a body is read: a local `Host`, no web
//! page's `Origin`, and the token.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

use alongside_contract::family::Family;
use alongside_contract::{proof, rpc, token};
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, HOST, ORIGIN, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, HeaderName, Method, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use subtle::ConstantTimeEq as _;

use super::http::json_error;
use super::listener::Connection;
use super::rate_limited_log::RateLimitedLog;
use crate::agents::credential::Credential;

/// [`proof::NONCE_HEADER`], as this library spells names.
const NONCE: &str = "alongside-nonce";

/// Why somebody does not come in.
type Refusal = (StatusCode, &'static str);

/// What the gate lets through.
#[derive(Debug)]
pub(crate) struct Gate {
    pub(crate) token: Arc<str>,
    pub(crate) hosts: Vec<String>,
    pub(crate) allow_tokenless: bool,
    refusals: RateLimitedLog,
}

impl Gate {
    /// `addresses` are those that are listened on: each may be named itself, and its port with any name of
    /// this machine.
    pub(crate) fn new(token: Arc<str>, addresses: &[SocketAddr], allow_tokenless: bool) -> Self {
        // In a container, agents dial host.docker.internal.
        let names = ["127.0.0.1", "localhost", "[::1]", "host.docker.internal"];
        let hosts = addresses.iter().flat_map(|address| {
            let named = names.map(|name| format!("{name}:{}", address.port()));
            named.into_iter().chain([address.to_string()])
        });
        Self { token, hosts: hosts.collect(), allow_tokenless, refusals: RateLimitedLog::default() }
    }

    /// Whether it comes from this machine, and from no page.
    fn is_local(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Refusal> {
        let is_ours = |host: &str| self.hosts.iter().any(|allowed| allowed.eq_ignore_ascii_case(host));
        // Where the request line names a host as well, it is that one that is meant.
        if !is_ours(only(headers, HOST)) || !uri.authority().is_none_or(|host| is_ours(host.as_str())) {
            return Err((StatusCode::FORBIDDEN, "this Host is not served here"));
        }
        if headers.contains_key(ORIGIN) {
            return Err((StatusCode::FORBIDDEN, "web pages are not served here"));
        }
        Ok(())
    }

    fn admit(&self, method: &Method, uri: &Uri, headers: &HeaderMap) -> Result<Credential, Refusal> {
        self.is_local(uri, headers)?;
        match headers.get(AUTHORIZATION) {
            // Without a token, this is all that tells an agent from a page whose browser says no `Origin`:
            // JSON is what pages cannot send unasked.
            None if self.allow_tokenless && is_simple(method, headers) => {
                Err((StatusCode::UNSUPPORTED_MEDIA_TYPE, "without a token, send application/json"))
            }
            None if self.allow_tokenless => Ok(Credential::Nothing),
            None => {
                Err((StatusCode::UNAUTHORIZED, "a bearer token is required; it stands in the discovery file"))
            }
            Some(_) => self
                .is_token(only(headers, AUTHORIZATION))
                .map(Credential::Token)
                .ok_or((StatusCode::UNAUTHORIZED, "this is not the token of this companion")),
        }
    }

    /// Proves that this companion knows the token, to whoever asks without showing it. `None` if nobody asks
    /// for that.
    fn prove(&self, request: &Request) -> Option<String> {
        let headers = request.headers();
        let is_asked = request.method() == Method::GET && request.uri().path() == "/status";
        let nonce = only(headers, HeaderName::from_static(NONCE));
        if !is_asked || headers.contains_key(AUTHORIZATION) || !proof::is_nonce(nonce) {
            return None;
        }
        self.is_local(request.uri(), headers).ok()?;
        let dialled = request.extensions().get::<Connection>()?.dialled?;
        Some(proof::prove(&self.token, nonce, dialled))
    }

    /// The family the token was given to, if it is ours at all.
    fn is_token(&self, given: &str) -> Option<Option<&'static Family>> {
        let (scheme, token) = given.split_at_checked(7)?;
        let (secret, family) = token::split(token);
        let ours = scheme.eq_ignore_ascii_case("Bearer ")
            && bool::from(secret.as_bytes().ct_eq(self.token.as_bytes()));
        ours.then_some(family)
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        let refused = self.refusals.unsaid();
        if refused > 0 {
            tracing::warn!(refused, "more requests were refused");
        }
    }
}

/// Whether a browser would send it for any page without asking first.
fn is_simple(method: &Method, headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    method == Method::POST && !kind.eq_ignore_ascii_case("application/json")
}

/// A header that is there once; of two, whoever reads the other one would take the request for another.
/// Otherwise nothing.
fn only(headers: &HeaderMap, name: HeaderName) -> &str {
    let mut values = headers.get_all(name).iter();
    let first = values.next().and_then(|value| value.to_str().ok());
    first.filter(|_| values.next().is_none()).unwrap_or_default()
}

/// The middleware in front of every route.
pub(crate) async fn gate(State(gate): State<Arc<Gate>>, mut request: Request, next: Next) -> Response {
    if let Some(proof) = gate.prove(&request) {
        return (StatusCode::NO_CONTENT, [(proof::PROOF_HEADER, proof)]).into_response();
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
            if let Some(refused) = gate.refusals.count(Instant::now()) {
                tracing::warn!(refused, %status, why, "request refused");
            }
            let refusal = json_error(status, rpc::error(None, rpc::INVALID_REQUEST, why));
            if status == StatusCode::UNAUTHORIZED {
                return ([(WWW_AUTHENTICATE, "Bearer")], refusal).into_response();
            }
            refusal
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admitted(headers: &[(&str, &str)]) -> Result<Credential, u16> {
        admitted_to("/mcp", headers)
    }

    fn admitted_to(uri: &str, headers: &[(&str, &str)]) -> Result<Credential, u16> {
        let gate = Gate::new(
            "secret".into(),
            &["127.0.0.1:80".parse().unwrap(), "172.17.0.1:4000".parse().unwrap()],
            false,
        );
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(axum::http::HeaderName::from_bytes(name.as_bytes()).unwrap(), value.parse().unwrap());
        }
        gate.admit(&Method::POST, &uri.parse().unwrap(), &map).map_err(|(status, _)| status.as_u16())
    }

    #[test]
    fn local_hosts_with_our_port_and_the_token_come_in() {
        let token = ("authorization", "Bearer secret");
        for host in [
            "127.0.0.1:80",
            "localhost:80",
            "[::1]:80",
            "host.docker.internal:80",
            "172.17.0.1:4000",
            "host.docker.internal:4000",
        ] {
            assert_eq!(admitted(&[("host", host), token]), Ok(Credential::Token(None)), "{host}");
        }
        for host in
            ["127.0.0.1", "127.0.0.1:81", "172.17.0.1:80", "evil.example:80", "localhost.evil.example:80", ""]
        {
            assert_eq!(admitted(&[("host", host), token]), Err(403), "{host}");
        }
        assert_eq!(admitted(&[token]), Err(403));
    }

    #[test]
    fn a_host_that_the_request_line_names_is_asked_for_like_the_header() {
        let headers = [("host", "127.0.0.1:80"), ("authorization", "Bearer secret")];
        for uri in ["http://127.0.0.1:80/mcp", "http://LOCALHOST:80/mcp"] {
            assert_eq!(admitted_to(uri, &headers), Ok(Credential::Token(None)), "{uri}");
        }
        for uri in [
            "http://evil.example/mcp",
            "http://evil.example:80/mcp",
            "http://127.0.0.1:80@evil.example/mcp",
            "http://evil@127.0.0.1:80/mcp",
            "http://127.0.0.1:81/mcp",
            "evil.example:80",
        ] {
            assert_eq!(admitted_to(uri, &headers), Err(403), "{uri}");
        }
        let elsewhere = [("host", "evil.example"), ("authorization", "Bearer secret")];
        assert_eq!(admitted_to("http://127.0.0.1:80/mcp", &elsewhere), Err(403));
    }

    #[test]
    fn any_origin_and_any_other_token_stay_outside() {
        let host = ("host", "127.0.0.1:80");
        assert_eq!(
            admitted(&[host, ("authorization", "Bearer secret"), ("origin", "http://localhost:80")]),
            Err(403)
        );
        for wrong in ["Bearer secre", "Bearer secret2", "Basic secret", "secret", "Bearer "] {
            assert_eq!(admitted(&[host, ("authorization", wrong)]), Err(401), "{wrong}");
        }
        assert_eq!(admitted(&[host]), Err(401));
    }

    #[test]
    fn a_host_or_a_token_that_is_said_twice_counts_as_none() {
        let (host, token) = (("host", "127.0.0.1:80"), ("authorization", "Bearer secret"));
        assert_eq!(admitted(&[host, ("host", "evil.example"), token]), Err(403));
        assert_eq!(admitted(&[host, host, token]), Err(403));
        assert_eq!(admitted(&[host, token, ("authorization", "Bearer wrong")]), Err(401));
    }

    #[test]
    fn the_nonce_header_is_the_contracts() {
        assert_eq!(NONCE, proof::NONCE_HEADER.to_ascii_lowercase());
    }

    #[test]
    fn a_proof_is_given_only_to_who_asks_for_it_here() {
        let gate = Gate::new("secret".into(), &["127.0.0.1:80".parse().unwrap()], false);
        let dialled = "127.0.0.1:80".parse().unwrap();
        let nonce = "0".repeat(64);
        let asks = |method: Method, uri: &str, headers: &[(&str, &str)]| {
            let mut request = Request::builder().method(method).uri(uri);
            for (name, value) in headers {
                request = request.header(*name, *value);
            }
            let mut request = request.body(axum::body::Body::empty()).unwrap();
            request.extensions_mut().insert(Connection::of(dialled));
            gate.prove(&request)
        };
        let (host, asked) = (("host", "127.0.0.1:80"), (NONCE, nonce.as_str()));
        let proof = asks(Method::GET, "/status", &[host, asked]).expect("it is given");
        assert!(proof::is_proven("secret", &nonce, dialled, &proof));
        for (method, uri, headers) in [
            (Method::POST, "/status", vec![host, asked]),
            (Method::GET, "/mcp", vec![host, asked]),
            (Method::GET, "/status", vec![asked]),
            (Method::GET, "/status", vec![("host", "evil.example:80"), asked]),
            (Method::GET, "/status", vec![host, asked, asked]),
            (Method::GET, "/status", vec![host, asked, ("origin", "http://localhost:80")]),
            (Method::GET, "/status", vec![host, asked, ("authorization", "Bearer wrong")]),
            (Method::GET, "/status", vec![host, (NONCE, "short")]),
        ] {
            assert_eq!(asks(method.clone(), uri, &headers), None, "{method} {uri} {headers:?}");
        }
    }

    #[test]
    fn a_family_is_known_by_its_token() {
        let host = ("host", "127.0.0.1:80");
        for family in alongside_contract::family::FAMILIES {
            let bearer = format!("Bearer {}", token::for_family("secret", family));
            assert_eq!(admitted(&[host, ("authorization", &bearer)]), Ok(Credential::Token(Some(family))));
        }
        assert_eq!(admitted(&[host, ("authorization", "Bearer wrong.qwen")]), Err(401));
    }

    const OURS: &str = "5ec3e75ec3e75ec3e75ec3e75ec3e75ec3e75ec3e75ec3e75ec3e75ec3e75ec3";
    /// Set where somebody counts the instructions of one guess.
    const GUESS: &str = "ALONGSIDE_GUESS";

    #[test]
    fn one_guess() {
        let guess = std::env::var(GUESS).unwrap_or_else(|_| OURS.into());
        let gate = Gate::new(OURS.into(), &["127.0.0.1:80".parse().unwrap()], false);
        assert_eq!(gate.is_token(&format!("Bearer {guess}")).is_some(), guess == OURS);
    }

    /// How many instructions it takes to judge a guess; `None` where nobody can count them.
    #[cfg(target_os = "linux")]
    fn instructions(guess: &str) -> Option<u64> {
        let mut valgrind = std::process::Command::new("valgrind");
        valgrind.args([
            "--tool=callgrind",
            "--callgrind-out-file=/dev/null",
            "--toggle-collect=*Gate*is_token*",
        ]);
        valgrind.arg(std::env::current_exe().unwrap()).args(["--exact", "mcp::gate::tests::one_guess"]);
        let ran = valgrind.env(GUESS, guess).output().ok()?;
        assert!(ran.status.success(), "{ran:?}");
        let said = String::from_utf8_lossy(&ran.stderr).into_owned();
        let counted = said.lines().find_map(|line| line.split_once("Collected :"));
        Some(counted.expect("it says how many").1.trim().parse().expect("a number"))
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn how_much_of_a_guess_is_right_does_not_show_in_the_instructions() {
        let wrong_from = |at: usize| format!("{}{}", &OURS[..at], "0".repeat(OURS.len() - at));
        let Some(nothing_right) = instructions(&wrong_from(0)) else {
            return alongside_testing::skip("valgrind is not installed");
        };
        assert!(nothing_right > 64, "the comparison is counted: {nothing_right}");
        for at in [1, 32, 63] {
            assert_eq!(instructions(&wrong_from(at)), Some(nothing_right), "{at} characters are right");
        }
    }
}
