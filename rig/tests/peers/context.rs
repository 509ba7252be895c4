//! Contexts over the wire: what agents receive about the person's files, and when.

use alongside_companion::desk::{ActiveFile, ContextReport, Position, Request};
use serde_json::Value;

use crate::stage::Stage;

/// Returns a report that the person is at this position of a file.
fn report_at(path: &str, line: u32, character: u32, selected: Option<&str>) -> Request {
    let cursor = Some(Position { line, character });
    let active =
        ActiveFile { path: path.into(), cursor, anchor: None, selected_text: selected.map(str::to_owned) };
    Request::ChangeContext(ContextReport { active: Some(active), ..ContextReport::default() })
}

fn open_files(message: &Value) -> Vec<Value> {
    assert_eq!(message["method"], "ide/contextUpdate");
    message["params"]["workspaceState"]["openFiles"].as_array().cloned().unwrap_or_default()
}

#[tokio::test]
async fn positions_are_1_based_and_the_active_file_is_the_newest() {
    let (stage, _peer, mut stream) = Stage::with_listener().await;
    stream.message().await;
    let (a, b) = (stage.file("a.txt", "a\n"), stage.file("b.txt", "b\n"));
    stage.desk.request(report_at(&a, 0, 0, None)).await.unwrap();
    assert_eq!(open_files(&stream.message().await)[0]["path"], a);
    stage.desk.request(report_at(&b, 4, 7, Some("selected"))).await.unwrap();
    let files = open_files(&stream.message().await);
    assert_eq!(files[0]["path"], b);
    assert_eq!(files[0]["isActive"], true);
    assert_eq!(files[0]["cursor"], serde_json::json!({ "line": 5, "character": 8 }));
    assert_eq!(files[0]["selectedText"], "selected");
    assert_eq!(files[1]["path"], a);
    assert!(
        files[1].get("cursor").is_none() && files[1].get("isActive").is_none_or(|active| active == false)
    );
    assert!(files[0]["timestamp"].as_u64() > files[1]["timestamp"].as_u64());
}

#[tokio::test]
async fn endless_burst_of_changes_still_reaches_agents() {
    let (stage, _peer, mut stream) = Stage::with_listener().await;
    stream.message().await;
    let file = stage.file("a.txt", "a\n");
    let mut sent = 0;
    let first = loop {
        stage.desk.request(report_at(&file, sent, 0, None)).await.unwrap();
        sent += 1;
        assert!(sent < 500, "no context came during {sent} changes");
        if let Ok(message) =
            tokio::time::timeout(std::time::Duration::from_millis(20), stream.message()).await
        {
            break message;
        }
    };
    assert!(open_files(&first)[0]["cursor"]["line"].as_u64() <= Some(u64::from(sent)));
    // The last state arrives, and nothing arrives twice.
    let mut last = first;
    while open_files(&last)[0]["cursor"]["line"].as_u64() != Some(u64::from(sent)) {
        last = stream.message().await;
    }
}

#[tokio::test]
async fn context_has_at_most_ten_files_and_16384_utf16_units() {
    let (stage, peer) = Stage::with_peer().await;
    let long = "😀".repeat(10_000);
    let mut last = String::new();
    for number in 0..15 {
        last = stage.file(&format!("{number}.txt"), "x\n");
        stage.desk.request(report_at(&last, 0, 0, Some(&format!("a{long}")))).await.unwrap();
    }
    let mut stream = peer.listen().await;
    let files = loop {
        let files = open_files(&stream.message().await);
        if files.first().is_some_and(|file| file["path"] == last) {
            break files;
        }
    };
    assert_eq!(files.len(), 10);
    let selected = files[0]["selectedText"].as_str().unwrap();
    assert_eq!(selected.encode_utf16().count(), 16_383, "the cut is on a character boundary");
    assert!(files.iter().skip(1).all(|file| file.get("selectedText").is_none()));
}

#[tokio::test]
async fn context_omits_secrets_directories_and_missing_files() {
    let stage = Stage::with(|builder| builder.exclude(["*.secret"])).await;
    let peer = stage.peer().await;
    let mut stream = peer.listen().await;
    stream.message().await;
    let shown = stage.file("shown.txt", "x\n");
    for hidden in [
        stage.file("my.secret", "x"),
        stage.file(".env", "x"),
        stage.path("never-written.txt"),
        stage.path(""),
    ] {
        stage.desk.request(report_at(&hidden, 0, 0, None)).await.unwrap();
    }
    stage.desk.request(report_at(&shown, 0, 0, None)).await.unwrap();
    loop {
        let files = open_files(&stream.message().await);
        assert!(files.iter().all(|file| file["path"] == shown), "{files:?}");
        if !files.is_empty() {
            break;
        }
    }
}

#[tokio::test]
async fn paused_desk_sends_agents_no_files() {
    let (stage, peer) = Stage::with_peer().await;
    let file = stage.file("a.txt", "x\n");
    let mut stream = peer.listen().await;
    stream.message().await;
    stage.desk.request(report_at(&file, 0, 0, None)).await.unwrap();
    assert_eq!(open_files(&stream.message().await).len(), 1);
    stage.desk.request(Request::PauseContext { paused: true }).await.unwrap();
    assert!(open_files(&stream.message().await).is_empty());
    stage.desk.request(report_at(&file, 3, 3, None)).await.unwrap();
    assert!(open_files(&peer.listen().await.message().await).is_empty());
    stage.desk.request(Request::PauseContext { paused: false }).await.unwrap();
    let mut stream = peer.listen().await;
    while open_files(&stream.message().await).is_empty() {}
}
