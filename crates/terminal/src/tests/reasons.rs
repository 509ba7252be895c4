//! Tests of reasons for the agent's model.

use alongside_desk::{Closing, Reasons, Refusal};

use super::unsent_comments::Kept;
use super::*;
use crate::DraftStore;

fn set(revision: u64, hunk: Option<usize>, reason: &str) -> Request {
    Request::SetReason { id: ReviewId(1), revision, hunk, reason: reason.into() }
}

impl TestDesk {
    /// Opens a review whose agent reads reasons in this way.
    async fn propose_with(&mut self, id: u64, reasons: Reasons) {
        self.open_unlike(id, "/shop/basket.py", &pieces(), |review| review.reasons = reasons);
        self.wait_until_keys_count().await;
    }

    /// Starts a desk with a review of three changes, at which keys count.
    async fn reading_with(reasons: Reasons, width: u16, height: u16) -> Self {
        let mut desk = Self::new(width, height);
        desk.connect().await;
        desk.propose_with(1, reasons).await;
        desk
    }
}

#[tokio::test(start_paused = true)]
async fn a_reason_for_a_change_drops_it_and_is_below_it() {
    let mut desk = TestDesk::reading_with(Reasons::Always, 120, 32).await;
    desk.press_expecting("jR", "Why not change 2 of 3?").await;
    desk.assert_shows("Enter back");
    desk.press_expecting("nobody asked", "Enter drop it").await;
    desk.key(KeyCode::Enter).await;
    assert_eq!(desk.requests(), [set(1, Some(1), "nobody asked"), keeps(2, &[1], false)]);
    desk.assert_shows("Dropped, with your reason.");
    desk.assert_shows("2 kept, 1 dropped");
    desk.assert_shows("Why: nobody asked");
    // The change is dropped already, so another reason only replaces the first one.
    desk.press_expecting("R", "Why not change 2 of 3? nobody asked").await;
    desk.press("!\n").await;
    assert_eq!(desk.requests()[2..], [set(3, Some(1), "nobody asked!")]);
    desk.assert_shows("Reason noted.");
    desk.press("R").await;
    desk.ctrl('u').await;
    desk.assert_shows("Enter remove it");
    desk.key(KeyCode::Enter).await;
    assert_eq!(desk.requests()[3..], [set(4, Some(1), "")]);
    desk.assert_shows("Reason removed.");
    desk.assert_hides("Why:");
    desk.press_expecting("u", "3 kept").await;
}

#[tokio::test(start_paused = true)]
async fn a_reason_for_the_whole_proposal_decides_nothing() {
    let mut desk = TestDesk::reading_with(Reasons::Always, 120, 28).await;
    desk.press_expecting("R\t", "Why? (the whole proposal)").await;
    desk.press("too early\n").await;
    assert_eq!(desk.requests(), [set(1, None, "too early")]);
    desk.assert_shows("Reason noted. r rejects with it, a accepts with it.");
    desk.assert_shows("Your reason for Gemini CLI: too early");
    desk.press("r").await;
    assert_eq!(desk.requests()[1..], [decided(1, 2, Decision::Reject)]);
}

#[tokio::test(start_paused = true)]
async fn tab_switches_what_a_reason_is_for_and_keeps_the_text() {
    let mut desk = TestDesk::reading_with(Reasons::Always, 120, 28).await;
    desk.press_expecting("Rtoo early\t", "Why? (the whole proposal) too early").await;
    desk.assert_shows("Tab this change");
    desk.press_expecting("⇤", "Why not change 1 of 3? too early").await;
    desk.assert_shows("Tab the whole proposal");
}

#[tokio::test(start_paused = true)]
async fn a_proposal_of_one_change_has_one_reason() {
    let mut desk = TestDesk::connected(120, 24).await;
    let one = [same("a\n"), differs("b\n", "B\n")];
    desk.open_unlike(1, "/shop/a.txt", &one, |review| review.reasons = Reasons::Always);
    desk.wait_until_keys_count().await;
    desk.assert_shows("R why");
    desk.press_expecting("R\tno", "Why? (the whole proposal) no").await;
    desk.key(KeyCode::Enter).await;
    assert_eq!(desk.requests(), [set(1, None, "no")]);
}

#[tokio::test(start_paused = true)]
async fn esc_cancels_a_reason_and_its_letters_decide_nothing() {
    let mut desk = TestDesk::reading_with(Reasons::Always, 120, 28).await;
    desk.press("Ra r q⎋").await;
    desk.assert_hides("Why");
    assert_eq!(desk.requests(), []);
    desk.press("R").await;
    desk.assert_hides("a r q");
    desk.press("⎋a").await;
    assert_eq!(desk.requests(), [decided(1, 1, Decision::Accept)]);
}

#[tokio::test(start_paused = true)]
async fn an_agent_without_reasons_gets_no_input_and_a_message() {
    let mut desk = TestDesk::reading_with(Reasons::Never, 120, 28).await;
    desk.assert_hides("R why");
    desk.press_expecting("R", "Gemini CLI reads no reason here: its protocol carries none.").await;
    desk.assert_shows("`alongside install agent` offers its hook.");
    desk.assert_hides("Why");
    // The person types on, even much later.
    desk.press_and_wait("a real").await;
    desk.press_expecting(" reason", "Esc back").await;
    assert_eq!(desk.requests(), []);
    desk.key(KeyCode::Esc).await;
    desk.assert_hides("reads no reason");
    desk.press("a").await;
    assert_eq!(desk.requests(), [decided(1, 1, Decision::Accept)]);
}

#[tokio::test(start_paused = true)]
async fn a_reason_typed_too_soon_decides_nothing() {
    let mut desk = TestDesk::connected(120, 24).await;
    desk.press("a").await;
    desk.open_unlike(1, "/shop/basket.py", &pieces(), |review| review.reasons = Reasons::Always);
    desk.deliver_all().await;
    desk.press("Ra reason that is long enough for the screen to count, and a").await;
    assert_eq!(desk.requests(), []);
    desk.assert_hides("Why");
}

#[tokio::test(start_paused = true)]
async fn an_incoming_change_keeps_the_typed_reason() {
    let mut desk = TestDesk::reading_with(Reasons::Always, 120, 28).await;
    desk.press("Rtoo ea").await;
    desk.companion.drop_elsewhere(1, &[2]);
    desk.deliver_all().await;
    desk.assert_shows("Why not change 1 of 3? too ea");
    desk.press("r").await;
    desk.code(KeyCode::Enter, KeyModifiers::NONE);
    desk.deliver_all().await;
    assert_eq!(desk.requests(), [], "the change has not been on the screen for long enough");
    desk.press_and_wait("ly").await;
    desk.key(KeyCode::Enter).await;
    assert_eq!(desk.requests(), [set(2, Some(0), "too early"), keeps(3, &[0], false)]);
    desk.assert_shows("1 kept, 2 dropped");
}

#[tokio::test(start_paused = true)]
async fn a_refused_reason_comes_back() {
    let mut desk = TestDesk::reading_with(Reasons::Always, 120, 28).await;
    desk.press("Rtoo early").await;
    desk.companion.refuse = Some(Refusal::Stale { revision: 2 });
    desk.press_expecting("\n", "The review has changed: look at it again. R brings back what you typed.")
        .await;
    assert_eq!(desk.requests(), [set(1, Some(0), "too early")], "nothing is dropped");
    desk.press_expecting("R", "Why not change 1 of 3? too early").await;
    // The review ends, and another one replaces it.
    desk.companion.close(1, Closing::Replaced, None);
    desk.propose_with(2, Reasons::Always).await;
    desk.assert_shows("The review has ended. too early");
    desk.press_expecting("\n", "The review has ended. R brings back what you typed.").await;
    desk.press_expecting("R", "Why not change 1 of 3? too early").await;
    desk.key(KeyCode::Enter).await;
    let reason = "too early".to_owned();
    let again = Request::SetReason { id: ReviewId(2), revision: 1, hunk: Some(0), reason };
    assert_eq!(desk.requests()[1], again);
}

#[tokio::test(start_paused = true)]
async fn a_reason_that_only_a_rejection_carries_says_so() {
    let mut desk = TestDesk::reading_with(Reasons::WithRejection, 120, 24).await;
    desk.press_expecting("Rno", "Why not change 1 of 3? (read only if you reject) no").await;
    desk.resize(40, 10).await;
    desk.assert_shows("(read only if you reject) Why not change 1 of 3? no");
    desk.press_expecting(&" and no".repeat(9), "Why not change 1 of 3? …").await;
    desk.resize(120, 24).await;
    desk.press_expecting("\t\n", "Reason noted. r rejects with it, a accepts without it.").await;
}

#[tokio::test(start_paused = true)]
async fn a_reason_accepts_any_text_and_shows_it_escaped() {
    let mut desk = TestDesk::reading_with(Reasons::Always, 120, 28).await;
    desk.press("R漢字 x").await;
    desk.ctrl('w').await;
    desk.input(TerminalEvent::Paste("two\r\nlines\u{202e}".into())).await;
    desk.assert_shows(r"漢字 two lines\u{202e}");
    desk.press("⌫\n").await;
    assert_eq!(desk.requests()[0], set(1, Some(0), "漢字 two lines"));
    desk.assert_shows("Why: 漢字 two lines");
}

#[tokio::test(start_paused = true)]
async fn an_undo_takes_back_a_reason_that_was_just_given() {
    let mut desk = TestDesk::connected(120, 28).await;
    desk.open_unlike(1, "/shop/basket.py", &pieces(), |review| review.reasons = Reasons::Always);
    desk.wait_until_keys_count().await;
    for typed in ["too early", "later"] {
        desk.press("R\t").await;
        desk.press(typed).await;
        desk.press_expecting("\n", &format!("Your reason for Gemini CLI: {typed}")).await;
        desk.press_expecting("u", "Reason removed.").await;
        desk.assert_hides("Your reason");
    }
    // The undo of a reason that replaced another one restores that one.
    desk.press_expecting("R\tone\nR\t two\n", "Your reason for Gemini CLI: one two").await;
    desk.press_expecting("u", "Your reason for Gemini CLI: one").await;
    desk.assert_hides("one two");
    // After another change, `u` undoes that change.
    desk.press_expecting("R\t!\n u", "Undone.").await;
    desk.assert_shows("Your reason for Gemini CLI: one!");
    desk.press_expecting("u", "There is nothing to undo.").await;
}

#[tokio::test(start_paused = true)]
async fn a_demo_names_no_hook() {
    let mut desk = TestDesk::demo(120).await;
    desk.press_expecting("R", "Gemini CLI reads no reason here: its protocol carries none.").await;
    desk.assert_hides("install agent");
}

#[tokio::test(start_paused = true)]
async fn letters_of_a_reason_wait_with_its_key() {
    let mut desk = TestDesk::reading_with(Reasons::Always, 120, 28).await;
    desk.press_fast(" Rwrong name").await;
    desk.assert_shows("Why not change 1 of 3? wrong name");
    desk.key(KeyCode::Enter).await;
    assert_eq!(desk.requests(), [keeps(1, &[0], false), set(2, Some(0), "wrong name")]);
}

#[tokio::test(start_paused = true)]
async fn a_reason_shows_the_change_that_it_is_for() {
    let mut desk = TestDesk::reading_with(Reasons::Always, 120, 18).await;
    desk.key(KeyCode::Enter).await;
    // The fold is open, so a whole screen between the changes has no change.
    desk.code(KeyCode::PageDown, KeyModifiers::NONE);
    desk.code(KeyCode::PageDown, KeyModifiers::NONE);
    desk.deliver_all().await;
    desk.assert_hides("def ");
    desk.press_expecting("R", "Why not change").await;
    desk.assert_shows("def ");
}

#[tokio::test(start_paused = true)]
async fn ctrl_c_asks_to_leave_and_keeps_the_reason() {
    let mut desk = TestDesk::reading_with(Reasons::Always, 120, 28).await;
    desk.press("Rtoo early").await;
    desk.ctrl('c').await;
    desk.assert_shows("Leave?");
    desk.press_expecting("nR", "Why not change 1 of 3? too early").await;
}

/// Opens the input of a reason with `R` and types these keys, and ends the companion. Returns the drafts,
/// and the last words of the desk. `refusal`: of the reason that the keys send.
async fn drafts_after(keys: &str, refusal: Option<Refusal>) -> (Vec<String>, Option<String>) {
    let kept = Arc::new(Kept::default());
    let options = Options { drafts: DraftStore::among_drafts(kept.clone()), ..Options::default() };
    let mut desk = TestDesk::with_options(120, 28, "false", options);
    desk.connect().await;
    desk.propose_with(1, Reasons::Always).await;
    desk.companion.refuse = refusal;
    desk.press("R").await;
    desk.press(keys).await;
    let TestDesk { companion, ended, input, .. } = desk;
    drop(companion);
    let (ending, words) = timeout(Duration::from_secs(10), ended).await.unwrap().unwrap();
    drop(input);
    assert_eq!(ending.unwrap(), Ending::Gone);
    let drafts = kept.0.lock().unwrap().clone();
    (drafts, words)
}

#[tokio::test(start_paused = true)]
async fn a_reason_that_was_not_taken_is_in_the_drafts_when_the_desk_ends() {
    let why = "the desk was closed before this reason was taken";
    for (keys, refusal) in [("too early", None), ("too early\n", Some(Refusal::Interrupted))] {
        let (drafts, words) = drafts_after(keys, refusal).await;
        assert_eq!(drafts, [format!("/shop/basket.py (Gemini CLI): {why}: too early")], "{keys:?}");
        assert!(words.unwrap().contains(&format!("{why}. Your text is in /drafts/1")), "{keys:?}");
    }
    // The review has the reason, which an untouched input only shows.
    for keys in ["", "too early⎋", "too early\n", "too early\nR"] {
        assert_eq!(drafts_after(keys, None).await, (Vec::new(), None), "{keys:?}");
    }
}
