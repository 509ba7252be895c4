//! A request as it stands on the wire: whoever may not come in hears so and does nothing, and whoever may is
//! answered.

use std::cell::RefCell;

use alongside_companion::fuzzing::Endpoint;
use alongside_contract::family::FAMILIES;
use axum::body::Body;
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, HOST, ORIGIN};
use axum::http::{HeaderMap, Method, Request, StatusCode, Uri};

thread_local! {
    static COMPANION: RefCell<Endpoint> = RefCell::new(Endpoint::new().expect("a runtime"));
}

/// An answer has at most so many times the bytes of its request: of all messages, one that is none (`7,`) has
/// the longest reply.
const TIMES: usize = 64;
/// An answer may have so many bytes more, for what we say of ourselves: the tools, or why something is
/// refused.
const ALLOWANCE: usize = 4 << 10;

/// The input is an HTTP/1 request: head and body.
pub fn holds(data: &[u8]) {
    let Some(request) = read(data) else { return };
    let is_head = request.method() == Method::HEAD;
    let only_looks = is_head && request.uri().path() == "/mcp";
    let may_come_in = may_come_in(request.uri(), request.headers());
    let heard = COMPANION.with_borrow_mut(|companion| companion.answer(request));
    let (status, body) = (heard.response.status(), heard.response.body());
    let most = TIMES * data.len() + ALLOWANCE;
    assert!(body.len() <= most, "{} bytes for {}", body.len(), data.len());
    assert!(!only_looks || !heard.reached_main_loop, "to ask for the head alone changes nothing");
    let refused =
        matches!(status, StatusCode::FORBIDDEN | StatusCode::UNAUTHORIZED | StatusCode::BAD_REQUEST);
    if !may_come_in {
        assert!(refused, "{status} for one who may not come in");
        assert!(!heard.reached_main_loop, "the gate let something through");
        assert!(!contains(body, Endpoint::TOKEN.as_bytes()), "the token is told");
    } else {
        assert!(
            status != StatusCode::FORBIDDEN && status != StatusCode::UNAUTHORIZED,
            "{status} for a friend"
        );
        assert!(!status.is_server_error(), "{status}");
    }
    if is_head && body.is_empty() {
        // Nothing but the head was asked for; what the gate refuses with is cut off on the wire.
    } else if heard.response.headers().get(CONTENT_TYPE).is_some_and(|kind| kind == "application/json") {
        serde_json::from_slice::<serde_json::Value>(body).expect("what is called JSON is JSON");
    } else {
        assert!(body.is_empty(), "an answer that is nothing we say");
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

/// The rule, told a second time: this machine's name, no web page, the token, and none of them in two ways.
fn may_come_in(uri: &Uri, headers: &HeaderMap) -> bool {
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
        let with_family = |id: &str| format!("{}.{id}", Endpoint::TOKEN);
        scheme.eq_ignore_ascii_case("bearer")
            && (token == Endpoint::TOKEN || FAMILIES.iter().any(|family| token == with_family(family.id)))
    });
    is_here && is_ours && !headers.contains_key(ORIGIN)
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}
