//! Tests of decisions: each needs an explicit key, and applies to the revision that was on the screen.

use alongside_desk::{Closing, Lines, Refusal, Side};

use super::*;

#[tokio::test(start_paused = true)]
async fn a_dropped_change_at_the_edge_is_shown_whole() {
    let mut stage = Stage::reading(120, 16).await;
    stage.shows_on("jj ", "x dropped: the removal of 4 lines").await;
}

#[tokio::test(start_paused = true)]
async fn a_accepts_what_is_shown_and_r_rejects_it() {
    let mut stage = Stage::reading(120, 28).await;
    stage.press("a").await;
    assert_eq!(stage.asked(), [decided(1, 1, Decision::Accept)]);
    stage.shows("basket.py: accepted; Gemini CLI writes it.");
    stage.shows("Nothing to review.");
    stage.propose_and_read(2, "/shop/b.py").await;
    stage.press("r").await;
    assert_eq!(stage.asked()[1..], [decided(2, 1, Decision::Reject)]);
    stage.shows("b.py: rejected; Gemini CLI is told.");
}

#[tokio::test(start_paused = true)]
async fn typing_ahead_decides_nothing_about_the_next_review() {
    let mut stage = Stage::reading(120, 28).await;
    stage.propose(2, "/shop/b.py").await;
    stage.press_fast("aaar").await;
    assert_eq!(stage.asked(), [decided(1, 1, Decision::Accept)]);
    stage.shows("b.py");
    // The review is on the screen, but not for long enough.
    stage.press("a r").await;
    assert_eq!(stage.asked().len(), 1);
    stage.shows("Ignored: you typed that before this was on the screen.");
    stage.a_while().await;
    stage.press("a").await;
    assert_eq!(stage.asked()[1..], [decided(2, 1, Decision::Accept)]);
}

#[tokio::test(start_paused = true)]
async fn a_key_without_a_review_does_not_act_on_the_next_one() {
    let mut stage = Stage::connected(120, 28).await;
    stage.press("a").await;
    stage.propose(1, "/shop/basket.py").await;
    stage.press("ar").await;
    assert_eq!(stage.asked(), []);
}

#[tokio::test(start_paused = true)]
async fn a_review_is_decided_only_once_it_is_on_the_screen() {
    let mut stage = Stage::reading(120, 28).await;
    stage.propose_and_read(2, "/shop/b.py").await;
    stage.code(KeyCode::Tab, KeyModifiers::NONE);
    stage.press_fast("a").await;
    assert_eq!(stage.asked(), []);
    // A key of the person showed the review, so it need not be on the screen for long.
    stage.press("a").await;
    assert_eq!(stage.asked(), [decided(2, 1, Decision::Accept)]);
}

#[tokio::test(start_paused = true)]
async fn keys_act_on_a_review_once_a_slow_terminal_shows_it() {
    let mut stage = Stage::reading(120, 28).await;
    stage.propose_and_read(2, "/shop/b.py").await;
    stage.shared.stuck.store(true, Ordering::Relaxed);
    stage.press("j").await;
    // While the frame is under way, the first review ends, and the next one is not on the screen yet.
    stage.companion.close(1, Closing::AnsweredInAgent, None);
    stage.a_while().await;
    stage.a_while().await;
    stage.press("a").await;
    assert_eq!(stage.asked(), []);
    stage.shared.stuck.store(false, Ordering::Relaxed);
    stage.a_while().await;
    stage.press("a").await;
    assert_eq!(stage.asked(), [decided(2, 1, Decision::Accept)]);
}

#[tokio::test(start_paused = true)]
async fn frames_do_not_queue_up_before_a_slow_terminal() {
    let mut stage = Stage::reading(120, 28).await;
    stage.shared.stuck.store(true, Ordering::Relaxed);
    let before = *stage.shared.frames.lock().unwrap();
    stage.press(&"j".repeat(50)).await;
    assert_eq!(*stage.shared.frames.lock().unwrap(), before + 1);
    stage.shared.stuck.store(false, Ordering::Relaxed);
    stage.moment().await;
    assert_eq!(*stage.shared.frames.lock().unwrap(), before + 2, "one more shows everything");
    stage.shows("change 3 of 3");
}

#[tokio::test(start_paused = true)]
async fn a_key_before_a_foreign_change_is_seen_decides_nothing() {
    let mut stage = Stage::reading(120, 28).await;
    // Another desk drops a change, and the key comes before the drop is on the screen.
    stage.shared.stuck.store(true, Ordering::Relaxed);
    stage.press("j").await;
    stage.companion.drop_elsewhere(1, &[0]);
    stage.press("a").await;
    assert_eq!(stage.asked(), [], "the key was pressed before the drop was on the screen");
    stage.shared.stuck.store(false, Ordering::Relaxed);
    stage.a_while().await;
    stage.shows("basket.py: changed at another desk; this is how it stands now.");
    stage.shows("2 kept, 1 dropped");
    stage.press("a").await;
    assert_eq!(stage.asked(), [decided(1, 2, Decision::Accept)]);
}

#[tokio::test(start_paused = true)]
async fn a_stale_refusal_shows_what_is_new_and_asks_again() {
    let mut stage = Stage::reading(120, 28).await;
    // The companion has a newer revision, whose event has not arrived yet.
    stage.companion.refuse = Some(Refusal::Stale { revision: 2 });
    stage.shows_on("a", "The review has changed: look at it again.").await;
    stage.companion.drop_elsewhere(1, &[1]);
    stage.moment().await;
    stage.press("a").await;
    assert_eq!(stage.asked().len(), 1, "the revision has not been on the screen long enough");
    stage.a_while().await;
    stage.press("a").await;
    assert_eq!(stage.asked()[1..], [decided(1, 2, Decision::Accept)]);
}

#[tokio::test(start_paused = true)]
async fn space_toggles_u_undoes_and_fast_keys_wait() {
    let mut stage = Stage::reading(120, 28).await;
    let keep = |revision, hunk, keep| keeps(revision, &[hunk], keep);
    stage.press_fast(" ja").await;
    let accepted = decided(1, 2, Decision::Accept);
    assert_eq!(stage.asked(), [keep(1, 0, false), accepted], "one's own change need not be seen");

    let mut stage = Stage::reading(120, 28).await;
    stage.shows_on(" ", "2 kept, 1 dropped").await;
    stage.does_not_show("another desk");
    stage.shows_on(" ", "3 kept").await;
    stage.press("j uu").await;
    let undo = |revision| Request::UndoReview { id: ReviewId(1), revision };
    assert_eq!(stage.asked(), [keep(1, 0, false), keep(2, 0, true), keep(3, 1, false), undo(4), undo(5)]);
    stage.shows("2 kept, 1 dropped");
    stage.shows_on("uu", "There is nothing to undo.").await;
}

#[tokio::test(start_paused = true)]
async fn ctrl_r_redoes_until_something_else_changes() {
    let mut stage = Stage::reading(120, 28).await;
    stage.shows_on(" j u", "Undone.").await;
    stage.ctrl('r').await;
    stage.shows("Redone.");
    stage.shows("change 2 of 3: 1 kept, 2 dropped");
    let redo = |revision| Request::RedoReview { id: ReviewId(1), revision };
    assert_eq!(stage.asked().last(), Some(&redo(4)));
    stage.ctrl('r').await;
    stage.shows("There is nothing to redo.");
    stage.press("uu ").await;
    stage.ctrl('r').await;
    stage.shows("There is nothing to redo.");
}

#[tokio::test(start_paused = true)]
async fn another_desks_change_leaves_nothing_to_redo() {
    let mut stage = Stage::reading(120, 28).await;
    stage.press(" u").await;
    stage.companion.drop_elsewhere(1, &[2]);
    stage.a_while().await;
    stage.ctrl('r').await;
    stage.shows("There is nothing to redo.");
    stage.shows("2 kept, 1 dropped");
}

#[tokio::test(start_paused = true)]
async fn a_hunk_off_the_screen_is_not_dropped() {
    let mut stage = Stage::reading(120, 18).await;
    stage.key(KeyCode::Enter).await;
    // The fold is open, so a whole screen between the changes has no change.
    stage.code(KeyCode::PageDown, KeyModifiers::NONE);
    stage.code(KeyCode::PageDown, KeyModifiers::NONE);
    stage.moment().await;
    stage.press(" ").await;
    assert_eq!(stage.asked(), []);
    stage.shows("The key acts on this change. Press it again.");
    stage.press(" ").await;
    assert_eq!(stage.asked().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_change_that_cannot_be_split_says_so() {
    let mut stage = Stage::reading(120, 28).await;
    stage.press("s").await;
    assert_eq!(stage.asked(), [Request::split(ReviewId(1), 1, 0)]);
    stage.shows("This change cannot be split any further.");
}

#[tokio::test(start_paused = true)]
async fn chosen_lines_of_a_change_are_split_from_it() {
    let mut stage = Stage::connected(80, 24).await;
    let pieces = [same("first\n"), differs("one\n", "a\nb\nc\nd\n"), same("last\n")];
    stage.open(1, "/shop/lines.txt", &pieces);
    stage.a_while().await;
    stage.shows_on("V", "A change of its own: line 2").await;
    stage.shows_on("jJ", "A change of its own: lines 3–4").await;
    stage.press("V").await;
    assert_eq!(stage.asked(), [], "left again");
    stage.press("VjJ\n").await;
    let lines = Some(Lines { start: 2, end: 4 });
    let split = Request::SplitHunk { id: ReviewId(1), revision: 1, hunk: 0, lines, side: Side::New };
    assert_eq!(stage.asked(), [split]);
}

#[tokio::test(start_paused = true)]
async fn a_changed_file_is_asked_about_once() {
    let mut stage = Stage::reading(120, 28).await;
    stage.companion.change(1, |review, _| review.stale = true);
    stage.a_while().await;
    stage.press("an").await;
    assert_eq!(stage.asked(), []);
    // The answer was given before the question was on the screen.
    stage.press_fast("ay").await;
    assert_eq!(stage.asked(), []);
    stage.press("y").await;
    assert_eq!(stage.asked(), [decided(1, 2, Decision::Accept)]);
}

#[tokio::test(start_paused = true)]
async fn a_question_closes_with_its_review() {
    let mut stage = Stage::reading(120, 28).await;
    stage.propose(2, "/shop/b.py").await;
    stage.companion.change(1, |review, _| review.dirty = true);
    stage.a_while().await;
    stage.shows_on("a", "Accept anyway?").await;
    stage.close(1, Closing::AgentGone).await;
    stage.does_not_show("Accept anyway?");
    stage.press("y").await;
    assert_eq!(stage.asked(), []);
}

#[tokio::test(start_paused = true)]
async fn an_empty_text_offers_a_single_newline() {
    let mut stage = Stage::connected(120, 28).await;
    stage.open(1, "/shop/basket.py", &[differs("all of it\n", "some of it\n")]);
    stage.edit_piece(0, "");
    stage.a_while().await;
    stage.press("ay").await;
    let newline = Request::replace_text(ReviewId(1), 2, "\n".into());
    assert_eq!(stage.asked(), [decided(1, 2, Decision::Accept), newline, decided(1, 3, Decision::Accept)]);
    stage.shows("basket.py: accepted; Gemini CLI writes it.");
}

#[tokio::test(start_paused = true)]
async fn a_file_that_the_agent_empties_is_accepted_after_a_question() {
    let mut stage = Stage::connected(120, 28).await;
    stage.open(1, "/shop/basket.py", &[differs("all\nof\nit\n", "")]);
    stage.a_while().await;
    stage.shows_on("a", "All 3 lines go: the file will be empty. Accept that?").await;
    stage.press("n").await;
    assert_eq!(stage.asked(), []);
    stage.press("ay").await;
    assert_eq!(stage.asked(), [decided(1, 1, Decision::Accept)]);
}

#[tokio::test(start_paused = true)]
async fn a_rejection_asks_where_some_changes_are_dropped_and_others_are_not() {
    let mut stage = Stage::reading(120, 28).await;
    stage.shows_on(" r", "You dropped 1 of 3 changes. Reject the proposal?").await;
    stage.press("n").await;
    assert_eq!(stage.asked().len(), 1, "the drop alone");
    stage.press("rr").await;
    assert_eq!(stage.asked()[1..], [decided(1, 2, Decision::Reject)]);
}

#[tokio::test(start_paused = true)]
async fn dropping_an_edit_says_so() {
    let mut stage = Stage::reading(120, 28).await;
    stage.edit_piece(1, "mine\n");
    stage.a_while().await;
    stage.shows_on(" ", "Edit dropped; u brings it back.").await;
    stage.shows_on("u", "1 edited").await;
}

#[tokio::test(start_paused = true)]
async fn an_edited_change_is_not_split_and_the_message_says_why() {
    let mut stage = Stage::reading(120, 28).await;
    stage.edit_piece(1, "mine\n");
    stage.a_while().await;
    stage.shows_on("s", "An edited change cannot be split.").await;
    assert_eq!(stage.asked(), []);
}

#[tokio::test(start_paused = true)]
async fn a_screen_that_is_too_small_decides_nothing() {
    let mut stage = Stage::reading(120, 28).await;
    stage.resize(30, 8).await;
    stage.press("a r").await;
    assert_eq!(stage.asked(), []);
    stage.resize(120, 28).await;
    stage.press("a").await;
    assert_eq!(stage.asked().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_paste_presses_no_keys() {
    let mut stage = Stage::reading(120, 28).await;
    stage.input(Typed::Paste("a\nr\n q".into())).await;
    assert_eq!(stage.asked(), []);
    stage.shows("You can only paste into a search (/), a reason (R) or a comment (c).");
}

#[tokio::test(start_paused = true)]
async fn the_last_desk_asks_before_it_leaves_reviews() {
    let mut stage = Stage::reading(120, 28).await;
    stage.press("qn").await;
    assert!(!stage.ended.is_finished());
    stage.shows_on("q", "1 review is waiting; leaving rejects it.").await;
    stage.press("y").await;
    // The companion ends with the desk.
    stage.companion.close(1, Closing::Stopped, Some("/drafts/basket.py".into()));
    let said = "basket.py: rejected, because the companion stopped. Your edits are in /drafts/basket.py \
                (`alongside drafts`).";
    assert_eq!(stage.ending().await, (Ending::Left, Some(said.to_owned())));

    // A keeper keeps the review, although it is no desk.
    let mut stage = Stage::reading(120, 28).await;
    stage.companion.status.kept_by = Some(vec!["alongside run gemini".into()]);
    stage.tell_status().await;
    stage.press("q").await;
    let left = (Ending::Left, Some("1 review still waits; `alongside` opens it again.".to_owned()));
    assert_eq!(stage.ending().await, left);
}

/// `alongside run` keeps the review, but its hook is refused if there is no desk.
#[tokio::test(start_paused = true)]
async fn the_last_desk_asks_before_it_leaves_a_review_of_a_hook() {
    let mut stage = Stage::new(120, 28);
    stage.moment().await;
    stage.companion.status.kept_by = Some(vec!["alongside run qwen".into()]);
    stage.tell_status().await;
    let agent = alongside_desk::Agent { by_hook: true, ..agent(7, "Qwen Code", "", 0) };
    stage.companion.open(1, &agent, "/shop/basket.py", &pieces());
    stage.a_while().await;
    let asked = "1 review waits: without a desk its agent is refused after 30 s. Leave?";
    stage.shows_on("q", asked).await;
    stage.companion.status.desks = 2;
    stage.tell_status().await;
    stage.does_not_show(asked);
    stage.companion.status.desks = 1;
    stage.tell_status().await;
    stage.press("qy").await;
    let left = "1 review still waits; `alongside` opens it again: without a desk its agent is refused after \
                30 s.";
    assert_eq!(stage.ending().await, (Ending::Left, Some(left.to_owned())));
}

#[tokio::test(start_paused = true)]
async fn the_question_on_leaving_depends_on_other_parties() {
    let mut stage = Stage::reading(120, 28).await;
    stage.companion.status.kept_by = Some(vec!["Neovim".into(), "a terminal desk".into()]);
    stage.tell_status().await;
    stage.companion.status.kept_by = Some(Vec::new());
    stage.tell_status().await;
    stage.shows_on("q", "1 review is waiting; leaving rejects it.").await;
    stage.companion.status.kept_by = Some(vec!["Neovim".into()]);
    stage.companion.status.desks = 2;
    stage.tell_status().await;
    stage.shows("1 review stays open in Neovim.");
    stage.does_not_show("leaving rejects it");
    stage.press("q").await;
    assert_eq!(stage.ending().await.0, Ending::Left);
}

#[tokio::test(start_paused = true)]
async fn ctrl_c_asks_and_leaves_the_second_time() {
    let mut stage = Stage::reading(120, 28).await;
    stage.ctrl('c').await;
    stage.shows("Leave?");
    stage.press("n").await;
    stage.code(KeyCode::Char('c'), KeyModifiers::CONTROL);
    stage.code(KeyCode::Char('c'), KeyModifiers::CONTROL);
    assert_eq!(stage.ending().await.0, Ending::Left);
}

#[tokio::test(start_paused = true)]
async fn without_reviews_q_leaves() {
    let mut stage = Stage::new(80, 24);
    stage.moment().await;
    stage.press("q").await;
    assert_eq!(stage.ending().await.0, Ending::Left);
}
