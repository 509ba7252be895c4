//! Tests messages that list undone changes, also after a crash, and after an undo was taken back.

use std::fmt::Debug;

use alongside_companion::turns::source::{ChangeBack, HunkBack, NewRound, TurnLook, TurnSource as _};
use alongside_desk::CommentId;

use super::fixture::Project;
use super::rounds::{AFTER, undone};
use crate::undo::message_promises::broken;

/// Returns the undo of a whole file, as a message lists it.
fn back(path: &str) -> ChangeBack {
    ChangeBack { path: path.into(), ..ChangeBack::default() }
}

impl Project {
    /// Ends a promise as the death of its process does: the locks are freed, and the promise stays in the
    /// log.
    fn kill(&self, promise: Box<dyn Debug + Send>) {
        let log = self.tree_store().comments();
        let lines = std::fs::read(log.path()).unwrap();
        drop(promise);
        std::fs::write(log.path(), lines).unwrap();
    }
}

#[test]
fn undone_text_that_is_written_again_is_a_remark() {
    let Some((project, look)) = Project::with_three_changes() else { return };
    let hunk = HunkBack { line: 2, changed: "TWO\n".into(), before: "two\n".into() };
    project.write("a", AFTER.replace("TWO", "two"));
    project.tree_store().log().append(&undone("a")).unwrap();
    let undone = vec![ChangeBack { path: "a".into(), hunks: vec![hunk], ..ChangeBack::default() }];
    project.send_round(&look, &NewRound { undone, ..NewRound::default() });
    let again = "a holds again what you have undone in your last round.";
    let has = |look: &TurnLook| look.remarks.iter().any(|remark| remark == again);
    assert!(!has(&project.look()));
    project.answer(|| project.write("a", format!("more\n{}", AFTER.replace("TWO", "two"))));
    assert!(!has(&project.look()), "another change is none of it");
    project.write("a", format!("more\n{AFTER}"));
    let look = project.look();
    assert!(has(&look), "{:?}", look.remarks);
    // The person has seen the restored text.
    project.store.finish(&look);
    assert!(!has(&project.look()));
}

#[test]
fn undone_text_that_the_person_restored_is_no_remark() {
    let Some((project, look)) = Project::with_three_changes() else { return };
    let undone = project.undo(&look, &["a"]);
    let told = vec![back("a")];
    project.send_round(&look, &NewRound { undone: told, ..NewRound::default() });
    let text = project.answer(|| {});
    assert!(text.contains("- all of `a`\n"), "{text}");
    assert_eq!(project.take_back(&undone[0]), Ok(()));
    assert_eq!(project.read("a").unwrap(), AFTER.as_bytes());
    assert_eq!(project.look().remarks, [""; 0]);
}

/// The host is killed between the undo and the message.
#[test]
fn an_undo_before_a_crash_is_in_a_message() {
    let Some((project, look)) = Project::with_three_changes() else { return };
    project.comment(&look, "a", Some((4, 4)), "softer");
    project.write("b/c", "C\n");
    let look = project.look();
    let (undone, comments) = (vec![back("a"), back("b/c")], Some(vec![CommentId(1)]));
    let promise =
        project.store.promise(&look, &NewRound { undone, comments, ..NewRound::default() }).unwrap();
    assert_eq!(project.undo(&look, &["a"])[0].refused, None);
    assert!(project.look().feedback.message.is_none(), "it is being kept");
    project.kill(promise);
    let message = project.look().feedback.message.unwrap();
    assert!(
        message.text.contains("- all of `a`\n") && message.text.contains("> softer\n"),
        "{}",
        message.text
    );
    assert!(!message.text.contains("b/c"), "that was not undone");
    assert_eq!(project.look().feedback.message.unwrap().at, message.at, "once");
    // A promise that was kept leaves no trace.
    let kept = project.store.promise(&look, &NewRound::default()).unwrap();
    drop(kept);
    assert_eq!(project.look().feedback.message.unwrap().at, message.at);
}

#[test]
fn only_its_own_round_keeps_a_promise() {
    let Some((project, look)) = Project::with_three_changes() else { return };
    let undone = vec![back("a")];
    let round = NewRound { undone, comments: Some(Vec::new()), ..NewRound::default() };
    let promise = project.store.promise(&look, &round).unwrap();
    assert_eq!(project.undo(&look, &["a"])[0].refused, None);
    let later = TurnLook { snapshot: project.since("HEAD").snapshot, ..look.clone() };
    project.comment(&look, "a", None, "from another desk");
    project.send(&later);
    let store = project.tree_store();
    assert!(store.comments().read().unwrap().promise.is_some(), "that was another round");
    // The process of the promise is killed, and the log of turns cannot be read for a while.
    project.kill(promise);
    let (log, aside) = (store.file("log"), store.file("aside"));
    std::fs::rename(&log, &aside).unwrap();
    std::fs::create_dir(&log).unwrap();
    assert!(broken(&store, &project.top).is_err());
    std::fs::remove_dir(&log).unwrap();
    std::fs::rename(&aside, &log).unwrap();
    let (_, _, kept) = broken(&store, &project.top).unwrap().unwrap();
    kept.leave();
    let text = project.look().feedback.message.unwrap().text;
    assert!(text.contains("- all of `a`\n") && text.contains("> from another desk\n"), "{text}");
    assert!(store.comments().read().unwrap().promise.is_none());
}

#[test]
fn an_undo_taken_back_after_a_crash_is_in_no_message() {
    let Some((project, _)) = Project::with_three_changes() else { return };
    project.write("run", "one\nnew\n");
    let look = project.look();
    let round = NewRound { undone: vec![back("a"), back("run")], ..NewRound::default() };
    let promise = project.store.promise(&look, &round).unwrap();
    let undone = project.undo(&look, &["a", "run"]);
    assert!(undone.iter().all(|undone| undone.refused.is_none()), "{undone:?}");
    // The process of the promise is killed, and the person takes one undo back.
    let store = project.tree_store();
    project.kill(promise);
    assert_eq!(project.take_back(&undone[0]), Ok(()));
    let (_, round, kept) = broken(&store, &project.top).unwrap().unwrap();
    let told: Vec<_> = round.undone.iter().map(|change| &*change.path).collect();
    assert_eq!(told, ["run"]);
    kept.leave();
}

#[test]
fn an_unread_message_no_longer_lists_an_undo_that_was_taken_back() {
    let Some((project, _)) = Project::with_three_changes() else { return };
    project.write("run", "one\nnew\n");
    let look = project.look();
    let undone = project.undo(&look, &["a", "run"]);
    project.send_round(&look, &NewRound { undone: vec![back("a"), back("run")], ..NewRound::default() });
    assert_eq!(project.take_back(&undone[0]), Ok(()));
    let text = project.look().feedback.message.unwrap().text;
    assert!(text.contains("- all of `run`\n") && !text.contains("`a`"), "{text}");
    assert_eq!(project.take_back(&undone[1]), Ok(()));
    assert_eq!(project.look().feedback.message, None, "nothing is left to say");
    // With a comment, the message stays without the undo. A message that was read does not change.
    let look = project.look();
    project.comment(&look, "a", None, "why?");
    let undone = project.undo(&look, &["a"]);
    project.send_round(&look, &NewRound { undone: vec![back("a")], ..NewRound::default() });
    assert_eq!(project.take_back(&undone[0]), Ok(()));
    let text = project.answer(|| {});
    assert!(text.contains("> why?\n") && !text.contains("## Undone"), "{text}");
    let look = project.look();
    let undone = project.undo(&look, &["a"]);
    project.send_round(&look, &NewRound { undone: vec![back("a")], ..NewRound::default() });
    project.answer(|| {});
    assert_eq!(project.take_back(&undone[0]), Ok(()));
    assert!(project.look().feedback.message.unwrap().text.contains("- all of `a`\n"));
}
