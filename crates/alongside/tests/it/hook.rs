//! `alongside hook` as an agent runs it: a tool call on its input, the answer on its output.

mod patches;

use std::path::Path;
use std::process::Stdio;

use insta::assert_snapshot;
use rustix::process::Signal;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;

use crate::support::{Home, Running, propose, send, serving, serving_file, soon, until};

const ORIGINAL: &str = "one\ntwo\nthree\nfour\nfive\n";
const PROPOSED: &str = "ONE\ntwo\nthree\nfour\nFIVE\n";

/// A running hook.
pub(crate) struct Hook(tokio::process::Child);

impl Hook {
    /// Runs the hook with these arguments on this input. The hook finds hosts of this home only.
    pub(crate) async fn start(home: &Home, arguments: &[&str], input: &[u8]) -> Self {
        let mut command = home.alongside(&["hook"]);
        // The option keeps the hook from the hosts of the real user, whatever its environment is.
        command.args(arguments).arg("--runtime-dir").arg(home.runtime_dir());
        Self::of(command, input).await
    }

    /// Runs the hook that precedes a call of this tool, for an agent in this directory.
    pub(crate) async fn before(home: &Home, arguments: &[&str], cwd: &Path, tool: &str, call: Value) -> Self {
        Self::start(home, arguments, &input(cwd, "PreToolUse", tool, &call)).await
    }

    /// Runs the command of a hook on this input.
    pub(crate) async fn of(command: std::process::Command, input: &[u8]) -> Self {
        let mut command = tokio::process::Command::from(command);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        // The pipe breaks if a hook answers before it has read everything.
        let _ = stdin.write_all(input).await;
        Self(child)
    }

    /// Waits for the answer of the hook. Returns null if the hook prints nothing.
    pub(crate) async fn answer(self) -> Value {
        let output = soon("the answer of the hook", self.0.wait_with_output()).await.unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success() && error.is_empty(), "{:?}: {error}", output.status);
        match output.stdout.is_empty() {
            true => Value::Null,
            false => serde_json::from_slice(&output.stdout).unwrap(),
        }
    }
}

/// Returns the input that an agent gives its hook for a tool call.
pub(crate) fn input(cwd: &Path, event: &str, tool: &str, arguments: &Value) -> Vec<u8> {
    let input = json!({
        "session_id": "s",
        "cwd": cwd,
        "hook_event_name": event,
        "tool_name": tool,
        "tool_input": arguments,
    });
    input.to_string().into_bytes()
}

/// Runs the hook of Claude Code before it writes a file.
pub(crate) async fn write(home: &Home, file: &str, content: &str) -> Hook {
    let call = json!({ "file_path": file, "content": content });
    Hook::before(home, &["claude"], &home.project, "Write", call).await
}

/// Runs the hook of Qwen Code before it writes a file. The agent waits for 8 s, so the hook answers after 6
/// s.
async fn write_in_qwen(home: &Home, file: &str, content: &str) -> Hook {
    let call = json!({ "file_path": file, "content": content });
    Hook::before(home, &["qwen", "--timeout", "8"], &home.project, "write_file", call).await
}

/// Runs the hook of Codex before it applies a patch.
pub(crate) async fn patch(home: &Home, patch: &str) -> Hook {
    Hook::before(home, &["codex"], &home.project, "apply_patch", json!({ "command": patch })).await
}

/// Asserts that an answer in the form of Claude Code and Qwen Code refuses the call. Returns the reason.
pub(crate) fn refused(answer: &Value) -> String {
    let output = &answer["hookSpecificOutput"];
    assert_eq!(output["permissionDecision"], "deny", "{answer}");
    output["permissionDecisionReason"].as_str().unwrap().to_owned()
}

/// Answers the question about the next change with this key.
pub(crate) async fn decides(desk: &mut Running, key: &str) {
    desk.answers("keep this change", key).await;
}

#[tokio::test]
async fn a_hook_without_a_companion_is_silent_and_leaves_no_file() {
    let (home, file) = Home::with_file("a.txt", ORIGINAL);
    let before = crate::support::files_below(home.path(""));
    for bad in [&b"not json"[..], b"", b"{}"] {
        assert_eq!(Hook::start(&home, &["claude"], bad).await.answer().await, Value::Null);
    }
    assert_eq!(write(&home, &file, PROPOSED).await.answer().await, Value::Null);
    assert_eq!(crate::support::files_below(home.path("")), before);
}

#[tokio::test]
async fn a_companion_with_context_only_reviews_nothing() {
    let home = Home::with_settings("[reviews]\nenabled = false\n");
    let file = home.file("a.txt", ORIGINAL);
    let _desk = home.serving().await;
    assert_eq!(write(&home, &file, PROPOSED).await.answer().await, Value::Null);
}

#[tokio::test]
async fn hostile_calls_get_a_clear_refusal() {
    let (home, _desk) = serving().await;
    let outside = home.path("outside.txt");
    std::fs::write(&outside, ORIGINAL).unwrap();
    std::os::unix::fs::symlink(&outside, home.project.join("link.txt")).unwrap();
    std::os::unix::fs::symlink(home.path(""), home.project.join("up")).unwrap();
    let link = home.in_project("link.txt");
    let through = home.in_project("up/outside.txt");
    let dots = home.in_project("../outside.txt");
    let outside = outside.to_str().unwrap().to_owned();
    let mut reasons = String::new();
    for file in [&*outside, &*link, &*through, &*dots, "relative.txt", "~/.bashrc", "", "/dev/zero"] {
        reasons += &format!("{file:?}: {}\n", refused(&write(&home, file, "mine\n").await.answer().await));
    }
    let edit = json!({ "file_path": "/dev/zero", "old_string": "a", "new_string": "b" });
    let device = Hook::before(&home, &["claude"], &home.project, "Edit", edit).await;
    let edited = refused(&device.answer().await);
    let huge = refused(&write(&home, &home.in_project("a.txt"), &"x".repeat(64 << 20)).await.answer().await);
    let garbage = refused(&Hook::start(&home, &["claude"], b"not json").await.answer().await);
    reasons += &format!("edit of a device: {edited}\n64 MB: {huge}\nno JSON: {garbage}\n");
    assert_snapshot!(home.stable(reasons));
    assert_eq!(std::fs::read_to_string(&outside).unwrap(), ORIGINAL);
}

/// The agent may be in another directory, to which a shell command has led it.
#[tokio::test]
async fn the_project_of_a_file_decides_which_companion_reviews_it() {
    let (home, mut desk, file) = serving_file("a.txt", ORIGINAL).await;
    let call = json!({ "file_path": file, "content": PROPOSED });
    let hook = Hook::before(&home, &["claude"], Path::new("/"), "Write", call).await;
    decides(&mut desk, "r").await;
    assert!(refused(&hook.answer().await).contains("rejected all of it"));
}

/// The companion of the file refuses the edit, although the change cannot be computed.
#[tokio::test]
async fn an_edit_that_does_not_apply_is_refused_wherever_the_agent_is() {
    let (home, _desk, file) = serving_file("a.txt", ORIGINAL).await;
    let relative = home.in_project("a.txt").trim_start_matches('/').to_owned();
    let edit = async |file: &str, old: &str| {
        let call = json!({ "file_path": file, "old_string": old, "new_string": "x" });
        Hook::before(&home, &["claude"], Path::new("/"), "Edit", call).await.answer().await
    };
    for (file, old, why) in [
        (&*file, "  one", "does not occur in"),
        (&*file, "e", "occurs several times"),
        (&*home.in_project("none.txt"), "one", "there is no file"),
        (&*relative, "one", "is ambiguous"),
    ] {
        let answer = edit(file, old).await;
        assert!(refused(&answer).contains(why), "{answer}");
    }
    let update = format!("*** Begin Patch\n*** Update File: {file}\n@@\n-one \n+ONE\n*** End Patch");
    for (patch, why) in [
        (&update, "the patch does not apply"),
        (&update.replace(&file, &format!("{file}\r")), "carriage returns"),
        (&update.replace("@@", "@ "), "of the patch: "),
    ] {
        let call = json!({ "command": patch });
        let hook = Hook::before(&home, &["codex"], Path::new("/"), "apply_patch", call).await;
        let answer = hook.answer().await;
        assert!(refused(&answer).contains(why), "{answer}");
    }
}

/// The agent writes to the target of the link.
#[tokio::test]
async fn a_link_is_reviewed_by_the_companion_of_its_target() {
    let (home, mut desk) = serving().await;
    let elsewhere = home.directory("elsewhere");
    for (name, target) in [("a.txt", home.file("a.txt", ORIGINAL)), ("new.txt", home.in_project("new.txt"))] {
        let link = elsewhere.join(name);
        std::os::unix::fs::symlink(target, &link).unwrap();
        let call = json!({ "file_path": link, "content": PROPOSED });
        let hook = Hook::before(&home, &["claude"], &elsewhere, "Write", call).await;
        decides(&mut desk, "r").await;
        assert!(refused(&hook.answer().await).contains("rejected all of it"), "{name}");
        let call = json!({ "file_path": link, "old_string": "nowhere", "new_string": "x" });
        let inexact = Hook::before(&home, &["claude"], &elsewhere, "Edit", call).await;
        assert!(!refused(&inexact.answer().await).is_empty());
    }
    // A link out of the project is refused by the companion of the link.
    std::os::unix::fs::symlink(home.path("outside.txt"), home.project.join("out.txt")).unwrap();
    let call = json!({ "file_path": home.in_project("out.txt"), "content": PROPOSED });
    let out = Hook::before(&home, &["claude"], &elsewhere, "Write", call).await;
    assert!(refused(&out.answer().await).contains("outside the project"));
}

/// The answer repeats the arguments, because another hook's arguments would otherwise replace them.
#[tokio::test]
async fn a_write_of_the_unchanged_text_is_allowed_unasked() {
    let (home, _desk, file) = serving_file("a.txt", ORIGINAL).await;
    let answer = write(&home, &file, ORIGINAL).await.answer().await;
    assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "allow");
    let same = json!({ "file_path": file, "content": ORIGINAL });
    assert_eq!(answer["hookSpecificOutput"]["updatedInput"], same);
}

#[tokio::test]
async fn a_file_changed_during_its_review_gets_the_accepted_text() {
    let (home, mut desk, file) = serving_file("a.txt", ORIGINAL).await;
    let call = json!({ "file_path": file, "old_string": "one", "new_string": "ONE" });
    let hook = Hook::before(&home, &["claude"], &home.project, "Edit", call).await;
    desk.shows("keep this change").await;
    std::fs::write(&file, format!("zero\n{ORIGINAL}")).unwrap();
    desk.shows("the file changed on disk").await;
    decides(&mut desk, "y").await;
    desk.answers("accept, reject, or look again", "a").await;
    desk.answers("y", "y").await;
    let answer = hook.answer().await;
    let wanted = &answer["hookSpecificOutput"]["updatedInput"];
    assert_eq!((&wanted["old_string"], &wanted["new_string"]), (&json!("zero\none\n"), &json!("ONE\n")));
}

#[tokio::test]
async fn a_repeated_call_is_answered_from_the_open_review() {
    let (home, mut desk, file) = serving_file("a.txt", ORIGINAL).await;
    let first = write_in_qwen(&home, &file, PROPOSED).await;
    desk.shows("keep this change").await;
    let still_open = refused(&first.answer().await);
    assert_snapshot!(home.stable(still_open), @"
    The review of this change is still open, and nothing was written. Call the tool again with the
      ↪ same arguments, and do nothing else before: the next call gets its outcome.
    ");
    let again = write_in_qwen(&home, &file, PROPOSED).await;
    // The desk takes back its message that the agent does not wait.
    desk.shows("a.txt: Qwen Code has called its tool again, and waits for your decision.").await;
    desk.types("r");
    assert!(refused(&again.answer().await).contains("rejected all of it"));
    assert!(!desk.out.text().contains("replaced"), "{}", desk.out.text());
}

/// A decision that is taken while no call waits is the answer to the next call, and not to a diff of the same
/// text.
#[tokio::test]
async fn a_decision_between_two_calls_answers_only_the_second() {
    let (home, mut desk, file) = serving_file("a.txt", ORIGINAL).await;
    let first = write_in_qwen(&home, &file, PROPOSED).await;
    desk.shows("keep this change").await;
    assert!(refused(&first.answer().await).contains("is still open"));
    desk.answers("a.txt: Qwen Code waits no longer; its model is asked to call the tool again.", "r").await;
    desk.shows("Qwen Code waits no longer, and its model is told if it calls the tool again.").await;
    let (_agent, diff) = home.proposes(&file, PROPOSED).await;
    decides(&mut desk, "r").await;
    assert_eq!(soon("the outcome", diff.outcome()).await, alongside_agent::Outcome::Rejected);
    let again = write_in_qwen(&home, &file, PROPOSED).await.answer().await;
    assert_snapshot!(refused(&again), @"The person reviewed this change and rejected all of it.");
}

/// The agent's model may have ended the turn, and then the file is not written.
#[tokio::test]
async fn the_desk_announces_no_write_of_an_agent_that_gave_up() {
    let (home, mut desk, file) = serving_file("a.txt", ORIGINAL).await;
    let first = write_in_qwen(&home, &file, PROPOSED).await;
    desk.shows("keep this change").await;
    assert!(refused(&first.answer().await).contains("is still open"));
    desk.types("a");
    desk.answers("Accept all the same", "y").await;
    let said = "a.txt: accepted; Qwen Code waits no longer, and nothing is written unless its model calls";
    desk.shows(said).await;
    assert!(!desk.out.text().contains("Qwen Code writes it"), "{}", desk.out.text());
}

/// Qwen Code waits for a hook for a minute, and for a diff without a time limit.
#[tokio::test]
async fn a_short_hook_is_silent_if_its_agent_opens_a_diff() {
    let (home, mut desk, file) = serving_file("a.txt", ORIGINAL).await;
    let call = json!({ "file_path": file, "content": PROPOSED });
    let asks = input(&home.project, "PermissionRequest", "write_file", &call);
    let hook = async || Hook::start(&home, &["qwen", "--timeout", "8"], &asks).await.answer().await;
    let agent = home.agent_of("qwen").await;
    assert_eq!(hook().await, Value::Null, "a diff follows");
    let diff = propose(&agent, &file, PROPOSED).await;
    decides(&mut desk, "a").await;
    desk.answers_and_shows("Accept all the same", "y", "a.txt: accepted; Qwen Code writes it.").await;
    assert_eq!(soon("the outcome", diff.outcome()).await, crate::support::accepted(PROPOSED));
    assert_eq!(write_in_qwen(&home, &file, PROPOSED).await.answer().await, Value::Null);
    drop(agent);
}

/// In the other cases the diff would be in another session or would not be opened at all.
#[tokio::test]
async fn a_hook_is_silent_only_if_its_own_session_opens_a_diff() {
    let (home, mut desk, file) = serving_file("a.txt", ORIGINAL).await;
    let notebook = home.file("a.ipynb", r#"{"cells":[{"id":"c","cell_type":"raw","source":"a"}]}"#);
    let event = "PermissionRequest";
    let write = json!({ "file_path": file, "content": PROPOSED });
    let asks = input(&home.project, event, "write_file", &write);
    let cell = json!({ "notebook_path": notebook, "cell_id": "c", "new_source": "b" });
    let cell = input(&home.project, event, "notebook_edit", &cell);
    let mut by_subagent: Value = serde_json::from_slice(&asks).unwrap();
    by_subagent["agent_id"] = "a".into();
    let by_subagent = by_subagent.to_string().into_bytes();
    let hook = async |asks: &[u8]| Hook::start(&home, &["qwen"], asks).await;
    let denied = async |hook: Hook| {
        let answer = hook.answer().await;
        assert_eq!(answer["hookSpecificOutput"]["decision"]["behavior"], "deny", "{answer}");
    };
    let agent = home.agent_of("qwen").await;
    assert_eq!(hook(&asks).await.answer().await, Value::Null, "a diff follows");
    for asks in [&by_subagent, &cell] {
        let asked = hook(asks).await;
        decides(&mut desk, "r").await;
        denied(asked).await;
    }
    let other = home.agent_of("qwen").await;
    let write = json!({ "file_path": home.in_project("b.txt"), "content": PROPOSED });
    let asked = hook(&input(&home.project, event, "write_file", &write)).await;
    decides(&mut desk, "r").await;
    denied(asked).await;
    drop((agent, other));
}

#[tokio::test]
async fn an_agent_that_plans_is_not_reviewed() {
    let (home, _desk, file) = serving_file("a.txt", ORIGINAL).await;
    let plan = json!({
        "cwd": home.project, "hook_event_name": "PreToolUse", "permission_mode": "plan",
        "tool_name": "Write", "tool_input": { "file_path": file, "content": PROPOSED },
    });
    let answer = Hook::start(&home, &["claude"], plan.to_string().as_bytes()).await.answer().await;
    assert_eq!(answer, Value::Null);
}

#[tokio::test]
async fn the_agents_own_plans_are_not_reviewed() {
    let (home, _desk) = serving().await;
    let early = home.path("home/.claude/plans/first.md");
    assert_eq!(write(&home, early.to_str().unwrap(), "plan\n").await.answer().await, Value::Null);
    home.directory("home/.claude/plans");
    let plan = home.path("home/.claude/plans/plan.md");
    assert_eq!(write(&home, plan.to_str().unwrap(), "plan\n").await.answer().await, Value::Null);
    let settings = home.path("home/.claude/settings.json");
    let answer = write(&home, settings.to_str().unwrap(), "{}\n").await.answer().await;
    assert_snapshot!(home.stable(refused(&answer)), @"
    Nothing was written: [HOME]/.claude/settings.json is outside the project [PROJECT], and alongside
      ↪ shows no such change.
    ");
}

#[tokio::test]
async fn a_terminated_hook_refuses_and_closes_its_review() {
    let (home, mut desk, file) = serving_file("a.txt", ORIGINAL).await;
    let hook = write(&home, &file, PROPOSED).await;
    desk.shows("keep this change").await;
    send(hook.0.id().unwrap(), Signal::TERM);
    assert_snapshot!(refused(&hook.answer().await), @"Nothing was written: the review was broken off.");
    desk.shows("a.txt: closed, because Claude Code has broken off the call.").await;
}

/// The output of the hook is closed, as after the death of its agent.
#[tokio::test]
async fn a_hook_whose_agent_is_gone_ends_with_its_review() {
    let (home, mut desk, file) = serving_file("a.txt", ORIGINAL).await;
    let mut hook = write(&home, &file, PROPOSED).await;
    desk.shows("keep this change").await;
    drop(hook.0.stdout.take());
    desk.shows("a.txt: closed, because Claude Code has broken off the call.").await;
    until("the end of the hook", || hook.0.try_wait().unwrap()).await;
}

/// Most agents write the file if their hook is killed, which the desk must report.
#[tokio::test]
async fn a_text_written_after_its_hook_was_killed_is_reported() {
    let (home, mut desk, file) = serving_file("a.txt", ORIGINAL).await;
    let hook = patch(&home, "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+ONE\n*** End Patch").await;
    desk.shows("keep this change").await;
    send(hook.0.id().unwrap(), Signal::KILL);
    desk.shows("a.txt: closed, because Codex has broken off the call.").await;
    std::fs::write(&file, ORIGINAL.replace("one", "ONE")).unwrap();
    desk.shows("a.txt: written without your decision at a desk: the file holds the text of Codex.").await;
}

/// The desk shows the bytes that the agent would lose, or the hook tells the model why the change is refused.
#[tokio::test]
async fn a_file_that_is_not_utf_8_is_reviewed_as_written_or_refused() {
    let (home, mut desk, file) = serving_file("a.txt", "").await;
    std::fs::write(&file, b"caf\xe9\none\n").unwrap();
    let edit = json!({ "file_path": file, "old_string": "one", "new_string": "ONE" });
    let run = async |agent: &str, event: &str, tool: &str| {
        Hook::start(&home, &[agent], &input(&home.project, event, tool, &edit)).await
    };
    let mut reasons = String::new();
    for (agent, tool) in [("claude", "Edit"), ("qwen", "edit")] {
        reasons += &format!("{agent}: {}\n", refused(&run(agent, "PreToolUse", tool).await.answer().await));
    }
    let update = "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+ONE\n*** End Patch";
    reasons += &format!("codex: {}\n", refused(&patch(&home, update).await.answer().await));
    assert_snapshot!(home.stable(reasons));
    let gemini = run("gemini", "BeforeTool", "replace").await;
    desk.shows("U+FFFD").await;
    desk.shows("+caf\u{fffd}").await;
    desk.answers("accept or reject", "a").await;
    assert_eq!(gemini.answer().await["decision"], "allow");
}
