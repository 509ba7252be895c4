//! `alongside turn claude --wait` as Claude Code runs it during an idle session, with the real host and desk.

use std::process::{Child, Output};
use std::time::Instant;

use serde_json::Value;

use crate::comments::{changed_by, comment, finish};
use crate::json::{wait_for_later_review, wait_for_message};
use crate::support::{DEADLINE, Home, Running};
use crate::turns::{event, hook, silent, start, turn, with_repository};

/// The notification with the review of a turn.
const TURN: &str = "alongside/didChangeTurn";
/// The route of a message to a session whose hook waits.
const AT_ONCE: &str = "Claude Code reads it at once";
/// The route of a message to a session without a waiting hook.
const LATER: &str = "Claude Code reads it with your next prompt";

/// Runs a turn hook of a session that a script has started.
fn of_script(home: &Home, name: &str) -> Output {
    let mut input: Value = serde_json::from_slice(&event(home, name)).unwrap();
    input["session_id"] = "script".into();
    let mut command = hook(home, &["claude"]);
    command.env("CLAUDE_CODE_SESSION_ATTENDED", "0");
    start(command, input.to_string().as_bytes()).wait_with_output().unwrap()
}

/// Starts a waiting hook of a session. `attended` is the answer to whether there is a person.
fn start_waiting_hook(home: &Home, attended: &str) -> Child {
    let mut command = hook(home, &["claude", "--wait"]);
    command.env("CLAUDE_CODE_SESSION_ATTENDED", attended);
    start(command, &event(home, "Stop"))
}

/// Waits for the end of a hook and returns its output.
fn ended(mut child: Child) -> Output {
    let begun = Instant::now();
    while child.try_wait().unwrap().is_none() {
        assert!(begun.elapsed() < DEADLINE, "it waits on");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    child.wait_with_output().unwrap()
}

/// Returns a home with a turn of Claude Code that has ended, and a desk that shows it. Returns `None` without
/// git.
async fn idle() -> Option<(Home, Running)> {
    let (home, desk) = changed_by("claude")?;
    wait_for_message(&desk, TURN, |turn| turn["route"]["words"] == LATER).await;
    Some((home, desk))
}

/// Sends a comment on the second line.
async fn send(desk: &mut Running, turn: &Value) -> Value {
    let turn = comment(desk, turn, "louder").await;
    finish(desk, &turn).await
}

#[tokio::test]
async fn a_message_wakes_the_session_once() {
    let Some((home, mut desk)) = idle().await else { return };
    let hook = start_waiting_hook(&home, "1");
    let turn_review = wait_for_message(&desk, TURN, |turn| turn["route"]["words"] == AT_ONCE).await;
    silent(&ended(start_waiting_hook(&home, "1")));
    let finished = send(&mut desk, &turn_review).await;
    assert_eq!(finished["sent"]["words"], AT_ONCE);
    let output = ended(hook);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{said}");
    assert!(said.contains("Comment 1: `a.txt`, line 2\n```\nTWO\n```\n> louder\n"), "{said}");
    let read = wait_for_message(&desk, TURN, |turn| turn["message"]["read"].is_u64()).await;
    assert_eq!(read["message"]["words"], "Claude Code has read it, and goes on");
    assert_eq!(read["route"]["words"], LATER);
    silent(&turn(&home, "claude", &event(&home, "UserPromptSubmit")));
}

#[tokio::test]
async fn the_next_prompt_ends_the_wait_and_gets_the_message_itself() {
    let Some((home, mut desk)) = idle().await else { return };
    let hook = start_waiting_hook(&home, "1");
    let turn_review = wait_for_message(&desk, TURN, |turn| turn["route"]["words"] == AT_ONCE).await;
    silent(&turn(&home, "claude", &event(&home, "UserPromptSubmit")));
    silent(&ended(hook));
    let turn_review =
        wait_for_later_review(&desk, &turn_review, |turn| turn["route"]["words"] == LATER).await;
    assert_eq!(send(&mut desk, &turn_review).await["sent"]["words"], LATER);
    // A message that is sent during a turn wakes the session at the end of the turn.
    silent(&turn(&home, "claude", &event(&home, "Stop")));
    let output = ended(start_waiting_hook(&home, "1"));
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("> louder\n"), "{output:?}");
}

#[tokio::test]
async fn a_session_of_a_script_gets_no_message() {
    let Some((home, mut desk)) = idle().await else { return };
    silent(&of_script(&home, "UserPromptSubmit"));
    silent(&of_script(&home, "Stop"));
    // The review of the turn is unchanged: it still names the next prompt.
    let turn_review = wait_for_message(&desk, TURN, |turn| turn["route"]["words"] == LATER).await;
    send(&mut desk, &turn_review).await;
    silent(&of_script(&home, "UserPromptSubmit"));
    let output = turn(&home, "claude", &event(&home, "UserPromptSubmit"));
    assert!(String::from_utf8_lossy(&output.stdout).contains("louder"), "{output:?}");
}

/// Claude Code ends a session without a person only after its hooks.
#[tokio::test]
async fn a_hook_does_not_wait_in_a_session_without_a_person() {
    let Some(home) = with_repository() else { return };
    silent(&turn(&home, "claude", &event(&home, "UserPromptSubmit")));
    silent(&turn(&home, "claude", &event(&home, "Stop")));
    silent(&ended(start_waiting_hook(&home, "0")));
}
