//! Discovery files of several companions on one machine: the living keep theirs, those of the dead go.

use std::path::Path;

use alongside_companion::{Companion, Places};
use alongside_rig::wire::within;
use serde_json::json;

use crate::stage::Stage;

/// A record as a companion that was killed leaves it. No PID and no port is as high, so it is the last to be looked at.
fn leave_record(directory: &Path, number: u32, port: u16) -> std::path::PathBuf {
    let path = directory.join(format!("tmp/qwen-code-ide-server-{number}.json"));
    let record =
        json!({ "port": port, "workspacePath": "/p", "authToken": "of the dead", "writer": "alongside" });
    std::fs::write(&path, record.to_string()).unwrap();
    path
}

#[tokio::test]
async fn a_companion_that_starts_sweeps_what_the_dead_left_and_nothing_of_the_living() {
    let stage = Stage::new().await;
    let directory = stage.temp.path();
    let named = |path: &Path| path.to_string_lossy().contains(&format!("{}.", stage.port()));
    let living: Vec<_> = stage.records().into_iter().filter(|path| named(path)).collect();
    assert!(!living.is_empty());
    // Nobody listens at the one's port any more; at the other's somebody else does.
    let unheard = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let dead =
        [leave_record(directory, 99_999_998, unheard), leave_record(directory, 99_999_999, stage.port())];

    let next = Companion::builder()
        .root(directory.join("project"))
        .places(Places::below(directory))
        .aliases(false)
        .start();
    let next = within("another companion to start", next).await.unwrap();
    within("the files of the dead to go", async {
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
