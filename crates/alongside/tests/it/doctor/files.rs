//! Causes in discovery files.

use super::support::{DEAD, TestMachine, dead_port, listener, without_tools};
use crate::support::files_below;

/// A program that listens and never answers.
fn silent_listener() -> u16 {
    listener(|_| None)
}

#[test]
fn reports_no_companion() {
    let machine = TestMachine::with(&["gemini 0.61.0", "qwen 0.24.4"]);
    let verdict = machine.is("no-companion", "alongside");
    assert_eq!(verdict.ids(1), ["no-companion"]);
    assert_eq!(verdict.json["agents"][0]["wouldConnect"], false);
}

#[test]
fn reports_a_stale_file() {
    let machine = TestMachine::with(&["gemini 0.61.0"]);
    let port = dead_port();
    let file = machine.gemini_file(DEAD, port, &machine.theirs(port));
    machine.is("stale-file", &format!("rm {}", file.display()));
}

#[test]
fn reports_an_agent_that_starts_its_own_companion() {
    let machine = TestMachine::with(&["gemini 0.61.0"]);
    let port = dead_port();
    let mut record = machine.theirs(port);
    record["stdio"] = serde_json::json!({ "command": "/opt/theirs", "args": ["stdio"] });
    machine.gemini_file(DEAD, port, &record);
    let verdict = machine.is("stale-file", "rm ");
    assert_eq!(verdict.ids(0), ["stale-file", "stdio-instead"], "{:#}", verdict.json);
}

#[tokio::test]
async fn reports_a_stale_file_that_hides_a_companion() {
    let (mut machine, _desk, _record) = TestMachine::serving(&["gemini 0.61.0"]).await;
    let port = dead_port();
    let file = machine.gemini_file(DEAD, port, &machine.theirs(port));
    machine.set("GEMINI_CLI_IDE_PID", DEAD);
    machine.is("stale-file-wins", &format!("rm {}", file.display()));
}

#[test]
fn reports_a_stopped_companion_in_a_running_editor() {
    let machine = TestMachine::with(&["gemini 0.61.0"]);
    let (port, editor) = (dead_port(), std::process::id());
    machine.gemini_file(editor, port, &machine.theirs(port));
    let verdict = machine.is("port-closed", "restart the companion in that editor");
    let said = verdict.what();
    assert!(said.contains(&editor.to_string()), "{said}");
}

#[tokio::test]
async fn reports_an_overriding_file() {
    let (mut machine, _desk, _record) = TestMachine::serving(&["gemini 0.61.0"]).await;
    machine.set("GEMINI_CLI_IDE_PID", 4242);
    let path = "tmp/gemini/ide/gemini-ide-server-4242.json";
    let mut record = machine.theirs(silent_listener());
    record["workspacePath"] = "/elsewhere".into();
    let file = machine.write(path, &record.to_string());
    machine.is("overriding-file", &format!("rm {}", file.display()));
    machine.write(path, &machine.theirs(dead_port()).to_string());
    machine.is("overriding-file", &format!("rm {}", file.display()));
}

#[tokio::test]
async fn reports_a_malformed_file() {
    let machine = TestMachine::with(&["gemini 0.61.0"]);
    let file = machine.write("tmp/gemini/ide/gemini-ide-server-7-1001.json", "{ \"port\": 10");
    machine.is("malformed-file", &format!("rm {}", file.display()));
    // Beside a running companion it does no harm.
    let (_desk, _) = machine.companion().await;
    let verdict = machine.ask(&[]);
    assert_eq!((verdict.ids(0), verdict.code), (vec![], Some(0)), "{:#}", verdict.json);
}

#[tokio::test]
async fn unreadable_file_ends_the_search_of_older_releases() {
    let (machine, _desk, _record) = TestMachine::serving(&["gemini 0.55.0"]).await;
    let folder = machine.home.directory("tmp/gemini/ide/gemini-ide-server-7-1001.json");
    machine.is("unreadable-file", &format!("rm -r {}", folder.display()));
}

#[tokio::test]
async fn the_files_belong_to_another_user() {
    let (machine, _desk, _record) = TestMachine::serving(&["gemini 0.61.0"]).await;
    for file in files_below(&machine.home.path("tmp/gemini")) {
        // Only root can change a file's owner.
        if std::os::unix::fs::chown(&file, Some(12_345), None).is_err() {
            return alongside_testing::skip("only root can give a file away");
        }
    }
    machine.is("other-user", "as the same user");
}

#[tokio::test]
async fn a_file_of_another_user_leads_the_agent_astray() {
    use std::os::unix::fs::{PermissionsExt as _, chown};
    let (machine, _desk, _record) = TestMachine::serving(&["qwen 0.24.4"]).await;
    let file = format!("tmp/qwen-code-ide-server-{}.json", machine.editor());
    let planted = machine.write(&file, &machine.theirs(listener(without_tools)).to_string());
    if chown(&planted, Some(12_345), None).is_err() {
        return alongside_testing::skip("only root can give a file away");
    }
    machine.is("led-by-other-user", &format!("rm {}", planted.display()));
    // In a shared directory only the owner may remove a file.
    let shared = machine.home.path("tmp");
    std::fs::set_permissions(&shared, std::fs::Permissions::from_mode(0o1777)).unwrap();
    chown(&shared, Some(12_345), None).unwrap();
    let verdict = machine.is("led-by-other-user", "ask them or root");
    assert!(!verdict.json.to_string().contains("rm /"), "{:#}", verdict.json);
}

#[test]
fn reports_a_lock_of_a_dead_editor() {
    let machine = TestMachine::with(&["qwen 0.24.4"]);
    let port = silent_listener();
    let mut record = machine.theirs(port);
    record["ppid"] = DEAD.into();
    machine.qwen_file(port, &record);
    let verdict = machine.is("dead-editor", "start the editor");
    assert!(machine.home.path(&format!("home/.qwen/ide/{port}.lock")).exists(), "the doctor removes nothing");
    assert!(verdict.json["agents"][0]["causes"][0]["what"].as_str().unwrap().contains(&DEAD.to_string()));
}

#[test]
fn reports_a_lock_without_editor() {
    let machine = TestMachine::with(&["qwen 0.24.4"]);
    let port = silent_listener();
    let mut record = machine.theirs(port);
    record["workspacePath"] = format!("{0}:{0}", machine.home.project.display()).into();
    machine.qwen_file(port, &record);
    machine.is("missing-workspace", "update");
}

#[test]
fn reports_a_record_without_editor_name() {
    let machine = TestMachine::with(&["gemini 0.61.0"]);
    let port = silent_listener();
    let mut record = machine.theirs(port);
    record.as_object_mut().unwrap().remove("ideInfo");
    machine.gemini_file(1, port, &record);
    machine.is("no-editor-name", "TERM_PROGRAM=vscode gemini");
}

#[test]
fn reports_an_editor_without_folder() {
    for agent in ["gemini 0.61.0", "gemini 0.55.0", "qwen 0.24.4"] {
        let machine = TestMachine::with(&[agent]);
        let port = silent_listener();
        let mut record = machine.theirs(port);
        record["workspacePath"] = "".into();
        match agent.starts_with("qwen") {
            true => machine.qwen_file(port, &record),
            false => machine.gemini_file(1, port, &record),
        };
        machine.is("no-folder-open", "open the project's folder");
    }
}

#[test]
fn reports_the_delimiter_in_the_path() {
    let mut machine = TestMachine::with(&["gemini 0.61.0"]);
    machine.home = machine.home.inside("a:b");
    std::fs::create_dir(&machine.home.project).unwrap();
    machine.is("delimiter-in-path", "rename the directory");
    // Another companion may write such a path.
    let port = silent_listener();
    machine.gemini_file(1, port, &machine.theirs(port));
    machine.is("delimiter-in-path", "rename the directory");
}

#[tokio::test]
async fn reports_a_release_that_needs_its_own_editor() {
    let machine = TestMachine::with(&["gemini 0.30.1", "qwen 0.10.1"]);
    let port = silent_listener();
    let json = machine.theirs(port).to_string();
    // No agent takes the test's own process for the editor, because it is below the shell.
    let pid = std::process::id();
    machine.write(&format!("tmp/gemini/ide/gemini-ide-server-{pid}-{port}.json"), &json);
    machine.write(&format!("home/.qwen/ide/{port}.lock"), &json);
    let verdict = machine.is("other-process", "alongside run gemini");
    let what = verdict.what();
    assert!(what.contains("0.31.0 and newer accept any process"), "{what}");
    assert_eq!(verdict.ids(1)[0], "other-process", "{:#}", verdict.json);
}

#[tokio::test]
async fn reports_a_host_without_files() {
    let (machine, _desk, _record) = TestMachine::serving(&["gemini 0.61.0"]).await;
    let host = machine.home.hosts()[0].1.clone();
    std::fs::remove_dir_all(machine.home.path("tmp/gemini")).unwrap();
    std::fs::remove_dir_all(machine.home.path("home/.qwen/ide")).unwrap();
    machine.is("files-gone", &format!("alongside host --replace {host}"));
}

#[tokio::test]
async fn reports_a_fork_that_has_never_run() {
    let (mut machine, _desk, _record) = TestMachine::serving(&[]).await;
    // The companion does not know of it.
    let program = machine.write("elsewhere/ola", "");
    machine.program(&program, "#!/bin/sh\necho 1.0.0\n");
    machine.set("PATH", format!("{}:/usr/bin:/bin", machine.home.path("elsewhere").display()));
    let own = machine.home.path("home/.ola");
    machine.is("never-started", &format!("mkdir {}", own.display()));
    assert!(!own.exists());
}

#[tokio::test]
async fn a_stale_file_beside_is_a_note() {
    let machine = TestMachine::with(&["qwen 0.24.4"]);
    let mut desk = machine.reviews_in_another_terminal(&[]);
    desk.shows("alongside serves").await;
    let record = machine.record().await;
    let port = dead_port();
    let mut theirs = machine.theirs(port);
    theirs["ppid"] = std::process::id().into();
    let file = machine.qwen_file(port, &theirs);
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(60);
    std::fs::File::options().write(true).open(file).unwrap().set_modified(later).unwrap();
    let verdict = machine.ask(&[]);
    assert_eq!(
        (verdict.ids(0), verdict.code),
        (vec!["stale-file-beside".into()], Some(0)),
        "{:#}",
        verdict.json
    );
    assert_eq!(verdict.json["agents"][0]["port"], record.port);
}

#[tokio::test]
async fn several_companions_are_a_note() {
    let (machine, _desk, record) = TestMachine::serving(&["qwen 0.24.4"]).await;
    let mut theirs = machine.theirs(silent_listener());
    theirs["ppid"] = std::process::id().into();
    let file = machine.write(&format!("home/.qwen/ide/{}.lock", theirs["port"]), &theirs.to_string());
    let earlier = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
    std::fs::File::options().write(true).open(file).unwrap().set_modified(earlier).unwrap();
    let verdict = machine.ask(&[]);
    assert_eq!(
        (verdict.ids(0), verdict.code),
        (vec!["several-companions".into()], Some(0)),
        "{:#}",
        verdict.json
    );
    assert_eq!(verdict.json["agents"][0]["port"], record.port);
    let what = verdict.what();
    assert!(what.contains("takes alongside") && what.contains("not Theirs"), "{what}");
}
