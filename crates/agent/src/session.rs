//! A session of an agent with a companion, conducted as by the TypeScript SDK that released agents use.

use std::sync::Arc;
use std::time::Duration;

use alongside_contract::context::IdeContext;
use alongside_contract::diff::{CLOSE_DIFF, CloseDiffRequest, ClosedDiff, OPEN_DIFF, OpenDiffRequest};
use alongside_contract::mcp::{CallToolResult, Implementation, InitializeParams, InitializeResult};
use alongside_contract::rpc::{self, Id};
use serde::{Deserialize, Serialize};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::Error;
use crate::client::Client;
use crate::conversation::{Conversation, reply_to, understand};
use crate::diffs::PendingDiff;
use crate::endpoint::Endpoint;
use crate::stream::{PATIENT_RETRIES, RETRIES, StreamState};

/// The version of MCP that agents propose.
const PROPOSED_VERSION: &str = "2025-06-18";

/// The name under which an agent connects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// `clientInfo.name`.
    pub name: String,
    /// `clientInfo.version`.
    pub version: String,
}

impl Identity {
    /// Makes an identity from a name and a version.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self { name: name.into(), version: version.into() }
    }
}

/// A tool of the companion.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// Its description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// A JSON schema of its arguments.
    #[serde(default)]
    pub input_schema: serde_json::Value,
}

/// A session. Dropping it closes the stream without a message to the companion, like an agent that is killed;
/// [`end`](Self::end) ends the session on both sides.
#[derive(Debug)]
pub struct Session {
    conversation: Arc<Conversation>,
    listener: JoinHandle<()>,
}

impl Session {
    /// Connects: sends `initialize` and `notifications/initialized`, and then opens the stream in the
    /// background.
    ///
    /// # Errors
    /// If the companion cannot be reached, refuses the token, or breaks the contract.
    pub async fn connect(endpoint: Endpoint, token: Option<&str>, identity: Identity) -> Result<Self, Error> {
        Self::connect_retrying(endpoint, token, identity, &RETRIES).await
    }

    /// Connects as [`connect`](Self::connect) does, but tries for half a minute to reopen a lost stream,
    /// where agents give up after 2.5 s. It is for tests of something other than that, on a busy machine.
    ///
    /// # Errors
    /// As [`connect`](Self::connect).
    #[doc(hidden)]
    pub async fn connect_patiently(
        endpoint: Endpoint,
        token: Option<&str>,
        identity: Identity,
    ) -> Result<Self, Error> {
        Self::connect_retrying(endpoint, token, identity, &PATIENT_RETRIES).await
    }

    async fn connect_retrying(
        endpoint: Endpoint,
        token: Option<&str>,
        identity: Identity,
        retries: &'static [Duration],
    ) -> Result<Self, Error> {
        const WHAT: &str = "connect";
        let mut client = Client::new(endpoint, token)?;
        let params = InitializeParams {
            protocol_version: PROPOSED_VERSION.to_owned(),
            client_info: Implementation { name: identity.name, version: identity.version, title: None },
            ..InitializeParams::default()
        };
        let response = client.post(WHAT, rpc::request(&Id::Number(0), "initialize", &params)).await?;
        let response = client.successful(WHAT, response).await?;
        client.adopt_session(&response);
        let result = reply_to(&Id::Number(0), WHAT, &client, response, |_| ()).await?;
        let server: InitializeResult = understand(WHAT, &client, &result)?;
        client.adopt_version(&server.protocol_version);

        let response = client.post(WHAT, rpc::bare_notification("notifications/initialized")).await?;
        let response = client.successful(WHAT, response).await?;
        if response.head.status != 202 {
            let status = response.head.status;
            let why = format!("notifications/initialized was answered {status} instead of 202");
            return Err(client.off_contract(WHAT, why));
        }
        let conversation = Arc::new(Conversation::new(client, server, retries));
        Ok(Self { listener: tokio::spawn(Arc::clone(&conversation).listen()), conversation })
    }

    /// Returns the companion's answer to `initialize`.
    pub fn server(&self) -> &InitializeResult {
        &self.conversation.server
    }

    /// Watches the person's open files. `None` until the companion reports them.
    pub fn context(&self) -> watch::Receiver<Option<IdeContext>> {
        self.conversation.context.subscribe()
    }

    /// Watches the state of the stream.
    pub fn stream(&self) -> watch::Receiver<StreamState> {
        self.conversation.stream.subscribe()
    }

    /// Proposes a whole file. Returns as soon as the companion shows it.
    ///
    /// # Errors
    /// If it cannot be shown. No outcome follows then.
    pub async fn open_diff(&self, path: &str, text: &str) -> Result<PendingDiff, Error> {
        // The wait begins before the request, since the outcome may arrive before the answer.
        let pending = self.conversation.diffs.wait_for(path);
        let arguments = OpenDiffRequest { file_path: path.to_owned(), new_content: text.into() };
        let opened = self.tool_on(OPEN_DIFF, path, &arguments).await;
        opened.inspect_err(|_| self.conversation.diffs.forget(path)).map(|_| pending)
    }

    /// Withdraws a diff because the person has answered in the agent, and returns its text. `None` if the
    /// companion has no such diff. With `suppress`, the companion sends no notification about it.
    ///
    /// # Errors
    /// If the companion does not answer, or breaks the contract.
    pub async fn close_diff(&self, path: &str, suppress: bool) -> Result<Option<String>, Error> {
        let suppress_notification = suppress.then_some(true);
        let arguments = CloseDiffRequest { file_path: path.to_owned(), suppress_notification };
        let result = self.tool_on(CLOSE_DIFF, path, &arguments).await?;
        let Some(block) = result.content.iter().find(|block| block.kind == "text") else {
            return Ok(None);
        };
        let closed: ClosedDiff = serde_json::from_str(&block.text).map_err(|error| {
            let why = format!("the text block is not JSON: {error}");
            self.conversation.client.off_contract("close a diff", why)
        })?;
        Ok(closed.content)
    }

    /// Lists the tools of the companion. Agents propose changes only if it has both `openDiff` and
    /// `closeDiff`.
    ///
    /// # Errors
    /// If the companion does not answer, or breaks the contract.
    pub async fn list_tools(&self) -> Result<Vec<Tool>, Error> {
        #[derive(Deserialize)]
        struct Tools {
            tools: Vec<Tool>,
        }
        let empty = serde_json::Map::new();
        let tools: Tools = self.conversation.request("list the tools", "tools/list", &empty).await?;
        Ok(tools.tools)
    }

    /// Ends the session on both sides. Diffs that wait end as [`Outcome::Lost`](crate::Outcome::Lost).
    ///
    /// # Errors
    /// If the companion cannot be notified. The session has ended on this side even then.
    pub async fn end(self) -> Result<(), Error> {
        self.listener.abort();
        self.conversation.diffs.lose_all();
        self.conversation.client.delete("end the session").await
    }

    /// Calls a tool for a file.
    async fn tool_on(
        &self,
        tool: &'static str,
        path: &str,
        arguments: &impl Serialize,
    ) -> Result<CallToolResult, Error> {
        #[derive(Serialize)]
        struct Call<'a, A> {
            name: &'a str,
            arguments: &'a A,
        }
        let call = Call { name: tool, arguments };
        let result: CallToolResult = self.conversation.request("call a tool", "tools/call", &call).await?;
        if result.is_error != Some(true) {
            return Ok(result);
        }
        let message = result.content.into_iter().map(|block| block.text).find(|text| !text.is_empty());
        Err(Error::Tool {
            tool,
            path: path.to_owned(),
            message: message.unwrap_or_else(|| "it does not say why".into()),
        })
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.listener.abort();
        self.conversation.diffs.lose_all();
    }
}
