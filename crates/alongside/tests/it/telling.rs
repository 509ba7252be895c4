//! What agents are told of files, and what settings forbid, with editors and desks as they are.

use serde_json::json;

use crate::editor::{Editor, Process};
use crate::support::Home;

/// Settings in the place where they are looked for.
pub(crate) fn set(home: &Home, text: &str) {
    let place = home.path("home/.config/alongside");
    std::fs::create_dir_all(&place).unwrap();
    std::fs::write(place.join("config.toml"), text).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_settings_forbid_no_editor_tells_and_no_desk_switches_on() {
    let home = Home::new();
    set(&home, "[context]\nenabled = false\n");
    let (file, process) = (home.file("a.txt", "a\n"), Process::open());
    let mut editor = Editor::with_plugin(&home, &process, &[&home.project]);
    editor.hears("alongside/didChangeStatus", |status| status["paused"] == true);
    let agent = home.agent().await;
    let report = |line: u32| json!({"active": {"path": file, "cursor": {"line": line, "character": 0}}});
    let (code, words) = {
        editor.says("alongside/didChangeContext", report(0));
        editor.asks("alongside/pauseContext", json!({"paused": false})).unwrap_err()
    };
    assert!(words.contains("[context] enabled = false"), "{code}: {words}");
    // A desk's switch says so as well.
    let mut desk = home.review(&[]);
    desk.types("l");
    desk.shows("Agents are told nothing about your files").await;
    desk.types("p");
    desk.shows("the settings say so ([context] enabled = false)").await;
    editor.says("alongside/didChangeContext", report(1));
    // Asked after the report, it is answered after it; and agents are told within 200 ms.
    editor.asks("alongside/pauseContext", json!({"paused": true})).unwrap();
    tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    let told = agent.context().borrow().clone().expect("a context without files");
    assert!(told.open_files().is_empty(), "{told:?}");
    let status = home.run(&["status"]);
    let status = String::from_utf8_lossy(&status.stdout).into_owned();
    assert!(status.contains("(context is paused)"), "{status}");
    desk.types("q");
    desk.ends();
    editor.quits();
}
