//! Causes in the companion: it runs, but not where this terminal's agents look.

use alongside_agent::find;

use super::support::TestMachine;
use crate::editor::Editor;
use crate::support::until;

#[tokio::test]
async fn reports_a_companion_of_another_directory() {
    let (machine, _desk, _record) = TestMachine::serving(&["gemini 0.61.0", "qwen 0.24.4"]).await;
    let project = machine.home.project.clone();
    machine.home.directory("other");
    let verdict = machine.ask(&["--dir", machine.home.path("other").to_str().unwrap()]);
    assert_eq!(verdict.code, Some(1));
    for agent in [0, 1] {
        assert_eq!(verdict.ids(agent), ["other-directory"], "{:#}", verdict.json);
        let cure = verdict.cure(agent);
        assert!(cure.contains(&format!("cd {}", project.display())), "{cure}");
    }
}

#[tokio::test]
async fn reports_a_directory_in_another_case() {
    let (machine, _desk, _record) = TestMachine::serving(&["gemini 0.61.0"]).await;
    let other = machine.home.directory("Project");
    let verdict = machine.ask(&["--dir", other.to_str().unwrap()]);
    assert_eq!(verdict.ids(0), ["case-differs"], "{:#}", verdict.json);
    let cure = verdict.cure(0);
    assert!(cure.contains(&format!("cd {}", machine.home.project.display())), "{cure}");
}

#[tokio::test]
async fn reports_another_temporary_directory() {
    let machine = TestMachine::with(&["gemini 0.61.0", "qwen 0.24.4"]);
    let theirs = machine.home.directory("other-tmp");
    let mut desk = machine.home.start(machine.home.alongside(&["review"]).env("TMPDIR", &theirs));
    desk.shows("alongside serves").await;
    let verdict = machine.is("other-tmpdir", &format!("TMPDIR={} gemini", theirs.display()));
    assert_eq!(verdict.ids(1), Vec::<String>::new(), "Qwen Code goes by its lock: {:#}", verdict.json);
}

#[tokio::test]
async fn reports_another_home() {
    let machine = TestMachine::with(&["qwen 0.24.4"]);
    let theirs = machine.home.directory("other-home");
    let mut desk = machine.reviews_in_another_terminal(&[("HOME", &theirs)]);
    desk.shows("alongside serves").await;
    machine.is("other-home", &format!("HOME={} qwen", theirs.display()));
}

#[tokio::test]
async fn reports_another_qwen_home() {
    let machine = TestMachine::with(&["qwen 0.24.4"]);
    let theirs = machine.home.directory("other-qwen");
    let mut desk = machine.reviews_in_another_terminal(&[("QWEN_HOME", &theirs)]);
    desk.shows("alongside serves").await;
    // It writes beside the home as well, for agents without the variable.
    let _ = std::fs::remove_dir_all(machine.home.path("home/.qwen/ide"));
    machine.is("other-base", &format!("QWEN_HOME={} qwen", theirs.display()));
}

#[tokio::test]
async fn pid_examines_from_the_agents_directory() {
    let machine = TestMachine::with(&["gemini 0.61.0"]);
    machine.home.directory("other");
    let (_desk, record) = machine.companion().await;
    let agent = machine.starts_gemini(&machine.home.path("other")).await;
    let pid = agent.pid().to_string();
    let verdict = machine.ask(&["--pid", &pid]);
    assert_eq!(verdict.ids(0), ["other-directory"], "{:#}", verdict.json);
    assert_eq!(verdict.json["agents"][0]["version"], "0.61.0");
    let project = machine.home.project.to_str().unwrap();
    let there = machine.ask(&["--pid", &pid, "--dir", project]);
    assert_eq!(there.json["agents"][0]["port"], record.port, "{:#}", there.json);
}

#[tokio::test]
async fn reports_an_editor_that_has_ended() {
    let machine = TestMachine::with(&["gemini 0.61.0"]);
    let (mut process, editor) = Editor::opened(&machine.home);
    until("a host", || machine.home.hosts().first().cloned()).await;
    machine.record().await;
    assert_eq!(machine.ask(&[]).ids(0), Vec::<String>::new());
    drop(editor);
    process.dies();
    until("the files to go", || find::all_files(&machine.home.surroundings()).is_empty().then_some(())).await;
    let verdict = machine.is("editor-gone", "start the editor again");
    let what = verdict.what();
    assert!(what.contains("Neovim"), "{what}");
}
