//! Discovery files of several companions on one machine: only files of dead companions are removed.

use std::path::Path;

use alongside_companion::{AppDirs, Companion};
use alongside_rig::wire::within;
use serde_json::json;

use crate::stage::Stage;
use crate::test_directory::TestDirectory;

/// Writes the record of a killed companion. `number` stands for its PID in the file's name, and is higher
/// than every PID and port, so that the file is checked last.
fn leave_record(directory: &Path, number: u32, port: u16) -> std::path::PathBuf {
    let path = directory.join(format!("tmp/qwen-code-ide-server-{number}.json"));
    let record =
        json!({ "port": port, "workspacePath": "/p", "authToken": "of the dead", "writer": "alongside" });
    std::fs::write(&path, record.to_string()).unwrap();
    path
}

#[tokio::test]
async fn start_removes_files_of_dead_companions_only() {
    let stage = Stage::new().await;
    let directory = stage.temp.path();
    let has_port = |path: &Path| path.to_string_lossy().contains(&format!("{}.", stage.port()));
    let living: Vec<_> = stage.discovery_files().into_iter().filter(|path| has_port(path)).collect();
    assert!(!living.is_empty());
    // No program listens on the port of the first record; another companion listens on the port of the
    // second.
    let free_port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let dead =
        [leave_record(directory, 99_999_998, free_port), leave_record(directory, 99_999_999, stage.port())];

    let next = Companion::builder()
        .root(directory.join("project"))
        .app_dirs(AppDirs::below(directory))
        .aliases(false)
        .start();
    let next = within("another companion to start", next).await.unwrap();
    within("the removal of the dead companions' files", async {
        while dead.iter().any(|path| path.exists()) {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
    })
    .await;
    for path in living {
        assert!(path.exists(), "{} was swept, and its companion lives", path.display());
    }
    within("the other companion to stop", next.stop()).await;
}

#[cfg(target_os = "linux")]
#[test]
fn discovery_files_are_private_at_every_moment() {
    use std::os::unix::fs::PermissionsExt as _;
    let files = crate::large_messages::watch_while_starting(|path| {
        let metadata = path.symlink_metadata().ok().filter(std::fs::Metadata::is_file)?;
        Some((path.to_owned(), metadata.permissions().mode() & 0o777))
    });
    assert!(files.len() > 5, "too few files were seen: {files:?}");
    let open: Vec<_> = files.iter().filter(|(_, mode)| mode & 0o077 != 0).collect();
    assert!(open.is_empty(), "{open:?}");
}

/// Runs a script as the user `nobody`.
#[cfg(target_os = "linux")]
fn as_another_user(directory: &Path, script: &str) -> std::process::Output {
    let mut command = std::process::Command::new("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups", "sh", "-c", script]);
    command.current_dir(directory).output().expect("setpriv is part of util-linux")
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn another_user_gets_nothing_and_blocks_no_companion() {
    use std::os::unix::fs::PermissionsExt as _;
    if !rustix::process::geteuid().is_root() {
        return alongside_testing::skip("only root can act as another user");
    }
    let temp = TestDirectory::new();
    let path = |name: &str| temp.path().join(name);
    std::fs::create_dir(path("theirs")).unwrap();
    let readable = ["", "project", "home", "state"].map(|name| (name, 0o755));
    for (name, mode) in readable.into_iter().chain([("tmp", 0o1777), ("theirs", 0o777)]) {
        std::fs::set_permissions(path(name), std::fs::Permissions::from_mode(mode)).unwrap();
    }
    let pid = std::process::id();
    let script = format!(
        "umask 0; mkdir gemini; ln -s '{}' qwen; mkfifo gemini-ide-server-{pid}.json; \
         ln -s '{}/caught' qwen-code-ide-server-{pid}.json",
        path("theirs").display(),
        path("theirs").display()
    );
    assert!(as_another_user(&path("tmp"), &script).status.success());

    let companion = Companion::builder().root(path("project")).app_dirs(AppDirs::below(temp.path())).start();
    let companion = within("the companion to start anyway", companion).await.unwrap();
    let lock = path(&format!("home/.qwen/ide/{}.lock", companion.port()));
    assert!(lock.is_file(), "the lock file exists");
    let script = "find . ../home ../state ../theirs -type f -readable; find gemini/ ../theirs -mindepth 1";
    let output = as_another_user(&path("tmp"), script);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "", "another user can read or received something");
    within("the companion to stop", companion.stop()).await;
    let output = as_another_user(&path("tmp"), script);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "", "another user received something afterwards");
}
