//! Tests of decisions: each needs an explicit key, and applies to the revision that was on the screen.

use alongside_desk::{Closing, Lines, Refusal, Side};

use super::*;

#[tokio::test(start_paused = true)]
async fn a_dropped_change_at_the_edge_is_shown_whole() {
    let mut desk = TestDesk::reading(120, 16).await;
    desk.press_expecting("jj ", "x dropped: the removal of 4 lines").await;
}

#[tokio::test(start_paused = true)]
async fn the_key_a_accepts_what_is_shown_and_r_rejects_it() {
    let mut desk = TestDesk::reading(120, 28).await;
    desk.press("a").await;
    assert_eq!(desk.requests(), [decided(1, 1, Decision::Accept)]);
    desk.assert_shows("basket.py: accepted; Gemini CLI writes it.");
    desk.assert_shows("Nothing to review.");
    desk.propose_and_wait(2, "/shop/b.py").await;
    desk.press("r").await;
    assert_eq!(desk.requests()[1..], [decided(2, 1, Decision::Reject)]);
    desk.assert_shows("b.py: rejected; Gemini CLI is told.");
}

#[tokio::test(start_paused = true)]
async fn typing_ahead_decides_nothing_about_the_next_review() {
    let mut desk = TestDesk::reading(120, 28).await;
    desk.propose(2, "/shop/b.py").await;
    desk.press_fast("aaar").await;
    assert_eq!(desk.requests(), [decided(1, 1, Decision::Accept)]);
    desk.assert_shows("b.py");
    // The review is on the screen, but not for long enough.
    desk.press("a r").await;
    assert_eq!(desk.requests().len(), 1);
    desk.assert_shows("Ignored: you typed that before this was on the screen.");
    desk.wait_until_keys_count().await;
    desk.press("a").await;
    assert_eq!(desk.requests()[1..], [decided(2, 1, Decision::Accept)]);
}

#[tokio::test(start_paused = true)]
async fn a_key_without_a_review_does_not_act_on_the_next_one() {
    let mut desk = TestDesk::connected(120, 28).await;
    desk.press("a").await;
    desk.propose(1, "/shop/basket.py").await;
    desk.press("ar").await;
    assert_eq!(desk.requests(), []);
}

#[tokio::test(start_paused = true)]
async fn a_review_is_decided_only_once_it_is_on_the_screen() {
    let mut desk = TestDesk::reading(120, 28).await;
    desk.propose_and_wait(2, "/shop/b.py").await;
    desk.code(KeyCode::Tab, KeyModifiers::NONE);
    desk.press_fast("a").await;
    assert_eq!(desk.requests(), []);
    // A key of the person showed the review, so it need not be on the screen for long.
    desk.press("a").await;
    assert_eq!(desk.requests(), [decided(2, 1, Decision::Accept)]);
}

#[tokio::test(start_paused = true)]
async fn keys_act_on_a_review_once_a_slow_terminal_shows_it() {
    let mut desk = TestDesk::reading(120, 28).await;
    desk.propose_and_wait(2, "/shop/b.py").await;
    desk.shared.stuck.store(true, Ordering::Relaxed);
    desk.press("j").await;
    // While the frame is under way, the first review ends, and the next one is not on the screen yet.
    desk.companion.close(1, Closing::AnsweredInAgent, None);
    desk.wait_until_keys_count().await;
    desk.wait_until_keys_count().await;
    desk.press("a").await;
    assert_eq!(desk.requests(), []);
    desk.shared.stuck.store(false, Ordering::Relaxed);
    desk.wait_until_keys_count().await;
    desk.press("a").await;
    assert_eq!(desk.requests(), [decided(2, 1, Decision::Accept)]);
}

#[tokio::test(start_paused = true)]
async fn frames_do_not_queue_up_before_a_slow_terminal() {
    let mut desk = TestDesk::reading(120, 28).await;
    desk.shared.stuck.store(true, Ordering::Relaxed);
    let before = *desk.shared.frames.lock().unwrap();
    desk.press(&"j".repeat(50)).await;
    assert_eq!(*desk.shared.frames.lock().unwrap(), before + 1);
    desk.shared.stuck.store(false, Ordering::Relaxed);
    desk.deliver_all().await;
    assert_eq!(*desk.shared.frames.lock().unwrap(), before + 2, "one more shows everything");
    desk.assert_shows("change 3 of 3");
}

#[tokio::test(start_paused = true)]
async fn a_key_before_a_foreign_change_is_seen_decides_nothing() {
    let mut desk = TestDesk::reading(120, 28).await;
    // Another desk drops a change, and the key comes before the drop is on the screen.
    desk.shared.stuck.store(true, Ordering::Relaxed);
    desk.press("j").await;
    desk.companion.drop_elsewhere(1, &[0]);
    desk.press("a").await;
    assert_eq!(desk.requests(), [], "the key was pressed before the drop was on the screen");
    desk.shared.stuck.store(false, Ordering::Relaxed);
    desk.wait_until_keys_count().await;
    desk.assert_shows("basket.py: changed at another desk; this is how it stands now.");
    desk.assert_shows("2 kept, 1 dropped");
    desk.press("a").await;
    assert_eq!(desk.requests(), [decided(1, 2, Decision::Accept)]);
}

#[tokio::test(start_paused = true)]
async fn a_stale_refusal_shows_what_is_new_and_asks_again() {
    let mut desk = TestDesk::reading(120, 28).await;
    // The companion has a newer revision, whose event has not arrived yet.
    desk.companion.refuse = Some(Refusal::Stale { revision: 2 });
    desk.press_expecting("a", "The review has changed: look at it again.").await;
    desk.companion.drop_elsewhere(1, &[1]);
    desk.deliver_all().await;
    desk.press("a").await;
    assert_eq!(desk.requests().len(), 1, "the revision has not been on the screen long enough");
    desk.wait_until_keys_count().await;
    desk.press("a").await;
    assert_eq!(desk.requests()[1..], [decided(1, 2, Decision::Accept)]);
}

#[tokio::test(start_paused = true)]
async fn space_toggles_and_u_undoes_but_fast_keys_wait() {
    let mut desk = TestDesk::reading(120, 28).await;
    let keep = |revision, hunk, keep| keeps(revision, &[hunk], keep);
    desk.press_fast(" ja").await;
    let accepted = decided(1, 2, Decision::Accept);
    assert_eq!(desk.requests(), [keep(1, 0, false), accepted], "one's own change need not be seen");

    let mut desk = TestDesk::reading(120, 28).await;
    desk.press_expecting(" ", "2 kept, 1 dropped").await;
    desk.assert_hides("another desk");
    desk.press_expecting(" ", "3 kept").await;
    desk.press("j uu").await;
    let undo = |revision| Request::UndoReview { id: ReviewId(1), revision };
    assert_eq!(desk.requests(), [keep(1, 0, false), keep(2, 0, true), keep(3, 1, false), undo(4), undo(5)]);
    desk.assert_shows("2 kept, 1 dropped");
    desk.press_expecting("uu", "There is nothing to undo.").await;
}

#[tokio::test(start_paused = true)]
async fn ctrl_r_redoes_until_something_else_changes() {
    let mut desk = TestDesk::reading(120, 28).await;
    desk.press_expecting(" j u", "Undone.").await;
    desk.ctrl('r').await;
    desk.assert_shows("Redone.");
    desk.assert_shows("change 2 of 3: 1 kept, 2 dropped");
    let redo = |revision| Request::RedoReview { id: ReviewId(1), revision };
    assert_eq!(desk.requests().last(), Some(&redo(4)));
    desk.ctrl('r').await;
    desk.assert_shows("There is nothing to redo.");
    desk.press("uu ").await;
    desk.ctrl('r').await;
    desk.assert_shows("There is nothing to redo.");
}

#[tokio::test(start_paused = true)]
async fn another_desks_change_leaves_nothing_to_redo() {
    let mut desk = TestDesk::reading(120, 28).await;
    desk.press(" u").await;
    desk.companion.drop_elsewhere(1, &[2]);
    desk.wait_until_keys_count().await;
    desk.ctrl('r').await;
    desk.assert_shows("There is nothing to redo.");
    desk.assert_shows("2 kept, 1 dropped");
}

#[tokio::test(start_paused = true)]
async fn a_hunk_off_the_screen_is_not_dropped() {
    let mut desk = TestDesk::reading(120, 18).await;
    desk.key(KeyCode::Enter).await;
    // The fold is open, so a whole screen between the changes has no change.
    desk.code(KeyCode::PageDown, KeyModifiers::NONE);
    desk.code(KeyCode::PageDown, KeyModifiers::NONE);
    desk.deliver_all().await;
    desk.press(" ").await;
    assert_eq!(desk.requests(), []);
    desk.assert_shows("The key acts on this change. Press it again.");
    desk.press(" ").await;
    assert_eq!(desk.requests().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_change_that_cannot_be_split_says_so() {
    let mut desk = TestDesk::reading(120, 28).await;
    desk.press("s").await;
    assert_eq!(desk.requests(), [Request::split(ReviewId(1), 1, 0)]);
    desk.assert_shows("This change cannot be split any further.");
}

#[tokio::test(start_paused = true)]
async fn chosen_lines_of_a_change_are_split_from_it() {
    let mut desk = TestDesk::connected(80, 24).await;
    let pieces = [same("first\n"), differs("one\n", "a\nb\nc\nd\n"), same("last\n")];
    desk.open(1, "/shop/lines.txt", &pieces);
    desk.wait_until_keys_count().await;
    desk.press_expecting("V", "A change of its own: line 2").await;
    desk.press_expecting("jJ", "A change of its own: lines 3–4").await;
    desk.press("V").await;
    assert_eq!(desk.requests(), [], "left again");
    desk.press("VjJ\n").await;
    let lines = Some(Lines { start: 2, end: 4 });
    let split = Request::SplitHunk { id: ReviewId(1), revision: 1, hunk: 0, lines, side: Side::New };
    assert_eq!(desk.requests(), [split]);
}

#[tokio::test(start_paused = true)]
async fn a_changed_file_is_asked_about_once() {
    let mut desk = TestDesk::reading(120, 28).await;
    desk.companion.change(1, |review, _| review.stale = true);
    desk.wait_until_keys_count().await;
    desk.press("an").await;
    assert_eq!(desk.requests(), []);
    // The answer was given before the question was on the screen.
    desk.press_fast("ay").await;
    assert_eq!(desk.requests(), []);
    desk.press("y").await;
    assert_eq!(desk.requests(), [decided(1, 2, Decision::Accept)]);
}

#[tokio::test(start_paused = true)]
async fn a_question_closes_with_its_review() {
    let mut desk = TestDesk::reading(120, 28).await;
    desk.propose(2, "/shop/b.py").await;
    desk.companion.change(1, |review, _| review.dirty = true);
    desk.wait_until_keys_count().await;
    desk.press_expecting("a", "Accept anyway?").await;
    desk.close(1, Closing::AgentGone).await;
    desk.assert_hides("Accept anyway?");
    desk.press("y").await;
    assert_eq!(desk.requests(), []);
}

#[tokio::test(start_paused = true)]
async fn an_empty_text_offers_a_single_newline() {
    let mut desk = TestDesk::connected(120, 28).await;
    desk.open(1, "/shop/basket.py", &[differs("all of it\n", "some of it\n")]);
    desk.edit_piece(0, "");
    desk.wait_until_keys_count().await;
    desk.press("ay").await;
    let newline = Request::replace_text(ReviewId(1), 2, "\n".into());
    assert_eq!(desk.requests(), [decided(1, 2, Decision::Accept), newline, decided(1, 3, Decision::Accept)]);
    desk.assert_shows("basket.py: accepted; Gemini CLI writes it.");
}

#[tokio::test(start_paused = true)]
async fn a_file_that_the_agent_empties_is_accepted_after_a_question() {
    let mut desk = TestDesk::connected(120, 28).await;
    desk.open(1, "/shop/basket.py", &[differs("all\nof\nit\n", "")]);
    desk.wait_until_keys_count().await;
    desk.press_expecting("a", "All 3 lines go: the file will be empty. Accept that?").await;
    desk.press("n").await;
    assert_eq!(desk.requests(), []);
    desk.press("ay").await;
    assert_eq!(desk.requests(), [decided(1, 1, Decision::Accept)]);
}

#[tokio::test(start_paused = true)]
async fn a_rejection_asks_where_some_changes_are_dropped_and_others_are_not() {
    let mut desk = TestDesk::reading(120, 28).await;
    desk.press_expecting(" r", "You dropped 1 of 3 changes. Reject the proposal?").await;
    desk.press("n").await;
    assert_eq!(desk.requests().len(), 1, "the drop alone");
    desk.press("rr").await;
    assert_eq!(desk.requests()[1..], [decided(1, 2, Decision::Reject)]);
}

#[tokio::test(start_paused = true)]
async fn dropping_an_edit_says_so() {
    let mut desk = TestDesk::reading(120, 28).await;
    desk.edit_piece(1, "mine\n");
    desk.wait_until_keys_count().await;
    desk.press_expecting(" ", "Edit dropped; u brings it back.").await;
    desk.press_expecting("u", "1 edited").await;
}

#[tokio::test(start_paused = true)]
async fn an_edited_change_is_not_split_and_the_message_says_why() {
    let mut desk = TestDesk::reading(120, 28).await;
    desk.edit_piece(1, "mine\n");
    desk.wait_until_keys_count().await;
    desk.press_expecting("s", "An edited change cannot be split.").await;
    assert_eq!(desk.requests(), []);
}

#[tokio::test(start_paused = true)]
async fn a_screen_that_is_too_small_decides_nothing() {
    let mut desk = TestDesk::reading(120, 28).await;
    desk.resize(30, 8).await;
    desk.press("a r").await;
    assert_eq!(desk.requests(), []);
    desk.resize(120, 28).await;
    desk.press("a").await;
    assert_eq!(desk.requests().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_paste_presses_no_keys() {
    let mut desk = TestDesk::reading(120, 28).await;
    desk.input(TerminalEvent::Paste("a\nr\n q".into())).await;
    assert_eq!(desk.requests(), []);
    desk.assert_shows("You can only paste into a search (/), a reason (R) or a comment (c).");
}

#[tokio::test(start_paused = true)]
async fn the_last_desk_asks_before_it_leaves_reviews() {
    let mut desk = TestDesk::reading(120, 28).await;
    desk.press("qn").await;
    assert!(!desk.ended.is_finished());
    desk.press_expecting("q", "1 review is waiting; leaving rejects it.").await;
    desk.press("y").await;
    // The companion ends with the desk.
    desk.companion.close(1, Closing::Stopped, Some("/drafts/basket.py".into()));
    let said = "basket.py: rejected, because the companion stopped. Your edits are in /drafts/basket.py \
                (`alongside drafts`).";
    assert_eq!(desk.ending().await, (Ending::Left, Some(said.to_owned())));

    // A keeper keeps the review, although it is not a desk.
    let mut desk = TestDesk::reading(120, 28).await;
    desk.companion.status.kept_by = Some(vec!["alongside run gemini".into()]);
    desk.send_status().await;
    desk.press("q").await;
    let left = (Ending::Left, Some("1 review still waits; `alongside` opens it again.".to_owned()));
    assert_eq!(desk.ending().await, left);
}

/// `alongside run` keeps the review, but its hook is refused if there is no desk.
#[tokio::test(start_paused = true)]
async fn the_last_desk_asks_before_it_leaves_a_review_of_a_hook() {
    let mut desk = TestDesk::new(120, 28);
    desk.deliver_all().await;
    desk.companion.status.kept_by = Some(vec!["alongside run qwen".into()]);
    desk.send_status().await;
    let agent = alongside_desk::Agent { by_hook: true, ..agent(7, "Qwen Code", "", 0) };
    desk.companion.open(1, &agent, "/shop/basket.py", &pieces());
    desk.wait_until_keys_count().await;
    let asked = "1 review waits: without a desk its agent is refused after 30 s. Leave?";
    desk.press_expecting("q", asked).await;
    desk.companion.status.desks = 2;
    desk.send_status().await;
    desk.assert_hides(asked);
    desk.companion.status.desks = 1;
    desk.send_status().await;
    desk.press("qy").await;
    let left = "1 review still waits; `alongside` opens it again: without a desk its agent is refused after \
                30 s.";
    assert_eq!(desk.ending().await, (Ending::Left, Some(left.to_owned())));
}

#[tokio::test(start_paused = true)]
async fn the_question_on_leaving_depends_on_other_parties() {
    let mut desk = TestDesk::reading(120, 28).await;
    desk.companion.status.kept_by = Some(vec!["Neovim".into(), "a terminal desk".into()]);
    desk.send_status().await;
    desk.companion.status.kept_by = Some(Vec::new());
    desk.send_status().await;
    desk.press_expecting("q", "1 review is waiting; leaving rejects it.").await;
    desk.companion.status.kept_by = Some(vec!["Neovim".into()]);
    desk.companion.status.desks = 2;
    desk.send_status().await;
    desk.assert_shows("1 review stays open in Neovim.");
    desk.assert_hides("leaving rejects it");
    desk.press("q").await;
    assert_eq!(desk.ending().await.0, Ending::Left);
}

#[tokio::test(start_paused = true)]
async fn ctrl_c_asks_and_leaves_the_second_time() {
    let mut desk = TestDesk::reading(120, 28).await;
    desk.ctrl('c').await;
    desk.assert_shows("Leave?");
    desk.press("n").await;
    desk.code(KeyCode::Char('c'), KeyModifiers::CONTROL);
    desk.code(KeyCode::Char('c'), KeyModifiers::CONTROL);
    assert_eq!(desk.ending().await.0, Ending::Left);
}

#[tokio::test(start_paused = true)]
async fn without_reviews_q_leaves() {
    let mut desk = TestDesk::new(80, 24);
    desk.deliver_all().await;
    desk.press("q").await;
    assert_eq!(desk.ending().await.0, Ending::Left);
}
