//! Tests of comments on a turn: the input, the notes on the page, and the finish that sends them.

use alongside_desk::{Anchor, Comment, CommentId, CommentState, LineRange, Route, Side, Turn, TurnMessage};
use insta::assert_snapshot;

use super::turns::{ID, files, turn};
use super::*;

pub(super) fn add(file: Option<usize>, lines: Option<(usize, usize)>, side: Side, text: &str) -> Request {
    let lines = lines.map(|(first, last)| LineRange { first, last });
    Request::AddComment { turn: ID, revision: 1, file, lines, side, text: text.into() }
}

pub(super) fn change(id: u64, text: &str) -> Request {
    Request::ChangeComment { turn: ID, id: CommentId(id), text: text.into() }
}

fn finish(revision: u64, send: bool, ask_to_undo: bool) -> Request {
    Request::FinishTurn { turn: ID, revision, send, ask_to_undo }
}

pub(super) fn route() -> Option<Route> {
    Some(Route {
        agent: "Codex".into(),
        words: "Codex reads it with your next prompt".into(),
        ..Route::default()
    })
}

/// Notes that an agent has read the message with the first comment.
pub(super) fn read_it(turn: &mut Turn) {
    turn.comments[0].state = CommentState::Sent;
    turn.comments[0].lost = false;
    turn.message = Some(TurnMessage { read: Some(NOW), ..TurnMessage::default() });
}

/// A comment on the third file.
pub(super) fn on_basket(id: u64, text: &str) -> Comment {
    let anchor = Anchor { path: Some("src/basket.py".into()), ..Anchor::default() };
    Comment { id: CommentId(id), anchor, text: text.into(), ..Comment::default() }
}

impl TestDesk {
    /// Starts a desk at the third file of a turn, which has three changes. The turn has a route to an agent.
    pub(super) async fn commenting(width: u16, height: u16) -> Self {
        Self::with_comments(width, height, Vec::new()).await
    }

    /// As [`commenting`](Self::commenting), in a turn with these comments.
    pub(super) async fn with_comments(width: u16, height: u16, comments: Vec<Comment>) -> Self {
        let turn = Turn { route: route(), comments, ..turn(files()) };
        Self::commenting_on(width, height, turn, Options::default()).await
    }

    pub(super) async fn commenting_on(width: u16, height: u16, turn: Turn, options: Options) -> Self {
        let mut desk = Self::in_turn_of(turn, width, height, None, options).await;
        desk.press_and_wait("\t\t").await;
        desk
    }
}

#[tokio::test(start_paused = true)]
async fn the_input_names_the_route_and_a_comment_is_below_its_lines() {
    for (width, height) in [(130, 40), (80, 24), (60, 20)] {
        let mut desk = TestDesk::commenting(width, height).await;
        desk.press("c").await;
        desk.assert_shows(
            "Comment on change 1 of 3, lines 4–6. After f: Codex reads it with your next prompt.",
        );
        desk.press("Where does the tax come from? Nobody asked for it").await;
        desk.ctrl('j').await;
        desk.press("Take it out.").await;
        assert_snapshot!(format!("comment_typed_{width}x{height}"), desk.screen());
        desk.press_and_wait_expecting("\n", "Comment saved. f sends it.").await;
        let text = "Where does the tax come from? Nobody asked for it\nTake it out.";
        assert_eq!(desk.turn_requests(), [add(Some(2), Some((4, 6)), Side::New, text)]);
        desk.press_and_wait("?⎋").await;
        assert_snapshot!(format!("comment_kept_{width}x{height}"), desk.screen());
    }
}

#[tokio::test(start_paused = true)]
async fn arrows_choose_lines_and_tab_switches_the_target() {
    let mut desk = TestDesk::commenting(130, 40).await;
    desk.press("c↓↓").await;
    desk.code(KeyCode::Down, KeyModifiers::SHIFT);
    desk.deliver_all().await;
    desk.assert_shows("Comment on lines 5–6.");
    let is_marked = |desk: &TestDesk, text: &str| {
        let screen = desk.screen();
        screen.lines().any(|line| line.starts_with('▌') && line.contains(text))
    };
    assert!(is_marked(&desk, "\"\"\"With tax.\"\"\"") && !is_marked(&desk, "def total(items, tax)"));
    desk.press_and_wait_expecting("why\n", "Comment on lines 5–6: why").await;
    // Old lines are above the new ones.
    desk.press_and_wait("jjc↑needed\n").await;
    desk.press_expecting("c", "Your comment on old line 53.").await;
    desk.assert_shows("Tab the change");
    desk.press_expecting("\tof it all\t", "Comment on the whole file. After f: Codex reads it").await;
    desk.press_expecting("\t", "Comment on the whole turn.").await;
    desk.press_and_wait("⇤\n").await;
    let asked = desk.turn_requests();
    assert_eq!(asked[0], add(Some(2), Some((5, 6)), Side::New, "why"));
    let Request::AddComment { lines: Some(lines), side: Side::Old, .. } = &asked[1] else {
        panic!("{asked:?}");
    };
    assert_eq!(lines.first, lines.last);
    assert_eq!(asked[2], add(Some(2), None, Side::New, "of it all"));
    desk.press_expecting("g", "Comment on the whole file: of it all").await;
}

#[tokio::test(start_paused = true)]
async fn a_comment_is_edited_and_an_empty_text_removes_it() {
    let mut desk = TestDesk::commenting(120, 40).await;
    desk.press_and_wait("cwhy\n").await;
    desk.press_expecting("c", "Your comment on lines 4–6.").await;
    desk.assert_shows("> why");
    desk.press_and_wait_expecting("?\n", "Comment changed.").await;
    desk.assert_shows("Comment on lines 4–6: why?");
    desk.press("c").await;
    desk.ctrl('u').await;
    desk.assert_shows("Enter remove it?");
    desk.press_expecting("\n", "Enter again removes it; Esc leaves it as it is.").await;
    assert_eq!(desk.turn_requests()[1..], [change(1, "why?")]);
    desk.press_and_wait_expecting("\n", "Comment removed.").await;
    assert_eq!(desk.turn_requests()[2..], [change(1, "")]);
    desk.assert_hides("why?");
}

#[tokio::test(start_paused = true)]
async fn the_list_comments_on_its_files_and_counts() {
    let mut desk = TestDesk::commenting(100, 24).await;
    desk.press_expecting("L↑c", "Comment on the whole file.").await;
    desk.press_and_wait("too big\n").await;
    desk.press_expecting("C", "Comment on the whole turn.").await;
    desk.press_and_wait("slower\n").await;
    let both = [add(Some(1), None, Side::New, "too big"), add(None, None, Side::New, "slower")];
    assert_eq!(desk.turn_requests(), both);
    assert_snapshot!("comment_list", desk.screen());
    desk.press_and_wait_expecting("\n", "A assets/logo.png").await;
    desk.assert_shows("Comment on the whole file: too big");
    desk.assert_shows("2 comments");
    desk.press_expecting("C", "Your comment on the whole turn.").await;
    desk.assert_shows("> slower");
}

#[tokio::test(start_paused = true)]
async fn a_finish_lists_undos_and_comments_and_reports_the_reading() {
    for (width, height) in [(130, 40), (80, 24), (60, 20)] {
        let mut desk = TestDesk::commenting(width, height).await;
        desk.press_and_wait("cWhere does the tax come from?\n").await;
        desk.press_and_wait("CRun the tests.\n").await;
        desk.press_and_wait("⇤").await;
        desk.press_expecting("Xf", "Undo this file, and send 2 comments?").await;
        assert_snapshot!(format!("comment_finish_{width}x{height}"), desk.screen());
        desk.press_and_wait("y").await;
        assert_eq!(desk.turn_requests()[3..], [finish(2, true, false)]);
        assert_snapshot!(format!("comment_finished_{width}x{height}"), desk.screen());
        desk.press("y").await;
        assert_eq!(*desk.shared.copied.lock().unwrap(), ["2 comments\nand more"]);
        desk.assert_shows("Message copied, if your terminal allows it.");
        desk.press_and_wait_expecting("p", "This desk knows no pane of an agent. y copies it instead.").await;
        desk.press_expecting("⎋", "Codex reads it with your next prompt (sent just now)").await;
        let tell = |words: &'static str| {
            move |turn: &mut Turn| {
                let message = turn.message.as_mut().unwrap();
                (message.read, message.words) = (Some(NOW), words.into());
            }
        };
        desk.change_turn(tell("Codex has read it with your prompt.")).await;
        desk.wait_until_keys_count().await;
        desk.assert_shows("Your message was read. Codex has read it with your prompt.");
        desk.assert_shows("Codex has read it with your prompt (just now)");
        // The header then has the newer state, so the message is gone.
        desk.change_turn(tell("Codex has ended its turn.")).await;
        desk.wait_until_keys_count().await;
        desk.assert_hides("Your message was read.");
        desk.assert_shows("Codex has ended its turn (just now)");
    }
}

#[tokio::test(start_paused = true)]
async fn the_agent_is_asked_to_undo_or_gets_no_message() {
    let mut desk = TestDesk::commenting(100, 30).await;
    desk.press_expecting(" f", "a ask the agent to undo").await;
    desk.press_and_wait_expecting("a", "The agent is asked to undo:").await;
    desk.assert_shows("src/basket.py");
    desk.press_and_wait("⎋fo").await;
    assert_eq!(desk.turn_requests()[1..], [finish(2, true, true), finish(3, false, false)]);
    // Comments alone are sent, or wait on.
    desk.press_and_wait("⎋CRun the tests.\n").await;
    desk.press_expecting("f", "Send 1 comment?").await;
    desk.assert_hides("a ask");
    desk.press("a").await;
    assert_eq!(desk.turn_requests().len(), 4, "nothing is marked");
    desk.press_and_wait_expecting("y", "Sent: Codex reads it with your next prompt").await;
    // The list of the result asks no question, so T works over it.
    desk.propose(1, "/shop/basket.py").await;
    desk.assert_shows("T goes to it.");
    desk.press("T").await;
    desk.assert_hides("Sent:");
    desk.assert_shows("change 1 of 3: 3 kept");
}

#[tokio::test(start_paused = true)]
async fn without_a_route_comments_wait() {
    let mut desk = TestDesk::commenting_on(100, 24, turn(files()), Options::default()).await;
    desk.press_expecting("c", "No known agent reads it: the comment waits here until one does.").await;
    desk.press_and_wait("why\n").await;
    desk.press_expecting("f", "Not sent now:").await;
    desk.assert_shows("Finish?");
    desk.press("y").await;
    assert_eq!(desk.turn_requests()[1..], [finish(1, false, false)]);
}

#[tokio::test(start_paused = true)]
async fn a_new_comment_closes_the_list_of_the_finish() {
    let mut desk = TestDesk::commenting(100, 24).await;
    desk.press(" f").await;
    let another = Comment { text: "from elsewhere".into(), ..Comment::default() };
    desk.change_turn(|turn| turn.comments.push(another)).await;
    desk.assert_shows("Nothing was undone or sent: the list has changed. Press f for the new one.");
    desk.press("y").await;
    assert_eq!(desk.turn_requests().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn lost_comments_are_on_top_with_their_code_and_read_ones_are_not_edited() {
    let anchor = Anchor {
        path: Some("src/basket.py".into()),
        lines: Some(LineRange { first: 4, last: 5 }),
        side: Side::New,
        code: "def gone(\u{1b}[2J):\n    pass\n".into(),
    };
    let lost =
        Comment { id: CommentId(1), anchor, text: "Why\u{202e}?".into(), lost: true, ..Comment::default() };
    let mut desk = TestDesk::with_comments(100, 30, vec![lost]).await;
    desk.press("g").await;
    assert_snapshot!("comment_lost", desk.screen());
    desk.change_turn(read_it).await;
    desk.assert_shows(r"Comment on lines 4–5 (read): Why\u{202e}?");
    desk.press_expecting("c", "Comment on change 1 of 3").await;
}

#[tokio::test(start_paused = true)]
async fn a_comment_that_was_read_is_asked_again_or_closed() {
    let comment = |id, state, text: &str| Comment { state, ..on_basket(id, text) };
    let open = comment(1, CommentState::Open, "Why?");
    let comments =
        vec![open, comment(2, CommentState::Answered, "Softer."), comment(3, CommentState::Open, "Or so")];
    let turn = Turn { route: route(), comments, ..turn(files()) };
    let mut desk = TestDesk::commenting_on(100, 30, turn.clone(), Options::default()).await;
    desk.assert_shows("Your last rounds: 1 comment with changed lines, 2 open (L)");
    desk.press_expecting("La", "a and x are for a comment that an agent has read").await;
    desk.press_expecting("⎋LG", "src/basket.py (lines changed)").await;
    desk.assert_shows("ask again");
    desk.assert_shows("close it");
    desk.press("x").await;
    assert_eq!(desk.turn_requests().pop(), Some(change(3, "")));
    desk.assert_shows("1 comment with changed lines, 1 open");
    desk.press("Gka").await;
    assert_eq!(desk.turn_requests().pop(), Some(change(1, "Why?")));
    desk.assert_shows("src/basket.py (asked again)");
    desk.assert_shows("a, x do not ask again");
    desk.assert_hides("close it");
    desk.press("x").await;
    assert_eq!(desk.turn_requests().pop(), Some(change(1, "")));
    desk.assert_shows("Not asked again: only \"Why?\" is taken back, and the comment stays as it was read.");
    desk.press_expecting("a⎋f", "Send 1 comment?").await;
    desk.press("y").await;
    assert_eq!(desk.turn_requests().pop(), Some(finish(1, true, false)));
    // Without any file, the list is the only way to the comments.
    let mut desk =
        TestDesk::commenting_on(100, 30, Turn { files: Vec::new(), ..turn }, Options::default()).await;
    desk.assert_shows("L lists your open comments, to ask again or to close them.");
    desk.press_expecting("LGk", "close it").await;
}

#[tokio::test(start_paused = true)]
async fn a_comment_on_the_turn_after_an_answer_is_a_new_one() {
    let open = |comment: Comment| Comment { state: CommentState::Open, ..comment };
    let on_turn = Comment { anchor: Anchor::default(), ..on_basket(1, "keep the turns smaller") };
    let message = Some(TurnMessage { read: Some(NOW), ..TurnMessage::default() });
    let comments = vec![open(on_turn), open(on_basket(1, "odd"))];
    let turn = Turn { route: route(), comments, message, ..turn(files()) };
    let mut desk = TestDesk::commenting_on(100, 30, turn, Options::default()).await;
    desk.press_and_wait("Cno blank line please\n").await;
    assert_eq!(desk.turn_requests().pop(), Some(add(None, None, Side::New, "no blank line please")));
    // A comment that is not sent yet is edited.
    desk.press_and_wait("C!\n").await;
    let edited = desk.turn_requests().pop();
    assert!(
        matches!(&edited, Some(Request::ChangeComment { text, .. }) if text == "no blank line please!"),
        "{edited:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_review_is_finished_without_anything_to_undo_or_send() {
    let mut desk = TestDesk::commenting(100, 24).await;
    desk.press_expecting("f", "Nothing is to be undone or sent: all of this").await;
    desk.press("y").await;
    assert_eq!(desk.turn_requests(), [finish(1, false, false)]);
}

#[tokio::test(start_paused = true)]
async fn letters_of_a_comment_mark_nothing_and_a_paste_keeps_its_lines() {
    let mut desk = TestDesk::commenting(120, 30).await;
    desk.press("cX f q").await;
    desk.input(TerminalEvent::Paste("\r\ntwo\r\nlines\u{202e}".into())).await;
    desk.assert_shows(r"lines\u{202e}");
    desk.press_and_wait("\n").await;
    let text = "X f q\ntwo\nlines\u{202e}";
    assert_eq!(desk.turn_requests(), [add(Some(2), Some((4, 6)), Side::New, text)]);
}

#[tokio::test(start_paused = true)]
async fn a_comment_before_its_lines_were_seen_is_not_begun() {
    let mut desk = TestDesk::in_turn(100, 24, None).await;
    desk.code(KeyCode::Tab, KeyModifiers::NONE);
    desk.press_fast("cX").await;
    assert_eq!(desk.turn_requests(), []);
    desk.assert_hides("Comment on");
}
