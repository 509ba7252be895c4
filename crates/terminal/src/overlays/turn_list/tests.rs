//! Tests of the lists over a turn review: the rows that a yes needs, the selection, and newer files.

use alongside_desk::{Comment, CommentState, Turn, TurnFile, TurnMessage, UndoneFile};

use super::*;

fn file(path: &str, marked: Marked) -> TurnFile {
    TurnFile { path: path.into(), marked, ..TurnFile::default() }
}

fn comment(id: u64, text: &str) -> Comment {
    Comment { id: CommentId(id), text: text.into(), state: CommentState::Open, ..Comment::default() }
}

fn files(count: usize) -> TurnFiles {
    let files = (0..count).map(|n| file(&format!("{n}"), Marked::Hunks(1))).collect();
    TurnFiles::new(Turn { files, ..Turn::default() })
}

#[test]
fn a_yes_counts_once_every_row_was_on_the_screen() {
    assert!(TurnList::finish(&TurnFiles::new(Turn::default())).is_none());
    let mut list = TurnList::finish(&files(12)).unwrap();
    list.mark_seen(&list.rows_on_screen(6));
    assert!(!list.is_ready() && list.has_unseen_rows_below(6));
    list.scroll(20, 6);
    list.mark_seen(&list.rows_on_screen(6));
    assert!(!list.is_ready(), "some rows were skipped without being on the screen");
    list.scroll(-20, 6);
    for _ in 0..8 {
        list.mark_seen(&list.rows_on_screen(6));
        list.scroll(3, 6);
    }
    assert!(list.is_ready() && !list.has_unseen_rows_below(6));
    assert_eq!(list.marked_files(), (12, Some(12)));
}

#[test]
fn the_chosen_file_is_on_the_screen() {
    let mut list = TurnList::files(&files(50), Vec::new(), 0);
    assert_eq!(list.chosen(), Some("0"));
    for by in [7, 20, 40, -30, -90] {
        list.scroll(by, 10);
        assert!(list.rows_on_screen(10).contains(&list.at().unwrap()));
    }
    assert_eq!(list.chosen(), Some("0"), "the heading is no file");
}

#[test]
fn a_key_goes_from_one_file_or_comment_to_the_next() {
    let comments = vec![comment(1, "rename\nit"), comment(2, "no")];
    let remarks = vec!["a remark".to_owned(); 9];
    let turn =
        |files| Turn { files, comments: comments.clone(), remarks: remarks.clone(), ..Turn::default() };
    let of = |turn| TurnList::files(&TurnFiles::new(turn), Vec::new(), 0);
    let mut list = of(turn(vec![file("a", Marked::Nothing)]));
    let there = |list: &TurnList| (list.chosen().map(str::to_owned), list.chosen_comment().map(|id| id.0));
    let mut been = vec![there(&list)];
    for by in [1, 1, 1, -1, -1, -1, 20, -20] {
        list.scroll(by, 30);
        been.push(there(&list));
    }
    let (a, first, second) = ((Some("a".to_owned()), None), (None, Some(1)), (None, Some(2)));
    let round = [&a, &first, &second, &second, &first, &a, &a, &second, &a].map(Clone::clone);
    assert_eq!(been, round);
    // Without a file, a comment is chosen at once.
    let mut list = of(turn(Vec::new()));
    assert_eq!(there(&list), first);
    // Remarks below the last comment can be scrolled to, too.
    for _ in 0..40 {
        list.mark_seen(&list.rows_on_screen(6));
        list.scroll(1, 6);
    }
    assert_eq!(list.rows_on_screen(6).end, list.rows().len());
    list.scroll(-1, 6);
    assert_eq!(there(&list), second);
}

#[test]
fn after_a_comment_is_closed_the_next_one_is_chosen() {
    let turn = |ids: &[u64]| {
        let comments = ids.iter().map(|id| comment(*id, "no")).collect();
        TurnFiles::new(Turn { files: vec![file("a", Marked::Nothing)], comments, ..Turn::default() })
    };
    let mut list = TurnList::files(&turn(&[1, 2, 3]), Vec::new(), 0);
    list.scroll(1, 30);
    list.scroll(1, 30);
    let chosen = |list: &TurnList| list.chosen_comment().map(|id| id.0);
    assert_eq!(chosen(&list), Some(2));
    list = list.renew(&turn(&[1, 3])).unwrap();
    assert_eq!(chosen(&list), Some(3));
    list = list.renew(&turn(&[1])).unwrap();
    assert_eq!(chosen(&list), Some(1));
    list = list.renew(&turn(&[])).unwrap();
    assert_eq!(list.chosen(), Some("a"));
}

#[test]
fn refusals_come_with_their_reasons() {
    let undone = |path: &str, refused: Option<&str>| UndoneFile {
        path: path.into(),
        refused: refused.map(str::to_owned),
        draft: None,
    };
    let files = vec![undone("a", None), undone("b", Some("it has changed since"))];
    let list = TurnList::finished(&TurnFinished { files, ..TurnFinished::default() }).unwrap();
    assert_eq!(list.rows()[1], TurnRow::Item("a".into()));
    assert_eq!(list.rows()[5], TurnRow::Warning("it has changed since".into()));
}

#[test]
fn the_end_tells_when_its_message_was_read() {
    let message =
        |read, words: &str| TurnMessage { at: 7, read, words: words.into(), ..TurnMessage::default() };
    let sent = Some(message(None, "Codex reads it with your next prompt"));
    let list = TurnList::finished(&TurnFinished { sent, ..TurnFinished::default() }).unwrap();
    let now = |message| TurnFiles::new(Turn { message: Some(message), ..Turn::default() });
    assert!(list.renew(&now(message(None, "Codex reads it with your next prompt"))).is_none());
    assert!(list.renew(&now(TurnMessage { at: 8, ..message(Some(9), "Codex has read it") })).is_none());
    let read = list.renew(&now(message(Some(9), "Codex has read it"))).unwrap();
    assert_eq!(read.rows()[1], TurnRow::Sentence("Codex has read it.".into()));
}
