//! Raw HTTP requests: an unauthorized request is refused without any effect, and an authorized request gets a
//! response.

use std::cell::RefCell;

use alongside_companion::fuzzing::Endpoint;
use alongside_contract::agents::with_family;
use axum::body::Body;
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, HOST, ORIGIN};
use axum::http::{HeaderMap, Method, Request, StatusCode, Uri};

thread_local! {
    static COMPANION: RefCell<Endpoint> = RefCell::new(Endpoint::new().expect("a runtime"));
}

/// The largest number of bytes of a response for each byte of its request. The longest response is that to a
/// batch of invalid messages (`7,`).
const MAX_FACTOR: usize = 64;
/// The largest number of further bytes of a response, for the list of tools or the reason of a refusal.
const MAX_FURTHER_BYTES: usize = 4 << 10;

/// Checks the response to one request. The input is an HTTP/1 request: head and body.
pub fn check(data: &[u8]) {
    let Some(request) = read(data) else { return };
    let is_head = request.method() == Method::HEAD;
    let is_head_of_mcp = is_head && request.uri().path() == "/mcp";
    let is_authorized = is_authorized(request.uri(), request.headers());
    let answer = COMPANION.with_borrow_mut(|companion| companion.answer(request));
    let (status, body) = (answer.response.status(), answer.response.body());
    let max_bytes = MAX_FACTOR * data.len() + MAX_FURTHER_BYTES;
    assert!(body.len() <= max_bytes, "{} bytes for {}", body.len(), data.len());
    assert!(!is_head_of_mcp || !answer.reached_main_loop, "HEAD changes nothing");
    let refused =
        matches!(status, StatusCode::FORBIDDEN | StatusCode::UNAUTHORIZED | StatusCode::BAD_REQUEST);
    if !is_authorized {
        assert!(refused, "{status} for an unauthorized request");
        assert!(!answer.reached_main_loop, "an unauthorized request passed the gate");
        assert!(!contains(body, Endpoint::TOKEN.as_bytes()), "the answer contains the token");
    } else {
        assert!(
            status != StatusCode::FORBIDDEN && status != StatusCode::UNAUTHORIZED,
            "{status} for an authorized request"
        );
        assert!(!status.is_server_error(), "{status}");
    }
    if is_head && body.is_empty() {
        // A response to HEAD has no body.
    } else if answer.response.headers().get(CONTENT_TYPE).is_some_and(|kind| kind == "application/json") {
        serde_json::from_slice::<serde_json::Value>(body).expect("the answer is JSON");
    } else {
        assert!(body.is_empty(), "a body has no content type");
    }
}

fn read(data: &[u8]) -> Option<Request<Body>> {
    let mut headers = [httparse::EMPTY_HEADER; 32];
    let mut head = httparse::Request::new(&mut headers);
    let httparse::Status::Complete(length) = head.parse(data).ok()? else { return None };
    let mut request = Request::builder().method(head.method?).uri(head.path?);
    for header in head.headers.iter() {
        request = request.header(header.name, header.value);
    }
    request.body(Body::from(data[length..].to_vec())).ok()
}

/// Whether a request is authorized, as a second implementation of the rule: `Host` names this machine,
/// `Authorization` has the token, each of these two headers occurs once, and there is no `Origin`, which web
/// pages send.
fn is_authorized(uri: &Uri, headers: &HeaderMap) -> bool {
    let one = |name| {
        let mut values = headers.get_all(name).iter();
        let value = values.next()?.to_str().ok()?;
        values.next().is_none().then_some(value)
    };
    let hosts = ["127.0.0.1:80", "localhost:80", "[::1]:80", "host.docker.internal:80"];
    let is_host = |host: &str| hosts.contains(&host.to_ascii_lowercase().as_str());
    let is_here = one(HOST).is_some_and(is_host) && uri.authority().is_none_or(|host| is_host(host.as_str()));
    let is_ours = one(AUTHORIZATION).is_some_and(|given| {
        let (scheme, token) = given.split_once(' ').unwrap_or_default();
        let of_agent = |id: &str| format!("{}.{id}", Endpoint::TOKEN);
        scheme.eq_ignore_ascii_case("bearer")
            && (token == Endpoint::TOKEN || with_family().any(|agent| token == of_agent(agent.id)))
    });
    is_here && is_ours && !headers.contains_key(ORIGIN)
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}
