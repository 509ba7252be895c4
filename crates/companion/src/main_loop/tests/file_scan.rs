//! Scans of the disk beside the main loop, and their effects.

use super::*;

/// Sets a later time of modification, as `touch` does.
fn touch(path: &str) {
    let later = std::time::SystemTime::now() + Duration::from_secs(9);
    fs::File::options().write(true).open(path).unwrap().set_modified(later).unwrap();
}

#[cfg(unix)]
#[tokio::test(start_paused = true)]
async fn a_target_that_becomes_a_pipe_counts_as_changed() {
    let mut story = Story::begin().await;
    let review = story.propose("new\n").await;
    fs::remove_file(&story.file).unwrap();
    crate::make_pipe(Path::new(&story.file));
    // Neither the decision nor the waiting agent is delayed.
    let refused = story.decide(&review, Decision::Accept).await;
    assert!(matches!(refused, Err(Refusal::Stale { .. })), "{refused:?}");
    let changed = story.next_changed().await;
    assert!(changed.stale);
    tokio::time::sleep(Duration::from_secs(5)).await;
    story.decide(&changed, Decision::Accept).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_touched_target_is_accepted_on_the_last_shown_revision() {
    let mut story = Story::begin().await;
    let reviews = [story.propose("new\n").await, story.propose("new\n").await];
    touch(&story.file);
    // The first decision comes before the regular scan, the second one after it.
    story.decide(&reviews[0], Decision::Accept).await.unwrap();
    tokio::time::sleep(Duration::from_secs(3)).await;
    touch(&story.file);
    tokio::time::sleep(Duration::from_secs(3)).await;
    story.decide(&reviews[1], Decision::Accept).await.unwrap();
}

#[cfg(unix)]
#[tokio::test(start_paused = true)]
async fn unsaved_changes_are_known_under_every_spelling() {
    let mut story = Story::begin().await;
    let agent = story.agent().await;
    std::os::unix::fs::symlink(story.path("project"), story.path("link")).unwrap();
    let path = |below| story.path(below).to_str().unwrap().to_owned();
    let (by_link, spelled) = (path("link/a.txt"), path("project/../project/./a.txt"));
    let file = story.file.clone();
    for (reported, proposed) in [(&by_link, &file), (&file, &by_link), (&spelled, &by_link)] {
        story.report(report_of_open_file(reported, true)).await;
        tokio::time::sleep(Duration::from_secs(1)).await;
        agent.open_diff(proposed, "new\n").await.unwrap();
        assert!(story.next_opened().await.dirty, "known when it opens: {reported}, {proposed}");
        story.report(report_of_open_file(reported, false)).await;
        assert!(!story.next_changed().await.dirty);
        story.report(report_of_open_file(reported, true)).await;
        let changed = story.next_changed().await;
        assert!(changed.dirty, "reported while it waits: {reported}, {proposed}");
        story.decide(&changed, Decision::Reject).await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_changed_workspace_applies_its_own_exclusions() {
    let mut story = Story::begin().await;
    let other = story.path("other/secret/b.txt");
    fs::create_dir_all(other.parent().unwrap()).unwrap();
    fs::write(&other, "").unwrap();
    let other = other.to_str().unwrap().to_owned();
    story.report(report_of_open_file(&other, false)).await;
    story.next_status(|status| status.context.len() == 1).await;
    let roots = vec![story.path("project"), story.path("other")];
    let workspace = |excludes: &[&str], untold: Vec<_>| Workspace {
        roots: roots.clone(),
        excludes: excludes.iter().map(|glob| (*glob).to_owned()).collect(),
        untold,
        asks: Vec::new(),
    };
    story.companion.set_workspace(workspace(&["/secret/"], Vec::new())).await.unwrap();
    // Files that the old rules allowed are not shared until the new rules are applied.
    story.next_status(|status| status.roots.len() == 2 && status.context.is_empty()).await;
    story.report(report_of_open_file(&story.file, false)).await;
    assert_eq!(story.next_status(|status| !status.context.is_empty()).await.context[0].path, story.file);
    story.companion.set_workspace(workspace(&[], vec![story.path("project")])).await.unwrap();
    story.next_status(|status| status.context.is_empty()).await;
    story.report(report_of_open_file(&other, false)).await;
    assert_eq!(story.next_status(|status| !status.context.is_empty()).await.context[0].path, other);
    assert!(story.companion.set_workspace(workspace(&["a{b"], Vec::new())).await.is_err());
}
