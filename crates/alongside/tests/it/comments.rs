//! Comments on a turn: the real host keeps them, an agent reads them at its next prompt, and a person lists
//! and copies them.

use std::io::Write as _;

use serde_json::{Value, json};

use crate::json::{send_request, wait_for_message};
use crate::support::{Home, Running};
use crate::turns::{event, hook, silent, turn, with_repository};

/// The notification with the review of a turn.
const TURN: &str = "alongside/didChangeTurn";

/// Returns a project in which an agent has changed `a.txt`, and a desk that reviews the change. Returns
/// `None` without git.
pub(crate) fn changed_by(agent: &str) -> Option<(Home, Running)> {
    let home = with_repository()?;
    silent(&turn(&home, agent, &event(&home, "UserPromptSubmit")));
    home.file("a.txt", "one\nTWO\n");
    silent(&turn(&home, agent, &event(&home, "Stop")));
    let desk = home.review(&["--json", "--since"]);
    Some((home, desk))
}

/// Returns a project in which Codex has changed `a.txt`, a desk that reviews the change, and the review.
/// Returns `None` without git.
pub(crate) async fn reviewed() -> Option<(Home, Running, Value)> {
    let (home, desk) = changed_by("codex")?;
    let turn = wait_for_message(&desk, TURN, |turn| turn["files"][0]["path"] == "a.txt").await;
    Some((home, desk, turn))
}

/// Adds a comment on the second line. Returns the review with the comment.
pub(crate) async fn comment(desk: &mut Running, turn: &Value, text: &str) -> Value {
    let lines = json!({ "first": 2, "last": 2 });
    let (id, revision) = (&turn["id"], &turn["revision"]);
    let add = json!({ "turn": id, "revision": revision, "file": 0, "lines": lines, "text": text });
    send_request(desk, "addComment", add);
    let has = |turn: &Value| {
        turn["comments"].as_array().is_some_and(|all| all.iter().any(|one| one["text"] == text))
    };
    wait_for_message(desk, TURN, has).await
}

/// Finishes the review and sends its comments. Returns the notification of the end.
pub(crate) async fn finish(desk: &mut Running, turn: &Value) -> Value {
    let send = json!({ "turn": turn["id"], "revision": turn["revision"], "send": true });
    send_request(desk, "finishTurn", send);
    wait_for_message(desk, "alongside/didFinishTurn", |_| true).await
}

/// Runs the hook of a prompt and returns the text for the agent's model.
fn context(home: &Home, agent: &str) -> String {
    let output = turn(home, agent, &event(home, "UserPromptSubmit"));
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["hookSpecificOutput"]["hookEventName"], "UserPromptSubmit");
    answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn an_agent_reads_comments_once_at_its_next_prompt() {
    let Some((home, mut desk, turn_review)) = reviewed().await else { return };
    assert_eq!(turn_review["route"]["words"], "Codex reads it with your next prompt");
    assert_eq!(
        home.run(&["comments"]).out,
        "No comment waits here. `alongside --since` shows what has changed, for you to comment on.\n"
    );
    let list = comment(&mut desk, &turn_review, "too loud").await;
    assert_eq!(list["comments"][0]["anchor"]["code"], "TWO\n", "the host reads the code itself");
    let shown = "a.txt, line 2 (not sent)\n  | TWO\n  > too loud\n\n\
                 1 comment is not sent. Finish the review to send it.\n";
    assert_eq!(home.run(&["comments"]).out, shown);
    silent(&turn(&home, "codex", &event(&home, "UserPromptSubmit")));
    let finished = finish(&mut desk, &list).await;
    assert_eq!(finished["sent"]["words"], "Codex reads it with your next prompt");
    let shown = "a.txt, line 2 (sent)\n  | TWO\n  > too loud\n\n\
                 A message is sent: Codex reads it with your next prompt.\n";
    assert_eq!(home.run(&["comments"]).out, shown);
    // Neither a prompt to another agent nor the end of a turn delivers the message.
    silent(&turn(&home, "claude", &event(&home, "UserPromptSubmit")));
    silent(&turn(&home, "codex", &event(&home, "Stop")));
    let text = context(&home, "codex");
    assert!(text.contains("Comment 1: `a.txt`, line 2\n```\nTWO\n```\n> too loud\n"), "{text}");
    // The message counts as read when the turn of that prompt ends.
    let given = "Codex has got it with your prompt, and has read it once its turn ends";
    wait_for_message(&desk, TURN, |turn| turn["message"]["words"] == given).await;
    silent(&turn(&home, "codex", &event(&home, "Stop")));
    let read = wait_for_message(&desk, TURN, |turn| turn["message"]["read"].is_u64()).await;
    assert_eq!(read["message"]["words"], "Codex has read it with your prompt, and has ended its turn");
    silent(&turn(&home, "codex", &event(&home, "UserPromptSubmit")));
    assert_eq!(home.run(&["comments", "--sent"]).out, text);
    let listed = home.run(&["comments", "--json"]).json();
    assert_eq!(listed["comments"][0]["state"], "open");
    assert_eq!(listed["message"]["text"], Value::from(text));
    let open = "a.txt, line 2 (read, and nothing has changed there)\n";
    assert!(home.run(&["comments"]).out.starts_with(open));
    assert!(home.run(&["turns"]).out.contains("  Your last rounds: 1 comment open\n"));
}

#[tokio::test]
async fn uninstalling_keeps_an_unsent_comment_until_drafts_are_named() {
    let Some((home, mut desk, turn_review)) = reviewed().await else { return };
    comment(&mut desk, &turn_review, "too loud").await;
    desk.ends_input();
    desk.ends();
    home.kill_hosts();
    let top = home.project.display();
    let snapshots = format!("  remove   the snapshots of turns in {top}\n");
    let stays = "alongside: 1 comment stays: `alongside comments` shows what there is, --drafts deletes it\n";
    let removed = home.run(&["uninstall", "--all", "--yes"]);
    assert!(removed.out.contains(&snapshots) && removed.out.ends_with("Done.\n"), "{}", removed.all_output());
    assert!(removed.all_output().contains(stays), "{}", removed.all_output());
    let again = home.run(&["uninstall", "--all", "--yes"]);
    assert_eq!(again.out, "There is nothing to remove.\n");
    assert!(again.all_output().contains(stays), "{}", again.all_output());
    assert!(home.run(&["comments"]).out.contains("> too loud\n"));
    let deleted = home.run(&["uninstall", "--all", "--drafts", "--yes"]);
    let listed = format!(
        "Texts that only alongside keeps:\n  comment  too loud (not read, in {top})\nDeleted 1 comment.\n"
    );
    assert!(deleted.status.success() && deleted.out.ends_with(&listed), "{}", deleted.all_output());
    assert!(!home.path("home/.local/state/alongside").exists());
}

#[tokio::test]
async fn a_message_survives_its_host_and_a_hook_whose_agent_is_gone() {
    let Some((home, mut desk, turn_review)) = reviewed().await else { return };
    let list = comment(&mut desk, &turn_review, "too loud").await;
    finish(&mut desk, &list).await;
    home.kill_hosts();
    desk.ends_input();
    desk.ends();
    home.kill_hosts();
    // The output of a hook whose agent is gone is not read, and the message stays unread.
    let mut child = hook(&home, &["codex"]).spawn().unwrap();
    drop(child.stdout.take());
    child.stdin.take().unwrap().write_all(&event(&home, "UserPromptSubmit")).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    assert!(home.run(&["comments"]).out.contains("> too loud\n"));
    assert!(context(&home, "codex").contains("> too loud\n"));
    // An unreadable log does not stop the agent.
    let stores = home.path("home/.local/state/alongside/turns");
    let store = std::fs::read_dir(stores).unwrap().flatten().find(|entry| entry.path().is_dir()).unwrap();
    let log = store.path().join("comments");
    std::fs::remove_file(&log).unwrap();
    std::fs::create_dir(&log).unwrap();
    silent(&turn(&home, "codex", &event(&home, "UserPromptSubmit")));
}

#[tokio::test]
async fn copied_comments_are_not_delivered_again() {
    let Some((home, mut desk, turn_review)) = reviewed().await else { return };
    comment(&mut desk, &turn_review, "too loud").await;
    let refused = home.run(&["comments", "--copy"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(refused.err.contains("the clipboard is that of a terminal"), "{}", refused.all_output());
    assert!(home.run(&["comments"]).out.contains("not sent"), "nothing was taken");
    let mut terminal = home.at_terminal(&["comments", "--copy"]);
    let shown = terminal.shows("Paste it into your agent").await;
    assert!(shown.contains("\u{1b}]52;c;QSBwZXJzb24g"), "{shown:?}");
    assert!(terminal.ends().success());
    assert!(home.run(&["comments"]).out.starts_with("No comment waits here."));
    silent(&turn(&home, "codex", &event(&home, "UserPromptSubmit")));
    assert!(home.run(&["comments", "--sent"]).out.contains("> too loud\n"));
}
