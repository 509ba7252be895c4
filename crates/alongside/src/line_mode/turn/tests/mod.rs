//! The turn review with a companion in memory, from a script, to the character.

mod companion;

use std::io::Write;
use std::sync::{Arc, Mutex};

use alongside_common::signals::Signals;
use alongside_desk::{Agent, Author, Event, Request, Review, ReviewId, pair};
use companion::{Companion, added, binary, modified};

use super::TurnDesk;
use crate::line_mode::ending::Ending;
use crate::line_mode::line_reader::LineReader;
use crate::line_mode::printer::{Inks, Printer};

/// An output in memory.
#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// How the desk ended, all that it wrote, and what it asked the companion for.
struct Played {
    ending: Ending,
    text: String,
    asked: Vec<Request>,
}

impl Played {
    /// Whether nothing can have been marked or written.
    fn is_read_only(&self) -> bool {
        let reads = |asked: &Request| {
            matches!(asked, Request::ReviewTurn { .. } | Request::OpenTurnFile { .. } | Request::Leave)
        };
        self.asked.iter().all(reads)
    }
}

/// Answers with these lines, and then with the end of the input.
async fn played(companion: Companion, lines: &'static str) -> Played {
    played_from(companion, LineReader::from(false, move || Box::new(lines.as_bytes()))).await
}

async fn played_from(companion: Companion, input: LineReader) -> Played {
    let (desk, seat) = pair();
    let served = tokio::spawn(companion.serve(seat));
    let written = Written::default();
    let printer = Printer::on(Box::new(written.clone()), Inks { on: false });
    let look = Request::ReviewTurn { directory: Some("/p".into()), since: None };
    let mut desk = TurnDesk::on(desk, look, input, printer);
    let ending = desk.run(&mut Signals::listen().unwrap()).await;
    desk.finish(ending).await;
    let text = String::from_utf8(written.0.lock().unwrap().clone()).unwrap();
    Played { ending, text, asked: served.await.unwrap() }
}

fn three_files() -> Companion {
    Companion::new(vec![binary("logo.png"), modified("src/a\x1b.rs"), added("src/new.txt")])
}

#[tokio::test]
async fn nothing_changed_is_said_at_once() {
    let played = played(Companion::new(Vec::new()), "").await;
    assert_eq!(played.ending, Ending::Done);
    assert_eq!(played.text, "Nothing has changed since the end of the last turn of Codex.\n");
}

#[tokio::test]
async fn changes_that_cannot_be_told_are_a_failure() {
    let mut companion = three_files();
    companion.unknown = Some("there is no revision nonsense".into());
    let played = played(companion, "").await;
    assert_eq!(played.ending, Ending::Failed);
    assert_eq!(played.text, "The changes cannot be told: there is no revision nonsense.\n");
}

#[tokio::test]
async fn enter_leads_through_every_change_and_all_stay() {
    let mut companion = three_files();
    companion.turn.remarks = vec!["The beginning of the turn is missing.".into()];
    let played = played(companion, "\n\n\n\n").await;
    assert_eq!(played.ending, Ending::Done);
    assert!(played.is_read_only());
    insta::assert_snapshot!(played.text);
}

#[tokio::test]
async fn one_moves_back_and_to_a_number_and_sees_lists_and_help() {
    let played = played(three_files(), "K\n2\nj\nK\nj\nb\nl\ng 3\nK\n4\nx\n?\nq\n").await;
    assert_eq!(played.ending, Ending::Left);
    assert!(played.is_read_only());
    insta::assert_snapshot!(played.text);
}

#[tokio::test]
async fn files_that_are_not_the_agents_are_passed_over_and_counted() {
    let mut companion = three_files();
    companion.turn.files[0].author = Author::Person;
    companion.turn.files[2].author = Author::Unknown;
    let played = played(companion, "j\nj\n1\nq\n").await;
    insta::assert_snapshot!(played.text);
}

#[tokio::test]
async fn a_proposal_is_announced_and_not_decided() {
    let mut companion = three_files();
    let agent = Agent { name: "Qwen\x1b Code".into(), ..Agent::default() };
    let review = Review { id: ReviewId(1), agent, file: "/p/b.rs".into(), ..Review::default() };
    companion.news = vec![Event::Opened(review), Event::FlushReview { id: ReviewId(1) }];
    let played = played(companion, "q\n").await;
    let said = "New proposal: /p/b.rs by Qwen\\x1b Code. It waits at a desk; `alongside review` shows it.\n";
    assert!(played.text.starts_with(said), "{}", played.text);
    assert!(played.text.ends_with("Nothing is written.\nLeaving: waiting proposals are rejected.\n"));
    let is_decision = |asked: &Request| matches!(asked, Request::DecideReview { .. });
    assert!(!played.asked.iter().any(is_decision));
    assert!(played.asked.contains(&Request::Flushed { id: ReviewId(1) }));
}

#[tokio::test]
async fn leaving_a_terminal_is_a_question_where_it_ends_proposals() {
    let mut companion = three_files();
    let review = Review { id: ReviewId(1), file: "/p/b.rs".into(), ..Review::default() };
    companion.news = vec![Event::Opened(review)];
    let played = played_from(companion, LineReader::from(true, || Box::new(&b"q\n"[..]))).await;
    let asked = "Nothing is written.\n1 review is waiting; leaving rejects it. Leave [y,n]? \n\
                 The input has ended.\nNothing is written.\nLeaving: waiting proposals are rejected.\n";
    assert!(played.text.ends_with(asked), "{}", played.text);
    assert!(played.text.contains("\nEnter goes on to the next change."));
}
