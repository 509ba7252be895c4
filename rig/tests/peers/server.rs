//! The server: its addresses, its capabilities, and the form of its replies.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};

use alongside_rig::wire::Peer;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::stage::Stage;

/// A second loopback address.
const OTHER_LOOPBACK: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);

/// Sends `GET /status` to this address, and returns the status line of the response.
async fn status_line(stage: &Stage, address: impl Into<SocketAddr>) -> std::io::Result<String> {
    let address = address.into();
    let mut stream = TcpStream::connect(address).await?;
    let token = stage.companion.token();
    let request = format!(
        "GET /status HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n\
         Connection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    Ok(answer.lines().next().unwrap_or_default().to_owned())
}

#[tokio::test]
async fn companion_listens_on_localhost_only() {
    let stage = Stage::new().await;
    assert_eq!(status_line(&stage, (Ipv4Addr::LOCALHOST, stage.port())).await.unwrap(), "HTTP/1.1 200 OK");
    let refused = status_line(&stage, (OTHER_LOOPBACK, stage.port()))
        .await
        .expect_err("nobody listens at another address");
    assert_eq!(refused.kind(), std::io::ErrorKind::ConnectionRefused);
}

#[tokio::test]
async fn no_other_program_can_listen_on_its_port_of_localhost() {
    if std::net::TcpListener::bind((Ipv6Addr::LOCALHOST, 0)).is_err() {
        // No program can listen on this address.
        return alongside_testing::skip("this machine has no IPv6");
    }
    let stage = Stage::new().await;
    assert_eq!(status_line(&stage, (Ipv6Addr::LOCALHOST, stage.port())).await.unwrap(), "HTTP/1.1 200 OK");
    for address in ["[::1]", "[::]", "127.0.0.1", "0.0.0.0"] {
        let taken = std::net::TcpListener::bind(format!("{address}:{}", stage.port()));
        assert_eq!(taken.unwrap_err().kind(), std::io::ErrorKind::AddrInUse, "{address}");
    }
}

#[tokio::test]
async fn an_additional_address_is_served_if_configured() {
    let stage = Stage::with(|builder| builder.also_listen(SocketAddr::from((OTHER_LOOPBACK, 0)))).await;
    for address in [Ipv4Addr::LOCALHOST, OTHER_LOOPBACK] {
        assert_eq!(status_line(&stage, (address, stage.port())).await.unwrap(), "HTTP/1.1 200 OK");
    }
    // The address may have a port of its own.
    let free = std::net::TcpListener::bind((OTHER_LOOPBACK, 0)).unwrap().local_addr().unwrap();
    let stage = Stage::with(|builder| builder.also_listen(free)).await;
    assert_eq!(status_line(&stage, free).await.unwrap(), "HTTP/1.1 200 OK");
}

#[tokio::test]
async fn initialize_offers_tools_as_an_object() {
    let stage = Stage::new().await;
    let answer = stage.stranger().initialize("an agent", "1").await;
    let result = &answer.json()["result"];
    assert!(result["capabilities"]["tools"].is_object(), "{result}");
    assert_eq!(result["serverInfo"]["name"], "alongside");
    assert!(answer.head.get("mcp-session-id").is_some_and(|id| id.len() >= 32));
}

#[tokio::test]
async fn replies_are_json_and_never_a_stream() {
    let (stage, peer) = Stage::with_peer().await;
    let path = stage.path("a");
    for (method, params) in [
        ("ping", json!({})),
        ("tools/list", json!({})),
        ("tools/call", json!({ "name": "openDiff", "arguments": { "filePath": path, "newContent": "x" } })),
        ("tools/call", json!({ "name": "closeDiff", "arguments": { "filePath": path } })),
    ] {
        let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let answer = peer.post(request.to_string()).await;
        assert_eq!(answer.head.get("content-type"), Some("application/json"), "{method}");
        assert!(answer.json()["result"].is_object(), "{method}: {}", answer.text());
    }
}

#[tokio::test]
async fn tokenless_agents_are_admitted_only_by_the_setting() {
    let status = async |stage: &Stage, authorization: &str| {
        let host = format!("127.0.0.1:{}", stage.port());
        stage.status_of(format!("GET /status HTTP/1.1\r\nHost: {host}\r\n{authorization}\r\n")).await
    };
    let strict = Stage::new().await;
    assert_eq!(status(&strict, "").await, 401);
    let open = Stage::with(|builder| builder.allow_tokenless_agents(true)).await;
    assert_eq!(status(&open, "").await, 200);
    assert_eq!(status(&open, "Authorization: Bearer wrong\r\n").await, 401);
    Peer::join(open.port(), open.companion.token()).await;
}
