//! `alongside host`, and hosts and desks of different releases.

use alongside_agent::{Outcome, find};
use alongside_desk::socket::{JoinError, Mismatch, PROTOCOL, join};
use insta::assert_snapshot;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{UnixListener, UnixStream};
use tokio::task::JoinHandle;

use super::{dial, hello, is_dead};
use crate::support::{Home, accepted, files_below, propose, proposed, serving, set_mode, soon, until};

#[tokio::test]
async fn a_handover_keeps_port_and_token() {
    let (home, file) = Home::with_file("a.txt", "a\n");
    let (mut desk, agent, diff) =
        home.proposal(&file, "A\n", home.review_with_editor("sed -i s/A/precious/")).await;
    desk.answers_and_shows("(1/1) keep", "e", "+precious").await;
    let (before, records) = (home.hosts(), find::all_records(&home.surroundings()));
    let replaced = home.run(&["host", "--replace"]);
    assert_eq!(replaced.status.code(), Some(0), "{}", replaced.err);
    let after = home.hosts();
    assert_eq!(after[0].1, before[0].1);
    assert_ne!(after[0].0, before[0].0);
    let now = find::all_records(&home.surroundings());
    assert_eq!((now[0].1.port, &now[0].1.auth_token), (records[0].1.port, &records[0].1.auth_token));
    desk.shows("replaced by a newer one").await;
    assert_eq!(soon("the outcome", diff.outcome()).await, Outcome::Rejected);
    let again = propose(&agent, &file, "B\n").await;
    desk.answers("(1/1) keep", "a").await;
    assert_eq!(soon("the outcome", again.outcome()).await, accepted("B\n"));
    assert_snapshot!(home.prints(&["drafts"]), @"
    $ alongside drafts
    1. [PROJECT]/a.txt (Gemini CLI, [AGO]): its review was interrupted

    `alongside drafts show 1` prints the first one, `alongside drafts save 1 FILE` writes it to a
      ↪ file.
    ");
}

#[tokio::test]
async fn a_host_can_be_stopped_by_process_id() {
    let (home, mut desk, _agent, diff) = proposed("a.txt", "a\n", "A\n").await;
    desk.shows("(1/1) keep").await;
    let host = home.hosts()[0].0;
    let stopped = home.run(&["host", "--stop", &host.to_string()]);
    assert_eq!(stopped.status.code(), Some(0), "{}", stopped.err);
    assert_eq!(soon("the outcome", diff.outcome()).await, Outcome::Rejected);
    assert_eq!(desk.ends().code(), Some(1));
    assert!(find::all_records(&home.surroundings()).is_empty());
    until("the host to end", || is_dead(host).then_some(())).await;
    assert_snapshot!(home.prints(&["host --stop", "host"]));
}

#[tokio::test]
async fn stopping_the_host_keeps_text_being_typed() {
    let (home, file) = Home::with_file("a.txt", "a\n");
    let editor = "edit() { echo early > \"$1\"; echo open; \
                  while [ ! -e \"$HOME/go\" ]; do sleep 0.02; done; echo late > \"$1\"; }; edit";
    let mut desk = home.review_with_editor(editor);
    let (_agent, diff) = home.proposes(&file, "A\n").await;
    desk.answers_and_shows("(1/1) keep", "e", "open").await;
    assert_eq!(home.run(&["host", "--stop"]).status.code(), Some(0));
    assert_eq!(soon("the outcome", diff.outcome()).await, Outcome::Rejected);
    std::fs::write(home.path("home/go"), "").unwrap();
    desk.shows("Your text is in ").await;
    desk.shows("(`alongside drafts`)").await;
    desk.shows("The companion has stopped").await;
    assert_eq!(desk.ends().code(), Some(1));
    let kept = files_below(home.path("home/.local/state/alongside/drafts"));
    let texts: Vec<_> = kept.iter().filter_map(|path| std::fs::read_to_string(path).ok()).collect();
    assert!(texts.contains(&"late\n".to_owned()), "{texts:?}");
}

#[tokio::test]
async fn a_desk_of_another_protocol_gets_a_hint() {
    let (home, _desk) = serving().await;
    let mut newer = hello(None);
    newer.initialization_options.alongside.protocol = PROTOCOL + 1;
    let refused = soon("the refusal", join(dial(&home).await, &newer)).await;
    let Err(JoinError::Mismatch { message, host }) = refused else { panic!("{refused:?}") };
    assert_snapshot!(home.stable(message), @"
    the companion of this project still runs the older alongside [VERSION]: hand over with `alongside
      ↪ host --replace`
    ");
    assert_eq!(host, Mismatch { protocol: PROTOCOL, version: env!("CARGO_PKG_VERSION").into() });
}

/// Starts a simulated host of an earlier release, which gives a joining desk this answer and keeps running.
fn earlier_host(home: &Home, answer: &Value) -> JoinHandle<UnixStream> {
    let directory = home.directory("run/alongside");
    set_mode(&directory, 0o700);
    let entry =
        json!({ "name": "old", "pid": 1, "version": "0.0.1", "roots": [home.project], "focusedAt": 1 });
    std::fs::write(directory.join("old.json"), entry.to_string()).unwrap();
    let listener = UnixListener::bind(directory.join("old.sock")).unwrap();
    let mut answer = answer.clone();
    answer["jsonrpc"] = "2.0".into();
    answer["id"] = 0.into();
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut asked = Vec::new();
        let is_whole = |asked: &[u8]| {
            let asked = String::from_utf8_lossy(asked);
            let Some((head, body)) = asked.split_once("\r\n\r\n") else { return false };
            let length = head.split_once("Content-Length: ").and_then(|(_, length)| length.parse().ok());
            length.is_some_and(|length: usize| body.len() >= length)
        };
        while !is_whole(&asked) {
            assert!(stream.read_buf(&mut asked).await.unwrap() > 0);
        }
        let answer = answer.to_string();
        let framed = format!("Content-Length: {}\r\n\r\n{answer}", answer.len());
        stream.write_all(framed.as_bytes()).await.unwrap();
        stream
    })
}

#[tokio::test]
async fn no_desk_joins_or_replaces_a_host_of_another_protocol() {
    let home = Home::new();
    let data = json!({ "protocol": 0, "version": "0.0.1" });
    let error = json!({ "code": -32099, "message": "the old one's words", "data": data });
    let host = earlier_host(&home, &json!({ "error": error }));
    let refused = tokio::task::spawn_blocking(move || (home.run(&["review"]), home)).await.unwrap();
    host.await.unwrap();
    let (output, home) = refused;
    assert_snapshot!(home.stable(output), @"
    --- errors:
    alongside: the companion of this project still runs the older alongside 0.0.1
      hint: hand over to this version with `alongside host --replace`
    --- exit code 1
    ");
    assert_eq!(home.hosts().len(), 1, "no other was started");
    std::fs::remove_dir_all(home.path("run/alongside")).unwrap();
}

#[tokio::test]
async fn an_older_host_that_still_runs_is_named_once() {
    let home = Home::new();
    let serves = json!({
        "protocol": PROTOCOL, "name": "old", "pid": 1, "roots": [home.project], "port": 1, "token": "x"
    });
    let program = json!({ "name": "alongside", "version": "0.0.1" });
    let host = earlier_host(&home, &json!({ "result": { "serverInfo": program, "alongside": serves } }));
    let desk = home.review(&["--json"]);
    let said = crate::json::wait_for_message(&desk, "alongside/problem", |_| true).await;
    let what = "the companion of this project still runs the older alongside 0.0.1";
    let hint = "hand over to this version with `alongside host --replace`";
    assert_eq!(said, json!({ "what": what, "hint": hint }));
    assert_eq!(desk.out.text().matches("the older alongside").count(), 1);
    drop((desk, host));
    std::fs::remove_dir_all(home.path("run/alongside")).unwrap();
}
