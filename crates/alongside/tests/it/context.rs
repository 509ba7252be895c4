//! Context with real editors and desks: the files that agents are told of, and those that the settings hide.

use insta::assert_snapshot;
use serde_json::json;

use crate::editor::Editor;
use crate::support::Home;

#[tokio::test(flavor = "multi_thread")]
async fn context_disabled_in_settings_stays_off() {
    let home = Home::with_settings("[context]\nenabled = false\n");
    let file = home.file("a.txt", "a\n");
    let (_process, mut editor) = Editor::opened(&home);
    editor.hears("alongside/didChangeStatus", |status| status["paused"] == true);
    let agent = home.agent().await;
    let report = |line: u32| json!({"active": {"path": file, "cursor": {"line": line, "character": 0}}});
    editor.says("alongside/didChangeContext", report(0));
    let (_, refusal) = editor.asks("alongside/pauseContext", json!({"paused": false})).unwrap_err();
    assert_snapshot!(refusal, @"context is off in the settings ([context] enabled = false)");
    // A desk refuses its command to resume context for the same reason.
    let mut desk = home.review(&[]);
    desk.reads("alongside serves").await;
    desk.types_and_shows("l", "Context is paused").await;
    desk.types_and_shows("z", "Context is off in the settings ([context] enabled = false)").await;
    editor.says("alongside/didChangeContext", report(1));
    // The server handles the report before it answers this request. Agents are told of changes within 200 ms.
    editor.asks("alongside/pauseContext", json!({"paused": true})).unwrap();
    tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    let told = agent.context().borrow().clone().expect("a context without files");
    assert!(told.open_files().is_empty(), "{told:?}");
    let status = home.run(&["status"]).out;
    assert!(status.contains("(context is paused)"), "{status}");
    desk.types("q");
    desk.ends();
    editor.quits();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_opened_project_hides_what_its_settings_say() {
    let home = Home::new();
    let write = |path: &str, text: &str| {
        let path = home.path(path);
        crate::support::write_file(&path, text);
        path.to_str().unwrap().to_owned()
    };
    write("second/.alongside.toml", "[context]\nexclude = [\"/secret/\"]\n");
    write("third/.alongside.toml", "[context]\nexlude = [\"/secret/\"]\n");
    let (secret, open) = (write("second/secret/a.txt", ""), write("second/open.txt", ""));
    let (unclear, first) = (write("third/b.txt", ""), home.file("a.txt", ""));
    let (_process, mut editor) = Editor::opened(&home);
    editor.hears("alongside/didChangeStatus", |status| status["desks"] == 1);
    let folder = |name: &str| json!({ "uri": format!("file://{}", home.path(name).display()), "name": name });
    let added = [folder("second"), folder("third")];
    editor.says("workspace/didChangeWorkspaceFolders", json!({ "event": { "added": added, "removed": [] } }));
    let problem = editor.hears("alongside/problem", |problem| {
        problem["what"].as_str().is_some_and(|what| what.contains("third/.alongside.toml:2:"))
    });
    let hint = problem["hint"].as_str().unwrap();
    assert!(hint.starts_with("Agents hear of no file in") && hint.contains("third"), "{hint}");
    let files = [&secret, &unclear, &open, &first].map(|path| json!({ "path": path }));
    editor.says("alongside/didChangeContext", json!({ "openFiles": files }));
    let status = editor.hears("alongside/didChangeStatus", |status| {
        status["context"].as_array().is_some_and(|told| told.iter().any(|file| file["path"] == open.as_str()))
    });
    let told: Vec<_> = status["context"].as_array().unwrap().iter().map(|file| &file["path"]).collect();
    assert_eq!(told, [open.as_str(), first.as_str()]);
    let agent = home.agent().await;
    let told = agent.context().borrow().clone().unwrap();
    assert_eq!(told.open_files().iter().map(|file| &file.path).collect::<Vec<_>>(), [&open, &first]);
    editor.quits();
}

#[tokio::test(flavor = "multi_thread")]
async fn status_counts_the_selected_characters() {
    let (home, file) = Home::with_file("a.txt", "a🦀b\n");
    let (_process, mut editor) = Editor::opened(&home);
    let mut known = Vec::new();
    for selected in ["a🦀b", "🦀"] {
        let active = json!({"path": file, "cursor": {"line": 0, "character": 1}, "selectedText": selected});
        editor.says("alongside/didChangeContext", json!({ "active": active }));
        let count = selected.chars().count();
        editor.hears("alongside/didChangeStatus", |status| status["context"][0]["selected"] == count);
        let status = home.run(&["status"]).out;
        known.extend(
            status.lines().filter_map(|line| line.strip_prefix("  agents know: ")).map(str::to_owned),
        );
    }
    assert_snapshot!(home.stable(known.join("\n")), @"
    [PROJECT]/a.txt:1:2, 3 characters selected
    [PROJECT]/a.txt:1:2, 1 character selected
    ");
    editor.quits();
}
