//! Patches that move or delete a file: the desk shows the effect on its text, and a dropped change keeps the
//! original text.

use serde_json::{Value, json};

use crate::hook::{Hook, decides, patch};
use crate::json::wait_for_message;
use crate::support::{Home, serving};

/// The text of the file that is moved.
const NUMBERS: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n";

/// A patch that moves the file and changes two of its lines.
const MOVED: &str = "*** Begin Patch\n*** Update File: big.txt\n*** Move to: sub/big.txt\n@@\n-6\n+six\n\
                     @@\n-12\n+twelve\n*** End Patch";

/// Waits for the answer of a hook, asserts that it allows the patch, and returns the patch.
async fn accepted(hook: Hook) -> String {
    let answer: Value = hook.answer().await;
    let output = &answer["hookSpecificOutput"];
    assert_eq!(output["permissionDecision"], "allow", "{answer}");
    output["updatedInput"]["command"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_dropped_change_of_a_move_leaves_the_old_text() {
    let (home, mut desk) = serving().await;
    home.file("big.txt", NUMBERS);
    let hook = patch(&home, MOVED).await;
    desk.shows("-6\n+six").await;
    desk.answers("(1/2) keep this change", "n").await;
    desk.answers("(2/2) keep this change", "y").await;
    desk.answers("accept, reject, or look again", "a").await;
    let section = "*** Update File: big.txt\n*** Move to: sub/big.txt\n@@\n-12\n+twelve\n";
    assert_eq!(accepted(hook).await, format!("*** Begin Patch\n{section}*** End Patch\n"));
}

#[tokio::test]
async fn a_move_without_its_changes_moves_the_file_as_it_is() {
    let (home, mut desk) = serving().await;
    home.file("big.txt", NUMBERS);
    let hook = patch(&home, MOVED).await;
    desk.answers("(1/2) keep this change", "n").await;
    desk.answers("(2/2) keep this change", "n").await;
    desk.shows("big.txt: none of the changes is left; the file would be moved as it is.").await;
    desk.answers("accept, reject, or look again", "a").await;
    let command = accepted(hook).await;
    assert!(command.contains("*** Move to: sub/big.txt\n"), "{command}");
    assert!(!command.lines().any(|line| line.starts_with(['-', '+'])), "{command}");
}

/// Otherwise a text that is saved at the old path during the review would be lost.
#[tokio::test]
async fn a_file_that_changes_before_it_moves_stays() {
    let (home, mut desk) = serving().await;
    home.file("big.txt", NUMBERS);
    let hook = patch(&home, MOVED).await;
    desk.shows("(1/2) keep this change").await;
    home.file("big.txt", &NUMBERS.replace('3', "three"));
    desk.types("a");
    desk.answers(
        "1 of 2 changes was not on the screen yet. Accept all the same (n shows the rest) [y,n]? ",
        "y",
    )
    .await;
    let why = crate::hook::refused(&hook.answer().await);
    assert!(why.contains("has changed during the review"), "{why}");
}

/// The review shows both files: the one that is overwritten, and the changes of the one that is moved.
#[tokio::test]
async fn a_move_onto_another_file_says_what_is_lost() {
    let (home, mut desk) = serving().await;
    home.file("big.txt", NUMBERS);
    home.file("sub/big.txt", "mine\n");
    let hook = patch(&home, MOVED).await;
    desk.shows("This moves big.txt to sub/big.txt, with 2 lines added and 2 removed, and replaces the file")
        .await;
    desk.shows("-mine\n").await;
    decides(&mut desk, "r").await;
    hook.answer().await;
}

#[tokio::test]
async fn a_script_tells_a_move_and_a_deletion_from_a_text() {
    let home = Home::new();
    let (from, gone) = (home.file("big.txt", NUMBERS), home.file("gone.txt", "x\n"));
    let desk = home.review(&["--json"]);
    let opened = async |name: &str| {
        let is_it = |review: &Value| review["file"].as_str().is_some_and(|file| file.ends_with(name));
        wait_for_message(&desk, "alongside/didOpenReview", is_it).await
    };
    wait_for_message(&desk, "alongside/didChangeStatus", |_| true).await;
    let _moved = patch(&home, MOVED).await;
    let moved = opened("sub/big.txt").await;
    assert_eq!((&moved["kind"], &moved["from"]), (&json!("move"), &json!(from)));
    assert_eq!(moved["original"], NUMBERS);
    let _deleted = patch(&home, "*** Begin Patch\n*** Delete File: gone.txt\n*** End Patch").await;
    let deleted = opened("gone.txt").await;
    assert_eq!((&deleted["kind"], &deleted["file"]), (&json!("delete"), &json!(gone)));
    let _emptied = patch(&home, "*** Begin Patch\n*** Update File: gone.txt\n@@\n-x\n*** End Patch").await;
}

#[tokio::test]
async fn a_rule_that_accepts_a_move_lists_what_it_changes() {
    let home = Home::with_settings("[reviews]\nrules = [{ path = \"*.txt\", then = \"accept\" }]\n");
    home.file("big.txt", NUMBERS);
    let mut desk = home.serving().await;
    accepted(patch(&home, MOVED).await).await;
    desk.shows("sub/big.txt (move from big.txt, +2 -2) by Codex").await;
}
