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
    let mut stage = Stage::reading(100, 24).await;
    stage.shows_on("L", "Nothing was accepted without you since the companion started.").await;
    stage.companion.tell(Event::AcceptedByRule(acceptance(1, "/shop/docs/a.md")));
    stage.companion.tell(Event::AcceptedByRule(acceptance(1, "/shop/docs/a.md")));
    stage.a_while().await;
    // The notice is shown beside the answer to a key.
    stage.shows("Nothing was accepted without you since the companion started.");
    stage.shows("Accepted without you: docs/a.md (edit, +1 -1) by Claude Code");
    stage.companion.tell(Event::AcceptedByRule(acceptance(2, "/shop/docs/b.md")));
    let old = RuleAcceptance { is_earlier: true, ..acceptance(3, "/shop/docs/c.md") };
    stage.companion.tell(Event::AcceptedByRule(old));
    stage.a_while().await;
    stage.shows("docs/b.md (edit");
    stage.press("L\n").await;
    assert_snapshot!("accepted_by_rules", stage.screen());
    // The list is closed again, and nothing was asked.
    stage.press("L").await;
    stage.does_not_show("Accepted without you, the newest first");
    assert_eq!(stage.asked(), []);
}

#[tokio::test(start_paused = true)]
async fn the_person_accepts_ahead_for_a_file_or_its_folder() {
    for (key, scope) in [("f", Scope::File), ("d", Scope::Folder)] {
        let mut stage = Stage::reading(100, 24).await;
        stage.shows_on("f", "f only finishes the review of a turn; F accepts ahead.").await;
        stage.shows_on("F", "Accept all that Gemini CLI still proposes until it ends: for basket.py").await;
        for no in ["y", "Y"] {
            stage.press(no).await;
            assert_eq!(stage.asked(), [], "{no} does not say for which files");
        }
        stage.press(key).await;
        assert_eq!(stage.asked(), [Request::Grant { id: ReviewId(1), scope }]);
        // The review itself stays open.
        stage.press("n").await;
        stage.does_not_show("Accept all that Gemini CLI");
    }
}

#[tokio::test(start_paused = true)]
async fn a_reply_before_the_question_is_on_the_screen_grants_nothing() {
    let mut stage = Stage::reading(100, 24).await;
    stage.press_fast("Fd").await;
    assert_eq!(stage.asked(), []);
}

#[tokio::test(start_paused = true)]
async fn a_consent_is_listed_and_taken_back() {
    let mut stage = Stage::reading(100, 24).await;
    let grant = Grant { agent: "Claude Code".into(), path: "/shop/docs".into(), scope: Scope::Folder };
    stage.companion.status.grants = vec![grant];
    stage.companion.tell_status();
    stage.a_while().await;
    stage.shows_on("L", "docs/: Claude Code").await;
    stage.press("x").await;
    assert_eq!(stage.asked(), [Request::WithdrawGrants {}]);
    stage.shows("Nothing is accepted ahead any more.");
}
