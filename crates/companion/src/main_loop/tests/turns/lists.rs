//! Looks, and who is told the list.

use std::sync::atomic::Ordering;

use alongside_desk::AtWork;

use super::*;

#[tokio::test(start_paused = true)]
async fn the_same_working_tree_is_the_same_turn_review_and_its_revision_rises_with_the_list() {
    let stage = Stage::changed().await;
    let mut desk = stage.desk();
    let first = desk.look().await;
    assert_eq!((first.files.len(), first.revision), (1, 1));
    assert_eq!(desk.look().await, first, "nothing has changed");
    let below = stage.path("sub");
    fs::create_dir(&below).unwrap();
    stage.write("a.txt", "ONE\n2\n3\n4\n5\n");
    stage.source.remember("b.txt", None);
    stage.write("b.txt", "new\n");
    let second = desk.look().await;
    assert_eq!((second.id, second.revision, second.files.len()), (first.id, 2, 2));
    let other = desk.look_since(Some("HEAD")).await;
    assert_ne!(other.id, first.id);
    assert_eq!(other.baseline.asked.as_deref(), Some("HEAD"));
}

#[tokio::test(start_paused = true)]
async fn only_the_working_trees_of_roots_are_looked_at() {
    let stage = Stage::changed().await;
    let mut desk = stage.desk();
    let outside = stage.story.path("home").to_str().unwrap().to_owned();
    for (directory, reason) in
        [(&*outside, "is in no project of this companion"), ("a/b", "a/b is not an absolute path")]
    {
        let look = Request::ReviewTurn { directory: Some(directory.to_owned()), since: None };
        let Err(Refusal::TurnUnknown { reason: why }) = desk.ask(look).await else { panic!("{directory}") };
        assert!(why.ends_with(reason), "{why}");
        assert_eq!(desk.turns(), []);
    }
    let look = Request::ReviewTurn { directory: None, since: Some("nonsense".into()) };
    let reason = "there is no revision nonsense".to_owned();
    assert_eq!(desk.ask(look).await, Err(Refusal::TurnUnknown { reason }));

    let without = Story::begin().await;
    let look = Request::ReviewTurn { directory: None, since: None };
    let reason = "this companion keeps no turns".to_owned();
    assert_eq!(without.desk.request(look).await, Err(Refusal::TurnUnknown { reason }));
}

#[tokio::test(start_paused = true)]
async fn a_second_request_waits_for_a_look_that_began_after_it() {
    let stage = Stage::changed().await;
    let (one, mut two) = (stage.desk(), stage.desk());
    stage.source.hold(true);
    let look = Request::ReviewTurn { directory: None, since: None };
    let first = one.desk.send(look.clone());
    let looks = || stage.source.looks.load(Ordering::SeqCst);
    while looks() == 0 {
        tokio::task::yield_now().await;
    }
    // The look that is under way does not see this.
    stage.write("a.txt", "1\n2\n3\n4\n5\n");
    let later = [one.desk.send(look.clone()), two.desk.send(look)];
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    assert_eq!(looks(), 1, "one look at a time");
    stage.source.hold(false);
    assert_eq!(first.await.unwrap().unwrap().revision, 1);
    for answer in later {
        assert_eq!(answer.await.unwrap().unwrap().revision, 2);
    }
    assert_eq!(looks(), 2);
    two.hear();
    assert_eq!(two.turns().last().unwrap().files, []);
}

#[tokio::test(start_paused = true)]
async fn desks_that_show_turns_hear_of_every_change_of_the_list() {
    let mut stage = Stage::changed().await;
    let (mut asker, mut other) = (stage.desk(), stage.desk());
    let turn = asker.look().await;
    other.settle().await;
    assert_eq!(other.turns(), std::slice::from_ref(&turn));
    asker.look().await;
    other.settle().await;
    assert_eq!(other.turns(), [], "it knows this list");
    let mut late = stage.desk();
    late.settle().await;
    assert_eq!(late.turns(), [turn], "whoever joins is told");
    stage.write("a.txt", "1\n2\n3\n4\n5\n");
    asker.look().await;
    other.settle().await;
    assert_eq!(other.turns().len(), 1);
    let mut late = stage.desk();
    late.settle().await;
    assert_eq!(late.turns(), [], "nothing differs");
    while let Some(event) = stage.story.desk.try_next() {
        assert!(!matches!(event, desk::Event::Turn(_)), "this desk shows no turns");
    }
}

#[tokio::test(start_paused = true)]
async fn a_review_since_a_revision_is_told_to_those_who_asked() {
    let stage = Stage::changed().await;
    let (mut asker, mut other) = (stage.desk(), stage.desk());
    let turn = asker.look_since(Some("HEAD")).await;
    other.settle().await;
    assert_eq!(other.turns(), []);
    assert_eq!(other.look_since(Some("HEAD")).await.id, turn.id);
    asker.mark(&turn, "a.txt", true).await.unwrap();
    other.settle().await;
    assert_eq!(marked(&other.turns()[0]), [("a.txt", Marked::Whole)]);
    drop((asker, other));
    let mut last = stage.desk();
    last.settle().await;
    assert_ne!(last.look_since(Some("HEAD")).await.id, turn.id, "nobody was left who had asked");
}

#[tokio::test(start_paused = true)]
async fn a_snapshot_that_a_hook_has_taken_is_told_to_desks_that_show_turns() {
    let stage = Stage::changed().await;
    let mut desk = stage.desk();
    stage.story.companion.snapshot_taken(stage.path(""));
    desk.settle().await;
    assert_eq!(desk.turns().len(), 1);
    stage.story.companion.snapshot_taken(stage.path(""));
    stage.story.companion.snapshot_taken(stage.story.path("home"));
    desk.settle().await;
    assert_eq!(desk.turns(), [], "nothing has changed, and nothing is told of elsewhere");
    assert_eq!(stage.source.looks.load(Ordering::SeqCst), 2);
}

#[tokio::test(start_paused = true)]
async fn an_agent_at_work_is_told_before_anything_differs_and_to_whoever_comes_later() {
    let stage = Stage::of(&[]).await;
    stage.source.begin_turn(Some(std::process::id()));
    let mut desk = stage.desk();
    desk.settle().await;
    let at_work = vec![AtWork { agent: "Codex".into(), since: 1 }];
    let heard: Vec<_> = desk.turns().into_iter().map(|turn| turn.at_work).collect();
    assert_eq!(heard, std::slice::from_ref(&at_work), "no hook has said anything since the desk is there");
    let mut late = stage.desk();
    late.settle().await;
    assert_eq!(late.turns()[0].at_work, at_work);
    stage.source.begin_turn(None);
    stage.story.companion.snapshot_taken(stage.path(""));
    desk.settle().await;
    assert_eq!(desk.turns()[0].at_work, []);
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_ends_in_its_turn_is_at_work_no_more() {
    let stage = Stage::of(&[]).await;
    // Its process is none any more, which the companion notices at once.
    stage.source.begin_turn(Some(u32::MAX / 2));
    let mut desk = stage.desk();
    desk.settle().await;
    assert_eq!(stage.source.looks.load(Ordering::SeqCst), 2, "its end is looked at, and once");
}

#[tokio::test(start_paused = true)]
async fn after_a_snapshot_a_review_since_a_revision_is_up_to_date_too() {
    let stage = Stage::changed().await;
    let mut desk = stage.desk();
    let turn = desk.look_since(Some("HEAD")).await;
    stage.write("a.txt", "1\n2\n3\n4\n5\n");
    stage.story.companion.snapshot_taken(stage.path(""));
    desk.settle().await;
    let anew = desk.turns().into_iter().filter(|list| list.id == turn.id).collect::<Vec<_>>();
    assert_eq!(anew.last().map(|turn| turn.files.len()), Some(0));
}

#[tokio::test(start_paused = true)]
async fn a_turn_review_is_no_proposal() {
    let mut stage = Stage::changed().await;
    let (mut desk, turn) = stage.looks().await;
    let review = desk.open(&turn, "a.txt").await;
    let status = stage.story.companion.status().await;
    assert_eq!(status.reviews, 0);
    stage.story.desk = stage.story.companion.join();
    let proposed = stage.story.proposed("x\n").await;
    assert!(proposed.id > review.id, "both have an id of the same kind");
    let mut late = stage.desk();
    late.settle().await;
    let opened = late.heard.iter().filter(|event| matches!(event, desk::Event::Opened(_))).count();
    assert_eq!(opened, 1, "the proposal alone");
}
