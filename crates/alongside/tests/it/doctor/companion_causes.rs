//! Causes in the companion: it runs, but agents in this terminal do not find it.

use alongside_agent::find;
use insta::assert_snapshot;

use super::support::TestMachine;
use crate::editor::Editor;
use crate::support::until;

#[tokio::test]
async fn reports_a_companion_of_another_directory() {
    let (machine, _desk, _record) = TestMachine::serving(&["gemini 0.61.0", "qwen 0.24.4"]).await;
    machine.record_causes(&format!("--dir {}", machine.home.directory("other").display()));
    assert_snapshot!(
        machine.transcript_with(&format!("gemini --dir {}", machine.home.directory("Project").display()))
    );
}

#[tokio::test]
async fn reports_files_in_another_temporary_directory_or_home() {
    let mut transcript = String::new();
    for variable in ["TMPDIR", "HOME", "QWEN_HOME"] {
        let machine = TestMachine::with(&["gemini 0.61.0", "qwen 0.24.4"]);
        let theirs = machine.home.directory("theirs");
        let mut desk = machine.reviews_in_another_terminal(&[(variable, &theirs)]);
        desk.shows("alongside serves").await;
        if variable == "QWEN_HOME" {
            // The companion also writes files for agents without the variable. They are removed.
            let _ = std::fs::remove_dir_all(machine.home.path("home/.qwen/ide"));
        }
        machine.record_causes(&format!("# where the companion has another {variable}"));
        transcript += &machine.home.transcript();
    }
    assert_snapshot!(transcript);
}

#[tokio::test]
async fn pid_examines_from_the_agents_directory() {
    let machine = TestMachine::with(&["gemini 0.61.0"]);
    let other = machine.home.directory("other");
    let (_desk, _record) = machine.companion().await;
    let agent = machine.starts("gemini", &other).await;
    machine.home.name_number("--pid ", agent.pid(), "AGENT");
    machine.record_causes(&format!("--pid {}", agent.pid()));
    assert_snapshot!(machine.transcript_with(&format!(
        "--pid {} --dir {}",
        agent.pid(),
        machine.home.project.display()
    )));
}

#[tokio::test]
async fn reports_an_editor_that_has_ended() {
    let machine = TestMachine::with(&["gemini 0.61.0"]);
    let (mut process, editor) = Editor::opened(&machine.home);
    until("a host", || machine.home.hosts().first().cloned()).await;
    machine.record().await;
    machine.record_causes("");
    drop(editor);
    process.dies();
    until("the removal of the discovery files", || {
        find::all_files(&machine.home.surroundings()).is_empty().then_some(())
    })
    .await;
    assert_snapshot!(machine.transcript_with("# after the end of the editor"));
}
