//! Tests the exact output of a turn review, from a script, with a companion in memory.

mod commenting;
mod companion;

use std::sync::Arc;

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
use crate::line_mode::output_in_memory::MemoryOutput;

/// The result of a run of the desk.
struct DeskRun {
    ending: Ending,
    /// The whole output.
    text: String,
    requests: Vec<Request>,
    /// The comments in the drafts, each with its file and the reason.
    drafts: Vec<String>,
}

impl DeskRun {
    /// Whether the desk has requested a finish, which may write files.
    fn has_finished(&self) -> bool {
        self.requests.iter().any(|request| matches!(request, Request::FinishTurn { .. }))
    }

    #[track_caller]
    fn assert_contains(&self, texts: &[&str]) {
        for text in texts {
            assert!(self.text.contains(text), "{text}: {}", self.text);
        }
    }

    /// Returns the requests that set or remove a mark of a hunk or a file.
    fn marks(&self) -> Vec<&Request> {
        let is_mark =
            |request: &&Request| matches!(request, Request::KeepHunks { .. } | Request::MarkTurnFile { .. });
        self.requests.iter().filter(is_mark).collect()
    }
}

/// Runs the desk with these lines, after which the input ends.
async fn play(companion: Companion, lines: &'static str) -> DeskRun {
    play_input(companion, LineReader::new(false, move || Box::new(lines.as_bytes()))).await
}

async fn play_input(companion: Companion, input: LineReader) -> DeskRun {
    play_with(companion, |_| input).await
}

/// Runs the desk with an input that can send events of the companion itself.
async fn play_with(
    companion: Companion,
    input: impl FnOnce(UnboundedSender<Event>) -> LineReader,
) -> DeskRun {
    let (desk, seat) = pair();
    let input = input(seat.events.clone());
    let request = Request::ReviewTurn { directory: Some("/p".into()), since: companion.asked() };
    let served = tokio::spawn(companion.serve(seat));
    let output = MemoryOutput::default();
    let drafts = Arc::new(Drafts::default());
    let reading = TurnReading::new(input, output.printer());
    let mut desk = TurnDesk::on(desk, request, reading, DraftStore::among_drafts(drafts.clone()));
    let ending = desk.run(&mut Signals::listen().unwrap()).await;
    desk.finish(ending).await;
    let (text, drafts) = (output.text(), drafts.all());
    DeskRun { ending, text, requests: served.await.unwrap(), drafts }
}

fn three_files() -> Companion {
    Companion::new(vec![binary("logo.png"), modified("src/a\x1b.rs"), added("src/new.txt")])
}

#[tokio::test]
async fn a_turn_without_changes_ends_at_once() {
    let run = play(Companion::new(Vec::new()), "").await;
    assert_eq!(run.ending, Ending::Done);
    assert_eq!(run.text, "Nothing has changed since the end of the last turn of Codex.\n");
}

#[tokio::test]
async fn unknown_changes_are_a_failure() {
    let mut companion = three_files();
    companion.unknown = Some("there is no revision nonsense".into());
    let run = play(companion, "").await;
    assert_eq!(run.ending, Ending::Failed);
    assert_eq!(run.text, "The changes cannot be told: there is no revision nonsense.\n");
}

#[tokio::test]
async fn enter_leads_through_every_change_and_all_stay() {
    let mut companion = three_files();
    companion.turn.remarks = vec!["The beginning of the turn is missing.".into()];
    let run = play(companion, "\n\n\n\n").await;
    assert_eq!(run.ending, Ending::Done);
    assert!(run.marks().is_empty() && !run.has_finished());
    insta::assert_snapshot!(run.text);
}

#[tokio::test]
async fn an_agent_at_work_is_named_at_the_head_and_before_an_undo() {
    let mut companion = three_files();
    companion.turn.at_work = vec![alongside_desk::AtWork { agent: "Codex".into(), since: 1 }];
    let run = play(companion, "n\nf\nn\nq\n").await;
    let remark = "Codex is at work: more changes may come, unless Esc has stopped it.";
    let (head, list) = run.text.split_once("To be undone:").unwrap();
    assert!(head.contains(remark) && list.contains(remark), "{}", run.text);
}

#[tokio::test]
async fn letters_go_back_and_to_a_number_and_print_list_and_help() {
    let run = play(three_files(), "K\n2\nj\nK\nj\nb\nl\ng 3\ng 2\n3\ng 1\nK\n4\nx\n?\nq\n").await;
    assert_eq!(run.ending, Ending::Left);
    assert!(run.marks().is_empty() && !run.has_finished());
    insta::assert_snapshot!(run.text);
}

#[tokio::test]
async fn files_that_are_not_the_agents_are_skipped_and_counted() {
    let mut companion = three_files();
    companion.turn.files[0].author = Author::Person;
    companion.turn.files[1].author = Author::Both;
    companion.turn.files[2].author = Author::Unknown;
    let run = play(companion, "l\nj\nj\n1\nq\n").await;
    insta::assert_snapshot!(run.text);
}

#[tokio::test]
async fn changes_accepted_before_the_write_are_skipped_and_noted() {
    let mut companion = three_files();
    companion.turn.files[0].saved = true;
    companion.turn.files[2].accepted = true;
    companion.accepted = vec![Lines { start: 0, end: 3 }];
    let run = play(companion, "l\nj\nK\nj\nj\nq\n").await;
    insta::assert_snapshot!(run.text);
}

#[tokio::test]
async fn a_proposal_is_announced_and_not_decided() {
    let mut companion = three_files();
    let agent = Agent { name: "Qwen\x1b Code".into(), ..Agent::default() };
    let review = Review { id: ReviewId(1), agent, file: "/p/b.rs".into(), ..Review::default() };
    companion.news = vec![Event::Opened(review), Event::FlushReview { id: ReviewId(1) }];
    let run = play(companion, "q\n").await;
    let file = "/p/b.rs".replace('/', std::path::MAIN_SEPARATOR_STR);
    let announcement =
        format!("New proposal: {file} by Qwen\\x1b Code. It waits at a desk; `alongside review` shows it.\n");
    assert!(run.text.starts_with(&announcement), "{}", run.text);
    assert!(run.text.ends_with("Nothing is written.\nLeaving: waiting proposals are rejected.\n"));
    let is_decision = |request: &Request| matches!(request, Request::DecideReview { .. });
    assert!(!run.requests.iter().any(is_decision));
    assert!(run.requests.contains(&Request::Flushed { id: ReviewId(1) }));
}

#[tokio::test]
async fn leaving_at_a_terminal_asks_first_if_it_ends_proposals() {
    let mut companion = three_files();
    let review = Review { id: ReviewId(1), file: "/p/b.rs".into(), ..Review::default() };
    companion.news = vec![Event::Opened(review)];
    let run = play_input(companion, LineReader::new(true, || Box::new(&b"q\n"[..]))).await;
    let end = "Nothing is written.\n1 review is waiting; leaving rejects it. Leave [y,n]? \n\
                 The input has ended.\nNothing is written.\nLeaving: waiting proposals are rejected.\n";
    assert!(run.text.ends_with(end), "{}", run.text);
    assert!(run.text.contains("\ny keeps a change, n marks it to be undone, Enter goes on."));
}

#[tokio::test]
async fn half_of_a_change_is_marked_once_it_is_split() {
    let run = play(Companion::new(vec![rewritten("a.txt")]), "s\n\nn\nn\nK\ny\n").await;
    assert_eq!(run.ending, Ending::Done);
    insta::assert_snapshot!(run.text);
}

#[tokio::test]
async fn exactly_the_marked_changes_are_undone_after_one_list() {
    let run = play(three_files(), "n\n\nn\nX\ny\n").await;
    assert_eq!(run.ending, Ending::Done);
    assert_eq!(run.marks().len(), 3);
    insta::assert_snapshot!(run.text);
}

#[tokio::test]
async fn a_file_without_an_earlier_text_takes_no_mark() {
    let mut companion = three_files();
    companion.turn.files[0].without_undo = true;
    let run = play(companion, "n\nx\nX\nE\nf\nn\nq\n").await;
    let why = "logo.png cannot be undone: it is binary. cf asks the agent.\n";
    run.assert_contains(&[
        "Its text is not shown, and it cannot be undone: it is binary.",
        "the whole file stays [y,c,u,f,?]? ",
    ]);
    assert!(run.text.matches(why).count() >= 2, "{}", run.text);
    let is_first = |request: &&Request| matches!(request, Request::MarkTurnFile { file: 0, .. });
    assert_eq!(run.marks().into_iter().filter(is_first).count(), 0);
    assert_eq!(run.marks().len(), 2, "the rest is marked");
}

#[tokio::test]
async fn a_refused_undo_is_reported_and_fails() {
    let mut companion = three_files();
    companion.refused = Some((1, "it has changed since".into()));
    // A review since a revision has no end that the next one begins with.
    companion.turn.baseline.asked = None;
    let run = play(companion, "n\nX\nf\ny\n").await;
    assert_eq!(run.ending, Ending::Failed);
    let end = "Undone:\n  logo.png; the undone text is in /drafts/0\n\
               Not undone:\n  src/a\\x1b.rs: it has changed since\n\
               `alongside drafts` lists the undone texts.\n\
               A refused change is not forgotten: the review stays open until a finish refuses none.\n";
    assert!(run.text.ends_with(end), "{}", run.text);
}

#[tokio::test]
async fn the_list_notes_that_the_index_keeps_a_rename() {
    for staged in [true, false] {
        let mut companion = three_files();
        let file = &mut companion.turn.files[1];
        (file.change, file.from, file.staged) = (FileChange::Renamed, Some("b.rs".into()), staged);
        let run = play(companion, "2\nX\nf\nq\n").await;
        let note = "again\nGit's index stays as it is: `git restore --staged` takes a git mv out of it.\n";
        assert_eq!(run.text.contains(note), staged, "{}", run.text);
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
        let run = play(three_files(), lines).await;
        assert!(!run.has_finished(), "{lines:?}: {}", run.text);
        assert_eq!(run.ending, ending, "{lines:?}: {}", run.text);
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
    let finished = play(companion(), "\ny\n").await;
    assert!(finished.has_finished() && finished.ending == Ending::Done);
    assert!(finished.text.ends_with(&format!("{question}y\nFinished; nothing is written.\n")));
    let left = play(companion(), "\nn\nq\n").await;
    assert!(!left.has_finished(), "{}", left.text);
    let ended = play(companion(), "\n").await;
    assert!(!ended.has_finished(), "{}", ended.text);
}

#[tokio::test]
async fn a_file_that_changes_while_it_is_read_is_shown_anew() {
    let mut companion = three_files();
    companion.rewrites = true;
    companion.turn.remarks = vec!["known".into()];
    let run = play(companion, "2\nn\nn\nq\n").await;
    insta::assert_snapshot!(run.text);
}

#[tokio::test]
async fn a_mark_is_removed_where_it_was_set() {
    // The hunk, then its whole file; a hunk that is marked already is not marked again.
    let run = play(three_files(), "2\nn\nK\nn\nK\ny\n2\nX\n2\nX\nf\n").await;
    assert_eq!(run.ending, Ending::Done);
    assert_eq!(described_marks(&run), ["[0] false", "[0] true", "file 1 true", "file 1 false"]);
    assert!(run.text.ends_with("Nothing is marked to be undone: everything stays as it is.\n"));
}

#[tokio::test]
async fn another_list_is_shown_and_the_person_stays_at_their_file() {
    let mut companion = three_files();
    let mut next = companion.turn.clone();
    next.revision += 1;
    next.files[0].path = "logo.svg".into();
    next.files[2].added = 9;
    companion.next = Some(next);
    let run = play(companion, "\nn\nn\nq\n").await;
    insta::assert_snapshot!(run.text);
}

#[tokio::test]
async fn a_long_change_of_a_turn_has_pages() {
    let run = play(Companion::new(vec![long("a.txt", 4_500)]), "m\nm\nm\nq\n").await;
    let pages: Vec<_> = run.text.split("@@ -0,0 +1,4500 @@").skip(1).collect();
    let lines: Vec<_> = pages.iter().map(|page| page.matches("\n+line").count()).collect();
    assert_eq!(lines, [2_000, 2_000, 500]);
    assert!(pages[0].contains("... (2500 more lines; m shows the next ones)\n"), "{}", run.text);
    assert!(pages[0].contains("keep the whole file [y,n,m,c,u,f,?]?"), "{}", pages[0]);
    assert!(pages[2].contains("keep the whole file [y,n,c,u,f,?]?"), "{}", pages[2]);
    assert!(pages[2].contains("This change has no further page."), "{}", pages[2]);
}

/// Describes each request for a mark: its hunks, or its file.
fn described_marks(run: &DeskRun) -> Vec<String> {
    let describe = |mark: &&Request| match mark {
        Request::KeepHunks { hunks, keep, .. } => format!("{hunks:?} {keep}"),
        Request::MarkTurnFile { file, undo, .. } => format!("file {file} {undo}"),
        other => panic!("{other:?}"),
    };
    run.marks().iter().map(describe).collect()
}

#[tokio::test]
async fn a_change_and_all_later_ones_are_marked_at_once() {
    let run = play(three_files(), "2\nN\n2\nj\ny\n2\nY\n1\nN\nf\nn\nq\n").await;
    assert_eq!(described_marks(&run), ["[0, 1] false", "[1] true", "[0] true", "file 0 true"]);
    run.assert_contains(&[
        "2 changes marked to be undone; u takes that back.\n",
        "2 changes kept; u takes that back.\n",
    ]);
}

#[tokio::test]
async fn all_later_files_are_marked_and_unmarked_in_one_step() {
    let run = play(three_files(), "2\nE\nE\nu\nU\nf\nn\nq\n").await;
    let marks = ["file 1 true", "file 2 true", "file 1 false", "file 2 false", "file 1 true", "file 2 true"];
    assert_eq!(described_marks(&run), marks);
    for answer in [
        "2 files marked to be undone; u takes that back.\n",
        "From here on, no change of the agent is without a mark.\n",
    ] {
        assert_eq!(run.text.matches(answer).count(), 1, "{}", run.text);
    }
}

#[tokio::test]
async fn marking_all_later_files_omits_known_changes() {
    // No file is news, so the walk visits each.
    let mut companion = three_files();
    companion.turn.files[0].author = Author::Person;
    companion.turn.files[1].accepted = true;
    companion.turn.files[2].author = Author::Person;
    let run = play(companion, "E\nq\n").await;
    assert!(run.marks().is_empty(), "{}", run.text);
    assert!(run.text.contains("From here on, no change of the agent is without a mark.\n"));
}

#[tokio::test]
async fn marks_before_a_refusal_are_one_step_and_so_is_their_undo() {
    let mut companion = three_files();
    companion.refused_marks = vec![(2, true), (1, false)];
    let run = play(companion, "E\nu\nu\nq\n").await;
    let set = ["file 0 true", "file 1 true", "file 2 true"];
    let back = ["file 0 false", "file 1 false", "file 1 false"];
    assert_eq!(described_marks(&run), [set, back].concat());
    for answer in ["2 files marked to be undone; u takes that back.\n", "Your last step is taken back"] {
        assert_eq!(run.text.matches(answer).count(), 1, "{}", run.text);
    }
}

#[tokio::test]
async fn the_latest_step_is_undone_and_redone_from_each_place() {
    // The first file and both changes of the second one are marked; then all marks are undone.
    let run = play(three_files(), "u\nn\nn\nn\nu\nu\nu\nu\nU\nU\nU\nU\nf\ny\n").await;
    let requests = run.requests.iter().filter_map(|request| match request {
        Request::KeepHunks { .. } => Some("mark".to_owned()),
        Request::MarkTurnFile { undo, .. } => Some(format!("whole {undo}")),
        Request::UndoReview { .. } => Some("undo".to_owned()),
        Request::RedoReview { .. } => Some("redo".to_owned()),
        _ => None,
    });
    let expected =
        ["whole true", "mark", "mark", "undo", "undo", "whole false", "whole true", "redo", "redo"];
    assert_eq!(requests.collect::<Vec<_>>(), expected);
    assert_eq!(run.text.matches("You have taken no step here that could be taken back.").count(), 2);
    assert_eq!(run.text.matches("You have taken nothing back that could be made again.").count(), 1);
    let list = "To be undone:\n  logo.png: the whole file\n  src/a\\x1b.rs: 2 changes\n";
    assert!(run.text.contains(list), "{}", run.text);
}

#[tokio::test]
async fn a_text_is_found_in_each_file() {
    let lines = "/\n/EIGHT\n/eight\n/\n/two\n/new\n/nowhere\nf\n";
    let run = play(three_files(), lines).await;
    let answers: Vec<_> = run.text.split("]? ").skip(1).collect();
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
