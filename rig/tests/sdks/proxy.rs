//! A proxy that adds the token, which the conformance suite does not send. It changes nothing else, except
//! that requests for the proxy's host name the companion's host.

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
    myself: String,
    token: String,
    client: reqwest::Client,
}

/// Starts the proxy, which lives as long as the test's runtime. Returns the URL to test.
pub(crate) async fn start(companion: &CompanionProcess) -> Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let myself = listener.local_addr()?.to_string();
    let url = format!("http://{myself}/mcp");
    let proxy = Proxy {
        companion: format!("127.0.0.1:{}", companion.port),
        myself,
        token: format!("Bearer {}", companion.token),
        client: reqwest::Client::builder().no_proxy().build()?,
    };
    let router = axum::Router::new().fallback(pass_on).with_state(proxy);
    tokio::spawn(async move { axum::serve(listener, router).await });
    Ok(url)
}

async fn pass_on(State(proxy): State<Proxy>, request: Request) -> Response {
    proxy.pass(request).await.unwrap_or_else(|error| {
        (StatusCode::BAD_GATEWAY, format!("the proxy got no answer: {error}")).into_response()
    })
}

impl Proxy {
    async fn pass(&self, request: Request) -> Result<Response> {
        let (mut head, body) = request.into_parts();
        let headers = &mut head.headers;
        headers.insert(AUTHORIZATION, HeaderValue::from_str(&self.token)?);
        if headers.get(HOST).is_some_and(|host| host == self.myself.as_str()) {
            headers.insert(HOST, HeaderValue::from_str(&self.companion)?);
        }
        // The suite plays a page of the server's own origin. A companion has no pages and refuses every
        // origin, so the proxy drops this header.
        if headers.get(ORIGIN).is_some_and(|origin| origin == format!("http://{}", self.myself).as_str()) {
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
