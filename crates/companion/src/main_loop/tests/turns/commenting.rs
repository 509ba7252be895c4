//! Comments on a turn, and the message to its agent.

use alongside_desk::{Comment, CommentId, FileChange, LineRange, Side};

use super::*;
use crate::turns::source::{ChangeBack, HunkBack, NewRound, WholeBack};

pub(super) fn add_comment(
    turn: &Turn,
    file: Option<usize>,
    lines: Option<(usize, usize)>,
    text: &str,
) -> Request {
    let lines = lines.map(|(first, last)| LineRange { first, last });
    let (side, text) = (Side::New, text.to_owned());
    Request::AddComment { turn: turn.id, revision: turn.revision, file, lines, side, text }
}

fn finish_and_send(turn: &Turn, ask_to_undo: bool) -> Request {
    Request::FinishTurn { turn: turn.id, revision: turn.revision, send: true, ask_to_undo }
}

fn comment_texts(turn: &Turn) -> Vec<&str> {
    turn.comments.iter().map(|comment| &*comment.text).collect()
}

#[tokio::test(start_paused = true)]
async fn a_comment_is_kept_with_the_lines_of_the_companions_own_text() {
    let stage = Stage::with_changed_file().await;
    let (mut desk, mut other) = (stage.desk(), stage.desk());
    let turn = desk.look().await;
    let revision = desk.ask(add_comment(&turn, Some(0), Some((1, 2)), " why?\n")).await.unwrap();
    let turn = desk.turns().pop().expect("the list comes before the reply");
    assert_eq!((turn.revision, &*turn.comments), (revision, &*stage.source.comments()));
    let Comment { anchor, text, .. } = &turn.comments[0];
    assert_eq!((anchor.path.as_deref(), &*anchor.code, &**text), (Some("a.txt"), "ONE\n2\n", "why?"));
    // In an open file, the text that the desk shows counts, not the text on disk.
    desk.open(&turn, "a.txt").await;
    stage.write("a.txt", "other\n");
    let (file, lines) = (Some(0), Some(LineRange { first: 5, last: 5 }));
    let (turn, side) = (desk.turns().pop().unwrap_or(turn), Side::Old);
    let text = "it was fine".to_owned();
    let old = Request::AddComment { turn: turn.id, revision: turn.revision, file, lines, side, text };
    desk.ask(old).await.unwrap();
    let turn = desk.turns().pop().unwrap();
    assert_eq!((turn.comments[1].anchor.side, &*turn.comments[1].anchor.code), (Side::Old, "5\n"));
    assert_eq!(stage.source.context_lines(1), ("2\n3\n4\n".to_owned(), String::new()));
    desk.ask(add_comment(&turn, None, None, "tests?")).await.unwrap();
    other.read_new_until_idle().await;
    assert_eq!(comment_texts(other.turns().last().unwrap()), ["why?", "it was fine", "tests?"]);
}

#[tokio::test(start_paused = true)]
async fn a_comment_is_kept_even_if_comments_cannot_be_read_back() {
    let stage = Stage::with_changed_file().await;
    let (mut desk, turn) = stage.look_from_new_desk().await;
    stage.source.make_unreadable();
    desk.ask(add_comment(&turn, None, None, "one")).await.unwrap();
    desk.read_new_until_idle().await;
    assert_eq!(comment_texts(&desk.turns().pop().unwrap()), ["one"]);
}

#[tokio::test(start_paused = true)]
async fn invalid_comments_are_refused() {
    let stage = Stage::with_changed_file().await;
    stage.source.remember("b.bin", Some(b"a"));
    stage.write("b.bin", "b");
    let (mut desk, turn) = stage.look_from_new_desk().await;
    for lines in [(0, 1), (2, 1), (5, 6), (usize::MAX, usize::MAX), (1, usize::MAX)] {
        let refused = desk.ask(add_comment(&turn, Some(0), Some(lines), "x")).await;
        assert!(matches!(refused, Err(Refusal::OutOfRange { .. })), "{lines:?} {refused:?}");
    }
    assert!(matches!(
        desk.ask(add_comment(&turn, None, Some((1, 1)), "x")).await,
        Err(Refusal::OutOfRange { .. })
    ));
    assert!(matches!(
        desk.ask(add_comment(&turn, Some(9), None, "x")).await,
        Err(Refusal::OutOfRange { .. })
    ));
    let binary = desk.ask(add_comment(&turn, Some(1), Some((1, 1)), "x")).await;
    assert!(matches!(binary, Err(Refusal::WholeFileOnly { .. })), "{binary:?}");
    for text in ["", " \n\t", &*"x".repeat(70_000)] {
        let refused = desk.ask(add_comment(&turn, None, None, text)).await;
        assert!(matches!(refused, Err(Refusal::CommentNotKept { .. })), "{refused:?}");
    }
    let old = Turn { revision: turn.revision + 1, ..turn.clone() };
    assert_eq!(desk.ask(add_comment(&old, None, None, "x")).await, Err(Refusal::NoSuchTurn));
    stage.write("a.txt", "x".repeat(70_000));
    let turn = desk.look().await;
    let long = desk.ask(add_comment(&turn, Some(0), Some((1, 1)), "x")).await;
    assert!(matches!(long, Err(Refusal::CommentNotKept { .. })), "{long:?}");
    assert!(stage.source.comments().is_empty());
    desk.ask(add_comment(&turn, Some(1), None, "on a binary file")).await.unwrap();
    assert_eq!(stage.source.comments().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn every_review_of_the_working_tree_has_its_comments() {
    let stage = Stage::with_changed_file().await;
    let (mut desk, mut other) = (stage.desk(), stage.desk());
    let turn = desk.look().await;
    other.look_since(Some("HEAD")).await;
    let since = other.turns().into_iter().find(|turn| turn.baseline.asked.is_some()).unwrap();
    assert_ne!(since.id, turn.id);
    desk.ask(add_comment(&turn, None, None, "one")).await.unwrap();
    other.read_new_until_idle().await;
    let mut counts: Vec<_> = other.turns().iter().map(|turn| (turn.id, comment_texts(turn).len())).collect();
    counts.sort();
    assert_eq!(counts, [(turn.id, 1), (since.id, 1)]);
    let change = |id, text: &str| Request::ChangeComment { turn: turn.id, id, text: text.into() };
    let id = stage.source.comments()[0].id;
    desk.ask(change(id, "two")).await.unwrap();
    assert_eq!(comment_texts(desk.turns().last().unwrap()), ["two"]);
    desk.ask(change(id, " ")).await.unwrap();
    assert!(comment_texts(desk.turns().last().unwrap()).is_empty());
    assert_eq!(desk.ask(change(CommentId(9), "x")).await, Err(Refusal::NoSuchComment));
}

#[tokio::test(start_paused = true)]
async fn a_finish_sends_undone_changes_and_comments_only_on_request() {
    let stage = Stage::with_changed_file().await;
    let (mut desk, turn) = stage.look_from_new_desk().await;
    assert_eq!(turn.route.as_ref().map(|route| &*route.words), Some("soon"), "before the person types");
    desk.ask(add_comment(&turn, None, None, "one")).await.unwrap();
    let turn = desk.turns().pop().unwrap();
    desk.finish(&turn).await.unwrap();
    assert_eq!((desk.finished()[0].sent.clone(), stage.source.rounds()), (None, Vec::new()));

    stage.write("a.txt", "ONE\nTWO\n3\n4\n5!\n");
    let turn = desk.look().await;
    let review = desk.open(&turn, "a.txt").await;
    let turn = desk.list_with_dropped(&review, &[0]).await;
    desk.ask(finish_and_send(&turn, false)).await.unwrap();
    let finished = desk.finished().pop().unwrap();
    assert_eq!(finished.files.len(), 1);
    assert_eq!(finished.sent.unwrap().text, "the message");
    let hunk = HunkBack { line: 2, changed: "TWO\n".into(), before: "2\n".into() };
    let undone = vec![ChangeBack { path: "a.txt".into(), hunks: vec![hunk], ..ChangeBack::default() }];
    assert_eq!(
        stage.source.rounds(),
        [NewRound { undone, comments: Some(vec![CommentId(1)]), ..NewRound::default() }]
    );
    let turn = desk.turns().pop().unwrap();
    assert_eq!(turn.message.unwrap().words, "soon");
}

#[tokio::test(start_paused = true)]
async fn the_agent_is_asked_to_undo_and_nothing_is_written() {
    let stage = Stage::with_files(&[("a.txt", "1\n2\n3\n"), ("b.txt", "b\n")]).await;
    stage.write("a.txt", "ONE\n2\nTHREE\n");
    stage.write("b.txt", "B\n");
    stage.source.remember("c.txt", None);
    stage.write("c.txt", "new\n");
    let (mut desk, turn) = stage.look_from_new_desk().await;
    let review = desk.open(&turn, "a.txt").await;
    let turn = desk.list_with_dropped(&review, &[1]).await;
    let turn = desk.list_with_mark(&turn, "b.txt").await;
    let turn = desk.list_with_mark(&turn, "c.txt").await;
    // A message that cannot be sent leaves everything as it is.
    stage.source.refuse_to_send(true);
    desk.ask(finish_and_send(&turn, true)).await.unwrap();
    let finished = desk.finished().pop().unwrap();
    assert_eq!((finished.not_sent.as_deref(), finished.sent, finished.asked.len()), (Some("no"), None, 0));
    let turn = desk.look().await;
    let marks = [("a.txt", Marked::Hunks(1)), ("b.txt", Marked::Whole), ("c.txt", Marked::Whole)];
    assert_eq!(marks_of(&turn), marks);
    stage.source.refuse_to_send(false);
    desk.ask(finish_and_send(&turn, true)).await.unwrap();
    let finished = desk.finished().pop().unwrap();
    assert_eq!(
        (finished.files.len(), &*finished.asked),
        (0, &["a.txt", "b.txt", "c.txt"].map(str::to_owned)[..])
    );
    assert_eq!((stage.read("a.txt"), stage.read("b.txt")), ("ONE\n2\nTHREE\n".into(), "B\n".into()));
    let hunk = HunkBack { line: 3, changed: "THREE\n".into(), before: "3\n".into() };
    // The message names the kind of change: a file that looks new to the agent may be a renamed one.
    let whole = WholeBack { change: FileChange::Added, ..WholeBack::default() };
    let asked = vec![
        ChangeBack { path: "a.txt".into(), hunks: vec![hunk], ..ChangeBack::default() },
        ChangeBack { path: "b.txt".into(), ..ChangeBack::default() },
        ChangeBack { path: "c.txt".into(), whole, ..ChangeBack::default() },
    ];
    assert_eq!(
        stage.source.rounds(),
        [NewRound { asked, comments: Some(Vec::new()), ..NewRound::default() }]
    );
    assert!(desk.turns().pop().unwrap().files.is_empty(), "the review is finished");
}

#[tokio::test(start_paused = true)]
async fn an_older_look_hides_no_comment() {
    let stage = Stage::with_changed_file().await;
    let (mut desk, turn) = stage.look_from_new_desk().await;
    stage.source.set_held(true);
    stage.write("a.txt", "ONE\n2\n3\n4\n5\n");
    let look = desk.desk.send(Request::ReviewTurn { directory: None, since: None });
    while stage.source.looks.load(std::sync::atomic::Ordering::SeqCst) < 2 {
        tokio::task::yield_now().await;
    }
    desk.ask(add_comment(&turn, None, None, "one")).await.unwrap();
    stage.source.set_held(false);
    look.await.unwrap().unwrap();
    desk.read_events();
    assert_eq!(comment_texts(desk.turns().last().unwrap()), ["one"]);
    // A desk that joins later gets a comment that waits, even where no file differs.
    stage.write("a.txt", "1\n2\n3\n4\n5\n");
    desk.look().await;
    let mut late = stage.desk();
    late.read_new_until_idle().await;
    assert_eq!(comment_texts(&late.turns()[0]), ["one"]);
}
