//! Files of a turn review that desks open.

use super::*;

#[tokio::test(start_paused = true)]
async fn an_open_file_has_both_texts_byte_for_byte() {
    let files =
        [("crlf.txt", "a\r\nb\r\n"), ("mark.txt", "\u{feff}a\n"), ("gone.txt", "x\ny\n"), ("b", "\n")];
    let stage = Stage::with_files(&files).await;
    stage.write("crlf.txt", "a\nb\n");
    stage.write("mark.txt", "a\n");
    fs::remove_file(stage.path("gone.txt")).unwrap();
    stage.source.remember("new.txt", None);
    stage.write("new.txt", "n\n");
    let (mut desk, turn) = stage.look_from_new_desk().await;
    for (name, original, proposed, hunks) in [
        ("crlf.txt", Some("a\r\nb\r\n"), "a\nb\n", 1),
        ("mark.txt", Some("\u{feff}a\n"), "a\n", 1),
        ("gone.txt", Some("x\ny\n"), "", 1),
        ("new.txt", None, "n\n", 1),
    ] {
        let review = desk.open(&turn, name).await;
        assert_eq!((review.original.as_deref(), &*review.proposed), (original, proposed), "{name}");
        assert_eq!(review.current, review.proposed);
        assert_eq!(review.hunks.len(), hunks, "{name}");
        assert_eq!(review.file_line_ending, None);
        assert_eq!(Path::new(&review.file), crate::real_path::resolve(&stage.path(name)));
    }
    let review = desk.open(&turn, "gone.txt").await;
    let split = Request::split(review.id, review.revision, 0);
    assert_eq!(desk.ask(split).await, Err(Refusal::CannotSplit));
}

#[tokio::test(start_paused = true)]
async fn a_file_without_text_is_refused_with_the_reason() {
    let stage = Stage::with_files(&[("a.bin", "a"), ("b.txt", "b"), ("c.txt", "c")]).await;
    stage.write("a.bin", "b");
    stage.write("b.txt", b"\xff\xfe");
    stage.write("c.txt", b"\0");
    let (mut desk, turn) = stage.look_from_new_desk().await;
    for (name, reason) in [
        ("a.bin", "it is binary"),
        ("b.txt", "the file on disk is not UTF-8 text"),
        ("c.txt", "the file on disk is binary"),
    ] {
        let refused = Refusal::WholeFileOnly { reason: reason.to_owned() };
        assert_eq!(desk.try_open(&turn, name).await, Err(refused), "{name}");
        assert_eq!(desk.opened(), []);
    }
    let open = Request::OpenTurnFile { turn: turn.id, revision: turn.revision, file: 3 };
    assert!(matches!(desk.ask(open).await, Err(Refusal::OutOfRange { .. })));
    let open = Request::OpenTurnFile { turn: turn.id, revision: turn.revision + 1, file: 0 };
    assert_eq!(desk.ask(open).await, Err(Refusal::NoSuchTurn));
}

#[tokio::test(start_paused = true)]
async fn unchanged_texts_keep_their_id_and_marks() {
    let stage = Stage::with_changed_file().await;
    let (mut one, mut two) = (stage.desk(), stage.desk());
    let turn = one.look().await;
    let review = one.open(&turn, "a.txt").await;
    two.read_new_until_idle().await;
    assert_eq!(two.opened(), [], "the texts go only to the desk that opens the file");
    let turn = one.list_with_dropped(&review, &[0]).await;
    let again = two.open(&turn, "a.txt").await;
    assert_eq!((again.id, hunk_states(&again)), (review.id, vec![HunkState::Dropped, HunkState::Kept]));
    // Both desks have it open now.
    two.keep(&again, &[1], false).await.unwrap();
    one.read_new_until_idle().await;
    assert_eq!(one.changed().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn changes_of_an_open_file_go_to_the_desks_that_have_it_open() {
    let stage = Stage::with_changed_file().await;
    let (mut one, mut two) = (stage.desk(), stage.desk());
    let turn = one.look().await;
    let mut review = one.open(&turn, "a.txt").await;
    let revision = one.keep(&review, &[0], false).await.unwrap();
    review.take(one.changed().pop().unwrap()).unwrap();
    assert_eq!((review.revision, &*review.current), (revision, "1\n2\n3\n4\nFIVE\n"));
    two.read_new_until_idle().await;
    assert_eq!(two.changed(), []);
    assert_eq!(marks_of(&two.turns()[1]), [("a.txt", Marked::Hunks(1))]);
    let path = review.file.clone();
    stage.story.report(report_of_open_file(&path, true)).await;
    one.read_new_until_idle().await;
    review.take(one.changed().pop().unwrap()).unwrap();
    assert!(review.dirty);
}

#[tokio::test(start_paused = true)]
async fn texts_that_no_desk_has_open_are_freed_unless_they_are_marked() {
    let stage = Stage::with_changed_file().await;
    let mut other = stage.desk();
    let turn = other.look().await;
    let mut desk = stage.desk();
    let first = desk.open(&turn, "a.txt").await;
    desk.desk.leave().await;
    let mut desk = stage.desk();
    let second = desk.open(&turn, "a.txt").await;
    assert_ne!(second.id, first.id, "the texts were read again");
    let turn = desk.list_with_dropped(&second, &[0]).await;
    desk.desk.leave().await;
    let third = other.open(&turn, "a.txt").await;
    assert_eq!((third.id, hunk_states(&third)[0]), (second.id, HunkState::Dropped));
}
