//! `alongside comments --paste`, with a program in a real tmux that runs the hook of an agent.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::comments::{comment, reviewed};
use crate::support::{DEADLINE, Home};
use crate::turns::event;

/// A separate tmux server, which ends when this value is dropped.
struct Tmux {
    socket: PathBuf,
}

impl Tmux {
    /// Runs a command of tmux. Returns `None` without tmux.
    fn run(&self, args: &[&str]) -> Option<Output> {
        let mut command = Command::new("tmux");
        command.args(["-f", "/dev/null", "-S"]).arg(&self.socket).args(args).stdin(Stdio::null());
        command.env_remove("TMUX").output().ok()
    }

    /// Returns the text that the pane shows.
    fn screen(&self) -> String {
        let output = self.run(&["capture-pane", "-p"]).unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        let _ = self.run(&["kill-server"]);
    }
}

/// Starts a program that acts as an agent in tmux: it asks for bracketed pastes, runs its hook, and records
/// its input. Returns `None` without tmux.
fn agent(home: &Home) -> Option<Tmux> {
    let tmux = Tmux { socket: home.path("tmux") };
    // alongside recognizes a shell by its name, and does not take it for an agent.
    fs::copy(fs::canonicalize("/bin/sh").unwrap(), home.path("fake-agent")).unwrap();
    fs::write(home.path("event"), event(home, "UserPromptSubmit")).unwrap();
    let hook = home.alongside(&[]);
    let program = hook.get_program().to_str().unwrap();
    let at = |name: &str| home.path(name).to_str().unwrap().to_owned();
    let (state, event, ready, read) =
        (at("home/.local/state/alongside"), at("event"), at("ready"), at("read"));
    let script = format!(
        "stty -icanon -echo\nprintf '\\033[?2004h'\n\
         {program} turn codex --state-dir {state} <{event}\necho >{ready}\ncat >{read}\n"
    );
    fs::write(home.path("script"), script).unwrap();
    let command = format!("exec {} {}", at("fake-agent"), at("script"));
    let Some(output) = tmux.run(&["new-session", "-d", &command, ";", "set", "-g", "remain-on-exit", "on"])
    else {
        alongside_testing::skip("there is no tmux");
        return None;
    };
    assert!(output.status.success(), "{output:?}");
    let is_ready = || home.path("ready").exists() && home.path("read").exists();
    wait(is_ready, || tmux.screen());
    Some(tmux)
}

/// Waits until a condition is true. `why` explains a failure.
fn wait(is: impl Fn() -> bool, why: impl Fn() -> String) {
    let until = Instant::now() + DEADLINE;
    while !is() {
        assert!(Instant::now() < until, "{}", why());
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[tokio::test]
async fn a_waiting_message_is_pasted_once_and_without_enter() {
    let Some((home, mut desk, turn)) = reviewed().await else { return };
    comment(&mut desk, &turn, "too loud").await;
    let Some(tmux) = agent(&home) else { return };
    // Another window is the active one.
    assert!(tmux.run(&["new-window", "cat"]).unwrap().status.success());
    let pasted = home.run(&["comments", "--paste"]);
    let said = "Pasted into Codex in tmux: press Enter there to send it. Nothing else sends it now.\n";
    assert_eq!((&*pasted.out, &*pasted.err), (said, ""));
    let read = || fs::read_to_string(home.path("read")).unwrap();
    wait(|| read().contains("\u{1b}[201~"), read);
    let read = read();
    assert!(read.starts_with("\u{1b}[200~") && read.ends_with("\u{1b}[201~"), "{read:?}");
    assert!(read.contains("> too loud") && !read.contains("\n\u{1b}[201~"), "no Enter at its end: {read:?}");
    let again = home.run(&["comments", "--paste"]).out;
    assert!(again.starts_with("No comment waits here."), "{again}");
}

#[tokio::test]
async fn nothing_is_pasted_if_another_program_has_the_pane() {
    let Some((home, mut desk, turn)) = reviewed().await else { return };
    comment(&mut desk, &turn, "too loud").await;
    let Some(tmux) = agent(&home) else { return };
    // Another program runs in the same pane.
    assert!(tmux.run(&["respawn-pane", "-k", "-t", "%0", "cat"]).unwrap().status.success());
    let gone = || home.run(&["comments", "--paste"]).err;
    wait(|| gone().contains("no agent is known here that runs"), gone);
    let listed = home.run(&["comments"]).out;
    assert!(listed.contains("> too loud\n") && listed.contains("1 comment is not sent"), "{listed}");
    assert_eq!(fs::read_to_string(home.path("read")).unwrap(), "");
}
