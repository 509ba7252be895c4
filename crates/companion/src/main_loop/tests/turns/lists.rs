//! Looks, and the desks that get the list.

use std::sync::atomic::Ordering;

use alongside_desk::AtWork;

use super::*;

#[tokio::test(start_paused = true)]
async fn a_working_tree_keeps_its_turn_review_and_each_change_raises_the_revision() {
    let stage = Stage::with_changed_file().await;
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
async fn a_look_outside_the_roots_or_since_no_revision_is_refused() {
    let stage = Stage::with_changed_file().await;
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
    let stage = Stage::with_changed_file().await;
    let (one, mut two) = (stage.desk(), stage.desk());
    stage.source.set_held(true);
    let look = Request::ReviewTurn { directory: None, since: None };
    let first = one.desk.send(look.clone());
    let looks = || stage.source.looks.load(Ordering::SeqCst);
    while looks() == 0 {
        tokio::task::yield_now().await;
    }
    // The look that is under way does not find this change.
    stage.write("a.txt", "1\n2\n3\n4\n5\n");
    let later = [one.desk.send(look.clone()), two.desk.send(look)];
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    assert_eq!(looks(), 1, "one look at a time");
    stage.source.set_held(false);
    assert_eq!(first.await.unwrap().unwrap().revision, 1);
    for answer in later {
        assert_eq!(answer.await.unwrap().unwrap().revision, 2);
    }
    assert_eq!(looks(), 2);
    two.read_events();
    assert_eq!(two.turns().last().unwrap().files, []);
}

#[tokio::test(start_paused = true)]
async fn desks_that_show_turns_get_every_change_of_the_list() {
    let mut stage = Stage::with_changed_file().await;
    let (mut first, mut other) = (stage.desk(), stage.desk());
    let turn = first.look().await;
    other.read_new_until_idle().await;
    assert_eq!(other.turns(), std::slice::from_ref(&turn));
    first.look().await;
    other.read_new_until_idle().await;
    assert_eq!(other.turns(), [], "it has this list");
    let mut late = stage.desk();
    late.read_new_until_idle().await;
    assert_eq!(late.turns(), [turn], "a desk that joins gets the list");
    stage.write("a.txt", "1\n2\n3\n4\n5\n");
    first.look().await;
    other.read_new_until_idle().await;
    assert_eq!(other.turns().len(), 1);
    let mut late = stage.desk();
    late.read_new_until_idle().await;
    assert_eq!(late.turns(), [], "nothing differs");
    while let Some(event) = stage.story.desk.try_next() {
        assert!(!matches!(event, desk::Event::Turn(_)), "this desk shows no turns");
    }
}

#[tokio::test(start_paused = true)]
async fn a_review_since_a_revision_goes_only_to_desks_that_asked_for_it() {
    let stage = Stage::with_changed_file().await;
    let (mut first, mut other) = (stage.desk(), stage.desk());
    let turn = first.look_since(Some("HEAD")).await;
    other.read_new_until_idle().await;
    assert_eq!(other.turns(), []);
    assert_eq!(other.look_since(Some("HEAD")).await.id, turn.id);
    first.mark(&turn, "a.txt", true).await.unwrap();
    other.read_new_until_idle().await;
    assert_eq!(marks_of(&other.turns()[0]), [("a.txt", Marked::Whole)]);
    drop((first, other));
    let mut last = stage.desk();
    last.read_new_until_idle().await;
    assert_ne!(last.look_since(Some("HEAD")).await.id, turn.id, "no desk that had asked for it was left");
}

#[tokio::test(start_paused = true)]
async fn after_the_snapshot_of_a_hook_desks_that_show_turns_get_the_list() {
    let stage = Stage::with_changed_file().await;
    let mut desk = stage.desk();
    stage.story.companion.snapshot_taken(stage.path(""));
    desk.read_new_until_idle().await;
    assert_eq!(desk.turns().len(), 1);
    stage.story.companion.snapshot_taken(stage.path(""));
    stage.story.companion.snapshot_taken(stage.story.path("home"));
    desk.read_new_until_idle().await;
    assert_eq!(desk.turns(), [], "nothing has changed, and the other directory is in no project");
    assert_eq!(stage.source.looks.load(Ordering::SeqCst), 2);
}

#[tokio::test(start_paused = true)]
async fn an_agent_at_work_is_listed_before_any_change_and_for_late_desks() {
    let stage = Stage::with_files(&[]).await;
    stage.source.begin_turn(Some(std::process::id()));
    let mut desk = stage.desk();
    desk.read_new_until_idle().await;
    let at_work = vec![AtWork { agent: "Codex".into(), since: 1 }];
    let lists: Vec<_> = desk.turns().into_iter().map(|turn| turn.at_work).collect();
    assert_eq!(lists, std::slice::from_ref(&at_work), "the desk needs no hook to get it");
    let mut late = stage.desk();
    late.read_new_until_idle().await;
    assert_eq!(late.turns()[0].at_work, at_work);
    stage.source.begin_turn(None);
    stage.story.companion.snapshot_taken(stage.path(""));
    desk.read_new_until_idle().await;
    assert_eq!(desk.turns()[0].at_work, []);
}

#[tokio::test(start_paused = true)]
async fn an_agent_whose_process_ends_in_its_turn_is_not_at_work() {
    let stage = Stage::with_files(&[]).await;
    // No process has this id, which the companion notices at once.
    stage.source.begin_turn(Some(u32::MAX / 2));
    let mut desk = stage.desk();
    desk.read_new_until_idle().await;
    assert_eq!(stage.source.looks.load(Ordering::SeqCst), 2, "the end of the process causes one look");
}

#[tokio::test(start_paused = true)]
async fn after_a_snapshot_a_review_since_a_revision_is_up_to_date_as_well() {
    let stage = Stage::with_changed_file().await;
    let mut desk = stage.desk();
    let turn = desk.look_since(Some("HEAD")).await;
    stage.write("a.txt", "1\n2\n3\n4\n5\n");
    stage.story.companion.snapshot_taken(stage.path(""));
    desk.read_new_until_idle().await;
    let lists = desk.turns().into_iter().filter(|list| list.id == turn.id).collect::<Vec<_>>();
    assert_eq!(lists.last().map(|turn| turn.files.len()), Some(0));
}

#[tokio::test(start_paused = true)]
async fn a_turn_review_is_no_proposal() {
    let mut stage = Stage::with_changed_file().await;
    let (mut desk, turn) = stage.look_from_new_desk().await;
    let review = desk.open(&turn, "a.txt").await;
    let status = stage.story.companion.status().await;
    assert_eq!(status.reviews, 0);
    stage.story.desk = stage.story.companion.join();
    let proposed = stage.story.propose("x\n").await;
    assert!(proposed.id > review.id, "proposals and files of turns take their ids from one sequence");
    let mut late = stage.desk();
    late.read_new_until_idle().await;
    let opened = late.events.iter().filter(|event| matches!(event, desk::Event::Opened(_))).count();
    assert_eq!(opened, 1, "the proposal alone");
}
