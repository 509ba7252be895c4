//! Tests of reasons for the agent's model.

use alongside_desk::{Closing, Reasons, Refusal};

use super::*;

fn set(revision: u64, hunk: Option<usize>, reason: &str) -> Request {
    Request::SetReason { id: ReviewId(1), revision, hunk, reason: reason.into() }
}

impl Stage {
    /// Opens a review whose agent reads reasons in this way.
    async fn propose_with(&mut self, id: u64, reasons: Reasons) {
        self.open_unlike(id, "/shop/basket.py", &pieces(), |review| review.reasons = reasons);
        self.a_while().await;
    }

    /// Starts a desk with a review of three changes, at which keys count.
    async fn reading_with(reasons: Reasons, width: u16, height: u16) -> Self {
        let mut stage = Self::new(width, height);
        stage.connect().await;
        stage.propose_with(1, reasons).await;
        stage
    }
}

#[tokio::test(start_paused = true)]
async fn a_reason_for_a_change_drops_it_and_is_below_it() {
    let mut stage = Stage::reading_with(Reasons::Always, 120, 32).await;
    stage.shows_on("jR", "Why not change 2 of 3?").await;
    stage.shows("Enter back");
    stage.shows_on("nobody asked", "Enter drop it").await;
    stage.key(KeyCode::Enter).await;
    assert_eq!(stage.asked(), [set(1, Some(1), "nobody asked"), keeps(2, &[1], false)]);
    stage.shows("Dropped, with your reason.");
    stage.shows("2 kept, 1 dropped");
    stage.shows("Why: nobody asked");
    // The change is dropped already, so another reason only replaces the first one.
    stage.shows_on("R", "Why not change 2 of 3? nobody asked").await;
    stage.press("!\n").await;
    assert_eq!(stage.asked()[2..], [set(3, Some(1), "nobody asked!")]);
    stage.shows("Reason noted.");
    stage.press("R").await;
    stage.ctrl('u').await;
    stage.shows("Enter remove it");
    stage.key(KeyCode::Enter).await;
    assert_eq!(stage.asked()[3..], [set(4, Some(1), "")]);
    stage.shows("Reason removed.");
    stage.does_not_show("Why:");
    stage.shows_on("u", "3 kept").await;
}

#[tokio::test(start_paused = true)]
async fn a_reason_for_the_whole_proposal_decides_nothing() {
    let mut stage = Stage::reading_with(Reasons::Always, 120, 28).await;
    stage.shows_on("R\t", "Why? (the whole proposal)").await;
    stage.press("too early\n").await;
    assert_eq!(stage.asked(), [set(1, None, "too early")]);
    stage.shows("Reason noted. r rejects with it, a accepts with it.");
    stage.shows("Your reason for Gemini CLI: too early");
    stage.press("r").await;
    assert_eq!(stage.asked()[1..], [decided(1, 2, Decision::Reject)]);
}

#[tokio::test(start_paused = true)]
async fn tab_switches_what_a_reason_is_for_and_keeps_the_text() {
    let mut stage = Stage::reading_with(Reasons::Always, 120, 28).await;
    stage.shows_on("Rtoo early\t", "Why? (the whole proposal) too early").await;
    stage.shows("Tab this change");
    stage.shows_on("⇤", "Why not change 1 of 3? too early").await;
    stage.shows("Tab the whole proposal");
}

#[tokio::test(start_paused = true)]
async fn a_proposal_of_one_change_has_one_reason() {
    let mut stage = Stage::connected(120, 24).await;
    let one = [same("a\n"), differs("b\n", "B\n")];
    stage.open_unlike(1, "/shop/a.txt", &one, |review| review.reasons = Reasons::Always);
    stage.a_while().await;
    stage.shows("R why");
    stage.shows_on("R\tno", "Why? (the whole proposal) no").await;
    stage.key(KeyCode::Enter).await;
    assert_eq!(stage.asked(), [set(1, None, "no")]);
}

#[tokio::test(start_paused = true)]
async fn esc_cancels_a_reason_and_its_letters_decide_nothing() {
    let mut stage = Stage::reading_with(Reasons::Always, 120, 28).await;
    stage.press("Ra r q⎋").await;
    stage.does_not_show("Why");
    assert_eq!(stage.asked(), []);
    stage.press("R").await;
    stage.does_not_show("a r q");
    stage.press("⎋a").await;
    assert_eq!(stage.asked(), [decided(1, 1, Decision::Accept)]);
}

#[tokio::test(start_paused = true)]
async fn an_agent_without_reasons_gets_no_input_and_a_message() {
    let mut stage = Stage::reading_with(Reasons::Never, 120, 28).await;
    stage.does_not_show("R why");
    stage.shows_on("R", "Gemini CLI reads no reason here: its protocol carries none.").await;
    stage.shows("`alongside install agent` offers its hook.");
    stage.does_not_show("Why");
    // The person types on, even much later.
    stage.press_and_read("a real").await;
    stage.shows_on(" reason", "Esc back").await;
    assert_eq!(stage.asked(), []);
    stage.key(KeyCode::Esc).await;
    stage.does_not_show("reads no reason");
    stage.press("a").await;
    assert_eq!(stage.asked(), [decided(1, 1, Decision::Accept)]);
}

#[tokio::test(start_paused = true)]
async fn a_reason_typed_too_soon_decides_nothing() {
    let mut stage = Stage::connected(120, 24).await;
    stage.press("a").await;
    stage.open_unlike(1, "/shop/basket.py", &pieces(), |review| review.reasons = Reasons::Always);
    stage.moment().await;
    stage.press("Ra reason that is long enough for the screen to count, and a").await;
    assert_eq!(stage.asked(), []);
    stage.does_not_show("Why");
}

#[tokio::test(start_paused = true)]
async fn an_incoming_change_keeps_the_typed_reason() {
    let mut stage = Stage::reading_with(Reasons::Always, 120, 28).await;
    stage.press("Rtoo ea").await;
    stage.companion.drop_elsewhere(1, &[2]);
    stage.moment().await;
    stage.shows("Why not change 1 of 3? too ea");
    stage.press("r").await;
    stage.code(KeyCode::Enter, KeyModifiers::NONE);
    stage.moment().await;
    assert_eq!(stage.asked(), [], "the change has not been on the screen for long enough");
    stage.press_and_read("ly").await;
    stage.key(KeyCode::Enter).await;
    assert_eq!(stage.asked(), [set(2, Some(0), "too early"), keeps(3, &[0], false)]);
    stage.shows("1 kept, 2 dropped");
}

#[tokio::test(start_paused = true)]
async fn a_refused_reason_comes_back() {
    let mut stage = Stage::reading_with(Reasons::Always, 120, 28).await;
    stage.press("Rtoo early").await;
    stage.companion.refuse = Some(Refusal::Stale { revision: 2 });
    stage.shows_on("\n", "The review has changed: look at it again. R brings back what you typed.").await;
    assert_eq!(stage.asked(), [set(1, Some(0), "too early")], "nothing is dropped");
    stage.shows_on("R", "Why not change 1 of 3? too early").await;
    // The review ends, and another one replaces it.
    stage.companion.close(1, Closing::Replaced, None);
    stage.propose_with(2, Reasons::Always).await;
    stage.shows("The review has ended. too early");
    stage.shows_on("\n", "The review has ended. R brings back what you typed.").await;
    stage.shows_on("R", "Why not change 1 of 3? too early").await;
    stage.key(KeyCode::Enter).await;
    let reason = "too early".to_owned();
    let again = Request::SetReason { id: ReviewId(2), revision: 1, hunk: Some(0), reason };
    assert_eq!(stage.asked()[1], again);
}

#[tokio::test(start_paused = true)]
async fn a_reason_that_only_a_rejection_carries_says_so() {
    let mut stage = Stage::reading_with(Reasons::WithRejection, 120, 24).await;
    stage.shows_on("Rno", "Why not change 1 of 3? (read only if you reject) no").await;
    stage.resize(40, 10).await;
    stage.shows("(read only if you reject) Why not change 1 of 3? no");
    stage.shows_on(&" and no".repeat(9), "Why not change 1 of 3? …").await;
    stage.resize(120, 24).await;
    stage.shows_on("\t\n", "Reason noted. r rejects with it, a accepts without it.").await;
}

#[tokio::test(start_paused = true)]
async fn a_reason_accepts_any_text_and_shows_it_escaped() {
    let mut stage = Stage::reading_with(Reasons::Always, 120, 28).await;
    stage.press("R漢字 x").await;
    stage.ctrl('w').await;
    stage.input(Typed::Paste("two\r\nlines\u{202e}".into())).await;
    stage.shows(r"漢字 two lines\u{202e}");
    stage.press("⌫\n").await;
    assert_eq!(stage.asked()[0], set(1, Some(0), "漢字 two lines"));
    stage.shows("Why: 漢字 two lines");
}

#[tokio::test(start_paused = true)]
async fn letters_of_a_reason_wait_with_its_key() {
    let mut stage = Stage::reading_with(Reasons::Always, 120, 28).await;
    stage.press_fast(" Rwrong name").await;
    stage.shows("Why not change 1 of 3? wrong name");
    stage.key(KeyCode::Enter).await;
    assert_eq!(stage.asked(), [keeps(1, &[0], false), set(2, Some(0), "wrong name")]);
}

#[tokio::test(start_paused = true)]
async fn a_reason_shows_the_change_that_it_is_for() {
    let mut stage = Stage::reading_with(Reasons::Always, 120, 18).await;
    stage.key(KeyCode::Enter).await;
    // The fold is open, so a whole screen between the changes has no change.
    stage.code(KeyCode::PageDown, KeyModifiers::NONE);
    stage.code(KeyCode::PageDown, KeyModifiers::NONE);
    stage.moment().await;
    stage.does_not_show("def ");
    stage.shows_on("R", "Why not change").await;
    stage.shows("def ");
}

#[tokio::test(start_paused = true)]
async fn ctrl_c_asks_to_leave_and_keeps_the_reason() {
    let mut stage = Stage::reading_with(Reasons::Always, 120, 28).await;
    stage.press("Rtoo early").await;
    stage.ctrl('c').await;
    stage.shows("Leave?");
    stage.shows_on("nR", "Why not change 1 of 3? too early").await;
}
