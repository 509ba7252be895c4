//! The finish of a review: the one write to a project.

use std::sync::atomic::Ordering;

use alongside_desk::UndoneFile;

use super::commenting::add_comment;
use super::*;

fn undone(path: &str) -> UndoneFile {
    UndoneFile { path: path.into(), ..UndoneFile::default() }
}

#[tokio::test(start_paused = true)]
async fn a_finish_writes_exactly_what_is_marked_and_nothing_before() {
    let stage = Stage::with_files(&[("a.txt", "1\n2\n3\n4\n5\n"), ("b.txt", "b\n"), ("c.txt", "c\n")]).await;
    stage.source.remember("new.txt", None);
    let before =
        [("a.txt", "ONE\n2\n3\n4\nFIVE\n"), ("b.txt", "B\n"), ("c.txt", "C\n"), ("new.txt", "new\n")];
    for (name, text) in before {
        stage.write(name, text);
    }
    let (mut desk, turn) = stage.look_from_new_desk().await;
    let review = desk.open(&turn, "a.txt").await;
    desk.keep(&review, &[1], false).await.unwrap();
    for name in ["b.txt", "new.txt"] {
        let turn = desk.turns().pop().unwrap();
        desk.mark(&turn, name, true).await.unwrap();
    }
    let turn = desk.turns().pop().unwrap();
    for (name, text) in before {
        assert_eq!(stage.read(name), text, "marks write nothing");
    }
    let mut other = stage.desk();
    let revision = desk.finish(&turn).await.unwrap();
    let files = vec![undone("a.txt"), undone("b.txt"), undone("new.txt")];
    assert_eq!(desk.finished(), [TurnFinished { turn: turn.id, files, ..TurnFinished::default() }]);
    let list = desk.turns().pop().unwrap();
    assert_eq!((list.revision, list.files.len()), (revision, 0), "the kept changes are the next baseline");
    assert_eq!(stage.read("a.txt"), "ONE\n2\n3\n4\n5\n");
    assert_eq!((stage.read("b.txt"), stage.read("c.txt")), ("b\n".to_owned(), "C\n".to_owned()));
    assert!(!stage.path("new.txt").exists());
    other.read_new_until_idle().await;
    assert_eq!(other.turns().last(), Some(&list));
    assert_eq!(other.finished(), []);
    assert_eq!(other.finish(&turn).await, Err(Refusal::NoSuchTurn), "it was made on the old list");
}

#[tokio::test(start_paused = true)]
async fn a_new_remark_alone_keeps_the_revision_that_a_person_confirms() {
    let stage = Stage::with_changed_file().await;
    let (mut desk, turn) = stage.look_from_new_desk().await;
    let turn = desk.list_with_mark(&turn, "a.txt").await;
    // The agent's next turn begins while the person reads what a finish does.
    stage.source.set_remark_and_agent("A turn of Codex has no end yet.", "");
    stage.story.companion.snapshot_taken(stage.path(""));
    desk.read_new_until_idle().await;
    let list = desk.turns().pop().expect("the list comes with the remark");
    assert_eq!(
        (list.revision, &*list.remarks),
        (turn.revision, &["A turn of Codex has no end yet.".into()][..])
    );
    let after = desk.finish(&turn).await.unwrap();
    assert!(after > turn.revision);
    assert_eq!(stage.read("a.txt"), "1\n2\n3\n4\n5\n");

    // Another file, comment or agent needs another confirmation.
    let mut last = after;
    let mut rises = |list: Turn| std::mem::replace(&mut last, list.revision) < list.revision;
    stage.write("a.txt", "ONE\n");
    assert!(rises(desk.look().await));
    let turn = desk.turns().pop().unwrap();
    desk.ask(add_comment(&turn, Some(0), None, "why?")).await.unwrap();
    assert!(rises(desk.turns().pop().unwrap()));
    stage.source.set_remark_and_agent("A turn of Codex has no end yet.", "Codex");
    assert!(rises(desk.look().await));
}

#[tokio::test(start_paused = true)]
async fn a_file_with_unsaved_changes_is_not_undone_and_keeps_its_mark() {
    let stage = Stage::with_files(&[("a.txt", "a\n"), ("b.txt", "b\n")]).await;
    stage.write("a.txt", "A\n");
    stage.write("b.txt", "B\n");
    let (mut desk, turn) = stage.look_from_new_desk().await;
    let turn = desk.list_with_mark(&turn, "a.txt").await;
    let turn = desk.list_with_mark(&turn, "b.txt").await;
    let path = crate::real_path::resolve(&stage.path("a.txt")).to_str().unwrap().to_owned();
    stage.story.report(report_of_open_file(&path, true)).await;
    desk.finish(&turn).await.unwrap();
    let refused = Some("an editor holds unsaved changes to it".to_owned());
    let files = vec![UndoneFile { refused, ..undone("a.txt") }, undone("b.txt")];
    assert_eq!(desk.finished(), [TurnFinished { turn: turn.id, files, ..TurnFinished::default() }]);
    assert_eq!((stage.read("a.txt"), stage.read("b.txt")), ("A\n".to_owned(), "b\n".to_owned()));
    assert_eq!(marks_of(&desk.turns()[0]), [("a.txt", Marked::Whole)]);
    assert_eq!(stage.source.finished.load(Ordering::SeqCst), 0, "the review goes on");
}

#[tokio::test(start_paused = true)]
async fn a_file_that_has_changed_since_it_was_opened_is_not_undone() {
    let stage = Stage::with_changed_file().await;
    let (mut desk, turn) = stage.look_from_new_desk().await;
    let review = desk.open(&turn, "a.txt").await;
    let turn = desk.list_with_dropped(&review, &[0]).await;
    stage.write("a.txt", "ONE\nTWO\n3\n4\nFIVE\n");
    desk.finish(&turn).await.unwrap();
    assert_eq!(desk.finished()[0].files[0].refused.as_deref(), Some("it has changed"));
    assert_eq!(stage.read("a.txt"), "ONE\nTWO\n3\n4\nFIVE\n");
}

#[tokio::test(start_paused = true)]
async fn during_a_finish_other_finishes_and_marks_are_refused() {
    let stage = Stage::with_changed_file().await;
    let (mut one, mut two) = (stage.desk(), stage.desk());
    let turn = one.look().await;
    let review = two.open(&turn, "a.txt").await;
    let turn = one.list_with_mark(&turn, "a.txt").await;
    stage.source.set_held(true);
    let finish = one.desk.send(finish_request(&turn));
    let is_refused = |refused: Result<u64, Refusal>| matches!(refused, Err(Refusal::Other { .. }));
    assert!(is_refused(two.finish(&turn).await));
    assert!(is_refused(two.mark(&turn, "a.txt", false).await));
    let review = Review { revision: review.revision + 1, ..review };
    assert!(is_refused(two.keep(&review, &[0], true).await));
    stage.source.set_held(false);
    let revision = finish.await.unwrap().unwrap().revision;
    two.read_new_until_idle().await;
    let list = two.turns().pop().unwrap();
    assert_eq!((list.revision, list.files.len()), (revision, 0));
    assert_eq!(two.finish(&turn).await, Err(Refusal::NoSuchTurn));
    assert_eq!(two.finish(&list).await, Ok(revision), "nothing is marked, and nothing happens");
    assert_eq!(stage.read("a.txt"), "1\n2\n3\n4\n5\n");
}

#[tokio::test(start_paused = true)]
async fn the_marks_of_written_files_are_gone_without_a_remark() {
    let stage = Stage::with_changed_file().await;
    let mut desk = stage.desk();
    let turn = desk.look_since(Some("HEAD")).await;
    let review = desk.open(&turn, "a.txt").await;
    let turn = desk.list_with_dropped(&review, &[0]).await;
    desk.finish(&turn).await.unwrap();
    desk.read_until_idle().await;
    let shown = desk.opened().pop().expect("the rest of an open file is sent again");
    assert_eq!(
        (&*shown.review.current, hunk_states(&shown.review)),
        ("1\n2\n3\n4\nFIVE\n", vec![HunkState::Kept])
    );
    let list = desk.look_since(Some("HEAD")).await;
    assert_eq!((marks_of(&list), list.remarks.len()), (vec![("a.txt", Marked::Nothing)], 0));
    assert_eq!(
        stage.source.finished.load(Ordering::SeqCst),
        0,
        "a review since a revision moves no baseline"
    );
}

#[tokio::test(start_paused = true)]
async fn a_look_during_a_finish_waits_for_its_end() {
    let stage = Stage::with_changed_file().await;
    let (mut one, mut two) = (stage.desk(), stage.desk());
    let turn = one.look().await;
    let turn = one.list_with_mark(&turn, "a.txt").await;
    stage.source.set_held(true);
    let look = two.desk.send(Request::ReviewTurn { directory: None, since: None });
    while stage.source.looks.load(Ordering::SeqCst) < 2 {
        tokio::task::yield_now().await;
    }
    let finish = one.desk.send(finish_request(&turn));
    stage.source.set_held(false);
    let (finished, looked) = (finish.await.unwrap().unwrap(), look.await.unwrap().unwrap());
    assert_eq!(finished.revision, looked.revision);
    two.read_events();
    assert_eq!(two.turns().pop().unwrap().files, []);
}
