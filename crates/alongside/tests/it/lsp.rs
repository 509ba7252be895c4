//! `alongside lsp` with an agent and editors, which start, restart their servers, crash, and open projects.

use std::path::Path;
use std::time::{Duration, Instant};

use alongside_agent::find::{self, LockSearch, Surroundings};
use alongside_agent::{Outcome, PendingDiff, Session};
use alongside_contract::agent::FamilyAgent;
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::editor::{Editor, Process, introduction};
use crate::support::{Home, accepted, files_below, finish, found, propose, soon, until};

/// Returns the number of companions that agents can find.
fn companions(home: &Home) -> usize {
    let mut ports: Vec<_> =
        find::all_records(&home.surroundings()).into_iter().map(|(_, record)| record.port).collect();
    ports.sort_unstable();
    ports.dedup();
    ports.len()
}

/// Returns an editor that shows the proposal of an agent for `a.txt`.
async fn proposed_in_editor() -> (Home, Process, Editor, Session, PendingDiff) {
    let home = Home::new();
    let (process, mut editor) = Editor::opened(&home);
    let (agent, diff) = home.proposes(&home.file("a.txt", "a\n"), "A\n").await;
    editor.hears("alongside/didOpenReview", any);
    (home, process, editor, agent, diff)
}

/// Accepts every message.
fn any(_: &Value) -> bool {
    true
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plugin_reports_reviews_edits_and_decides() {
    let (home, file) = Home::with_file("a.txt", "a\nb\n");
    let (process, mut editor) = Editor::opened(&home);
    let cursor = json!({"line": 1, "character": 1});
    // The message is sent before the companion can run.
    editor.says(
        "alongside/didChangeContext",
        json!({"active": {"path": file, "cursor": cursor, "selectedText": "b"}}),
    );
    let agent = home.agent().await;
    assert!(home.is_found_as(process.pid()));
    let context = agent.context();
    until("the file", || {
        context.borrow().as_ref()?.workspace_state.as_ref()?.open_files.as_ref()?.first().map(drop)
    })
    .await;
    let context = serde_json::to_value(&*context.borrow()).unwrap();
    let told = &context["workspaceState"]["openFiles"][0];
    assert_eq!(
        (&told["path"], &told["cursor"], &told["selectedText"]),
        (&json!(file), &json!({"line": 2, "character": 2}), &json!("b"))
    );

    let diff = propose(&agent, &file, "A\nb\nc\n").await;
    let review = editor.hears("alongside/didOpenReview", any);
    assert_eq!((&review["original"], &review["current"]), (&json!("a\nb\n"), &json!("A\nb\nc\n")));
    let id = review["id"].clone();
    let range = json!({"start": {"line": 0, "character": 0}, "end": {"line": 1, "character": 0}});
    let edit = json!({"id": id, "revision": 1, "changes": [{"range": range, "text": "a\n"}]});
    assert_eq!(editor.asks("alongside/editReview", edit.clone()), Ok(json!({"revision": 2})));
    let changed = editor.hears("alongside/didChangeReview", any);
    assert_eq!(changed["hunks"][0]["state"], "dropped");
    // The server refuses a second edit of the same revision.
    let (code, words) = editor.asks("alongside/editReview", edit).unwrap_err();
    assert_eq!(code, -32803);
    assert_snapshot!(words, @"the review has changed: look at it again");
    let decide = json!({"id": id, "revision": 2, "decision": "accept"});
    assert_eq!(editor.asks("alongside/decideReview", decide), Ok(json!({"revision": 2})));
    assert_eq!(editor.hears("alongside/didCloseReview", any)["decidedHere"], true);
    assert_eq!(soon("the outcome", diff.outcome()).await, accepted("a\nb\nc\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plugin_is_asked_for_unsent_edits() {
    // The plugin has 150 ms to send its edit, which may be too short on a busy machine: the test tries again.
    let mut text = None;
    for _ in 0..5 {
        text = close_while_a_plugin_has_not_sent_all().await;
        if text.as_deref() != Some("A\n") {
            break;
        }
    }
    assert_eq!(text, Some("typed at the last moment\n".into()));
}

/// Closes a diff while the plugin has an unsent edit. Returns the text that the agent gets.
async fn close_while_a_plugin_has_not_sent_all() -> Option<String> {
    let (home, _process, mut editor, agent, _diff) = proposed_in_editor().await;
    let file = home.in_project("a.txt");
    let closing = agent.close_diff(&file, true);
    let typing = async {
        // The test editor blocks its thread while it waits.
        tokio::task::spawn_blocking(move || {
            let edit = json!({"id": 1, "revision": 1, "changes": [{"text": "typed at the last moment\n"}]});
            editor.waits_to_flush(edit);
            editor
        })
        .await
        .unwrap()
    };
    soon("closeDiff", async { tokio::join!(closing, typing).0 }).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn servers_of_one_editor_and_a_desk_share_a_host() {
    let home = Home::new();
    std::fs::create_dir_all(home.project.join("crate/src")).unwrap();
    let process = Process::open();
    let root = home.project.clone();
    let mut editors: Vec<_> = (0..3).map(|_| Editor::with_plugin(&home, &process, &[&root])).collect();
    for editor in &mut editors {
        editor.hears("alongside/didChangeStatus", |status| status["desks"] == 3);
    }
    // The second server is for a folder in the project.
    let mut below = Editor::with_plugin(&home, &process, &[&root.join("crate")]);
    below.hears("alongside/didChangeStatus", |status| status["desks"] == 4);
    assert_eq!((home.hosts().len(), companions(&home)), (1, 1));
    let _desk = home.serving().await;
    below.hears("alongside/didChangeStatus", |status| status["desks"] == 5);
    assert_eq!(home.hosts().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restarted_server_keeps_agents_and_reviews() {
    let (home, process, editor, _agent, diff) = proposed_in_editor().await;
    editor.quits();
    let mut editor = Editor::with_plugin(&home, &process, &[&home.project]);
    let review = editor.hears("alongside/didOpenReview", any);
    editor.accepts(&review);
    assert_eq!(soon("the outcome", diff.outcome()).await, accepted("A\n"));
    assert_eq!(home.hosts().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_editor_frees_its_agents_and_may_come_back() {
    let (home, mut process, editor, agent, diff) = proposed_in_editor().await;
    let killed = Instant::now();
    process.dies();
    drop(editor);
    assert_eq!(soon("the outcome", diff.outcome()).await, Outcome::Rejected);
    // The review ends at once, and not after the 30 s in which an editor may come back.
    assert!(killed.elapsed() < Duration::from_secs(20), "{:?}", killed.elapsed());
    until("the removal of the discovery files", || (companions(&home) == 0).then_some(())).await;
    assert_eq!(files_below(home.path("tmp")), Vec::<std::path::PathBuf>::new());

    // An editor that is reopened within the 30 s takes the companion over, and the agent is still connected.
    let (process, mut editor) = Editor::opened(&home);
    editor.hears("alongside/didChangeStatus", |status| status["agents"][0]["listening"] == true);
    until("the companion to be found as the new editor's", || home.is_found_as(process.pid()).then_some(()))
        .await;
    let diff = propose(&agent, &home.in_project("a.txt"), "B\n").await;
    let review = editor.hears("alongside/didOpenReview", any);
    editor.accepts(&review);
    assert_eq!(soon("the outcome", diff.outcome()).await, accepted("B\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crashed_companion_comes_back_for_the_editor() {
    let (home, _process, mut editor, _agent, diff) = proposed_in_editor().await;
    home.kill_hosts();
    assert_eq!(editor.hears("alongside/didCloseReview", any)["closing"], "interrupted");
    assert_eq!(soon("the outcome", diff.outcome()).await, Outcome::Rejected);
    editor.hears("alongside/didChangeStatus", |status| status["agents"][0]["listening"] == true);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_companion_starts_again_on_activity() {
    let (home, file) = Home::with_file("a.txt", "a\n");
    let (_process, mut editor) = Editor::opened(&home);
    editor.hears("alongside/didChangeStatus", |status| status["desks"] == 1);
    let (first, _) = home.hosts()[0];
    assert!(home.run(&["host", "--stop"]).status.success());
    editor.hears("alongside/problem", |problem| problem["what"] == "the companion has stopped");
    assert_eq!(home.hosts(), []);
    // A report starts a companion, which receives the report.
    editor.says("alongside/didChangeContext", json!({"active": {"path": file}}));
    editor.hears("alongside/didChangeStatus", |status| {
        status["pid"] != first && status["context"][0]["path"] == *file
    });
    let (again, _) = home.hosts()[0];
    assert!(home.run(&["host", "--stop"]).status.success());
    until("the end of the host", || home.hosts().is_empty().then_some(())).await;
    editor.hears("alongside/problem", |problem| problem["what"] == "the companion has stopped");
    // An editor that quits does not start a companion.
    editor.quits();
    assert_eq!((home.hosts(), again == first), (vec![], false));
}

#[tokio::test(flavor = "multi_thread")]
async fn opened_projects_are_served_and_closed_ones_are_not() {
    let home = Home::new();
    let (one, other) = (home.project.clone(), home.directory("other"));
    let (process, mut editor) = Editor::opened(&home);
    let folder = |path: &std::path::Path| json!({"uri": format!("file://{}/", path.display()), "name": "x"});
    // The message is sent before the companion can run.
    editor.says(
        "workspace/didChangeWorkspaceFolders",
        json!({"event": {"added": [folder(&other)], "removed": []}}),
    );
    editor.hears("alongside/didChangeStatus", |status| status["roots"] == json!([one, other]));
    let serving = |dir: &std::path::Path| {
        let here = find::Surroundings { cwd: dir.to_owned(), ..home.surroundings() };
        found("gemini", &here).is_some()
    };
    until("companions of both projects", || (serving(&one) && serving(&other)).then_some(())).await;
    editor.says(
        "workspace/didChangeWorkspaceFolders",
        json!({"event": {"added": [], "removed": [folder(&one)]}}),
    );
    let status = editor.hears("alongside/didChangeStatus", |status| status["roots"] == json!([other]));
    let host = u32::try_from(status["pid"].as_u64().unwrap()).unwrap();
    until("the companion of the other project only", || (!serving(&one) && serving(&other)).then_some(()))
        .await;
    // The companion serves the same projects after a crash.
    home.kill_hosts();
    editor.hears("alongside/didChangeStatus", |status| {
        status["roots"] == json!([other]) && u32::try_from(status["pid"].as_u64().unwrap()).unwrap() != host
    });
    // A restarted server joins the companion of its editor.
    let _again = Editor::with_plugin(&home, &process, &[&other]);
    editor.hears("alongside/didChangeStatus", |status| status["desks"] == 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn editors_of_one_project_share_a_companion() {
    let home = Home::new();
    let other = home.directory("other");
    let top = home.project.clone();
    let (crate_dir, vendored) = (top.join("crate"), top.join("vendored"));
    for directory in [top.join(".git"), vendored.join(".git"), crate_dir.clone()] {
        std::fs::create_dir_all(directory).unwrap();
    }
    let processes = [Process::open(), Process::open(), Process::open()];
    let roots = |editor: &mut Editor, roots: &[&std::path::Path]| {
        editor.hears("alongside/didChangeStatus", |status| status["roots"] == json!(roots));
    };
    let mut below = Editor::with_plugin(&home, &processes[0], &[&crate_dir]);
    roots(&mut below, &[&crate_dir]);
    // The companion serves the top of the repository, and another project.
    let mut above = Editor::with_plugin(&home, &processes[1], &[&top, &other]);
    roots(&mut above, &[&crate_dir, &top, &other]);
    roots(&mut below, &[&crate_dir, &top, &other]);
    // A repository within the repository is a separate root.
    let mut nested = Editor::with_plugin(&home, &processes[2], &[&vendored]);
    roots(&mut nested, &[&crate_dir, &top, &other, &vendored]);
    assert_eq!((home.hosts().len(), companions(&home)), (1, 1));
    let editors = home.run(&["status", "--json"]).json()["companions"][0]["editors"].clone();
    for process in &processes {
        let named = json!({"name": "Neovim", "pid": process.pid()});
        assert!(editors.as_array().unwrap().contains(&named), "{editors:?}");
    }

    // The projects of an editor are removed when it quits.
    let [_, mut process, _] = processes;
    process.dies();
    drop(above);
    roots(&mut below, &[&crate_dir, &vendored]);
}

/// Claude Code connects only if exactly one lock contains its directory.
#[tokio::test(flavor = "multi_thread")]
async fn worktree_and_project_share_a_companion_and_a_lock() {
    for is_worktree_first in [true, false] {
        let home = Home::new();
        home.directory("home/.claude");
        let worktree = home.project.join("worktrees/feature");
        for directory in [home.project.join(".git"), worktree.join(".git")] {
            std::fs::create_dir_all(directory).unwrap();
        }
        let processes = [Process::open(), Process::open()];
        let mut order = [&worktree, &home.project];
        if !is_worktree_first {
            order.reverse();
        }
        let mut first = Editor::with_plugin(&home, &processes[0], &[order[0]]);
        first.hears("alongside/didChangeStatus", |status| status["roots"] == json!([order[0]]));
        let mut second = Editor::with_plugin(&home, &processes[1], &[order[1]]);
        second.hears("alongside/didChangeStatus", |status| status["roots"] == json!(order));
        assert_eq!(home.hosts().len(), 1);
        let claude = FamilyAgent::named("claude").unwrap();
        for directory in order {
            let here = Surroundings { cwd: directory.clone(), ..home.surroundings() };
            let has_one = |search| matches!(search, Some(LockSearch::Holding(locks)) if locks.len() == 1);
            until("one lock file that has the directory", || {
                has_one(find::locks(claude, &here)).then_some(())
            })
            .await;
        }
    }
}

/// A companion of the home directory is not shared with a project in it. Of the two locks, that of the inner
/// root counts.
#[tokio::test(flavor = "multi_thread")]
async fn claude_prefers_a_project_in_home_and_status_names_the_other() {
    let home = Home::new();
    home.directory("home/.claude");
    let (outer, inner) = (home.path("home"), home.directory("home/project"));
    let processes = [Process::open(), Process::open()];
    let mut one = Editor::with_plugin(&home, &processes[0], &[&inner]);
    one.hears("alongside/didChangeStatus", |status| status["roots"] == json!([inner]));
    let mut two = Editor::with_plugin(&home, &processes[1], &[&outer]);
    two.hears("alongside/didChangeStatus", |status| status["roots"] == json!([outer]));
    assert_eq!((home.hosts().len(), companions(&home)), (2, 2));
    let claude = FamilyAgent::named("claude").unwrap();
    let locks = |cwd: &Path| match find::locks(
        claude,
        &Surroundings { cwd: cwd.to_owned(), ..home.surroundings() },
    ) {
        Some(LockSearch::Holding(locks)) => locks.len(),
        other => panic!("{other:?}"),
    };
    let count = || files_below(home.path("home/.claude")).len();
    until("the lock files of both companions", || (count() == 2).then_some(())).await;
    assert_eq!((locks(&inner), locks(&outer)), (1, 0));
    let status = finish(home.alongside(&["status"]).current_dir(&outer)).out;
    assert_snapshot!(status.rsplit("\n\n").next().unwrap(), @"
    Claude Code does not find alongside here: another companion serves a directory inside
      to choose alongside: alongside run -- claude
    ");
}

#[tokio::test(flavor = "multi_thread")]
async fn editors_of_two_projects_have_a_companion_each() {
    let home = Home::new();
    let other = home.directory("other");
    let processes = [Process::open(), Process::open()];
    let mut one = Editor::with_plugin(&home, &processes[0], &[&home.project]);
    let mut two = Editor::with_plugin(&home, &processes[1], &[&other]);
    one.hears("alongside/didChangeStatus", |status| status["desks"] == 1);
    two.hears("alongside/didChangeStatus", |status| status["desks"] == 1);
    assert_eq!((home.hosts().len(), companions(&home)), (2, 2));
}

#[test]
fn a_plugin_of_another_protocol_gets_a_hint() {
    let (home, process) = (Home::new(), Process::open());
    let words = [0, 99].map(|version| {
        let mut editor = Editor::starts(&home, &[]);
        let mut params = introduction(&process, &[&home.project]);
        params["initializationOptions"]["alongside"]["protocol"] = version.into();
        editor.asks("initialize", params).unwrap_err().1
    });
    assert_snapshot!(home.stable(words.join("\n")), @"
    the editor's plugin is older than alongside [VERSION]: update the plugin
    the editor's plugin is newer than alongside [VERSION]: update the program
    ");
    assert_eq!(home.hosts(), []);
}

#[test]
fn early_and_unknown_requests_are_refused() {
    let (home, process) = (Home::new(), Process::open());
    let mut editor = Editor::starts(&home, &[]);
    assert_eq!(editor.asks("shutdown", Value::Null).unwrap_err().0, -32002);
    assert!(editor.asks("initialize", introduction(&process, &[&home.project])).is_ok());
    editor.says("initialized", json!({}));
    assert_eq!(editor.asks("textDocument/hover", json!({})).unwrap_err().0, -32601);
    assert_eq!(editor.asks("alongside/nonsense", json!({})).unwrap_err().0, -32601);
    assert_eq!(editor.asks("alongside/keepHunks", json!({"id": "x"})).unwrap_err().0, -32602);
    editor.says("alongside/nonsense", json!({}));
    editor.quits();
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_settings_are_reported_and_may_be_corrected() {
    let (home, process) = (Home::new(), Process::open());
    home.settings("[context]\nexlude = []\n");
    let mut editor = Editor::with_plugin(&home, &process, &[&home.project]);
    let problem = editor.hears("alongside/problem", any);
    assert_snapshot!(home.stable(problem["what"].as_str().unwrap()), @r#"
    agents cannot reach this editor: [HOME]/.config/alongside/config.toml:2: there is no key "exlude"
      ↪ in [context]; did you mean "exclude"?
    "#);
    home.settings("[context]\nexclude = []\n");
    until("a companion", || {
        editor.says("alongside/didFocus", json!({}));
        home.hosts().pop()
    })
    .await;
    assert!(editor.server() > 0);
}
