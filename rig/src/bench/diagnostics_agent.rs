//! An agent over a WebSocket, as Claude Code connects, which asks for the problems in files. Blocking, as the
//! bench's other sockets are: the clock stops before a response is parsed.

use std::net::{Ipv4Addr, TcpStream};
use std::time::{Duration, Instant};

use alongside_contract::token;
use alongside_contract::websocket::TOKEN_HEADER;
use anyhow::{Context as _, Result, anyhow, ensure};
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::{self, Message, WebSocket};

use super::plan::PATIENCE;
use crate::wire::Address;

/// The newest version of MCP that Claude Code proposes.
const MCP_VERSION: &str = "2025-11-25";

/// A connected agent.
pub(super) struct DiagnosticsAgent {
    socket: WebSocket<TcpStream>,
    /// The number of requests so far.
    requests: u64,
}

impl DiagnosticsAgent {
    /// Connects to a companion, and begins a session.
    pub(super) fn connect(address: &Address) -> Result<Self> {
        let tcp = TcpStream::connect((Ipv4Addr::LOCALHOST, address.port))?;
        tcp.set_nodelay(true)?;
        tcp.set_read_timeout(Some(PATIENCE))?;
        let mut request = format!("ws://127.0.0.1:{}/", address.port).into_client_request()?;
        // The token in the files of other agents names the agent as well.
        let (secret, _) = token::split(&address.token);
        request.headers_mut().insert(TOKEN_HEADER, secret.parse()?);
        let (socket, _) = tungstenite::client(request, tcp)
            .map_err(|error| anyhow!("the companion refuses a WebSocket: {error}"))?;
        let mut agent = Self { socket, requests: 0 };
        let client = json!({ "name": "claude-code", "version": "2.1.332" });
        let params = json!({ "protocolVersion": MCP_VERSION, "capabilities": {}, "clientInfo": client });
        agent.ask("initialize", &params)?;
        agent.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        Ok(agent)
    }

    /// Asks for the problems in all files. Returns their number, and the time until the response.
    pub(super) fn ask_for_problems(&mut self) -> Result<(usize, Duration)> {
        let call = json!({ "name": "getDiagnostics", "arguments": {} });
        let (result, took) = self.ask("tools/call", &call)?;
        let text = result["content"][0]["text"].as_str().context("the response has no text")?;
        let files: Vec<Value> = serde_json::from_str(text).context("the problems are no list")?;
        let problems = files.iter().filter_map(|file| file["diagnostics"].as_array());
        Ok((problems.map(Vec::len).sum(), took))
    }

    /// Sends a request. Returns the result, and the time until it was there.
    fn ask(&mut self, method: &str, params: &Value) -> Result<(Value, Duration)> {
        self.requests += 1;
        let id = self.requests;
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        let request = Message::text(request.to_string());
        let since = Instant::now();
        self.socket.send(request).context("the companion has hung up")?;
        loop {
            let message = self.socket.read().context("no answer over the WebSocket")?;
            let took = since.elapsed();
            let Message::Text(text) = message else { continue };
            let mut message: Value = serde_json::from_str(text.as_str()).context("a message is not JSON")?;
            if message["method"] == "ping" {
                self.send(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": {} }))?;
            } else if message["id"] == id {
                let result = message["result"].take();
                ensure!(result.is_object() && result["isError"] != true, "{method} is refused: {message}");
                return Ok((result, took));
            }
        }
    }

    fn send(&mut self, message: &Value) -> Result<()> {
        self.socket.send(Message::text(message.to_string())).context("the companion has hung up")
    }
}
