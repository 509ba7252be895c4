//! Tests of comments on a turn in line mode.

use std::io::{BufRead, Read};
use std::sync::mpsc::{Receiver, channel};

use alongside_desk::{CommentId, CommentState, LineRange, Route, Side, Turn, TurnMessage};

use super::*;

/// Returns a companion with three files, and an agent that reads comments.
fn with_route() -> Companion {
    let mut companion = three_files();
    companion.turn.route = Some(Route {
        agent: "Codex".into(),
        words: "Codex reads it with your next prompt".into(),
        ..Route::default()
    });
    companion
}

/// Describes the requests for comments: the file, the lines (`old` for the original's), and the words.
fn comment_requests(run: &DeskRun) -> Vec<String> {
    let added = run.requests.iter().filter_map(|request| match request {
        Request::AddComment { file, lines, side, text, .. } => {
            let lines = lines.map(|lines| lines.to_string()).unwrap_or_default();
            let old = if *side == Side::Old { "old " } else { "" };
            Some(format!("{file:?} {old}{lines}: {text}"))
        }
        Request::ChangeComment { id, text, .. } => Some(format!("#{}: {text}", id.0)),
        _ => None,
    });
    added.collect()
}

/// Returns the requests for a finish: whether to send a message, and whether the agent is to undo.
fn finish_requests(run: &DeskRun) -> Vec<(bool, bool)> {
    let finishes = run.requests.iter().filter_map(|request| match request {
        Request::FinishTurn { send, ask_to_undo, .. } => Some((*send, *ask_to_undo)),
        _ => None,
    });
    finishes.collect()
}

#[tokio::test]
async fn a_comment_is_written_in_one_line_or_in_several() {
    let lines = "c is this needed?\n2\nc why two?\nc\nfirst\n  second\n\nc 2: this line\n3\nc 1-2: both\n\
                 cf no tests\nC run all\nl\nf\ny\n";
    let run = play(with_route(), lines).await;
    assert_eq!(
        comment_requests(&run),
        [
            "Some(0) : is this needed?",
            "Some(1) line 2: why two?",
            "Some(1) line 2: first\n  second",
            "Some(1) line 2: this line",
            "Some(2) lines 1–2: both",
            "Some(2) : no tests",
            "None : run all",
        ]
    );
    assert_eq!(finish_requests(&run), [(true, false)]);
    insta::assert_snapshot!(run.text);
}

#[tokio::test]
async fn undo_removes_comments_and_then_marks() {
    let run = play(with_route(), "n\nC first\nC second\nu\nu\nu\nu\nU\nq\n").await;
    assert_eq!(comment_requests(&run), ["None : first", "None : second", "#2: ", "#1: "]);
    run.assert_contains(&["Comment 2 taken back: second\n", "Comment 1 taken back: first\n"]);
    let marks = run.requests.iter().filter_map(|request| match request {
        Request::MarkTurnFile { undo, .. } => Some(*undo),
        _ => None,
    });
    assert_eq!(marks.collect::<Vec<_>>(), [true, false, true]);
    assert_eq!(run.text.matches("You have taken no step here that could be taken back.").count(), 1);
}

#[tokio::test]
async fn a_comment_is_written_anew_or_removed_by_its_number() {
    let run = play(with_route(), "C first\nC second\nc1 other\nc2 -\nc7 no\nc1\n\nq\n").await;
    assert_eq!(comment_requests(&run), ["None : first", "None : second", "#1: other", "#2: "]);
    run.assert_contains(&[
        "Comment 1 changed.",
        "Comment 2 removed.",
        "No comment has that number",
        "No comment was saved.",
    ]);
}

#[tokio::test]
async fn the_question_of_a_finish_names_exactly_its_effects() {
    for (lines, finishes, text) in [
        (
            "n\nC x\nf\ny\n",
            [(true, false)],
            "y undo and send 1 comment, a send and ask the agent to undo, o only undo, n no [y,a,o,n]?",
        ),
        ("n\nf\nz\na\n", [(true, true)], "Type one of [y,a,o,n] and Enter."),
        (
            "n\nf\no\n",
            [(false, false)],
            "y undo these and tell the agent, a ask the agent to undo, o only undo, n no [y,a,o,n]?",
        ),
        (
            "C x\nf\na\ny\n",
            [(true, false)],
            "Nothing is written. y send 1 comment, o finish without sending, n no [y,o,n]?",
        ),
        (
            "C x\nf\no\n",
            [(false, false)],
            "To be sent:\n  the whole turn: x\nCodex reads it with your next prompt.\n",
        ),
    ] {
        let run = play(with_route(), lines).await;
        assert_eq!(finish_requests(&run), finishes, "{lines:?}: {}", run.text);
        assert!(run.text.contains(text), "{lines:?}: {}", run.text);
        assert_eq!(run.ending, Ending::Done);
    }
    let asking = play(with_route(), "n\nf\na\n").await;
    let end = "The agent is asked to undo:\n  logo.png\nSent: Codex reads it with your next prompt\n";
    assert!(asking.text.ends_with(end), "{}", asking.text);
    // A person who sends nothing reads that comments wait.
    for (lines, end) in [
        ("C x\nf\no\n", "Finished; nothing is written.\n1 comment waits on, and is not sent.\n"),
        ("C x\nq\n", "Nothing is written.\n1 comment waits on, and is not sent.\n"),
    ] {
        let unsent = play(with_route(), lines).await;
        assert!(unsent.text.ends_with(end), "{}", unsent.text);
    }
    // Without a route to an agent, comments wait.
    let waiting = play(three_files(), "n\nC x\nf\ny\n").await;
    assert_eq!(finish_requests(&waiting), [(false, false)]);
    assert!(waiting.text.contains("Comments that wait:\n  the whole turn: x\n"), "{}", waiting.text);
}

#[tokio::test]
async fn the_route_and_the_latest_message_are_printed_first() {
    let mut companion = with_route();
    let words = "Codex has read it".to_owned();
    companion.turn.message = Some(TurnMessage { words, read: Some(1), ..TurnMessage::default() });
    let anchor = alongside_desk::Anchor {
        path: Some("src/a\x1b.rs".into()),
        lines: Some(LineRange { first: 3, last: 4 }),
        code: "gone()\n".into(),
        ..Default::default()
    };
    let comment = |id, text: &str, lost| alongside_desk::Comment {
        id: CommentId(id),
        anchor: anchor.clone(),
        text: text.into(),
        lost,
        state: CommentState::Sent,
        ..Default::default()
    };
    let mut elsewhere = comment(5, "rename it", false);
    elsewhere.anchor.lines = Some(LineRange { first: 900, last: 900 });
    elsewhere.anchor.code = "fn today() {\n".into();
    companion.turn.comments = vec![comment(4, "why\x1b?", true), elsewhere];
    // A terminal returns one line for each read.
    let lines = || b"2\n".chain(&b"c\n"[..]).chain(&b"\n"[..]).chain(&b"q\n"[..]);
    let input = LineReader::new(true, move || Box::new(lines()));
    let run = play_input(companion, input).await;
    run.assert_contains(&[
        "Your last message: Codex has read it (",
        "c comments on a change, for the agent. After f: Codex reads it with your next prompt.\n",
        "Comment 4 on lines 3–4 (read); this code is nowhere in the file now:\n  gone()\n  why\\x1b?\n",
        "Comment 5 on line 900 (read):\n  fn today() {\n  rename it\n",
        "Codex reads it with your next prompt.\nType the comment; an empty line ends it.\n",
    ]);
}

#[tokio::test]
async fn open_comments_are_asked_again_or_closed_without_changes() {
    let comment = |id, state, text: &str| alongside_desk::Comment {
        id: CommentId(id),
        text: text.into(),
        state,
        ..Default::default()
    };
    let mut companion = with_route();
    companion.turn.files.clear();
    companion.turn.comments = vec![
        comment(1, CommentState::Open, "why?"),
        comment(2, CommentState::Answered, "softer"),
        comment(3, CommentState::Open, "never mind"),
    ];
    let run = play(companion, "y\na2\na4\na1\nc1 -\na1\nc3 -\nf\ny\n").await;
    run.assert_contains(&[
        "1 comment with changed lines, 2 open.\n",
        "Open, with nothing changed there: a1 asks again, `c1 -` closes it.\n  1. the whole turn: why?\n",
        "Comment 2 is asked again: f sends it.",
        "No comment has that number; l lists them.\n",
        "Comment 1 is asked again: f sends it. `c1 -` takes that back.\n",
        "Comment 1 is not asked again; it stays as it was. `c1 -` closes it.\n",
        "Comment 3 removed.\n",
        "To be sent:\n  the whole turn: why?\n  the whole turn: softer\n",
    ]);
    assert!(!run.text.contains("Comment 1 removed."), "{}", run.text);
    assert_eq!(finish_requests(&run), [(true, false)]);
}

#[tokio::test]
async fn a_refused_comment_is_printed_and_an_unfinished_one_is_sent() {
    let begun = play(with_route(), "C\nhalf a\nthought").await;
    assert_eq!(comment_requests(&begun), ["None : half a\nthought"]);
    let mut companion = with_route();
    companion.refuses_comments = true;
    let refused = play(companion, "C\ntoo\x1b\nearly\n\nq\n").await;
    let answer = "The comment is not saved: the disk is full.\n\
                This is your comment, which was not saved:\ntoo\\x1b\nearly\n";
    assert!(refused.text.contains(answer), "{}", refused.text);
    assert_eq!(
        refused.drafts,
        [format!("/p (Codex): {}: too\x1b\nearly", alongside_terminal::COMMENT_UNSENT)]
    );
}

/// An input without text, which sends events when it is read, and waits until the desk has handled them.
struct EventInput {
    sender: Option<UnboundedSender<Event>>,
    events: Vec<Event>,
    caught_up: Receiver<()>,
}

impl Read for EventInput {
    fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
        self.fill_buf().map(<[u8]>::len)
    }
}

impl BufRead for EventInput {
    fn fill_buf(&mut self) -> std::io::Result<&[u8]> {
        if let Some(sender) = self.sender.take() {
            for event in self.events.drain(..) {
                sender.send(event).unwrap();
            }
            // A companion that stops does not answer.
            let _ = self.caught_up.recv();
        }
        Ok(&[])
    }

    fn consume(&mut self, _: usize) {}
}

/// Types the lines before a change of the list, changes the list, and types the lines after it.
async fn play_across_new_list(
    (before, after): (&'static str, &'static str),
    change: impl FnOnce(&mut Turn),
) -> DeskRun {
    let mut companion = with_route();
    companion.accepts_any_revision = true;
    let mut turn = companion.turn.clone();
    turn.revision += 1;
    change(&mut turn);
    let (caught_up_sender, caught_up) = channel();
    companion.caught_up = Some(caught_up_sender);
    let input = |sender| {
        let events = vec![Event::Turn(turn), Event::FlushReview { id: ReviewId(1) }];
        let events = EventInput { sender: Some(sender), events, caught_up };
        LineReader::new(false, move || Box::new(before.as_bytes().chain(events).chain(after.as_bytes())))
    };
    play_with(companion, input).await
}

#[tokio::test]
async fn a_new_list_takes_no_line_of_a_comment() {
    let lines = ("C\nfirst\nsecond\n", "u\nU\nf\n\nq\n");
    let run = play_across_new_list(lines, |turn| {
        turn.files[2].added = 9;
        turn.remarks.push("news".into());
    })
    .await;
    assert_eq!(comment_requests(&run), ["None : first\nsecond\nu\nU\nf"]);
    assert!(run.marks().is_empty() && !run.has_finished());
    // The announcements come after the comment.
    let after = run.text.split("comment> \n").nth(1).unwrap();
    assert!(after.contains("news\n") && after.contains("The list of changes is another one now"), "{after}");
    assert_eq!(run.drafts, Vec::<String>::new());
}

#[tokio::test]
async fn a_comment_stays_with_the_change_where_it_was_begun() {
    let lines = ("2\nc\nabout a\n", "\nc\n\nq\n");
    let run = play_across_new_list(lines, |turn| {
        turn.files.remove(1);
    })
    .await;
    assert!(run.text.contains("This change has changed meanwhile"), "{}", run.text);
    // The next comment begins with the words, which the person reads.
    assert!(run.text.contains("You typed this before:\nabout a\n"), "{}", run.text);
    assert_eq!(comment_requests(&run).len(), 1);
}

#[tokio::test]
async fn the_next_comment_begins_with_the_words_of_a_refused_one() {
    let refusing = || {
        let mut companion = with_route();
        companion.refuses_comments = true;
        companion
    };
    let resumed = play(refusing(), "C one\nC\ntwo\n\nq\n").await;
    assert_eq!(comment_requests(&resumed), ["None : one", "None : one\ntwo"]);
    assert_eq!(resumed.drafts.len(), 1, "{:?}", resumed.drafts);
    let dropped = play(refusing(), "C one\nC\n-\ntwo\n\nq\n").await;
    assert_eq!(comment_requests(&dropped), ["None : one", "None : two"]);
    // All refused comments are in the drafts, also the words for an unknown comment.
    let several = play(refusing(), "C one\ncf two\nc7 three\nq\n").await;
    let texts: Vec<_> = several.drafts.iter().map(|draft| draft.rsplit(": ").next().unwrap()).collect();
    assert_eq!(texts, ["one", "two", "three"]);
    assert!(several.drafts[1].starts_with("/p/logo.png (Codex)"), "{:?}", several.drafts);
}

#[tokio::test]
async fn the_dash_of_a_refused_removal_is_no_comment() {
    let mut companion = with_route();
    companion.refuses_comments = true;
    companion.turn.comments =
        vec![alongside_desk::Comment { id: CommentId(1), text: "old".into(), ..Default::default() }];
    let run = play(companion, "C one\nc1 -\nq\n").await;
    assert_eq!(comment_requests(&run), ["None : one", "#1: "]);
    assert_eq!(run.text.matches("which was not saved").count(), 1, "{}", run.text);
    assert_eq!(run.drafts.len(), 1, "{:?}", run.drafts);
}

#[tokio::test]
async fn an_unfinished_comment_becomes_a_draft_if_the_companion_stops() {
    let mut companion = with_route();
    let (caught_up_sender, caught_up) = channel();
    companion.caught_up = Some(caught_up_sender);
    let input = |sender| {
        let events = vec![Event::FlushReview { id: companion::STOP }];
        let events = EventInput { sender: Some(sender), events, caught_up };
        let lines = b"C\nhalf a\nthought\n".chain(events).chain(OpenInput);
        LineReader::new(false, move || Box::new(lines))
    };
    let run = play_with(companion, input).await;
    assert_eq!(run.ending, Ending::Gone);
    let why = alongside_terminal::COMMENT_UNSENT;
    assert_eq!(run.drafts, [format!("/p (Codex): {why}: half a\nthought")]);
    let report = "your comment \"half a\" was not saved. Your text is in /drafts/1";
    assert!(run.text.contains(report), "{}", run.text);
}

/// An input that stays open without a further line.
struct OpenInput;

impl Read for OpenInput {
    fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
        self.fill_buf().map(<[u8]>::len)
    }
}

impl BufRead for OpenInput {
    fn fill_buf(&mut self) -> std::io::Result<&[u8]> {
        loop {
            std::thread::park();
        }
    }

    fn consume(&mut self, _: usize) {}
}

#[tokio::test]
async fn lines_of_another_place_are_refused_and_the_words_come_back() {
    let refused = play(with_route(), "2\nc 5-6: why\nc 2:\nc\n\nq\n").await;
    refused.assert_contains(&[
        "This change has no lines 5–6, but line 2.\n\
         Nothing was saved yet: c alone brings your words back as they are.\n",
        "Type the comment after the line numbers: `c 4-7: words`.\n",
        "You typed this before:\n5-6: why\n",
    ]);
    assert_eq!(
        comment_requests(&refused),
        ["Some(1) line 2: 5-6: why"],
        "resumed without a change, the words are text only"
    );
    // In a comment of several lines, they are refused as well.
    let several = play(with_route(), "2\nc\n5: why\nso\n\nq\n").await;
    let answer = "which was not saved:\n5: why\nso\nc alone brings it back.";
    assert!(several.text.contains(answer), "{}", several.text);
    assert_eq!((comment_requests(&several).len(), several.drafts.len()), (0, 1), "{}", several.text);
}
