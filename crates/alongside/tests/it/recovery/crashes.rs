//! A killed host is restored for the next desk, even if its settings became wrong or its project is gone.

use std::path::PathBuf;

use alongside_agent::{Outcome, find};

use super::kill_everybody;
use crate::editor::Editor;
use crate::support::{Home, Running, files_below, proposed, soon, until};

#[tokio::test(flavor = "multi_thread")]
async fn an_editor_killed_with_its_host_comes_back() {
    let (home, file) = Home::with_file("a.txt", "a\n");
    let (mut process, mut editor) = Editor::opened(&home);
    let (_agent, _diff) = home.proposes(&file, "A\n").await;
    editor.hears("alongside/didOpenReview", |_| true);
    kill_everybody(&home);
    process.dies();
    drop(editor);
    // A host is named after the process of its editor, and the new editor finds the old name nevertheless.
    let (process, mut editor) = Editor::opened(&home);
    editor.hears("alongside/problem", |problem| {
        let said = problem.to_string();
        said.contains("a.txt") && said.contains("/ide enable")
    });
    let begins = format!("gemini-ide-server-{}-", process.pid());
    until("the new editor's files", || {
        let files = files_below(home.path("tmp/gemini/ide"));
        let is_its =
            |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&begins));
        files.iter().any(is_its).then_some(())
    })
    .await;
    assert_eq!(home.hosts().len(), 1);
}

/// Opens a review, lets `goes_wrong` change the home, kills the host, and waits until the desk has restored
/// it. Returns the home and the desk.
async fn interrupted(goes_wrong: impl FnOnce(&Home)) -> (Home, Running) {
    let (home, mut desk, _agent, diff) = proposed("a.txt", "a\n", "A\n").await;
    desk.shows("(1/1) keep").await;
    let before = home.record().port;
    goes_wrong(&home);
    home.kill_hosts();
    assert_eq!(soon("the outcome", diff.outcome()).await, Outcome::Rejected);
    until("the files to be there", || {
        find::all_records(&home.surroundings()).iter().any(|(_, record)| record.port == before).then_some(())
    })
    .await;
    (home, desk)
}

#[tokio::test]
async fn a_host_comes_back_though_project_settings_are_wrong() {
    let (home, mut desk) = interrupted(|home| {
        home.file(".alongside.toml", "[context]\nexclud = [\"secret\"]\n");
    })
    .await;
    let said = desk.shows("until you correct its settings").await;
    assert!(said.contains(".alongside.toml") && said.contains("Agents hear of no file in"), "{said}");
    drop(home);
}

#[tokio::test]
async fn a_host_comes_back_though_own_settings_are_wrong() {
    let (_home, mut desk) = interrupted(|home| home.settings("[context]\nexclud = 1\n")).await;
    let said = desk.shows("agents hear of no files").await;
    assert!(said.contains("config.toml"), "{said}");
}

#[tokio::test]
async fn a_host_comes_back_though_its_project_is_gone() {
    let (home, mut desk, _agent, diff) = proposed("a.txt", "a\n", "A\n").await;
    desk.shows("(1/1) keep").await;
    std::fs::rename(&home.project, home.path("elsewhere")).unwrap();
    home.kill_hosts();
    assert_eq!(soon("the outcome", diff.outcome()).await, Outcome::Rejected);
    desk.shows("the companion was interrupted").await;
    desk.shows("no longer exists").await;
}
