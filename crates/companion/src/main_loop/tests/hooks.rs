//! Messages to desks about an agent whose hook cannot wait for long.

use alongside_desk::{HookProposal, Unawaited, Verdict};

use super::*;

#[tokio::test(start_paused = true)]
async fn desks_show_whether_an_agent_that_calls_again_waits() {
    let mut story = Story::begin().await;
    let proposal = HookProposal {
        agent: "Qwen Code".into(),
        patience_ms: 3_000,
        calls_again: true,
        ..story.hook_proposal("a.txt", "new\n")
    };
    for _ in 0..3 {
        assert_eq!(story.companion.review(proposal.clone()).await, Verdict::StillOpen);
    }
    let verdict = story.companion.review(proposal).await;
    assert!(matches!(verdict, Verdict::Undecided { .. }), "{verdict:?}");
    let (mut notices, mut marks) = (Vec::new(), Vec::new());
    while notices.len() < 7 {
        match story.next().await {
            desk::Event::Notice { message } => notices.push(message),
            desk::Event::Changed(changed) => {
                assert_eq!(
                    (changed.from, changed.revision),
                    (1, 1),
                    "a decision that is under way stays valid"
                );
                marks.push(changed.unawaited);
            }
            _ => {}
        }
    }
    let (again, over) = (Some(Unawaited::CallsAgain), Some(Unawaited::TurnOver));
    assert_eq!(marks, [again, None, again, None, again, None, over]);
    let ends = [
        "Qwen Code waits no longer; its model is asked to call the tool again.",
        "Qwen Code has called its tool again, and waits for your decision.",
        "Qwen Code was asked to end its turn. Decide within ten minutes, then tell it to go on.",
    ];
    let in_order = [0, 1, 0, 1, 0, 1, 2].map(|end| ends[end]);
    let is_expected = notices.iter().zip(in_order).all(|(notice, end)| notice.ends_with(end));
    assert!(is_expected, "{notices:?}");
    assert_eq!(story.companion.status().await.reviews, 1, "the review stays");
}
