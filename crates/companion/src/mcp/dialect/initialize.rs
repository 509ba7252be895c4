//! `initialize`, which begins a session over both transports.

use alongside_contract::family::Transport;
use alongside_contract::mcp::{Implementation, InitializeParams, InitializeResult, negotiate};
use alongside_contract::rpc::{self, Id};
use serde_json::json;
use serde_json::value::RawValue;

use super::response::RpcResponse;
use crate::agents::identity::{Credential, Identity};
use crate::agents::registry::MAX_SESSIONS;
use crate::agents::session::SessionRefusal;
use crate::events::{Event, Events};
use crate::mcp::excerpt::excerpt;

/// Answers `initialize`.
pub(super) async fn initialize(
    events: &Events,
    credential: Credential,
    transport: Transport,
    id: &Id,
    params: Option<&RawValue>,
) -> RpcResponse {
    let params: InitializeParams = match serde_json::from_str(params.map_or("{}", RawValue::get)) {
        Ok(params) => params,
        Err(error) => {
            let why = error.to_string();
            return RpcResponse::Reply(rpc::error(Some(id), rpc::INVALID_PARAMS, excerpt(&why)));
        }
    };
    let protocol_version = negotiate(&params.protocol_version).to_owned();
    let client_info = params.client_info;
    let client = Implementation {
        name: excerpt(&client_info.name).to_owned(),
        version: excerpt(&client_info.version).to_owned(),
        title: client_info.title.as_deref().map(|title| excerpt(title).to_owned()),
    };
    let version = protocol_version.clone();
    let identity = Identity::new(client, version, credential, transport);
    let request_session = |answer| Event::SessionWanted { identity, answer };
    let session = match events.ask(request_session).await {
        Some(Ok(session)) => session,
        Some(Err(SessionRefusal::Full)) => {
            let why = format!("there are {MAX_SESSIONS} sessions already, and no more are served");
            return RpcResponse::TooManySessions(rpc::error(Some(id), rpc::INVALID_REQUEST, &why));
        }
        Some(Err(SessionRefusal::NoRandom)) | None => return RpcResponse::Stopping,
    };
    let result = InitializeResult {
        protocol_version,
        capabilities: json!({ "tools": {} }),
        server_info: Implementation {
            name: "alongside".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            title: None,
        },
    };
    RpcResponse::SessionCreated { session, reply: rpc::reply(id, &result) }
}
