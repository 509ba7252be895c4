//! The companion stops: it rejects its reviews, ends its streams properly and removes its files, in this
//! order.

use std::time::Duration;

use alongside_companion::desk::{Closing, Event};
use alongside_rig::wire::{End, Raw, within};

use crate::slow_readers::large_text;
use crate::stage::Stage;

#[tokio::test]
async fn stop_rejects_reviews_then_ends_streams_then_removes_files() {
    let mut stage = Stage::new().await;
    let (one, two) = (stage.peer().await, stage.peer().await);
    let (mut first, mut second) = (one.listen().await, two.listen().await);
    second.message().await;
    let paths = [stage.path("a.txt"), stage.path("b.txt")];
    for (id, path) in paths.iter().enumerate() {
        one.open_diff(id as u64, path, "x\n").await;
        stage.review().await;
    }

    let Stage { companion, mut desk, temp } = stage;
    let stopping = tokio::spawn(companion.stop());
    for path in &paths {
        assert_eq!(first.wait_for("ide/diffRejected").await["params"]["filePath"], *path);
        assert!(!temp.files_below(&["tmp"]).is_empty(), "the files are removed last");
        first.wait_for("ping").await;
    }
    let (rest, end) = first.to_the_end().await;
    assert_eq!(end, End::Clean, "after {rest:?}");
    assert!(rest.iter().all(|message| message["method"] == "ping"), "{rest:?}");
    assert_eq!(second.to_the_end().await.1, End::Clean);
    within("the companion to stop", stopping).await.unwrap();

    let mut closings = Vec::new();
    while let Ok(event) = within("the desk's last events", desk.next()).await {
        if let Event::Closed(closed) = event {
            closings.push(closed.closing);
        }
    }
    assert_eq!(closings, [Closing::Stopped, Closing::Stopped]);
    assert_eq!(temp.files_below(&["tmp", "home"]), Vec::<std::path::PathBuf>::new());
}

#[tokio::test]
async fn stopping_waits_for_no_agent_that_does_not_read() {
    let (mut stage, peer) = Stage::with_peer().await;
    let _unread = peer.get().await;
    stage.open_and_accept(&peer, 1, &stage.path("big.txt"), &large_text()).await;
    let mut unfinished = Raw::dial(stage.port()).await;
    unfinished.send(peer.post_head(1000)).await;
    within("the companion to stop", stage.companion.stop()).await;
}

#[tokio::test]
async fn after_stopping_the_port_is_closed() {
    let stage = Stage::new().await;
    let port = stage.port();
    within("the companion to stop", stage.companion.stop()).await;
    within("the port to close", wait_until_closed(port)).await;
}

/// Waits until no program listens on the port. A child process of another test inherits this program's
/// sockets until it runs its own program.
async fn wait_until_closed(port: u16) {
    while tokio::net::TcpStream::connect(("127.0.0.1", port)).await.is_ok() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn a_companion_that_is_dropped_leaves_no_files_and_no_port() {
    let stage = Stage::new().await;
    let (port, records) = (stage.port(), stage.discovery_files());
    assert!(!records.is_empty());
    let Stage { companion, temp: _temp, desk: _desk } = stage;
    drop(companion);
    within("the files to go and the port to close", async {
        while records.iter().any(|record| record.exists()) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        wait_until_closed(port).await;
    })
    .await;
}
