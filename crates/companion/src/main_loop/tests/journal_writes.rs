//! Changes are on disk before they are confirmed, and failed writes are reported and retried.

use super::*;

/// The texts of all files below a directory.
fn texts_below(directory: &Path) -> Vec<String> {
    let files = alongside_testing::files_below(directory).into_iter();
    files.filter_map(|file| fs::read_to_string(file).ok()).collect()
}

#[tokio::test(start_paused = true)]
async fn an_edit_is_on_disk_before_it_is_confirmed() {
    for has_journal in [true, false] {
        let mut story = if has_journal { Story::with_journal().await } else { Story::begin().await };
        let mut review = story.propose("new\n").await;
        let journal = |story: &Story| texts_below(&story.path("state/journal")).concat();
        for n in 0..20 {
            let text = format!("typed {n}\n");
            story.type_over(&mut review, &text).await;
            assert!(texts_below(&story.path("state/drafts")).contains(&text), "{n}: no draft");
            assert_eq!(journal(&story).contains(&format!("typed {n}")), has_journal, "{}", journal(&story));
        }
        story.decide(&review, Decision::Accept).await.unwrap();
        assert_eq!(journal(&story).contains("\"isAccepted\":true"), has_journal, "{}", journal(&story));
    }
}

#[tokio::test(start_paused = true)]
async fn an_unwritable_journal_is_reported_and_retried() {
    let mut story = Story::with_journal().await;
    let journal = story.path("state/journal");
    fs::remove_dir_all(&journal).unwrap();
    fs::write(&journal, "").unwrap();
    story.agent().await.open_diff(&story.file, "new\n").await.unwrap();
    let problem = story.next_problem().await;
    assert!(problem.what.starts_with("the recovery journal cannot be written: "), "{problem:?}");
    story.desk = story.companion.join();
    assert_eq!(story.next_problem().await, problem, "a desk that joins gets it as well");
    fs::remove_file(&journal).unwrap();
    assert_eq!(story.next_problem().await.what, "the recovery journal is written again");
    assert!(texts_below(&journal).concat().contains("a.txt"));
}

#[tokio::test(start_paused = true)]
async fn a_removed_journal_is_restored_within_ten_seconds() {
    let story = Story::with_journal().await;
    let journal = story.path("state/journal");
    story.agent().await;
    fs::remove_dir_all(&journal).unwrap();
    let until = Instant::now() + Duration::from_secs(11);
    while !texts_below(&journal).concat().contains("gemini-cli-test") {
        assert!(Instant::now() < until, "the journal is not restored");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert!(crate::persistence::recovery_store::is_kept(&story.app_dirs(), "own-k"));
}

#[tokio::test(start_paused = true)]
async fn a_damaged_journal_is_reported_and_does_not_block() {
    let mut story = Story::with_journal().await;
    story.agent().await;
    story.interrupt().await;
    fs::write(story.path("state/journal/own-k.json"), "{\"port\":").unwrap();
    story.succeed().await;
    let problem = story.next_problem().await.to_string();
    assert!(
        problem.contains("its recovery journal cannot be used") && problem.contains("/ide enable"),
        "{problem}"
    );
    story.propose("x\n").await;
}
