//! Proposals: some are refused, the others are shown, and texts and paths return unchanged.

use std::os::unix::ffi::OsStrExt;

use alongside_companion::desk::{Decision, Refusal, Request};
use alongside_rig::wire::Peer;
use serde_json::{Value, json};

use crate::stage::Stage;

/// Proposes with these arguments, and returns the reason of the refusal.
async fn refusal(stage: &Stage, arguments: Value) -> String {
    let result = stage.peer().await.call(1, "openDiff", arguments).await;
    assert_eq!(result["isError"], true, "{result}");
    assert_eq!(
        result["content"].as_array().map(Vec::len),
        Some(1),
        "one text block gives the reason: {result}"
    );
    result["content"][0]["text"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn bad_argument_is_a_tool_error_that_names_it() {
    let stage = Stage::new().await;
    for (arguments, named) in [
        (json!({}), "filePath"),
        (json!({ "newContent": "x" }), "filePath"),
        (json!({ "filePath": "/a" }), "newContent"),
        (json!({ "filePath": 7, "newContent": "x" }), ""),
        (json!({ "filePath": "/a", "newContent": ["x"] }), ""),
        (json!({ "filePath": null, "newContent": "x" }), ""),
    ] {
        let why = refusal(&stage, arguments.clone()).await;
        assert!(why.contains(named) && !why.is_empty(), "{arguments}: {why}");
    }
}

#[tokio::test]
async fn a_path_that_cannot_be_a_file_is_refused_with_the_reason() {
    let stage = Stage::new().await;
    let directory = stage.temp.path().join("project");
    for (path, reason) in [
        ("src/a.rs", "absolute"),
        ("", "filePath"),
        ("/a\0b", "NUL"),
        (directory.to_str().unwrap(), "directory"),
        (directory.join("new/").to_str().unwrap(), "directory"),
    ] {
        let why = refusal(&stage, json!({ "filePath": path, "newContent": "x" })).await;
        assert!(why.contains(reason), "{path:?}: {why}");
    }
}

#[tokio::test]
async fn a_path_comes_back_byte_for_byte_whatever_is_in_it() {
    let (mut stage, peer, mut stream) = Stage::with_listener().await;
    for (id, name) in [
        "a b.txt",
        "new\nline.txt",
        "дом/ファイル.rs",
        "e\u{301}.txt",
        "\u{202e}txt.exe",
        "sub/../a.txt",
        "./b//c.txt",
        "😀",
    ]
    .into_iter()
    .enumerate()
    {
        let path = stage.path(name);
        let review = stage.open_and_accept(&peer, id as u64, &path, "text\n").await;
        assert_eq!(review.file, path);
        let accepted = stream.wait_for("ide/diffAccepted").await;
        assert_eq!(accepted["params"], json!({ "filePath": path, "content": "text\n" }));
        peer.acknowledge(&mut stream).await;
    }
}

#[tokio::test]
async fn text_returns_exactly_with_any_line_endings_and_characters() {
    let (mut stage, peer, mut stream) = Stage::with_listener().await;
    for (id, text) in [
        "a\r\nb\r\n",
        "\u{feff}x\n",
        "no end",
        "a\rb\n\r\n",
        "\u{0}\u{7f}\u{2028}\u{fffd}😀",
        "",
        "data: x\n\n: y\n",
    ]
    .into_iter()
    .enumerate()
    {
        let path = stage.path(&format!("text-{id}"));
        stage.open_and_accept(&peer, id as u64, &path, text).await;
        assert_eq!(stream.wait_for("ide/diffAccepted").await["params"]["content"], text);
        peer.acknowledge(&mut stream).await;
    }
}

#[tokio::test]
async fn lone_surrogates_become_the_replacement_character() {
    let (mut stage, peer, mut stream) = Stage::with_listener().await;
    let path = stage.path("emoji.txt");
    let body = format!(
        concat!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"openDiff","arguments":"#,
            r#"{{"filePath":{path:?},"newContent":"a\ud83d b\udc00\ud83d\ude00\\ud800"}}}}}}"#
        ),
        path = path
    );
    assert_eq!(peer.post(body).await.json()["result"], json!({ "content": [] }));
    let review = stage.accept().await;
    assert_eq!(&*review.proposed, "a\u{fffd} b\u{fffd}😀\\ud800");
    assert_eq!(
        stream.wait_for("ide/diffAccepted").await["params"]["content"],
        "a\u{fffd} b\u{fffd}😀\\ud800"
    );
}

#[tokio::test]
async fn an_original_that_is_not_text_is_decided_as_a_whole() {
    let (mut stage, peer, mut stream) = Stage::with_listener().await;
    for (id, original) in
        [&b"latin \xe9\xff\n"[..], b"\x89PNG\0\0\x01\xff\xfe", b"\xff\xfea\0b\0"].into_iter().enumerate()
    {
        let path = stage.file(&format!("original-{id}"), original);
        peer.open_diff(id as u64, &path, "text\nmore\n").await;
        let review = stage.review().await;
        assert!(review.whole_file_only.is_some(), "{review:?}");
        assert_eq!(review.original, None);
        let keep =
            Request::KeepHunks { id: review.id, revision: review.revision, hunks: vec![0], keep: false };
        assert!(matches!(stage.desk.request(keep).await, Err(Refusal::WholeFileOnly { .. })));
        stage.decide(&review, Decision::Accept).await.unwrap();
        assert_eq!(stream.wait_for("ide/diffAccepted").await["params"]["content"], "text\nmore\n");
        peer.acknowledge(&mut stream).await;
        assert_eq!(std::fs::read(&path).unwrap(), original, "only the agent writes");
    }
}

#[tokio::test]
async fn binary_proposal_for_a_text_file_can_be_decided() {
    let (mut stage, peer, mut stream) = Stage::with_listener().await;
    let path = stage.file("text.txt", "plain\n");
    let text = "\u{0}\u{1}\u{2}plain\n\u{0}";
    stage.open_and_accept(&peer, 1, &path, text).await;
    assert_eq!(stream.wait_for("ide/diffAccepted").await["params"]["content"], text);
}

#[tokio::test]
async fn non_utf8_file_name_in_the_directory_disturbs_no_proposal() {
    let mut stage = Stage::new().await;
    let odd = stage.temp.path().join("project").join(std::ffi::OsStr::from_bytes(b"\xff\xfe.txt"));
    std::fs::write(odd, "x").unwrap();
    let peer = stage.peer().await;
    peer.open_diff(1, &stage.path("a.txt"), "x\n").await;
    stage.reject().await;
}

#[tokio::test]
async fn open_diff_answers_at_once_with_empty_content() {
    let (mut stage, peer) = Stage::with_peer().await;
    let result = peer.call(1, "openDiff", json!({ "filePath": stage.path("a"), "newContent": "x" })).await;
    assert_eq!(result, json!({ "content": [] }));
    assert_eq!(&*stage.review().await.proposed, "x");
}

#[tokio::test]
async fn proposal_without_a_desk_waits_for_one() {
    let Stage { companion, desk, temp } = Stage::new().await;
    drop(desk);
    let peer = Peer::join(companion.port(), companion.token()).await;
    let path = temp.path().join("project/a.txt");
    let result = peer.call(1, "openDiff", json!({ "filePath": path, "newContent": "x" })).await;
    assert_eq!(result, json!({ "content": [] }));
    let mut stage = Stage { desk: companion.join(), companion, temp };
    assert_eq!(&*stage.review().await.proposed, "x");
}

#[tokio::test]
async fn a_proposal_outside_the_project_says_where() {
    let mut stage = Stage::new().await;
    let keys = stage.temp.path().join("home/.ssh");
    std::fs::create_dir_all(&keys).unwrap();
    let keys = keys.canonicalize().unwrap();
    std::os::unix::fs::symlink(&keys, stage.path("docs")).unwrap();
    std::os::unix::fs::symlink(keys.join("authorized_keys"), stage.path("notes.txt")).unwrap();
    let peer = stage.peer().await;
    let plain = keys.join("config").to_str().unwrap().to_owned();
    let through_parent = stage.path("../home/.ssh/config");
    for (id, path, real) in [
        (1, plain.as_str(), "config"),
        (2, through_parent.as_str(), "config"),
        (3, stage.path("docs/deep/config").as_str(), "deep/config"),
        (4, stage.path("notes.txt").as_str(), "authorized_keys"),
    ] {
        peer.open_diff(id, path, "theirs").await;
        let review = stage.review().await;
        assert_eq!(review.outside.as_deref(), keys.join(real).to_str(), "{path}");
        assert_eq!(review.file, path, "the path stays as the agent sent it");
    }
    peer.open_diff(5, &stage.file("a.txt", "a"), "b").await;
    assert_eq!(stage.review().await.outside, None);
}
