//! Marks: the changes that a finish undoes.

use super::*;

/// A request on a revision, and the marks that the list has after it if it changes.
type Step<'a> = (&'a dyn Fn(u64) -> Request, Option<Marked>);

#[tokio::test(start_paused = true)]
async fn hunks_are_split_marked_unmarked_and_marks_undone_and_redone() {
    let stage = Stage::with_files(&[("a.txt", "1\n2\n3\n")]).await;
    stage.write("a.txt", "ONE\nTWO\n3\n");
    let (mut desk, mut other) = (stage.desk(), stage.desk());
    let turn = desk.look().await;
    let mut review = desk.open(&turn, "a.txt").await;
    let (id, mut last) = (review.id, turn.revision);
    let split = |revision| Request::split(id, revision, 0);
    let keep = |hunk, keep| move |revision| Request::KeepHunks { id, revision, hunks: vec![hunk], keep };
    let undo = |revision| Request::UndoReview { id, revision };
    let redo = |revision| Request::RedoReview { id, revision };
    let steps: [Step<'_>; 6] = [
        (&split, None),
        (&keep(0, false), Some(Marked::Hunks(1))),
        (&keep(1, false), Some(Marked::Whole)),
        (&undo, Some(Marked::Hunks(1))),
        (&redo, Some(Marked::Whole)),
        (&keep(0, true), Some(Marked::Hunks(1))),
    ];
    for (request, expected) in steps {
        desk.ask(request(review.revision)).await.unwrap();
        review.take(desk.changed().pop().unwrap()).unwrap();
        let turns = desk.turns();
        assert_eq!(turns.len(), usize::from(expected.is_some()), "the list changes with the marks only");
        if let Some(turn) = turns.first() {
            assert!(turn.revision > last, "marks raise the revision");
            last = turn.revision;
            assert_eq!(marks_of(turn), [("a.txt", expected.unwrap())]);
        }
    }
    assert_eq!(&*review.current, "ONE\n2\n3\n");
    other.read_new_until_idle().await;
    assert_eq!(other.turns().last().unwrap().revision, last);
    assert_eq!(stage.read("a.txt"), "ONE\nTWO\n3\n", "nothing is written");
}

#[tokio::test(start_paused = true)]
async fn the_texts_of_a_turn_cannot_be_edited_or_decided() {
    let stage = Stage::with_changed_file().await;
    let (mut desk, turn) = stage.look_from_new_desk().await;
    let Review { id, revision, .. } = desk.open(&turn, "a.txt").await;
    let changes = vec![Change { range: None, text: "mine\n".into() }];
    for request in [
        Request::EditReview { id, revision, changes },
        Request::SetReason { id, revision, hunk: None, reason: "no".into() },
        Request::DecideReview { id, revision, decision: Decision::Accept },
        Request::DecideReview { id, revision, decision: Decision::Reject },
    ] {
        let refused = desk.ask(request.clone()).await;
        assert!(matches!(refused, Err(Refusal::Other { .. })), "{request:?} {refused:?}");
        assert_eq!(desk.events, []);
    }
    assert_eq!(
        desk.keep(&Review { id, revision: revision + 1, ..Review::default() }, &[0], false).await,
        Err(Refusal::Stale { revision })
    );
}

#[tokio::test(start_paused = true)]
async fn a_whole_file_can_be_marked_even_without_its_text() {
    let stage = Stage::with_files(&[("a.bin", "a"), ("b.txt", "1\n2\n3\n")]).await;
    stage.write("a.bin", "b");
    stage.write("b.txt", "ONE\n2\nTHREE\n");
    let (mut desk, turn) = stage.look_from_new_desk().await;
    let old = turn.clone();
    let revision = desk.mark(&turn, "a.bin", true).await.unwrap();
    let turn = desk.turns().pop().unwrap();
    assert_eq!(turn.revision, revision);
    assert_eq!(marks_of(&turn), [("a.bin", Marked::Whole), ("b.txt", Marked::Nothing)]);
    assert_eq!(desk.mark(&old, "b.txt", true).await, Err(Refusal::NoSuchTurn), "another list");

    let turn = desk.list_with_mark(&turn, "b.txt").await;
    let mut review = desk.open(&turn, "b.txt").await;
    assert_eq!(hunk_states(&review), [HunkState::Dropped; 2], "its hunks are marked with it");
    desk.keep(&review, &[1], true).await.unwrap();
    review.take(desk.changed().pop().unwrap()).unwrap();
    let turn = desk.turns().pop().unwrap();
    assert_eq!(marks_of(&turn)[1], ("b.txt", Marked::Hunks(1)));
    desk.mark(&turn, "b.txt", false).await.unwrap();
    review.take(desk.changed().pop().unwrap()).unwrap();
    assert_eq!(hunk_states(&review), [HunkState::Kept; 2]);
    assert_eq!(marks_of(&desk.turns()[0])[1], ("b.txt", Marked::Nothing));
}

#[tokio::test(start_paused = true)]
async fn marks_survive_a_look_as_long_as_their_hunks_are_the_same() {
    let stage = Stage::with_changed_file().await;
    stage.source.remember("b.txt", Some(b"b\n"));
    stage.write("b.txt", "B\n");
    let (mut desk, mut other) = (stage.desk(), stage.desk());
    let turn = desk.look().await;
    let review = desk.open(&turn, "a.txt").await;
    let turn = desk.list_with_dropped(&review, &[0, 1]).await;
    desk.mark(&turn, "b.txt", true).await.unwrap();
    let turn = desk.look().await;
    assert_eq!(marks_of(&turn), [("a.txt", Marked::Whole), ("b.txt", Marked::Whole)]);
    assert_eq!(turn.remarks, [] as [&str; 0]);

    // The last hunk has other lines now, and a third hunk is new.
    stage.write("a.txt", "ONE\n2\nTHREE\n4\nSIX\n");
    stage.write("b.txt", "C\n");
    desk.look().await;
    desk.read_until_idle().await;
    let shown = desk.opened().pop().expect("an open file is sent again");
    assert_ne!(shown.review.id, review.id);
    assert_eq!(hunk_states(&shown.review), [HunkState::Dropped, HunkState::Kept, HunkState::Kept]);
    other.read_new_until_idle().await;
    let turn = other.turns().pop().unwrap();
    assert_eq!(shown.revision, turn.revision);
    assert_eq!(marks_of(&turn), [("a.txt", Marked::Hunks(1)), ("b.txt", Marked::Nothing)]);
    assert_eq!(turn.remarks, ["1 mark was lost: a.txt changed", "1 mark was lost: b.txt changed"]);
    assert_eq!(desk.keep(&review, &[0], true).await, Err(Refusal::NoSuchReview));

    // A new mark in the file removes its remark: the person has read it.
    desk.mark(&turn, "b.txt", true).await.unwrap();
    assert_eq!(desk.turns()[0].remarks, ["1 mark was lost: a.txt changed"]);
}

/// The current text stays empty, but a deletion is one hunk, so that a mark on a part of it has no place.
#[tokio::test(start_paused = true)]
async fn a_file_that_is_emptied_and_then_deleted_keeps_no_part_of_its_mark() {
    let stage = Stage::with_files(&[("a.txt", "1\n2\n3\n")]).await;
    stage.write("a.txt", "");
    let (mut desk, turn) = stage.look_from_new_desk().await;
    let mut review = desk.open(&turn, "a.txt").await;
    desk.ask(Request::split(review.id, review.revision, 0)).await.unwrap();
    review.take(desk.changed().pop().unwrap()).unwrap();
    desk.keep(&review, &[0], false).await.unwrap();
    assert_eq!(marks_of(&desk.turns().pop().unwrap()), [("a.txt", Marked::Hunks(1))]);
    std::fs::remove_file(stage.path("a.txt")).unwrap();
    desk.look().await;
    desk.read_until_idle().await;
    let shown = desk.opened().pop().expect("an open file is sent again").review;
    assert_eq!(hunk_states(&shown), [HunkState::Kept], "it is one change again");
    let turn = desk.turns().pop().unwrap();
    assert_eq!(marks_of(&turn), [("a.txt", Marked::Nothing)]);
    assert_eq!(turn.remarks, ["1 mark was lost: a.txt changed"]);
}

#[tokio::test(start_paused = true)]
async fn a_file_whose_texts_cannot_be_read_stays_marked() {
    let stage = Stage::with_files(&[("a.txt", "1\n")]).await;
    stage.write("a.txt", [0xff, b'\n']);
    let (mut desk, turn) = stage.look_from_new_desk().await;
    let turn = desk.list_with_mark(&turn, "a.txt").await;
    let refused = desk.try_open(&turn, "a.txt").await;
    assert!(matches!(refused, Err(Refusal::WholeFileOnly { .. })), "{refused:?}");
    assert_eq!(marks_of(&desk.look().await), [("a.txt", Marked::Whole)]);
}

#[tokio::test(start_paused = true)]
async fn a_file_without_an_earlier_text_takes_and_keeps_no_mark() {
    let stage = Stage::with_files(&[("a.bin", "1\n"), ("b.txt", "1\n")]).await;
    stage.write("a.bin", "not kept\n");
    stage.write("b.txt", "2\n");
    let mut desk = stage.desk();
    let turn = desk.look().await;
    let refused = desk.mark(&turn, "a.bin", true).await;
    let words = "a.bin cannot be undone: it is ignored".to_owned();
    assert_eq!(refused, Err(Refusal::Other { words }));
    desk.mark(&turn, "b.txt", true).await.unwrap();
    stage.write("b.txt", "not kept\n");
    let turn = desk.look().await;
    assert_eq!(turn.remarks, ["1 mark was lost: b.txt cannot be undone: it is ignored"]);
    assert_eq!(marks_of(&turn), [("a.bin", Marked::Nothing), ("b.txt", Marked::Nothing)]);
}
