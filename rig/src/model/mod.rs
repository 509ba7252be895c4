//! A fake language model on the loopback, so that whole agents run without an account and without a network.
//!
//! It serves the Gemini API, OpenAI's two APIs and Anthropic's, and plays a [`Script`]. Like a real model it
//! replies from the transcript alone and keeps no position in the script, so that repeated requests and side
//! requests (for a title, a suggestion, the next speaker) change nothing. A test can read every request.

mod anthropic;
mod gemini;
mod openai;
mod reply;
mod responses;
mod script;

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, Result};
use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use serde_json::{Value, json};
use tokio::sync::oneshot;

use reply::json_reply;
pub use script::{Message, ModelReply, Script, Speaker};

/// A running fake model. Dropping it stops the server.
pub struct FakeModel {
    address: SocketAddr,
    requests: Requests,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

/// One request of an agent.
#[derive(Clone, Debug)]
pub struct Request {
    /// The path and the query, for example `/v1/chat/completions`.
    pub uri: String,
    /// The JSON body; null without a body.
    pub body: Value,
    /// The transcript, in a form common to all APIs.
    pub transcript: Vec<Message>,
}

impl Request {
    /// The last message of the person, or of the agent in the person's name, with all its parts.
    pub fn prompt(&self) -> String {
        script::last_message_of_person(&self.transcript)
            .map(|message| message.texts.join("\n"))
            .unwrap_or_default()
    }
}

type Requests = Arc<Mutex<Vec<Request>>>;

#[derive(Clone)]
struct Server {
    script: Arc<Script>,
    requests: Requests,
}

impl FakeModel {
    /// Starts a model on a free port of 127.0.0.1 that plays `script` for every client.
    pub fn start(script: Script) -> Result<Self> {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").context("no free port on 127.0.0.1")?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let requests = Requests::default();
        let server = Server { script: Arc::new(script), requests: requests.clone() };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let (stop, stopped) = oneshot::channel();
        let thread = std::thread::Builder::new().name("fake model".into()).spawn(move || {
            runtime.block_on(async move {
                let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
                let app =
                    Router::new().fallback(answer).layer(DefaultBodyLimit::disable()).with_state(server);
                tokio::select! {
                    _ = axum::serve(listener, app) => {}
                    _ = stopped => {}
                }
            });
        })?;
        Ok(Self { address, requests, stop: Some(stop), thread: Some(thread) })
    }

    /// The base URL of the Gemini API. The OpenAI-compatible API is at `/v1` below it.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns all requests so far, the oldest first.
    pub fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Waits for the first request with `prompt`, and returns it.
    pub fn wait_for_prompt(&self, prompt: &str, deadline: Duration) -> Result<Request> {
        crate::wait::until(&format!("the model to be asked {prompt:?}"), deadline, || {
            let requests = self.requests();
            let summaries = || {
                requests
                    .iter()
                    .map(|request| format!("{} … {:?}", request.uri, tail(&request.prompt())))
                    .collect::<Vec<_>>()
            };
            let found = requests.iter().find(|request| script::ends_with_prompt(&request.transcript, prompt));
            found.cloned().ok_or_else(|| format!("{:#?}", summaries()))
        })
    }
}

impl Drop for FakeModel {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

async fn answer(State(server): State<Server>, uri: Uri, body: Bytes) -> Response {
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let path = uri.path();
    let gemini = path.contains(":generateContent") || path.contains(":streamGenerateContent");
    let openai = path.ends_with("/chat/completions");
    let anthropic = path.ends_with("/v1/messages");
    let responses = path.ends_with("/v1/responses");
    let transcript = match (gemini, openai, anthropic) {
        (true, ..) => gemini::transcript(&body),
        (_, true, _) => openai::transcript(&body),
        (.., true) => anthropic::transcript(&body),
        _ if responses => responses::transcript(&body),
        _ => Vec::new(),
    };
    let turn = if wants_json(&body) { ModelReply::say("{}") } else { server.script.next(&transcript) };
    let number = {
        let mut requests = server.requests.lock().unwrap_or_else(PoisonError::into_inner);
        requests.push(Request { uri: uri.to_string(), body: body.clone(), transcript });
        requests.len()
    };
    match path {
        _ if gemini => gemini::reply(&turn, path.contains(":stream"), number),
        _ if openai => openai::reply(&turn, &body, number),
        _ if responses => responses::reply(&turn, number),
        _ if anthropic => anthropic::reply(&turn, &body, number),
        _ if path.ends_with("/count_tokens") => json_reply(&json!({ "input_tokens": 1 })),
        _ if path.contains(":countTokens") => json_reply(&json!({"totalTokens": 1})),
        _ if path.ends_with("/models") => json_reply(&openai::models()),
        _ => (StatusCode::NOT_FOUND, "the fake model does not know this").into_response(),
    }
}

/// Whether the caller requires a JSON answer, as only side requests do.
fn wants_json(body: &Value) -> bool {
    let config = &body["generationConfig"];
    config["responseMimeType"] == "application/json"
        || !config["responseJsonSchema"].is_null()
        || !config["responseSchema"].is_null()
        || !body["response_format"].is_null()
}

fn tail(text: &str) -> String {
    let skip = text.chars().count().saturating_sub(120);
    text.chars().skip(skip).collect()
}
