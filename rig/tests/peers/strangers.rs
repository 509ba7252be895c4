//! Any program on this machine can connect. Even if very many connections send nothing, or an incomplete or
//! endless head, they cost little memory, and agents can still connect.

use std::time::{Duration, Instant};

use alongside_rig::wire::{Peer, Raw, within};

use crate::large_messages::{LoneCompanion, MAX_GROWTH_KB};
use crate::stage::Stage;

const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

/// Sends a ping over an open connection, and returns the status of the response.
async fn ping_over(raw: &mut Raw, peer: &Peer) -> u16 {
    raw.send(format!("{}{PING}", peer.post_head(PING.len()))).await;
    raw.answer().await.status()
}

/// Heads of requests that never end.
const INCOMPLETE_HEADS: [&str; 4] =
    ["", "P", "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1", "GET /mcp HTTP/1.1\r\nX-A: b\r\n"];

#[cfg(target_os = "linux")]
#[tokio::test]
async fn thousands_of_half_open_connections_keep_no_agent_out() {
    // Fewer descriptors than connections, and fewer than any system allows.
    let lone = LoneCompanion::start_with_descriptors(400);
    let first = lone.peer().await;
    let stream = first.listen().await;
    let before = lone.peak_kb();
    let mut held = Vec::new();
    for number in 0..3_000 {
        let mut raw = Raw::dial(lone.port).await;
        // The companion may already have closed earlier connections, or this one.
        let _ = raw.try_send(INCOMPLETE_HEADS[number % INCOMPLETE_HEADS.len()]).await;
        // The number of this process's connections is limited, too.
        held.push(raw);
        if held.len() > 600 {
            held.remove(0);
        }
    }
    let agent = lone.peer().await;
    assert_eq!(agent.post(PING).await.status(), 200, "a new agent connects");
    assert_eq!(first.post(PING).await.status(), 200, "the connected agent continues");
    drop(stream);
    lone.expect_growth_below(MAX_GROWTH_KB / 2, before);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn connections_by_the_hundred_at_once_leave_room_for_an_agent() {
    let lone = LoneCompanion::start_with_descriptors(400);
    let mut held = Vec::new();
    for _ in 0..700 {
        held.push(Raw::dial(lone.port).await);
    }
    let agent = lone.peer().await;
    assert_eq!(agent.post(PING).await.status(), 200);
    drop(held);
    assert_eq!(agent.post(PING).await.status(), 200, "after the others are gone");
}

#[tokio::test]
async fn of_too_many_strangers_the_first_gives_way() {
    let (stage, peer) = Stage::with_peer().await;
    let mut first = Raw::dial(stage.port()).await;
    let mut held = Vec::new();
    for _ in 0..300 {
        held.push(Raw::dial(stage.port()).await);
    }
    first.wait_for_close().await;
    assert_eq!(ping_over(&mut held[299], &peer).await, 200, "the last one stays");
}

#[tokio::test]
async fn busy_strangers_are_disconnected_in_time() {
    let (stage, peer) = Stage::with_peer().await;
    let mut known = Raw::dial(stage.port()).await;
    assert_eq!(ping_over(&mut known, &peer).await, 200);

    let mut silent = Raw::dial(stage.port()).await;
    let start = Instant::now();
    let mut slow = Raw::dial(stage.port()).await;
    let mut wrong = Raw::dial(stage.port()).await;
    slow.send("POST /mcp HTTP/1.1\r\nX-Slow: ").await;
    within("the slow one to be sent away", async {
        while slow.try_send("x").await.is_ok() {
            // Repeated guesses do not keep a connection open either.
            let guess = Peer::stranger(stage.port(), "guessed").head("GET");
            let _ = wrong.try_send(format!("{guess}\r\n")).await;
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
    })
    .await;
    wrong.wait_for_close().await;

    assert_eq!(ping_over(&mut known, &peer).await, 200, "a connection with the token may stay silent");
    // It stands for the connection of an agent that is busy before it sends its request.
    assert!(start.elapsed() > Duration::from_secs(9), "the others went too early to tell");
    assert_eq!(ping_over(&mut silent, &peer).await, 200, "a connection that has sent nothing may wait");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_head_without_an_end_is_refused_and_memory_stays_flat() {
    let lone = LoneCompanion::start();
    let peer = lone.peer().await;
    let before = lone.peak_kb();
    let many = "X-Many: 1\r\n".repeat(6_000);
    let long = format!("X-Long: {}", "x".repeat(1 << 20));
    for bomb in [many, long] {
        for token in ["wrong", &lone.token] {
            let mut raw = Raw::dial(lone.port).await;
            raw.send(Peer::stranger(lone.port, token).head("POST")).await;
            raw.send_until_answered(&bomb, 64).await;
            // A peer that is still sending may notice the end of the connection before it reads the response.
            if let Some(head) = within("an answer or the end", raw.try_head()).await {
                assert_eq!(head.status, 431);
            }
        }
    }
    lone.expect_growth_below(MAX_GROWTH_KB / 2, before);
    assert_eq!(peer.post(PING).await.status(), 200);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn bodies_made_to_burst_are_refused_within_the_memory_limit() {
    let lone = LoneCompanion::start();
    let peer = lone.peer().await;
    let before = lone.peak_kb();
    let deep = "[".repeat(8 << 20);
    let keys =
        format!("{{{}\"end\":1}}", (0..200_000).map(|n| format!("\"k{n}\":[[[]]],")).collect::<String>());
    let number = format!("{{\"jsonrpc\":\"2.0\",\"id\":{}}}", "9".repeat(8 << 20));
    for bomb in [deep, keys, number] {
        assert_eq!(peer.post(&bomb).await.status(), 400);
    }
    // A small compressed body is not unpacked.
    let packed = peer.post_head(4).replace("Content-Type:", "Content-Encoding: gzip\r\nContent-Type:");
    let mut raw = Raw::dial(lone.port).await;
    raw.send(packed).await;
    raw.send(b"\x1f\x8b\x08\x00").await;
    assert_eq!(raw.head().await.status, 400);
    lone.expect_growth_below((192 << 10) + MAX_GROWTH_KB, before);
    assert_eq!(peer.post(PING).await.status(), 200);
}
