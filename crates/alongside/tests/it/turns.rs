//! `alongside turn` as agents run it, and `alongside turns`.

use std::io::Write as _;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{DEADLINE, Home};

/// Returns a home whose project is a repository with one commit, or `None` without git.
pub(crate) fn with_repository() -> Option<Home> {
    let (home, _) = Home::with_file("a.txt", "one\n");
    committed(home)
}

/// Makes the project of a home a repository whose first commit has all files. Returns the home, or `None`
/// without git.
pub(crate) fn committed(home: Home) -> Option<Home> {
    let identity = ["-c", "user.name=Somebody", "-c", "user.email=somebody@example.org"];
    for args in [&["init", "--quiet"][..], &["add", "."], &["commit", "--quiet", "-m", "The beginning"]] {
        match home.command("git").args(identity).args(args).output() {
            Ok(ran) => assert!(ran.status.success(), "git {args:?}: {ran:?}"),
            Err(_) => {
                alongside_testing::skip("git is not installed");
                return None;
            }
        }
    }
    Some(home)
}

/// Returns the command of a turn hook with these arguments.
pub(crate) fn hook(home: &Home, arguments: &[&str]) -> Command {
    let mut command = home.alongside(&["turn"]);
    command.args(arguments).arg("--state-dir").arg(home.path("home/.local/state/alongside"));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Starts a hook on this input.
pub(crate) fn start(mut hook: Command, input: &[u8]) -> Child {
    let mut child = hook.spawn().unwrap();
    // The hook may end before it has read all.
    let _ = child.stdin.take().unwrap().write_all(input);
    child
}

/// Runs the turn hook of an agent on this input.
pub(crate) fn turn(home: &Home, agent: &str, input: &[u8]) -> Output {
    start(hook(home, &[agent]), input).wait_with_output().unwrap()
}

/// Returns the input of an agent's turn hook for an event.
pub(crate) fn event(home: &Home, name: &str) -> Vec<u8> {
    let input = json!({
        "session_id": "s", "turn_id": "t", "cwd": home.project, "hook_event_name": name, "prompt": "hi",
    });
    input.to_string().into_bytes()
}

/// Asserts that a hook succeeded and printed nothing.
pub(crate) fn silent(output: &Output) {
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && output.stdout.is_empty() && text.is_empty(), "{output:?}");
}

#[test]
fn uninstall_all_removes_the_snapshots_of_turns() {
    let Some(home) = with_repository() else { return };
    silent(&turn(&home, "codex", &event(&home, "UserPromptSubmit")));
    let store = home.path("home/.local/state/alongside/turns");
    assert!(store.is_dir());
    let removed = home.run(&["uninstall", "--all", "--yes"]);
    let named = format!("  remove   the snapshots of turns in {}\n", home.project.display());
    assert!(removed.status.success() && removed.out.contains(&named), "{}", removed.all_output());
    assert!(!store.exists());
}

#[test]
fn turns_are_recorded_silently_and_listed_with_their_changes() {
    let Some(home) = with_repository() else { return };
    assert!(home.run(&["turns"]).out.starts_with("No turn is known."));
    assert_eq!(home.run(&["turns", "--unreviewed"]).status.code(), Some(0));
    silent(&turn(&home, "codex", &event(&home, "UserPromptSubmit")));
    assert_eq!(home.run(&["turns", "--unreviewed"]).status.code(), Some(0));
    home.file("a.txt", "two\n");
    let said = "  Codex is at work: more changes may come, unless Esc has stopped it.\n";
    let listed = home.run(&["turns"]).out;
    assert!(listed.ends_with(said), "{listed}");
    let listed: Value = serde_json::from_str(&home.run(&["turns", "--json"]).out).unwrap();
    assert_eq!(listed[0]["atWork"][0]["agent"], "Codex");
    silent(&turn(&home, "codex", &event(&home, "Stop")));
    let listed = home.run(&["turns"]).out;
    let expected = format!(
        "{} (Codex): 1 file has changed since the first prompt to Codex, just now\n",
        home.project.display()
    );
    assert_eq!(listed, expected);
    let listed: Value = serde_json::from_str(&home.run(&["turns", "--json"]).out).unwrap();
    assert_eq!((&listed[0]["agents"], &listed[0]["atWork"]), (&json!(["Codex"]), &json!([])));
    assert_eq!(listed[0]["files"][0]["path"], "a.txt");
    let waits = home.run(&["turns", "--unreviewed"]);
    assert_eq!((waits.status.code(), &*waits.out), (Some(1), ""));
    assert!(home.run(&["turns", "clear"]).out.starts_with("Forgot the turns of "));
    assert_eq!(home.run(&["turns", "--unreviewed"]).status.code(), Some(0));
    let outside = home.directory("home");
    assert_eq!(home.run(&["turns", "--unreviewed", outside.to_str().unwrap()]).status.code(), Some(2));
}

#[test]
fn no_fault_of_a_turn_hook_stops_its_agent() {
    let Some(home) = with_repository() else { return };
    for input in [&b""[..], b"nonsense", b"{}", b"[1]", &[0xff; 1000]] {
        silent(&turn(&home, "claude", input));
    }
    let state = home.path("home/.local/state/alongside");
    std::fs::create_dir_all(state.parent().unwrap()).unwrap();
    std::fs::write(&state, "a file").unwrap();
    silent(&turn(&home, "claude", &event(&home, "UserPromptSubmit")));
    std::fs::remove_file(&state).unwrap();
    // Without git.
    let mut command = home.alongside(&["turn", "claude", "--state-dir"]);
    command.arg(&state).env("PATH", home.directory("empty")).stdin(Stdio::null());
    silent(&command.output().unwrap());
}

#[test]
fn an_endless_input_does_not_delay_the_agent() {
    let home = Home::new();
    let mut command = home.alongside(&["turn", "claude", "--state-dir"]);
    command.arg(home.path("state")).stdin(Stdio::piped());
    let begun = Instant::now();
    let mut child = command.spawn().unwrap();
    let stdin = child.stdin.take();
    while child.try_wait().unwrap().is_none() {
        assert!(begun.elapsed() < DEADLINE, "it waits for its input");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(child.wait().unwrap().success());
    drop(stdin);
}
