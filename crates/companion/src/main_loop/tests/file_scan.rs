//! Scans of the disk beside the main loop, and their effects.

use super::*;
use crate::Workspace;

/// Moves the time of modification, as `touch` does.
fn touch(path: &str) {
    let later = std::time::SystemTime::now() + Duration::from_secs(9);
    fs::File::options().write(true).open(path).unwrap().set_modified(later).unwrap();
}

fn reports(active: &str, dirty: bool) -> Request {
    let open = OpenFile { path: active.to_owned(), dirty };
    let active = ActiveFile { path: active.to_owned(), ..ActiveFile::default() };
    let open_files = Some(vec![open]);
    Request::ChangeContext(ContextReport { active: Some(active), open_files, ..ContextReport::default() })
}

#[cfg(unix)]
#[tokio::test(start_paused = true)]
async fn a_target_that_becomes_a_pipe_counts_as_changed() {
    let mut story = Story::begin().await;
    let agent = story.agent().await;
    let file = story.file.clone();
    agent.open_diff(&file, "new\n").await;
    let review = story.opened().await;
    fs::remove_file(&file).unwrap();
    crate::pipe(Path::new(&file));
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
    let file = story.file.clone();
    let mut reviews = Vec::new();
    for agent in [story.agent().await.session, story.agent().await.session] {
        let events = story.companion.events.clone();
        Agent { events: &events, session: agent }.open_diff(&file, "new\n").await;
        reviews.push(story.opened().await);
    }
    touch(&file);
    // Before the regular scan, and after.
    story.decide(&reviews[0], Decision::Accept).await.unwrap();
    tokio::time::sleep(Duration::from_secs(3)).await;
    touch(&file);
    tokio::time::sleep(Duration::from_secs(3)).await;
    story.decide(&reviews[1], Decision::Accept).await.unwrap();
}

#[cfg(unix)]
#[tokio::test(start_paused = true)]
async fn unsaved_changes_are_known_under_every_spelling() {
    let mut story = Story::begin().await;
    let session = story.agent().await.session;
    let events = story.companion.events.clone();
    let agent = Agent { events: &events, session };
    let link = story.directory.path().join("link");
    std::os::unix::fs::symlink(story.directory.path().join("project"), &link).unwrap();
    let by_link = link.join("a.txt").to_str().unwrap().to_owned();
    let spelled = story.directory.path().join("project/../project/./a.txt").to_str().unwrap().to_owned();
    let file = story.file.clone();
    for (editors, agents) in [(&by_link, &file), (&file, &by_link), (&spelled, &by_link)] {
        story.desk.request(reports(editors, true)).await.unwrap();
        tokio::time::sleep(Duration::from_secs(1)).await;
        agent.open_diff(agents, "new\n").await;
        assert!(story.opened().await.dirty, "known when it opens: {editors}, {agents}");
        story.desk.request(reports(editors, false)).await.unwrap();
        assert!(!story.changed().await.dirty);
        story.desk.request(reports(editors, true)).await.unwrap();
        let changed = story.changed().await;
        assert!(changed.dirty, "told while it waits: {editors}, {agents}");
        story.decide(&changed, Decision::Reject).await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_workspace_that_changes_brings_its_exclusions_along() {
    let mut story = Story::begin().await;
    let (file, base) = (story.file.clone(), story.directory.path().to_owned());
    let other = base.join("other/secret/b.txt");
    fs::create_dir_all(other.parent().unwrap()).unwrap();
    fs::write(&other, "").unwrap();
    let other = other.to_str().unwrap().to_owned();
    story.desk.request(reports(&other, false)).await.unwrap();
    story.status(|status| status.context.len() == 1).await;
    let roots = vec![base.join("project"), base.join("other")];
    let workspace = |excludes: &[&str], untold: Vec<_>| Workspace {
        roots: roots.clone(),
        excludes: excludes.iter().map(|glob| (*glob).to_owned()).collect(),
        untold,
    };
    story.companion.set_workspace(workspace(&["/secret/"], Vec::new())).await.unwrap();
    // Files allowed by the old rules are not told until the new rules are applied.
    story.status(|status| status.roots.len() == 2 && status.context.is_empty()).await;
    story.desk.request(reports(&file, false)).await.unwrap();
    assert_eq!(story.status(|status| !status.context.is_empty()).await.context[0].path, file);
    story.companion.set_workspace(workspace(&[], vec![base.join("project")])).await.unwrap();
    story.status(|status| status.context.is_empty()).await;
    story.desk.request(reports(&other, false)).await.unwrap();
    assert_eq!(story.status(|status| !status.context.is_empty()).await.context[0].path, other);
    assert!(story.companion.set_workspace(workspace(&["a{b"], Vec::new())).await.is_err());
}
