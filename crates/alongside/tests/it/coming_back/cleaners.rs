//! Cleaners of temporary directories take our files while we run: they are put back, and nobody ends up with
//! a second host.

use std::path::{Path, PathBuf};

use alongside_agent::{Outcome, find};

use super::hosts_pid;
use crate::support::{Home, files_below, propose, soon, until};

/// What `rm -rf directory/*` does.
fn empty(directory: &Path) {
    for entry in std::fs::read_dir(directory).unwrap().flatten() {
        match entry.file_type().unwrap().is_dir() {
            // A host that is quicker than this may put something back meanwhile.
            true => {
                while let Err(error) = std::fs::remove_dir_all(entry.path()) {
                    assert_eq!(error.kind(), std::io::ErrorKind::DirectoryNotEmpty, "{error}");
                }
            }
            false => std::fs::remove_file(entry.path()).unwrap(),
        }
    }
}

fn sockets(home: &Home, below: &str) -> Vec<PathBuf> {
    let mut files = files_below(&home.path(below));
    files.retain(|file| file.extension().is_some_and(|extension| extension == "sock"));
    files
}

#[tokio::test]
async fn a_desk_that_comes_just_after_a_cleaner_finds_the_host_and_everything_is_put_back() {
    let home = Home::new();
    let file = home.file("a.txt", "a\n");
    let mut desk = home.review(&[]);
    let agent = home.agent().await;
    let diff = propose(&agent, &file, "A\n").await;
    desk.shows("(1/1) keep").await;
    let (host, before) = (hosts_pid(&home), find::all_records(&home.surroundings()));
    for directory in ["run", "tmp"] {
        empty(&home.path(directory));
    }
    // It sees what waits: the host is the same.
    let mut second = home.review(&[]);
    second.shows("(1/1) keep").await;
    assert_eq!((hosts_pid(&home), home.hosts().len()), (host, 1));
    assert_eq!(sockets(&home, "run").len(), 1);
    let is_back = || find::all_records(&home.surroundings()).len() == before.len();
    until("the discovery files to be back", || is_back().then_some(())).await;
    // More than a cleaner should take.
    let journal = home.path("home/.local/state/alongside/journal");
    std::fs::remove_dir_all(&journal).unwrap();
    let is_kept = |file: &PathBuf| std::fs::read_to_string(file).is_ok_and(|text| text.contains("a.txt"));
    until("the journal to be back", || files_below(&journal).iter().any(is_kept).then_some(())).await;
    // And it holds: a crash wedges nobody.
    home.kill_hosts();
    assert_eq!(soon("the outcome", diff.outcome()).await, Outcome::Rejected);
}

#[tokio::test]
async fn where_everything_lies_in_the_temporary_directory_it_is_put_back_as_well() {
    let home = Home::new();
    // The variable stays, and names nothing.
    std::fs::remove_dir(home.path("run")).unwrap();
    let mut desk = home.review(&[]);
    desk.shows("alongside serves").await;
    let is_there = || (sockets(&home, "tmp").len() == 1).then_some(());
    until("the socket", is_there).await;
    empty(&home.path("tmp"));
    until("the socket to be back", is_there).await;
    until("the files to be back", || (!find::all_records(&home.surroundings()).is_empty()).then_some(()))
        .await;
    let mut second = home.review(&[]);
    second.shows("alongside serves").await;
    assert_eq!(sockets(&home, "tmp").len(), 1);
    for desk in [&mut second, &mut desk] {
        desk.types("q");
        desk.ends();
    }
    until("nothing to be left", || sockets(&home, "tmp").is_empty().then_some(())).await;
}

#[tokio::test]
async fn what_somebody_else_puts_in_the_place_of_ours_is_left_alone() {
    let home = Home::new();
    let mut desk = home.review(&[]);
    let _agent = home.agent().await;
    let entry =
        files_below(&home.path("run")).into_iter().find(|file| file.extension().is_some_and(|e| e == "json"));
    let records = find::all_records(&home.surroundings());
    let record = records.iter().map(|(path, _)| path.clone()).next().unwrap();
    let theirs = r#"{"port":1,"workspacePath":"/elsewhere"}"#;
    for path in [entry.clone().unwrap(), record.clone()] {
        std::fs::write(path, theirs).unwrap();
    }
    // Another of our files is put back by the same look that finds theirs.
    let gone = files_below(&home.path("tmp")).into_iter().find(|path| *path != record).unwrap();
    std::fs::remove_file(&gone).unwrap();
    until("the look that puts back", || gone.exists().then_some(())).await;
    desk.types("q");
    desk.ends();
    until("the files to go", || (!gone.exists()).then_some(())).await;
    for path in [entry.unwrap(), record] {
        assert_eq!(std::fs::read_to_string(path).unwrap(), theirs);
    }
}
