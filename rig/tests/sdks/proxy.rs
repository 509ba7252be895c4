//! A proxy that adds the token, which the conformance suite does not send. It also replaces the proxy's host
//! by the companion's, and removes an `Origin` of the proxy itself. It changes nothing else.

use alongside_rig::companion::CompanionProcess;
use anyhow::Result;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, HOST, ORIGIN};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use tokio::net::TcpListener;

#[derive(Clone)]
struct Proxy {
    companion: String,
    /// The proxy's own host and port.
    own_host: String,
    token: String,
    client: reqwest::Client,
}

/// Starts the proxy, which runs as long as the test's runtime, and returns its URL.
pub(crate) async fn start(companion: &CompanionProcess) -> Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let own_host = listener.local_addr()?.to_string();
    let url = format!("http://{own_host}/mcp");
    let proxy = Proxy {
        companion: format!("127.0.0.1:{}", companion.port),
        own_host,
        token: format!("Bearer {}", companion.token),
        client: reqwest::Client::builder().no_proxy().build()?,
    };
    let router = axum::Router::new().fallback(forward).with_state(proxy);
    tokio::spawn(async move { axum::serve(listener, router).await });
    Ok(url)
}

/// Forwards a request to the companion, and answers 502 if that fails.
async fn forward(State(proxy): State<Proxy>, request: Request) -> Response {
    proxy.forward(request).await.unwrap_or_else(|error| {
        (StatusCode::BAD_GATEWAY, format!("the proxy got no answer: {error}")).into_response()
    })
}

impl Proxy {
    async fn forward(&self, request: Request) -> Result<Response> {
        let (mut head, body) = request.into_parts();
        let headers = &mut head.headers;
        headers.insert(AUTHORIZATION, HeaderValue::from_str(&self.token)?);
        if headers.get(HOST).is_some_and(|host| host == self.own_host.as_str()) {
            headers.insert(HOST, HeaderValue::from_str(&self.companion)?);
        }
        // The suite sends requests as a page of the server's own origin does. A companion has no pages and
        // refuses every origin, so the proxy removes this header.
        if headers.get(ORIGIN).is_some_and(|origin| origin == format!("http://{}", self.own_host).as_str()) {
            headers.remove(ORIGIN);
        }
        let path = head.uri.path();
        let url = format!("http://{}{path}", self.companion);
        let body = to_bytes(body, 1 << 20).await?;
        let answer = self.client.request(head.method, url).headers(head.headers).body(body).send().await?;
        let mut response = Response::builder().status(answer.status());
        if let Some(headers) = response.headers_mut() {
            headers.extend(answer.headers().clone());
        }
        Ok(response.body(Body::from_stream(answer.bytes_stream()))?)
    }
}
