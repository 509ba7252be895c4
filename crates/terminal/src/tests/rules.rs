//! Tests of rules and grants: accepted changes are announced in one line and listed with their diffs, and
//! grants are made and taken back.

use alongside_desk::{ChangeKind, Event, Grant, RuleAcceptance, Scope};
use insta::assert_snapshot;

use super::*;

fn acceptance(number: u64, file: &str) -> RuleAcceptance {
    RuleAcceptance {
        number,
        agent: "Claude Code".into(),
        file: file.into(),
        kind: ChangeKind::Edit,
        by: "rule docs/** (config.toml:2)".into(),
        at: NOW - 60_000,
        added: 1,
        removed: 1,
        diff: "@@ -3,1 +3,1 @@\n-old\x1b[8m\n+new\n".into(),
        ..RuleAcceptance::default()
    }
}

#[tokio::test(start_paused = true)]
async fn reviews_that_a_rule_accepts_are_said_once_and_listed_with_their_diff() {
    let mut desk = TestDesk::reading(100, 24).await;
    desk.press_expecting("L", "Nothing was accepted without you since the companion started.").await;
    desk.companion.send(Event::AcceptedByRule(acceptance(1, "/shop/docs/a.md")));
    desk.companion.send(Event::AcceptedByRule(acceptance(1, "/shop/docs/a.md")));
    desk.wait_until_keys_count().await;
    // The notice is shown beside the answer to a key.
    desk.assert_shows("Nothing was accepted without you since the companion started.");
    let file = |name: &str| format!("docs{}{name}", std::path::MAIN_SEPARATOR);
    let accepted = format!("Accepted without you: {} (edit, +1 -1) by Claude Code", file("a.md"));
    desk.assert_shows(&accepted);
    desk.companion.send(Event::AcceptedByRule(acceptance(2, "/shop/docs/b.md")));
    let old = RuleAcceptance { is_earlier: true, ..acceptance(3, "/shop/docs/c.md") };
    desk.companion.send(Event::AcceptedByRule(old));
    desk.wait_until_keys_count().await;
    desk.assert_shows(&format!("{} (edit", file("b.md")));
    desk.press("L\n").await;
    // The diff has an escape, whose backslash stays.
    assert_snapshot!("accepted_by_rules", desk.screen().replace(&file(""), "docs/"));
    // The list is closed again, and nothing was asked.
    desk.press("L").await;
    desk.assert_hides("Accepted without you, the newest first");
    assert_eq!(desk.requests(), []);
}

#[tokio::test(start_paused = true)]
async fn the_person_accepts_ahead_for_a_file_or_its_folder() {
    for (key, scope) in [("f", Scope::File), ("d", Scope::Folder)] {
        let mut desk = TestDesk::reading(100, 24).await;
        desk.press_expecting("f", "f only finishes the review of a turn; F accepts ahead.").await;
        desk.press_expecting("F", "Accept all that Gemini CLI still proposes until it ends: for basket.py")
            .await;
        for no in ["y", "Y"] {
            desk.press(no).await;
            assert_eq!(desk.requests(), [], "{no} does not say for which files");
        }
        desk.press(key).await;
        assert_eq!(desk.requests(), [Request::Grant { id: ReviewId(1), scope }]);
        // The review itself stays open.
        desk.press("n").await;
        desk.assert_hides("Accept all that Gemini CLI");
    }
}

#[tokio::test(start_paused = true)]
async fn a_reply_before_the_question_is_on_the_screen_grants_nothing() {
    let mut desk = TestDesk::reading(100, 24).await;
    desk.press_fast("Fd").await;
    assert_eq!(desk.requests(), []);
}

#[tokio::test(start_paused = true)]
async fn a_consent_is_listed_and_taken_back() {
    let mut desk = TestDesk::reading(100, 24).await;
    let grant = Grant { agent: "Claude Code".into(), path: "/shop/docs".into(), scope: Scope::Folder };
    desk.companion.status.grants = vec![grant];
    desk.companion.send_status();
    desk.wait_until_keys_count().await;
    desk.press_expecting("L", "docs/: Claude Code").await;
    desk.press("x").await;
    assert_eq!(desk.requests(), [Request::WithdrawGrants {}]);
    desk.assert_shows("Nothing is accepted ahead any more.");
}
