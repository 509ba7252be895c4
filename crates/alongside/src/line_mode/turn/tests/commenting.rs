//! Comments on a turn, line by line.

use std::io::{BufRead, Read};
use std::sync::mpsc::{Receiver, channel};

use alongside_desk::{CommentId, CommentState, LineRange, Route, Side, Turn, TurnMessage};

use super::*;

/// Three files, and an agent that reads comments.
fn with_route() -> Companion {
    let mut companion = three_files();
    companion.turn.route = Some(Route {
        agent: "Codex".into(),
        words: "Codex reads it with your next prompt".into(),
        ..Route::default()
    });
    companion
}

/// The comments that were written: their file, lines, whether these are old ones, and their words.
fn written(played: &Played) -> Vec<String> {
    let added = played.asked.iter().filter_map(|asked| match asked {
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

/// The ways in which it was finished: whether a message was sent, and whether the agent is to undo.
fn finished(played: &Played) -> Vec<(bool, bool)> {
    let finishes = played.asked.iter().filter_map(|asked| match asked {
        Request::FinishTurn { send, ask_to_undo, .. } => Some((*send, *ask_to_undo)),
        _ => None,
    });
    finishes.collect()
}

#[tokio::test]
async fn a_comment_is_written_in_one_line_or_in_several() {
    let lines = "c is this needed?\n2\nc why two?\nc\nfirst\n  second\n\nc 2: this line\n3\nc 1-2: both\n\
                 cf no tests\nC run all\nl\nf\ny\n";
    let played = played(with_route(), lines).await;
    assert_eq!(
        written(&played),
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
    assert_eq!(finished(&played), [(true, false)]);
    insta::assert_snapshot!(played.text);
}

#[tokio::test]
async fn a_step_back_takes_comments_back_and_then_marks() {
    let played = played(with_route(), "n\nC first\nC second\nu\nu\nu\nu\nU\nq\n").await;
    assert_eq!(written(&played), ["None : first", "None : second", "#2: ", "#1: "]);
    played.says(&["Comment 2 taken back: second\n", "Comment 1 taken back: first\n"]);
    let marks = played.asked.iter().filter_map(|asked| match asked {
        Request::MarkTurnFile { undo, .. } => Some(*undo),
        _ => None,
    });
    assert_eq!(marks.collect::<Vec<_>>(), [true, false, true]);
    assert_eq!(played.text.matches("You have taken no step here that could be taken back.").count(), 1);
}

#[tokio::test]
async fn a_comment_is_written_anew_or_removed_by_its_number() {
    let played = played(with_route(), "C first\nC second\nc1 other\nc2 -\nc7 no\nc1\n\nq\n").await;
    assert_eq!(written(&played), ["None : first", "None : second", "#1: other", "#2: "]);
    played.says(&[
        "Comment 1 changed.",
        "Comment 2 removed.",
        "No comment has that number",
        "No comment is written.",
    ]);
}

#[tokio::test]
async fn the_finish_asks_for_exactly_what_it_does() {
    for (lines, ways, asked) in [
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
        let played = played(with_route(), lines).await;
        assert_eq!(finished(&played), ways, "{lines:?}: {}", played.text);
        assert!(played.text.contains(asked), "{lines:?}: {}", played.text);
        assert_eq!(played.ending, Ending::Done);
    }
    let asked = played(with_route(), "n\nf\na\n").await;
    let end = "The agent is asked to undo:\n  logo.png\nSent: Codex reads it with your next prompt\n";
    assert!(asked.text.ends_with(end), "{}", asked.text);
    // A person who sends nothing hears what waits.
    for (lines, said) in [
        ("C x\nf\no\n", "Finished; nothing is written.\n1 comment waits on, and is not sent.\n"),
        ("C x\nq\n", "Nothing is written.\n1 comment waits on, and is not sent.\n"),
    ] {
        let quiet = played(with_route(), lines).await;
        assert!(quiet.text.ends_with(said), "{}", quiet.text);
    }
    // Without a way to an agent, comments wait.
    let waits = played(three_files(), "n\nC x\nf\ny\n").await;
    assert_eq!(finished(&waits), [(false, false)]);
    assert!(waits.text.contains("Comments that wait:\n  the whole turn: x\n"), "{}", waits.text);
}

#[tokio::test]
async fn the_way_is_said_before_and_whether_the_last_message_was_read() {
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
    // A terminal gives one line at a time.
    let lines = || b"2\n".chain(&b"c\n"[..]).chain(&b"\n"[..]).chain(&b"q\n"[..]);
    let input = LineReader::from(true, move || Box::new(lines()));
    let played = played_from(companion, input).await;
    played.says(&[
        "Your last message: Codex has read it (",
        "c comments on a change, for the agent. After f: Codex reads it with your next prompt.\n",
        "Comment 4 on lines 3–4 (read); this code is nowhere in the file now:\n  gone()\n  why\\x1b?\n",
        "Comment 5 on line 900 (read):\n  fn today() {\n  rename it\n",
        "Codex reads it with your next prompt.\nType the comment; an empty line ends it.\n",
    ]);
}

#[tokio::test]
async fn open_comments_are_asked_again_or_closed_also_where_no_file_differs() {
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
    let played = played(companion, "y\na2\na4\na1\nc1 -\na1\nc3 -\nf\ny\n").await;
    played.says(&[
        "1 comment with changed lines, 2 open.\n",
        "Open, with nothing changed there: a1 asks again, `c1 -` closes it.\n  1. the whole turn: why?\n",
        "Comment 2 is asked again: f sends it.",
        "No comment has that number; l lists them.\n",
        "Comment 1 is asked again: f sends it. `c1 -` takes that back.\n",
        "Comment 1 is not asked again; it stays as it was. `c1 -` closes it.\n",
        "Comment 3 removed.\n",
        "To be sent:\n  the whole turn: why?\n  the whole turn: softer\n",
    ]);
    assert!(!played.text.contains("Comment 1 removed."), "{}", played.text);
    assert_eq!(finished(&played), [(true, false)]);
}

#[tokio::test]
async fn a_comment_that_nobody_took_is_printed_and_one_that_was_begun_is_kept() {
    let begun = played(with_route(), "C\nhalf a\nthought").await;
    assert_eq!(written(&begun), ["None : half a\nthought"]);
    let mut companion = with_route();
    companion.keeps_no_comment = true;
    let refused = played(companion, "C\ntoo\x1b\nearly\n\nq\n").await;
    let said = "The comment is not kept: the disk is full.\n\
                This is your comment, which is not kept:\ntoo\\x1b\nearly\n";
    assert!(refused.text.contains(said), "{}", refused.text);
    assert_eq!(
        refused.drafts,
        [format!("/p (Codex): {}: too\x1b\nearly", alongside_terminal::COMMENT_UNSENT)]
    );
}

/// Tells events when the input comes to it, waits until the desk has taken them, and gives no text.
struct Telling {
    to: Option<UnboundedSender<Event>>,
    events: Vec<Event>,
    caught_up: Receiver<()>,
}

impl Read for Telling {
    fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
        self.fill_buf().map(<[u8]>::len)
    }
}

impl BufRead for Telling {
    fn fill_buf(&mut self) -> std::io::Result<&[u8]> {
        if let Some(to) = self.to.take() {
            for event in self.events.drain(..) {
                to.send(event).unwrap();
            }
            // Nobody answers where the companion stops.
            let _ = self.caught_up.recv();
        }
        Ok(&[])
    }

    fn consume(&mut self, _: usize) {}
}

/// Types these lines; then the list becomes this one; then types the other lines.
async fn while_the_list_changes(
    (before, after): (&'static str, &'static str),
    change: impl FnOnce(&mut Turn),
) -> Played {
    let mut companion = with_route();
    companion.any_revision = true;
    let mut turn = companion.turn.clone();
    turn.revision += 1;
    change(&mut turn);
    let (tell, caught_up) = channel();
    companion.caught_up = Some(tell);
    let input = |to| {
        let events = vec![Event::Turn(turn), Event::FlushReview { id: ReviewId(1) }];
        let telling = Telling { to: Some(to), events, caught_up };
        LineReader::from(false, move || Box::new(before.as_bytes().chain(telling).chain(after.as_bytes())))
    };
    played_with(companion, input).await
}

#[tokio::test]
async fn another_list_meanwhile_takes_no_line_of_a_comment() {
    let lines = ("C\nfirst\nsecond\n", "u\nU\nf\n\nq\n");
    let played = while_the_list_changes(lines, |turn| {
        turn.files[2].added = 9;
        turn.remarks.push("news".into());
    })
    .await;
    assert_eq!(written(&played), ["None : first\nsecond\nu\nU\nf"]);
    assert!(played.marks().is_empty() && !played.has_finished());
    // The news come behind the comment.
    let after = played.text.split("comment> \n").nth(1).unwrap();
    assert!(after.contains("news\n") && after.contains("The list of changes is another one now"), "{after}");
    assert_eq!(played.drafts, Vec::<String>::new());
}

#[tokio::test]
async fn a_comment_goes_to_no_other_change_than_that_where_it_was_begun() {
    let lines = ("2\nc\nabout a\n", "\nc\n\nq\n");
    let played = while_the_list_changes(lines, |turn| {
        turn.files.remove(1);
    })
    .await;
    assert!(played.text.contains("This change is another one now"), "{}", played.text);
    // It is offered there, and the person sees it.
    assert!(played.text.contains("You typed this before:\nabout a\n"), "{}", played.text);
    assert_eq!(written(&played).len(), 1);
}

#[tokio::test]
async fn a_comment_that_nobody_took_comes_back_with_the_next_one() {
    let refusing = || {
        let mut companion = with_route();
        companion.keeps_no_comment = true;
        companion
    };
    let again = played(refusing(), "C one\nC\ntwo\n\nq\n").await;
    assert_eq!(written(&again), ["None : one", "None : one\ntwo"]);
    assert_eq!(again.drafts.len(), 1, "{:?}", again.drafts);
    let dropped = played(refusing(), "C one\nC\n-\ntwo\n\nq\n").await;
    assert_eq!(written(&dropped), ["None : one", "None : two"]);
    // Each of several is in the drafts; words for no comment are, too.
    let several = played(refusing(), "C one\ncf two\nc7 three\nq\n").await;
    let texts: Vec<_> = several.drafts.iter().map(|draft| draft.rsplit(": ").next().unwrap()).collect();
    assert_eq!(texts, ["one", "two", "three"]);
    assert!(several.drafts[1].starts_with("/p/logo.png (Codex)"), "{:?}", several.drafts);
}

#[tokio::test]
async fn a_half_typed_comment_is_in_the_drafts_when_the_companion_stops() {
    let mut companion = with_route();
    let (tell, caught_up) = channel();
    companion.caught_up = Some(tell);
    let input = |to| {
        let telling =
            Telling { to: Some(to), events: vec![Event::FlushReview { id: companion::STOP }], caught_up };
        let lines = b"C\nhalf a\nthought\n".chain(telling).chain(Silent);
        LineReader::from(false, move || Box::new(lines))
    };
    let played = played_with(companion, input).await;
    assert_eq!(played.ending, Ending::Gone);
    let why = alongside_terminal::COMMENT_UNSENT;
    assert_eq!(played.drafts, [format!("/p (Codex): {why}: half a\nthought")]);
    let said = "your comment \"half a\" was not kept. Your text is in /drafts/1";
    assert!(played.text.contains(said), "{}", played.text);
}

/// Nobody types any more, and the input stays open.
struct Silent;

impl Read for Silent {
    fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
        self.fill_buf().map(<[u8]>::len)
    }
}

impl BufRead for Silent {
    fn fill_buf(&mut self) -> std::io::Result<&[u8]> {
        loop {
            std::thread::park();
        }
    }

    fn consume(&mut self, _: usize) {}
}

#[tokio::test]
async fn lines_of_another_place_are_an_error_and_the_words_come_back() {
    let refused = played(with_route(), "2\nc 5-6: why\nc 2:\nc\n\nq\n").await;
    refused.says(&[
        "This change has no lines 5–6, but line 2.\n\
         Nothing is kept yet: c alone brings your words back as they are.\n",
        "Type the words behind the lines: `c 4-7: words`.\n",
        "You typed this before:\n5-6: why\n",
    ]);
    assert_eq!(written(&refused), ["Some(1) line 2: 5-6: why"], "left as they are, they are text");
    // Typed in several lines they are no other.
    let several = played(with_route(), "2\nc\n5: why\nso\n\nq\n").await;
    let said = "which is not kept:\n5: why\nso\nc alone brings it back.";
    assert!(several.text.contains(said), "{}", several.text);
    assert_eq!((written(&several).len(), several.drafts.len()), (0, 1), "{}", several.text);
}
