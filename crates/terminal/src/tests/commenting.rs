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

impl Stage {
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
        let mut stage = Self::in_turn_of(turn, width, height, None, options).await;
        stage.press_and_read("\t\t").await;
        stage
    }
}

#[tokio::test(start_paused = true)]
async fn the_input_names_the_route_and_a_comment_is_below_its_lines() {
    for (width, height) in [(130, 40), (80, 24), (60, 20)] {
        let mut stage = Stage::commenting(width, height).await;
        stage.press("c").await;
        stage.shows("Comment on change 1 of 3, lines 4–6. After f: Codex reads it with your next prompt.");
        stage.press("Where does the tax come from? Nobody asked for it").await;
        stage.ctrl('j').await;
        stage.press("Take it out.").await;
        assert_snapshot!(format!("comment_typed_{width}x{height}"), stage.screen());
        stage.reads_on("\n", "Comment kept. f sends it.").await;
        let text = "Where does the tax come from? Nobody asked for it\nTake it out.";
        assert_eq!(stage.asked_of_turn(), [add(Some(2), Some((4, 6)), Side::New, text)]);
        stage.press_and_read("?⎋").await;
        assert_snapshot!(format!("comment_kept_{width}x{height}"), stage.screen());
    }
}

#[tokio::test(start_paused = true)]
async fn arrows_choose_lines_and_tab_switches_the_target() {
    let mut stage = Stage::commenting(130, 40).await;
    stage.press("c↓↓").await;
    stage.code(KeyCode::Down, KeyModifiers::SHIFT);
    stage.moment().await;
    stage.shows("Comment on lines 5–6.");
    let is_marked = |stage: &Stage, text: &str| {
        let screen = stage.screen();
        screen.lines().any(|line| line.starts_with('▌') && line.contains(text))
    };
    assert!(is_marked(&stage, "\"\"\"With tax.\"\"\"") && !is_marked(&stage, "def total(items, tax)"));
    stage.reads_on("why\n", "Comment on lines 5–6: why").await;
    // Old lines are above the new ones.
    stage.press_and_read("jjc↑needed\n").await;
    stage.shows_on("c", "Your comment on old line 53.").await;
    stage.shows("Tab the change");
    stage.shows_on("\tof it all\t", "Comment on the whole file. After f: Codex reads it").await;
    stage.shows_on("\t", "Comment on the whole turn.").await;
    stage.press_and_read("⇤\n").await;
    let asked = stage.asked_of_turn();
    assert_eq!(asked[0], add(Some(2), Some((5, 6)), Side::New, "why"));
    let Request::AddComment { lines: Some(lines), side: Side::Old, .. } = &asked[1] else {
        panic!("{asked:?}");
    };
    assert_eq!(lines.first, lines.last);
    assert_eq!(asked[2], add(Some(2), None, Side::New, "of it all"));
    stage.shows_on("g", "Comment on the whole file: of it all").await;
}

#[tokio::test(start_paused = true)]
async fn a_comment_is_edited_and_an_empty_text_removes_it() {
    let mut stage = Stage::commenting(120, 40).await;
    stage.press_and_read("cwhy\n").await;
    stage.shows_on("c", "Your comment on lines 4–6.").await;
    stage.shows("> why");
    stage.reads_on("?\n", "Comment changed.").await;
    stage.shows("Comment on lines 4–6: why?");
    stage.press("c").await;
    stage.ctrl('u').await;
    stage.shows("Enter remove it?");
    stage.shows_on("\n", "Enter again removes it; Esc leaves it as it is.").await;
    assert_eq!(stage.asked_of_turn()[1..], [change(1, "why?")]);
    stage.reads_on("\n", "Comment removed.").await;
    assert_eq!(stage.asked_of_turn()[2..], [change(1, "")]);
    stage.does_not_show("why?");
}

#[tokio::test(start_paused = true)]
async fn the_list_comments_on_its_files_and_counts() {
    let mut stage = Stage::commenting(100, 24).await;
    stage.shows_on("L↑c", "Comment on the whole file.").await;
    stage.press_and_read("too big\n").await;
    stage.shows_on("C", "Comment on the whole turn.").await;
    stage.press_and_read("slower\n").await;
    let both = [add(Some(1), None, Side::New, "too big"), add(None, None, Side::New, "slower")];
    assert_eq!(stage.asked_of_turn(), both);
    assert_snapshot!("comment_list", stage.screen());
    stage.reads_on("\n", "A assets/logo.png").await;
    stage.shows("Comment on the whole file: too big");
    stage.shows("2 comments");
    stage.shows_on("C", "Your comment on the whole turn.").await;
    stage.shows("> slower");
}

#[tokio::test(start_paused = true)]
async fn a_finish_lists_undos_and_comments_and_reports_the_reading() {
    for (width, height) in [(130, 40), (80, 24), (60, 20)] {
        let mut stage = Stage::commenting(width, height).await;
        stage.press_and_read("cWhere does the tax come from?\n").await;
        stage.press_and_read("CRun the tests.\n").await;
        stage.press_and_read("⇤").await;
        stage.shows_on("Xf", "Undo this file, and send 2 comments?").await;
        assert_snapshot!(format!("comment_finish_{width}x{height}"), stage.screen());
        stage.press_and_read("y").await;
        assert_eq!(stage.asked_of_turn()[3..], [finish(2, true, false)]);
        assert_snapshot!(format!("comment_finished_{width}x{height}"), stage.screen());
        stage.press("y").await;
        assert_eq!(*stage.shared.copied.lock().unwrap(), ["2 comments\nand more"]);
        stage.shows("Message copied, if your terminal allows it.");
        stage.reads_on("p", "This desk knows no pane of an agent. y copies it instead.").await;
        stage.shows_on("⎋", "Codex reads it with your next prompt (sent just now)").await;
        let tell = |words: &'static str| {
            move |turn: &mut Turn| {
                let message = turn.message.as_mut().unwrap();
                (message.read, message.words) = (Some(NOW), words.into());
            }
        };
        stage.change_turn(tell("Codex has read it with your prompt.")).await;
        stage.a_while().await;
        stage.shows("Your message was read. Codex has read it with your prompt.");
        stage.shows("Codex has read it with your prompt (just now)");
        // The header then has the newer state, so the message is gone.
        stage.change_turn(tell("Codex has ended its turn.")).await;
        stage.a_while().await;
        stage.does_not_show("Your message was read.");
        stage.shows("Codex has ended its turn (just now)");
    }
}

#[tokio::test(start_paused = true)]
async fn the_agent_is_asked_to_undo_or_gets_no_message() {
    let mut stage = Stage::commenting(100, 30).await;
    stage.shows_on(" f", "a ask the agent to undo").await;
    stage.reads_on("a", "The agent is asked to undo:").await;
    stage.shows("src/basket.py");
    stage.press_and_read("⎋fo").await;
    assert_eq!(stage.asked_of_turn()[1..], [finish(2, true, true), finish(3, false, false)]);
    // Comments alone are sent, or wait on.
    stage.press_and_read("⎋CRun the tests.\n").await;
    stage.shows_on("f", "Send 1 comment?").await;
    stage.does_not_show("a ask");
    stage.press("a").await;
    assert_eq!(stage.asked_of_turn().len(), 4, "nothing is marked");
    stage.reads_on("y", "Sent: Codex reads it with your next prompt").await;
    // The list of the result asks no question, so T works over it.
    stage.propose(1, "/shop/basket.py").await;
    stage.shows("T goes to it.");
    stage.press("T").await;
    stage.does_not_show("Sent:");
    stage.shows("change 1 of 3: 3 kept");
}

#[tokio::test(start_paused = true)]
async fn without_a_route_comments_wait() {
    let mut stage = Stage::commenting_on(100, 24, turn(files()), Options::default()).await;
    stage.shows_on("c", "No agent is known that reads it: the comment waits here until one is.").await;
    stage.press_and_read("why\n").await;
    stage.shows_on("f", "Not sent now:").await;
    stage.shows("Finish?");
    stage.press("y").await;
    assert_eq!(stage.asked_of_turn()[1..], [finish(1, false, false)]);
}

#[tokio::test(start_paused = true)]
async fn a_new_comment_closes_the_list_of_the_finish() {
    let mut stage = Stage::commenting(100, 24).await;
    stage.press(" f").await;
    let another = Comment { text: "from elsewhere".into(), ..Comment::default() };
    stage.change_turn(|turn| turn.comments.push(another)).await;
    stage.shows("Nothing was undone or sent: the list has changed. Press f for the new one.");
    stage.press("y").await;
    assert_eq!(stage.asked_of_turn().len(), 1);
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
    let mut stage = Stage::with_comments(100, 30, vec![lost]).await;
    stage.press("g").await;
    assert_snapshot!("comment_lost", stage.screen());
    stage.change_turn(read_it).await;
    stage.shows(r"Comment on lines 4–5 (read): Why\u{202e}?");
    stage.shows_on("c", "Comment on change 1 of 3").await;
}

#[tokio::test(start_paused = true)]
async fn a_comment_that_was_read_is_asked_again_or_closed() {
    let comment = |id, state, text: &str| Comment { state, ..on_basket(id, text) };
    let open = comment(1, CommentState::Open, "Why?");
    let comments =
        vec![open, comment(2, CommentState::Answered, "Softer."), comment(3, CommentState::Open, "Or so")];
    let turn = Turn { route: route(), comments, ..turn(files()) };
    let mut stage = Stage::commenting_on(100, 30, turn.clone(), Options::default()).await;
    stage.shows("Your last rounds: 1 comment with changed lines, 2 open (L)");
    stage.shows_on("La", "a and x are for a comment that an agent has read").await;
    stage.shows_on("⎋LG", "src/basket.py (lines changed)").await;
    stage.shows("ask again");
    stage.shows("close it");
    stage.press("x").await;
    assert_eq!(stage.asked_of_turn().pop(), Some(change(3, "")));
    stage.shows("1 comment with changed lines, 1 open");
    stage.press("Gka").await;
    assert_eq!(stage.asked_of_turn().pop(), Some(change(1, "Why?")));
    stage.shows("src/basket.py (asked again)");
    stage.shows("a, x do not ask again");
    stage.does_not_show("close it");
    stage.press("x").await;
    assert_eq!(stage.asked_of_turn().pop(), Some(change(1, "")));
    stage.shows("Not asked again: only \"Why?\" is taken back, and the comment stays as it was read.");
    stage.shows_on("a⎋f", "Send 1 comment?").await;
    stage.press("y").await;
    assert_eq!(stage.asked_of_turn().pop(), Some(finish(1, true, false)));
    // Without any file, the list is the only way to the comments.
    let mut stage =
        Stage::commenting_on(100, 30, Turn { files: Vec::new(), ..turn }, Options::default()).await;
    stage.shows("L lists your open comments, to ask again or to close them.");
    stage.shows_on("LGk", "close it").await;
}

#[tokio::test(start_paused = true)]
async fn a_comment_on_the_turn_after_an_answer_is_a_new_one() {
    let open = |comment: Comment| Comment { state: CommentState::Open, ..comment };
    let on_turn = Comment { anchor: Anchor::default(), ..on_basket(1, "keep the turns smaller") };
    let message = Some(TurnMessage { read: Some(NOW), ..TurnMessage::default() });
    let comments = vec![open(on_turn), open(on_basket(1, "odd"))];
    let turn = Turn { route: route(), comments, message, ..turn(files()) };
    let mut stage = Stage::commenting_on(100, 30, turn, Options::default()).await;
    stage.press_and_read("Cno blank line please\n").await;
    assert_eq!(stage.asked_of_turn().pop(), Some(add(None, None, Side::New, "no blank line please")));
    // A comment that is not sent yet is edited.
    stage.press_and_read("C!\n").await;
    let edited = stage.asked_of_turn().pop();
    assert!(
        matches!(&edited, Some(Request::ChangeComment { text, .. }) if text == "no blank line please!"),
        "{edited:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_review_is_finished_without_anything_to_undo_or_send() {
    let mut stage = Stage::commenting(100, 24).await;
    stage.shows_on("f", "Nothing is to be undone or sent: all of this").await;
    stage.press("y").await;
    assert_eq!(stage.asked_of_turn(), [finish(1, false, false)]);
}

#[tokio::test(start_paused = true)]
async fn letters_of_a_comment_mark_nothing_and_a_paste_keeps_its_lines() {
    let mut stage = Stage::commenting(120, 30).await;
    stage.press("cX f q").await;
    stage.input(Typed::Paste("\r\ntwo\r\nlines\u{202e}".into())).await;
    stage.shows(r"lines\u{202e}");
    stage.press_and_read("\n").await;
    let text = "X f q\ntwo\nlines\u{202e}";
    assert_eq!(stage.asked_of_turn(), [add(Some(2), Some((4, 6)), Side::New, text)]);
}

#[tokio::test(start_paused = true)]
async fn a_comment_before_its_lines_were_seen_is_not_begun() {
    let mut stage = Stage::in_turn(100, 24, None).await;
    stage.code(KeyCode::Tab, KeyModifiers::NONE);
    stage.press_fast("cX").await;
    assert_eq!(stage.asked_of_turn(), []);
    stage.does_not_show("Comment on");
}
