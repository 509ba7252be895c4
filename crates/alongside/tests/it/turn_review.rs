//! `alongside review --since` with the real host, in a new repository: files are changed as by a shell
//! command, and the person undoes some of the changes.

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::json::{send_request, wait_for_message};
use crate::support::{Home, mode_of, send};
use crate::turns::committed;

const NUMBERS: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n";

/// Returns a home whose project is a repository with two committed files, or `None` without git.
fn repository() -> Option<Home> {
    let (home, _) = Home::with_file("a.txt", NUMBERS);
    home.file("src/b.txt", "b\n");
    committed(home)
}

/// Changes two lines of the first file, and adds one to the second.
fn change(home: &Home) {
    let script = "sed -i 's/two/TWO/; s/nine/NINE/' a.txt && echo more >> src/b.txt";
    let ran = home.command("sh").args(["-c", script]).status().unwrap();
    assert!(ran.success());
}

/// Returns the text of a file of the project.
fn read(home: &Home, name: &str) -> String {
    std::fs::read_to_string(home.project.join(name)).unwrap()
}

#[tokio::test]
async fn one_change_of_a_shell_command_is_undone_and_all_else_stays() {
    let Some(home) = repository() else { return };
    change(&home);
    let mut desk = home.review(&["--since", "HEAD"]);
    desk.answers_all(&["n", "", ""]).await;
    let list = desk.answers("Undo these [y,n]? ", "y").await;
    assert!(list.contains("To be undone:\n  a.txt: 1 change\n"), "{list}");
    desk.shows("Undone:\n  a.txt; the undone text is in ").await;
    assert_eq!(desk.ends().code(), Some(0));
    assert_eq!(read(&home, "a.txt"), NUMBERS.replace("nine", "NINE"));
    assert_eq!(read(&home, "src/b.txt"), "b\nmore\n");
    let drafts = home.run(&["drafts"]);
    assert!(drafts.out.contains("a.txt"), "{}", drafts.all_output());
}

#[tokio::test]
async fn a_whole_file_becomes_what_it_was_since_the_last_commit() {
    let Some(home) = repository() else { return };
    change(&home);
    let mut desk = home.review(&["--since"]);
    desk.answers_all_and_shows(&["", "", "X", "y"], "Undone:\n  src/b.txt").await;
    assert_eq!(desk.ends().code(), Some(0));
    assert_eq!(read(&home, "a.txt"), NUMBERS.replace("two", "TWO").replace("nine", "NINE"));
    assert_eq!(read(&home, "src/b.txt"), "b\n");
}

#[tokio::test]
async fn nothing_is_written_without_a_change_an_answer_or_a_revision() {
    let Some(home) = repository() else { return };
    let ran = home.run(&["review", "--since", "HEAD"]);
    assert_eq!(ran.status.code(), Some(0), "{}", ran.all_output());
    assert!(ran.out.starts_with("Nothing has changed since "), "{}", ran.all_output());
    change(&home);
    let changed = read(&home, "a.txt");
    let ran = home.run(&["review", "--since", "HEAD"]);
    assert_eq!(ran.status.code(), Some(0), "{}", ran.all_output());
    assert!(ran.out.contains("a.txt (1 of 2): changed, 2 changes (+2 -2)"), "{}", ran.all_output());
    assert!(ran.out.ends_with("The input has ended.\nNothing is written.\n"), "{}", ran.all_output());
    assert_eq!(read(&home, "a.txt"), changed);
    let ran = home.run(&["review", "--since", "no-such-revision"]);
    assert_eq!(ran.status.code(), Some(1), "{}", ran.all_output());
    assert!(ran.out.starts_with("The changes cannot be told: "), "{}", ran.all_output());
}

#[tokio::test]
async fn a_comment_for_a_frozen_host_is_in_the_drafts_after_ctrl_c() {
    let Some(home) = repository() else { return };
    change(&home);
    let mut desk = home.review(&["--since", "HEAD"]);
    desk.shows("]? ").await;
    let host = home.hosts_pid().unwrap();
    send(host, Signal::STOP);
    // The desk repeats the line of a pipe right before the request.
    desk.types_and_shows("C not these", "C not these\n").await;
    desk.signal(Signal::INT);
    assert_eq!(desk.ends().code(), Some(130));
    let drafts = home.run(&["drafts"]);
    assert!(drafts.out.contains("before this comment was saved"), "{}", drafts.all_output());
    send(host, Signal::KILL);
}

#[tokio::test]
async fn a_program_undoes_a_change() {
    let Some(home) = repository() else { return };
    change(&home);
    let mut desk = home.review(&["--json", "--since", "HEAD"]);
    let turn = wait_for_message(&desk, "alongside/didChangeTurn", |_| true).await;
    assert_eq!(
        (&turn["files"][0]["path"], &turn["files"][1]["path"]),
        (&json!("a.txt"), &json!("src/b.txt"))
    );
    let (id, revision) = (&turn["id"], &turn["revision"]);
    send_request(&mut desk, "openTurnFile", json!({ "turn": id, "revision": revision, "file": 0 }));
    let opened = wait_for_message(&desk, "alongside/didOpenTurnFile", |_| true).await;
    let review = &opened["review"];
    assert_eq!((&review["original"], review["hunks"].as_array().unwrap().len()), (&json!(NUMBERS), 2));
    let keep = json!({ "id": review["id"], "revision": review["revision"], "hunks": [1], "keep": false });
    send_request(&mut desk, "keepHunks", keep);
    let current = NUMBERS.replace("two", "TWO");
    wait_for_message(&desk, "alongside/didChangeReview", |it| it["current"] == current).await;
    let is_marked = |it: &Value| it["files"][0]["marked"] == json!({ "hunks": 1 });
    let marked = wait_for_message(&desk, "alongside/didChangeTurn", is_marked).await;
    send_request(&mut desk, "finishTurn", json!({ "turn": id, "revision": marked["revision"] }));
    let finished = wait_for_message(&desk, "alongside/didFinishTurn", |_| true).await;
    let undone = &finished["files"][0];
    assert_eq!((&undone["path"], &undone["refused"]), (&json!("a.txt"), &Value::Null));
    assert_eq!(read(&home, "a.txt"), current);
    desk.ends_input();
    assert_eq!(desk.ends().code(), Some(0));
    // The undo can be reverted while the file is unchanged since.
    let back = home.run(&["drafts", "save", "1"]);
    assert!(back.out.contains("The undo is taken back: "), "{}", back.all_output());
    assert_eq!(read(&home, "a.txt"), NUMBERS.replace("two", "TWO").replace("nine", "NINE"));
    let again = home.run(&["drafts", "save", "2"]);
    assert!(again.all_output().contains("it has changed since the undo"), "{}", again.all_output());
    // The same holds for the reversal of the undo.
    let listed = home.run(&["drafts"]).out;
    assert!(listed.ends_with("`alongside drafts save N`, without a file, takes an undo back.\n"), "{listed}");
    let undone = home.run(&["drafts", "save", "1"]);
    assert!(undone.out.contains("The undo is made again: "), "{}", undone.all_output());
    assert_eq!(read(&home, "a.txt"), current);
}

/// The host creates its own files for the user only, but files of the project with the usual mode.
#[tokio::test]
async fn a_restored_file_has_the_mode_of_other_files_of_the_person() {
    let Some(home) = repository() else { return };
    let mode = |name: &str| mode_of(home.project.join(name));
    let modes = || [mode("src"), mode("src/b.txt")];
    // The expected modes depend on the umask of this machine.
    let before = modes();
    std::fs::remove_dir_all(home.project.join("src")).unwrap();
    let mut desk = home.review(&["--json", "--since", "HEAD"]);
    let turn = wait_for_message(&desk, "alongside/didChangeTurn", |_| true).await;
    let (id, revision) = (&turn["id"], &turn["revision"]);
    let whole = json!({ "turn": id, "revision": revision, "file": 0, "undo": true });
    send_request(&mut desk, "markTurnFile", whole);
    let marked =
        wait_for_message(&desk, "alongside/didChangeTurn", |it| it["files"][0]["marked"] == "whole").await;
    send_request(&mut desk, "finishTurn", json!({ "turn": id, "revision": marked["revision"] }));
    let finished = wait_for_message(&desk, "alongside/didFinishTurn", |_| true).await;
    assert_eq!(finished["files"][0]["refused"], Value::Null);
    assert_eq!((read(&home, "src/b.txt"), modes()), ("b\n".to_owned(), before));
}

#[tokio::test]
async fn comments_are_written_in_one_line_and_wait_for_an_agent() {
    let Some(home) = repository() else { return };
    change(&home);
    let mut desk = home.review(&["--since", "HEAD"]);
    desk.answers_all(&["c too loud", "", "", "C 1 test is missing", ""]).await;
    let list = desk.answers("o finish without sending, n no [y,o,n]? ", "y").await;
    let sends = "To be sent:\n  a.txt, line 2: too loud\n  the whole turn: 1 test is missing\n";
    assert!(list.contains(sends), "{list}");
    desk.shows("Sent: the next agent whose turns are noted here reads it with your prompt\n").await;
    assert_eq!(desk.ends().code(), Some(0));
    assert_eq!(read(&home, "a.txt"), NUMBERS.replace("two", "TWO").replace("nine", "NINE"));
    let waits = home.run(&["comments"]);
    assert!(
        waits.out.contains("too loud") && waits.out.contains("1 test is missing"),
        "{}",
        waits.all_output()
    );
}
