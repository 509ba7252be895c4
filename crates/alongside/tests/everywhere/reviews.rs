//! Reviews over MCP: decisions, a second desk, and a killed host.

use std::io::Read as _;
use std::process::Stdio;

use alongside_agent::Outcome;
use serde_json::json;

use crate::home::{Home, PROGRAM, files_below, propose, soon};

#[test]
fn the_demo_acts_as_both_sides_and_leaves_no_file() {
    let home = Home::new();
    let transcript = home.succeeds(&["demo"]);
    assert!(transcript.contains("accepted") || transcript.contains("Accepted"), "{transcript}");
    assert!(!transcript.contains(r"\\?\"), "{transcript}");
    assert_eq!(files_below(&home.path("tmp")), [""; 0]);
}

#[tokio::test]
async fn a_program_drops_a_hunk_and_accepts_the_rest() {
    let home = Home::new();
    let file = home.file("a.txt", "a\nb\nc\nd\ne\n");
    let mut desk = home.desk();
    let agent = home.agent().await;
    let diff = propose(&agent, &file, "A\nb\nc\nd\nE\n").await;
    let mut review = desk.review(&file).await;
    assert_eq!(review["hunks"].as_array().unwrap().len(), 2);
    desk.asks(&json!({"method": "alongside/keepHunks", "params":
        {"id": review["id"], "revision": review["revision"], "hunks": [1], "keep": false}}));
    let changed = desk.hears("alongside/didChangeReview", |changed| changed["id"] == review["id"]).await;
    review["revision"] = changed["revision"].clone();
    desk.decides(&review, "accept");
    let outcome = soon("the outcome", diff.outcome()).await;
    assert_eq!(outcome, Outcome::Accepted { content: "A\nb\nc\nd\ne\n".into() });
    let closed = desk.hears("alongside/didCloseReview", |closed| closed["id"] == review["id"]).await;
    assert_eq!(closed["closing"], "accepted");
}

#[tokio::test]
async fn an_edited_text_is_accepted_and_another_one_rejected() {
    let home = Home::new();
    let (one, other) = (home.file("a.txt", "a\r\n"), home.file("b.txt", "b\n"));
    let mut desk = home.desk();
    let agent = home.agent().await;
    let (edited, rejected) = (propose(&agent, &one, "A\n").await, propose(&agent, &other, "B\n").await);
    let mut review = desk.review(&one).await;
    assert_eq!(review["fileLineEnding"], "crlf");
    desk.asks(&json!({"method": "alongside/editReview", "params":
        {"id": review["id"], "revision": review["revision"], "changes": [{"text": "mine\n"}]}}));
    let changed = desk.hears("alongside/didChangeReview", |changed| changed["id"] == review["id"]).await;
    review["revision"] = changed["revision"].clone();
    desk.decides(&review, "accept");
    assert_eq!(soon("the edit", edited.outcome()).await, Outcome::Accepted { content: "mine\n".into() });
    let review = desk.review(&other).await;
    desk.decides(&review, "reject");
    assert_eq!(soon("the rejection", rejected.outcome()).await, Outcome::Rejected);
}

#[tokio::test]
async fn two_desks_share_one_host_and_either_decides() {
    let home = Home::new();
    let file = home.file("a.txt", "a\n");
    let first = home.desk();
    first.hears("alongside/didChangeStatus", |_| true).await;
    let mut second = home.desk();
    second.hears("alongside/didChangeStatus", |status| status["desks"] == 2).await;
    assert_eq!(home.hosts().len(), 1);
    let agent = home.agent().await;
    let diff = propose(&agent, &file, "A\n").await;
    first.review(&file).await;
    let review = second.review(&file).await;
    second.decides(&review, "accept");
    assert_eq!(soon("the outcome", diff.outcome()).await, Outcome::Accepted { content: "A\n".into() });
    let closed = first.hears("alongside/didCloseReview", |closed| closed["id"] == review["id"]).await;
    assert!(closed["decidedHere"].is_null(), "{closed}");
}

#[tokio::test]
async fn an_agent_finds_the_companion_after_its_host_was_killed() {
    let home = Home::new();
    let file = home.file("a.txt", "a\n");
    let mut desk = home.desk();
    let status = desk.hears("alongside/didChangeStatus", |_| true).await;
    home.kill_hosts();
    desk.hears("alongside/didChangeStatus", |again| again["pid"] != status["pid"]).await;
    let agent = home.agent().await;
    let diff = propose(&agent, &file, "A\n").await;
    let review = desk.review(&file).await;
    desk.decides(&review, "reject");
    assert_eq!(soon("the outcome", diff.outcome()).await, Outcome::Rejected);
}

/// On Windows, the file may be on another drive, and then its path has no part in common with the project's.
#[tokio::test]
async fn a_file_outside_the_project_does_not_end_the_host() {
    let home = Home::new();
    let outside = home.path("home").join("notes.txt");
    std::fs::write(&outside, "a\n").unwrap();
    let mut desk = home.desk();
    let status = desk.hears("alongside/didChangeStatus", |_| true).await;
    desk.asks(&json!({"method": "alongside/didChangeContext", "params": {
        "active": {"path": outside}, "openFiles": [{"path": outside, "dirty": false}]}}));
    let told = |status: &serde_json::Value| !status["context"].as_array().unwrap_or(&Vec::new()).is_empty();
    let now = desk.hears("alongside/didChangeStatus", told).await;
    assert_eq!(now["pid"], status["pid"], "the same host: {now}");
    let file = home.file("a.txt", "a\n");
    let agent = home.agent().await;
    let diff = propose(&agent, &file, "A\n").await;
    let review = desk.review(&file).await;
    desk.decides(&review, "accept");
    assert_eq!(soon("the outcome", diff.outcome()).await, Outcome::Accepted { content: "A\n".into() });
}

/// A program that reads the output of a desk waits for the end of the desk, and not for that of its host.
#[tokio::test]
async fn the_output_of_a_desk_ends_with_the_desk_and_not_its_host() {
    let home = Home::new();
    let mut desk = home.alongside(&["review", "--json"]);
    desk.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut desk = desk.spawn().unwrap();
    let mut out = desk.stdout.take().unwrap();
    let other = home.desk();
    other.hears("alongside/didChangeStatus", |status| status["desks"] == 2).await;
    desk.kill().unwrap();
    desk.wait().unwrap();
    let read = tokio::task::spawn_blocking(move || out.read_to_end(&mut Vec::new()));
    soon("the end of the output", read).await.unwrap().unwrap();
    assert_eq!(home.hosts().len(), 1);
}

#[tokio::test]
async fn an_agent_is_started_with_the_companions_address() {
    let home = Home::new();
    let mut desk = home.desk();
    let status = desk.hears("alongside/didChangeStatus", |_| true).await;
    // On Windows, the programs that npm installs are scripts.
    let (name, script) = match cfg!(windows) {
        true => ("an-agent.cmd", "@echo port %GEMINI_CLI_IDE_SERVER_PORT%\r\n"),
        false => ("an-agent", "#!/bin/sh\necho port $GEMINI_CLI_IDE_SERVER_PORT\n"),
    };
    let bin = home.path("bin");
    std::fs::create_dir(&bin).unwrap();
    std::fs::write(bin.join(name), script).unwrap();
    #[cfg(unix)]
    std::fs::set_permissions(bin.join(name), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::iter::once(bin).chain(std::env::split_paths(&path))).unwrap();
    let ran = home.command(PROGRAM).args(["run", "--", "an-agent"]).env("PATH", path).output().unwrap();
    let said = String::from_utf8_lossy(&ran.stdout).into_owned();
    let wanted = format!("port {}", status["port"]);
    assert!(said.contains(&wanted), "{said}{}", String::from_utf8_lossy(&ran.stderr));
    desk.asks(&json!({"method": "alongside/didFocus"}));
}
