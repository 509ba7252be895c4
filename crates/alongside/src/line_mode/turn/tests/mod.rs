//! The turn review with a companion in memory, from a script, to the character.

mod commenting;
mod companion;

use std::io::Write;
use std::sync::{Arc, Mutex};

use alongside_common::signals::Signals;
use alongside_desk::{Agent, Author, Event, FileChange, Lines, Request, Review, ReviewId, pair};
use alongside_terminal::DraftStore;
use companion::{Companion, added, binary, long, modified, rewritten};
use tokio::sync::mpsc::UnboundedSender;

use super::TurnDesk;
use super::reading::TurnReading;
use crate::line_mode::drafts_in_memory::Drafts;
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
    /// The comments that are in the drafts, each with its file and the reason.
    drafts: Vec<String>,
}

impl Played {
    /// Whether anything may have been written.
    fn has_finished(&self) -> bool {
        self.asked.iter().any(|request| matches!(request, Request::FinishTurn { .. }))
    }

    #[track_caller]
    fn says(&self, all: &[&str]) {
        for said in all {
            assert!(self.text.contains(said), "{said}: {}", self.text);
        }
    }

    /// The hunks and files that were marked, and those whose mark was taken back.
    fn marks(&self) -> Vec<&Request> {
        let is_mark =
            |asked: &&Request| matches!(asked, Request::KeepHunks { .. } | Request::MarkTurnFile { .. });
        self.asked.iter().filter(is_mark).collect()
    }
}

/// Answers with these lines, and then with the end of the input.
async fn played(companion: Companion, lines: &'static str) -> Played {
    played_from(companion, LineReader::from(false, move || Box::new(lines.as_bytes()))).await
}

async fn played_from(companion: Companion, input: LineReader) -> Played {
    played_with(companion, |_| input).await
}

/// The same with an input that tells events by itself.
async fn played_with(
    companion: Companion,
    input: impl FnOnce(UnboundedSender<Event>) -> LineReader,
) -> Played {
    let (desk, seat) = pair();
    let input = input(seat.events.clone());
    let look = Request::ReviewTurn { directory: Some("/p".into()), since: companion.asked() };
    let served = tokio::spawn(companion.serve(seat));
    let written = Written::default();
    let printer = Printer::on(Box::new(written.clone()), Inks { on: false });
    let drafts = Arc::new(Drafts::default());
    let reading = TurnReading::new(input, printer);
    let mut desk = TurnDesk::on(desk, look, reading, DraftStore::among_drafts(drafts.clone()));
    let ending = desk.run(&mut Signals::listen().unwrap()).await;
    desk.finish(ending).await;
    let text = String::from_utf8(written.0.lock().unwrap().clone()).unwrap();
    let drafts = drafts.all();
    Played { ending, text, asked: served.await.unwrap(), drafts }
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
    assert!(played.marks().is_empty() && !played.has_finished());
    insta::assert_snapshot!(played.text);
}

#[tokio::test]
async fn an_agent_at_work_is_named_at_the_head_and_before_an_undo() {
    let mut companion = three_files();
    companion.turn.at_work = vec![alongside_desk::AtWork { agent: "Codex".into(), since: 1 }];
    let played = played(companion, "n\nf\nn\nq\n").await;
    let said = "Codex is at work: more changes may come, unless Esc has stopped it.";
    let (head, list) = played.text.split_once("To be undone:").unwrap();
    assert!(head.contains(said) && list.contains(said), "{}", played.text);
}

#[tokio::test]
async fn one_moves_back_and_to_a_number_and_sees_lists_and_help() {
    let played = played(three_files(), "K\n2\nj\nK\nj\nb\nl\ng 3\ng 2\n3\ng 1\nK\n4\nx\n?\nq\n").await;
    assert_eq!(played.ending, Ending::Left);
    assert!(played.marks().is_empty() && !played.has_finished());
    insta::assert_snapshot!(played.text);
}

#[tokio::test]
async fn files_that_are_not_the_agents_are_passed_over_and_counted() {
    let mut companion = three_files();
    companion.turn.files[0].author = Author::Person;
    companion.turn.files[1].author = Author::Both;
    companion.turn.files[2].author = Author::Unknown;
    let played = played(companion, "l\nj\nj\n1\nq\n").await;
    insta::assert_snapshot!(played.text);
}

#[tokio::test]
async fn changes_accepted_before_the_write_are_passed_over_and_said() {
    let mut companion = three_files();
    companion.turn.files[0].saved = true;
    companion.turn.files[2].accepted = true;
    companion.accepted = vec![Lines { start: 0, end: 3 }];
    let played = played(companion, "l\nj\nK\nj\nj\nq\n").await;
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
    assert!(played.text.contains("\ny keeps a change, n marks it to be undone, Enter goes on."));
}

#[tokio::test]
async fn half_of_a_change_is_marked_once_it_is_split() {
    let played = played(Companion::new(vec![rewritten("a.txt")]), "s\n\nn\nn\nK\ny\n").await;
    assert_eq!(played.ending, Ending::Done);
    insta::assert_snapshot!(played.text);
}

#[tokio::test]
async fn exactly_the_marked_is_undone_after_one_list() {
    let played = played(three_files(), "n\n\nn\nX\ny\n").await;
    assert_eq!(played.ending, Ending::Done);
    assert_eq!(played.marks().len(), 3);
    insta::assert_snapshot!(played.text);
}

#[tokio::test]
async fn a_file_without_an_earlier_text_takes_no_mark() {
    let mut companion = three_files();
    companion.turn.files[0].without_undo = true;
    let played = played(companion, "n\nx\nX\nE\nf\nn\nq\n").await;
    let why = "logo.png cannot be undone: it is binary. cf asks the agent.\n";
    played.says(&[
        "Its text is not shown, and it cannot be undone: it is binary.",
        "the whole file stays [y,c,u,f,?]? ",
    ]);
    assert!(played.text.matches(why).count() >= 2, "{}", played.text);
    let is_first = |asked: &&Request| matches!(asked, Request::MarkTurnFile { file: 0, .. });
    assert_eq!(played.marks().into_iter().filter(is_first).count(), 0);
    assert_eq!(played.marks().len(), 2, "the rest is marked");
}

#[tokio::test]
async fn a_refused_undo_is_told_and_fails() {
    let mut companion = three_files();
    companion.refused = Some((1, "it has changed since".into()));
    // Of a review since a revision, no end is remembered.
    companion.turn.baseline.asked = None;
    let played = played(companion, "n\nX\nf\ny\n").await;
    assert_eq!(played.ending, Ending::Failed);
    let end = "Undone:\n  logo.png; the undone text is in /drafts/0\n\
               Not undone:\n  src/a\\x1b.rs: it has changed since\n\
               `alongside drafts` lists the undone texts.\n\
               A refused change is not forgotten: the review stays open until a finish refuses none.\n";
    assert!(played.text.ends_with(end), "{}", played.text);
}

#[tokio::test]
async fn the_list_says_that_the_index_of_git_stays_where_it_has_the_rename() {
    for staged in [true, false] {
        let mut companion = three_files();
        let file = &mut companion.turn.files[1];
        (file.change, file.from, file.staged) = (FileChange::Renamed, Some("b.rs".into()), staged);
        let played = played(companion, "2\nX\nf\nq\n").await;
        let said = "again\nGit's index stays as it is: `git restore --staged` takes a git mv out of it.\n";
        assert_eq!(played.text.contains(said), staged, "{}", played.text);
    }
}

#[tokio::test]
async fn nothing_is_written_without_a_yes() {
    for (lines, ending) in [
        ("n\nn\nf\n", Ending::Left),
        ("n\nn\nf\nx\nn\nq\n", Ending::Left),
        ("n\nn\nq\n", Ending::Left),
        ("n\nn\nf\nq\n", Ending::Left),
        ("n\nY\nf\nn\n1\ny\nf\n", Ending::Done),
    ] {
        let played = played(three_files(), lines).await;
        assert!(!played.has_finished(), "{lines:?}: {}", played.text);
        assert_eq!(played.ending, ending, "{lines:?}: {}", played.text);
    }
}

#[tokio::test]
async fn a_review_since_the_last_turn_is_finished_also_without_a_mark() {
    let companion = || {
        let mut companion = Companion::new(vec![added("a.txt")]);
        companion.turn.baseline.asked = None;
        companion
    };
    let question = "Finish, so that the next review begins here [y,n]? ";
    let finished = played(companion(), "\ny\n").await;
    assert!(finished.has_finished() && finished.ending == Ending::Done);
    assert!(finished.text.ends_with(&format!("{question}y\nFinished; nothing is written.\n")));
    let left = played(companion(), "\nn\nq\n").await;
    assert!(!left.has_finished(), "{}", left.text);
    let ended = played(companion(), "\n").await;
    assert!(!ended.has_finished(), "{}", ended.text);
}

#[tokio::test]
async fn a_file_that_changes_while_it_is_read_is_shown_anew() {
    let mut companion = three_files();
    companion.rewrites = true;
    companion.turn.remarks = vec!["known".into()];
    let played = played(companion, "2\nn\nn\nq\n").await;
    insta::assert_snapshot!(played.text);
}

#[tokio::test]
async fn a_mark_is_taken_back_where_it_was_made() {
    // The hunk, then its whole file; a hunk that is marked already is not marked again.
    let played = played(three_files(), "2\nn\nK\nn\nK\ny\n2\nX\n2\nX\nf\n").await;
    assert_eq!(played.ending, Ending::Done);
    assert_eq!(described(&played), ["[0] false", "[0] true", "file 1 true", "file 1 false"]);
    assert!(played.text.ends_with("Nothing is marked to be undone: everything stays as it is.\n"));
}

#[tokio::test]
async fn another_list_is_shown_and_the_person_stays_at_their_file() {
    let mut companion = three_files();
    let mut next = companion.turn.clone();
    next.revision += 1;
    next.files[0].path = "logo.svg".into();
    next.files[2].added = 9;
    companion.next = Some(next);
    let played = played(companion, "\nn\nn\nq\n").await;
    insta::assert_snapshot!(played.text);
}

#[tokio::test]
async fn a_long_change_of_a_turn_has_pages() {
    let played = played(Companion::new(vec![long("a.txt", 4_500)]), "m\nm\nm\nq\n").await;
    let pages: Vec<_> = played.text.split("@@ -0,0 +1,4500 @@").skip(1).collect();
    let lines: Vec<_> = pages.iter().map(|page| page.matches("\n+line").count()).collect();
    assert_eq!(lines, [2_000, 2_000, 500]);
    assert!(pages[0].contains("... (2500 more lines; m shows the next ones)\n"), "{}", played.text);
    assert!(pages[0].contains("keep the whole file [y,n,m,c,u,f,?]?"), "{}", pages[0]);
    assert!(pages[2].contains("keep the whole file [y,n,c,u,f,?]?"), "{}", pages[2]);
    assert!(pages[2].contains("Nothing more follows here."), "{}", pages[2]);
}

/// Each mark: its hunks, or its file.
fn described(played: &Played) -> Vec<String> {
    let described = |mark: &&Request| match mark {
        Request::KeepHunks { hunks, keep, .. } => format!("{hunks:?} {keep}"),
        Request::MarkTurnFile { file, undo, .. } => format!("file {file} {undo}"),
        other => panic!("{other:?}"),
    };
    played.marks().iter().map(described).collect()
}

#[tokio::test]
async fn a_change_and_all_behind_it_are_marked_at_once() {
    let played = played(three_files(), "2\nN\n2\nj\ny\n2\nY\n1\nN\nf\nn\nq\n").await;
    assert_eq!(described(&played), ["[0, 1] false", "[1] true", "[0] true", "file 0 true"]);
    played.says(&[
        "2 changes marked to be undone; u takes that back.\n",
        "2 changes kept; u takes that back.\n",
    ]);
}

#[tokio::test]
async fn the_rest_of_all_files_is_marked_and_taken_back_in_one_step() {
    let played = played(three_files(), "2\nE\nE\nu\nU\nf\nn\nq\n").await;
    let marks = ["file 1 true", "file 2 true", "file 1 false", "file 2 false", "file 1 true", "file 2 true"];
    assert_eq!(described(&played), marks);
    for said in [
        "2 files marked to be undone; u takes that back.\n",
        "From here on, no change of the agent is without a mark.\n",
    ] {
        assert_eq!(played.text.matches(said).count(), 1, "{}", played.text);
    }
}

#[tokio::test]
async fn marking_the_rest_leaves_out_what_the_person_knows() {
    // No file is news, so that the way leads to each.
    let mut companion = three_files();
    companion.turn.files[0].author = Author::Person;
    companion.turn.files[1].accepted = true;
    companion.turn.files[2].author = Author::Person;
    let played = played(companion, "E\nq\n").await;
    assert!(played.marks().is_empty(), "{}", played.text);
    assert!(played.text.contains("From here on, no change of the agent is without a mark.\n"));
}

#[tokio::test]
async fn marks_before_a_refusal_are_one_step_and_so_is_their_way_back() {
    let mut companion = three_files();
    companion.refused_marks = vec![(2, true), (1, false)];
    let played = played(companion, "E\nu\nu\nq\n").await;
    let set = ["file 0 true", "file 1 true", "file 2 true"];
    let back = ["file 0 false", "file 1 false", "file 1 false"];
    assert_eq!(described(&played), [set, back].concat());
    for said in ["2 files marked to be undone; u takes that back.\n", "Your last step is taken back"] {
        assert_eq!(played.text.matches(said).count(), 1, "{}", played.text);
    }
}

#[tokio::test]
async fn the_last_step_is_taken_back_and_made_again_wherever_the_person_is() {
    // The first file and both changes of the second one are marked; then all of it goes back.
    let played = played(three_files(), "u\nn\nn\nn\nu\nu\nu\nu\nU\nU\nU\nU\nf\ny\n").await;
    let requests = played.asked.iter().filter_map(|asked| match asked {
        Request::KeepHunks { .. } => Some("mark".to_owned()),
        Request::MarkTurnFile { undo, .. } => Some(format!("whole {undo}")),
        Request::UndoReview { .. } => Some("undo".to_owned()),
        Request::RedoReview { .. } => Some("redo".to_owned()),
        _ => None,
    });
    let expected =
        ["whole true", "mark", "mark", "undo", "undo", "whole false", "whole true", "redo", "redo"];
    assert_eq!(requests.collect::<Vec<_>>(), expected);
    assert_eq!(played.text.matches("You have taken no step here that could be taken back.").count(), 2);
    assert_eq!(played.text.matches("You have taken nothing back that could be made again.").count(), 1);
    let list = "To be undone:\n  logo.png: the whole file\n  src/a\\x1b.rs: 2 changes\n";
    assert!(played.text.contains(list), "{}", played.text);
}

#[tokio::test]
async fn a_text_is_found_in_whichever_file_it_is() {
    let lines = "/\n/EIGHT\n/eight\n/\n/two\n/new\n/nowhere\nf\n";
    let played = played(three_files(), lines).await;
    let answers: Vec<_> = played.text.split("]? ").skip(1).collect();
    for (answer, texts) in answers.iter().zip([
        &["Type / and the text to look for."][..],
        &["No change contains \"EIGHT\".\nkeep the whole file"],
        &["src/a\\x1b.rs (2 of 3)", "+eight", "(2/2)"],
        &["No later change contains \"eight\"; this one does.", "(2/2)"],
        &["No later change contains \"two\"; this one does.", "(1/2)"],
        &["src/new.txt (3 of 3)", "+new"],
        &["No change contains \"nowhere\".\nkeep the whole file"],
    ]) {
        assert!(texts.iter().all(|text| answer.contains(text)), "{texts:?}: {answer}");
    }
    assert!(!answers[5].contains("No later change"), "{}", answers[5]);
}
