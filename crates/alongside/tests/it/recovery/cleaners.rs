//! Cleaners of temporary directories remove files of a running host. The host restores them, and no desk
//! starts a second host.

use std::path::{Path, PathBuf};

use alongside_agent::{Outcome, find};

use crate::support::{Home, files_below, proposed, soon, until};

/// Empties a directory, as `rm -rf directory/*` does.
fn empty(directory: &Path) {
    for entry in std::fs::read_dir(directory).unwrap().flatten() {
        match entry.file_type().unwrap().is_dir() {
            // The host may already have restored a file.
            true => {
                while let Err(error) = std::fs::remove_dir_all(entry.path()) {
                    assert_eq!(error.kind(), std::io::ErrorKind::DirectoryNotEmpty, "{error}");
                }
            }
            false => std::fs::remove_file(entry.path()).unwrap(),
        }
    }
}

/// Returns the sockets below a directory.
fn sockets(home: &Home, below: &str) -> Vec<PathBuf> {
    let mut files = files_below(home.path(below));
    files.retain(|file| file.extension().is_some_and(|extension| extension == "sock"));
    files
}

#[tokio::test]
async fn removed_files_of_a_host_are_restored() {
    let (home, mut desk, _agent, diff) = proposed("a.txt", "a\n", "A\n").await;
    desk.shows("(1/1) keep").await;
    let (host, before) = (home.hosts_pid(), find::all_records(&home.surroundings()));
    for directory in ["run", "tmp"] {
        empty(&home.path(directory));
    }
    // The desk is still at the same host, with its open review.
    let mut second = home.review(&[]);
    second.shows("(1/1) keep").await;
    assert_eq!((home.hosts_pid(), home.hosts().len()), (host, 1));
    assert_eq!(sockets(&home, "run").len(), 1);
    let is_back = || find::all_records(&home.surroundings()).len() == before.len();
    until("the discovery files to be back", || is_back().then_some(())).await;
    // Cleaners should not remove the journal, but the host restores it too.
    let journal = home.path("home/.local/state/alongside/journal");
    std::fs::remove_dir_all(&journal).unwrap();
    let is_kept = |file: &PathBuf| std::fs::read_to_string(file).is_ok_and(|text| text.contains("a.txt"));
    until("the journal to be back", || files_below(&journal).iter().any(is_kept).then_some(())).await;
    // The restored journal is complete, so that the agent is answered after a crash.
    home.kill_hosts();
    assert_eq!(soon("the outcome", diff.outcome()).await, Outcome::Rejected);
}

#[tokio::test]
async fn files_in_the_temporary_directory_are_restored() {
    let home = Home::new();
    let open_desk = || {
        let mut desk = home.alongside(&["review"]);
        home.start(desk.env("ALONGSIDE_RUNTIME_DIR", home.path("tmp/alongside-hosts")))
    };
    let mut desk = open_desk();
    desk.shows("alongside serves").await;
    let is_there = || (sockets(&home, "tmp").len() == 1).then_some(());
    until("the socket", is_there).await;
    empty(&home.path("tmp"));
    until("the socket to be back", is_there).await;
    until("the files to be back", || (!find::all_records(&home.surroundings()).is_empty()).then_some(()))
        .await;
    let mut second = open_desk();
    second.shows("alongside serves").await;
    assert_eq!(sockets(&home, "tmp").len(), 1);
    for desk in [&mut second, &mut desk] {
        desk.types("q");
        desk.ends();
    }
    until("nothing to be left", || sockets(&home, "tmp").is_empty().then_some(())).await;
}

#[tokio::test]
async fn foreign_files_in_place_of_ours_stay() {
    let home = Home::new();
    let mut desk = home.review(&[]);
    let _agent = home.agent().await;
    let entry =
        files_below(home.path("run")).into_iter().find(|file| file.extension().is_some_and(|e| e == "json"));
    let records = find::all_records(&home.surroundings());
    let record = records.iter().map(|(path, _)| path.clone()).next().unwrap();
    let theirs = r#"{"port":1,"workspacePath":"/elsewhere"}"#;
    for path in [entry.clone().unwrap(), record.clone()] {
        // The file is replaced in one step, because the host would restore a file that it finds empty.
        let new = path.with_extension("new");
        std::fs::write(&new, theirs).unwrap();
        std::fs::rename(new, path).unwrap();
    }
    // The check that restores this file also covers the foreign files.
    let is_a_record = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "json");
    let mut others = files_below(home.path("tmp")).into_iter().filter(|path| *path != record);
    let gone = others.find(is_a_record).unwrap();
    std::fs::remove_file(&gone).unwrap();
    until("the file to be back", || gone.exists().then_some(())).await;
    desk.types("q");
    desk.ends();
    until("the files to go", || (!gone.exists()).then_some(())).await;
    for path in [entry.unwrap(), record] {
        assert_eq!(std::fs::read_to_string(path).unwrap(), theirs);
    }
}
