//! The directories in which hosts are found. Only `ALONGSIDE_RUNTIME_DIR` changes where a host publishes
//! itself, and no environment variable hides a host from a hook.

use std::path::Path;
use std::process::Command;

use serde_json::json;

use crate::hook::{Hook, decides, input, refused};
use crate::support::{Home, Machine, Running, files_below, finish, until};

const ORIGINAL: &str = "one\n";
const PROPOSED: &str = "ONE\n";

/// Returns the directory that the system creates for the user of this test.
fn runtime_dir() -> String {
    format!("/run/user/{}", rustix::process::geteuid().as_raw())
}

/// Whether a path has the extension of sockets.
fn is_socket(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "sock")
}

/// Returns the input of Claude Code's hook before it writes the file.
fn call(home: &Home, file: &str) -> Vec<u8> {
    let call = json!({ "file_path": file, "content": PROPOSED });
    input(&home.project, "PreToolUse", "Write", &call)
}

/// Runs a hook and rejects its change at the desk.
async fn is_reviewed(hook: Command, home: &Home, file: &str, desk: &mut Running) {
    let said = format!("{hook:?}");
    let hook = Hook::of(hook, &call(home, file)).await;
    decides(desk, "r").await;
    let reason = refused(&hook.answer().await);
    assert!(reason.contains("rejected all of it"), "{said}: {reason}");
}

#[tokio::test]
async fn a_hook_finds_its_host_whatever_its_variables_are() {
    for has_runtime_dir in [true, false] {
        let home = Home::new();
        let Some(machine) = Machine::of(&home, has_runtime_dir).await else { return };
        let file = home.file("a.txt", ORIGINAL);
        let mut desk = machine.alongside(&["review"]);
        let mut desk = home.start(desk.env("XDG_RUNTIME_DIR", home.path("run")));
        desk.shows("alongside serves").await;
        let elsewhere = home.directory("elsewhere");
        let hook = || machine.alongside(&["hook", "claude"]);
        is_reviewed(hook(), &home, &file, &mut desk).await;
        for name in ["XDG_RUNTIME_DIR", "ALONGSIDE_RUNTIME_DIR", "HOME", "TMPDIR", "XDG_STATE_HOME"] {
            let mut hook = hook();
            hook.env(name, &elsewhere);
            is_reviewed(hook, &home, &file, &mut desk).await;
        }
        let mut hook = hook();
        for name in ["HOME", "TMPDIR", "PATH"] {
            hook.env_remove(name);
        }
        is_reviewed(hook, &home, &file, &mut desk).await;
    }
}

#[tokio::test]
async fn desks_with_different_variables_share_one_host() {
    for has_runtime_dir in [true, false] {
        let home = Home::new();
        let Some(machine) = Machine::of(&home, has_runtime_dir).await else { return };
        let mut desks = ["run", "elsewhere"].map(|name| {
            let mut desk = machine.alongside(&["review"]);
            home.start(desk.env("XDG_RUNTIME_DIR", home.directory(name)))
        });
        for desk in &mut desks {
            desk.shows("alongside serves").await;
        }
        let status = finish(machine.alongside(&["status", "--json"])).json();
        let companions = status["companions"].as_array().unwrap();
        assert!(companions.len() == 1 && status["servesHere"] == true, "{status:#}");
    }
}

/// The older release publishes its host below `XDG_RUNTIME_DIR`, and this release does not.
#[tokio::test]
async fn a_host_of_an_older_release_is_found_where_it_published() {
    let home = Home::new();
    let Some(machine) = Machine::of(&home, true).await else { return };
    let file = home.file("a.txt", ORIGINAL);
    let mut old = home.serving().await;
    let host = home.hosts_pid().unwrap();
    let with_variable = |args: &[&str]| {
        let mut command = machine.alongside(args);
        command.env("XDG_RUNTIME_DIR", home.path("run"));
        command
    };
    is_reviewed(with_variable(&["hook", "claude"]), &home, &file, &mut old).await;
    let mut joined = home.start(&mut with_variable(&["review"]));
    joined.shows("alongside serves").await;
    let status = finish(with_variable(&["status", "--json"])).json();
    assert_eq!(status["companions"][0]["host"], json!(home.hosts()[0].1), "{status:#}");
    assert_eq!((home.hosts_pid(), home.hosts().len()), (Some(host), 1));
    let here = files_below(machine.path(&runtime_dir()));
    assert!(!here.iter().any(|path| is_socket(path)), "{here:?}");
    // A hook also searches the directory that the variable names.
    let mut hook = machine.alongside(&["hook", "claude"]);
    hook.env("ALONGSIDE_RUNTIME_DIR", home.runtime_dir());
    is_reviewed(hook, &home, &file, &mut old).await;
}

/// A system removes the user's directory below `/run/user` at the end of the last session, and programs in
/// tmux continue.
#[tokio::test]
async fn a_host_whose_directory_goes_for_good_is_found_elsewhere() {
    let home = Home::new();
    let Some(machine) = Machine::of(&home, true).await else { return };
    let file = home.file("a.txt", ORIGINAL);
    let mut desk = machine.review();
    desk.shows("alongside serves").await;
    let run = machine.path(&runtime_dir());
    assert!(run.join("alongside").is_dir());
    std::fs::remove_dir_all(&run).unwrap();
    let moved = home.path("home/.local/state/alongside/run");
    let has_socket = || files_below(&moved).iter().any(|path| is_socket(path));
    until("a socket elsewhere", || has_socket().then_some(())).await;
    is_reviewed(machine.alongside(&["hook", "claude"]), &home, &file, &mut desk).await;
    let mut second = machine.review();
    second.shows("alongside serves").await;
    desk.leaves();
    second.leaves();
    until("no socket to be left", || (!has_socket()).then_some(())).await;
}
