//! Scans of the disk beside the main loop, and their effects.

use super::*;

/// Moves the time of modification, as `touch` does.
fn touch(path: &str) {
    let later = std::time::SystemTime::now() + Duration::from_secs(9);
    fs::File::options().write(true).open(path).unwrap().set_modified(later).unwrap();
}

#[cfg(unix)]
#[tokio::test(start_paused = true)]
async fn a_target_that_becomes_a_pipe_counts_as_changed() {
    let mut story = Story::begin().await;
    let review = story.proposed("new\n").await;
    fs::remove_file(&story.file).unwrap();
    crate::make_pipe(Path::new(&story.file));
    // Neither the decision nor the waiting agent is delayed.
    let refused = story.decide(&review, Decision::Accept).await;
    assert!(matches!(refused, Err(Refusal::Stale { .. })), "{refused:?}");
    let changed = story.changed().await;
    assert!(changed.stale);
    tokio::time::sleep(Duration::from_secs(5)).await;
    story.decide(&changed, Decision::Accept).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_touched_target_is_accepted_on_the_revision_seen() {
    let mut story = Story::begin().await;
    let reviews = [story.proposed("new\n").await, story.proposed("new\n").await];
    touch(&story.file);
    // Before the regular scan, and after.
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
    for (editors, agents) in [(&by_link, &file), (&file, &by_link), (&spelled, &by_link)] {
        story.report(open(editors, true)).await;
        tokio::time::sleep(Duration::from_secs(1)).await;
        agent.open_diff(agents, "new\n").await.unwrap();
        assert!(story.opened().await.dirty, "known when it opens: {editors}, {agents}");
        story.report(open(editors, false)).await;
        assert!(!story.changed().await.dirty);
        story.report(open(editors, true)).await;
        let changed = story.changed().await;
        assert!(changed.dirty, "told while it waits: {editors}, {agents}");
        story.decide(&changed, Decision::Reject).await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_workspace_that_changes_brings_its_exclusions_along() {
    let mut story = Story::begin().await;
    let other = story.path("other/secret/b.txt");
    fs::create_dir_all(other.parent().unwrap()).unwrap();
    fs::write(&other, "").unwrap();
    let other = other.to_str().unwrap().to_owned();
    story.report(open(&other, false)).await;
    story.status(|status| status.context.len() == 1).await;
    let roots = vec![story.path("project"), story.path("other")];
    let workspace = |excludes: &[&str], untold: Vec<_>| Workspace {
        roots: roots.clone(),
        excludes: excludes.iter().map(|glob| (*glob).to_owned()).collect(),
        untold,
        asks: Vec::new(),
    };
    story.companion.set_workspace(workspace(&["/secret/"], Vec::new())).await.unwrap();
    // Files allowed by the old rules are not told until the new rules are applied.
    story.status(|status| status.roots.len() == 2 && status.context.is_empty()).await;
    story.report(open(&story.file, false)).await;
    assert_eq!(story.status(|status| !status.context.is_empty()).await.context[0].path, story.file);
    story.companion.set_workspace(workspace(&[], vec![story.path("project")])).await.unwrap();
    story.status(|status| status.context.is_empty()).await;
    story.report(open(&other, false)).await;
    assert_eq!(story.status(|status| !status.context.is_empty()).await.context[0].path, other);
    assert!(story.companion.set_workspace(workspace(&["a{b"], Vec::new())).await.is_err());
}
