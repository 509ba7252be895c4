//! Causes in the companion: it runs, but not where this terminal's agents look.

use alongside_agent::find;

use super::clinic::Clinic;
use crate::editor::{Editor, Process};
use crate::support::until;

#[tokio::test]
async fn reports_a_companion_of_another_directory() {
    let clinic = Clinic::with(&[("gemini", "0.61.0"), ("qwen", "0.24.4")]);
    let (_desk, _) = clinic.companion().await;
    let project = clinic.home.project.clone();
    std::fs::create_dir(clinic.home.path("other")).unwrap();
    let verdict = clinic.ask(&["--dir", clinic.home.path("other").to_str().unwrap()]);
    assert_eq!(verdict.code, Some(1));
    for agent in [0, 1] {
        assert_eq!(verdict.ids(agent), ["other-directory"], "{:#}", verdict.json);
        let cure = verdict.json["agents"][agent]["causes"][0]["cure"].to_string();
        assert!(cure.contains(&format!("cd {}", project.display())), "{cure}");
    }
}

#[tokio::test]
async fn reports_a_directory_in_another_case() {
    let clinic = Clinic::with(&[("gemini", "0.61.0")]);
    let (_desk, _) = clinic.companion().await;
    let other = clinic.home.path("Project");
    std::fs::create_dir(&other).unwrap();
    let verdict = clinic.ask(&["--dir", other.to_str().unwrap()]);
    assert_eq!(verdict.ids(0), ["case-differs"], "{:#}", verdict.json);
    let cure = verdict.json["agents"][0]["causes"][0]["cure"].to_string();
    assert!(cure.contains(&format!("cd {}", clinic.home.project.display())), "{cure}");
}

#[tokio::test]
async fn reports_another_temporary_directory() {
    let clinic = Clinic::with(&[("gemini", "0.61.0"), ("qwen", "0.24.4")]);
    let theirs = clinic.home.path("other-tmp");
    std::fs::create_dir(&theirs).unwrap();
    let mut desk = clinic.home.start(clinic.home.alongside(&["review"]).env("TMPDIR", &theirs));
    desk.shows("alongside serves").await;
    let verdict = clinic.is("other-tmpdir", &format!("TMPDIR={} gemini", theirs.display()));
    assert_eq!(verdict.ids(1), Vec::<String>::new(), "Qwen Code goes by its lock: {:#}", verdict.json);
}

#[tokio::test]
async fn reports_another_home() {
    let clinic = Clinic::with(&[("qwen", "0.24.4")]);
    let theirs = clinic.home.path("other-home");
    std::fs::create_dir(&theirs).unwrap();
    let mut desk = clinic.reviews_in_another_terminal(&[("HOME", &theirs)]);
    desk.shows("alongside serves").await;
    clinic.is("other-home", &format!("HOME={} qwen", theirs.display()));
}

#[tokio::test]
async fn reports_another_qwen_home() {
    let clinic = Clinic::with(&[("qwen", "0.24.4")]);
    let theirs = clinic.home.path("other-qwen");
    std::fs::create_dir(&theirs).unwrap();
    let mut desk = clinic.reviews_in_another_terminal(&[("QWEN_HOME", &theirs)]);
    desk.shows("alongside serves").await;
    // It writes beside the home as well, for agents without the variable.
    let _ = std::fs::remove_dir_all(clinic.home.path("home/.qwen/ide"));
    clinic.is("other-base", &format!("QWEN_HOME={} qwen", theirs.display()));
}

#[tokio::test]
async fn pid_examines_from_the_agents_directory() {
    let clinic = Clinic::with(&[("gemini", "0.61.0")]);
    std::fs::create_dir(clinic.home.path("other")).unwrap();
    let (_desk, record) = clinic.companion().await;
    let agent = clinic.starts_gemini(&clinic.home.path("other")).await;
    let pid = agent.pid().to_string();
    let verdict = clinic.ask(&["--pid", &pid]);
    assert_eq!(verdict.ids(0), ["other-directory"], "{:#}", verdict.json);
    assert_eq!(verdict.json["agents"][0]["version"], "0.61.0");
    let project = clinic.home.project.to_str().unwrap();
    let there = clinic.ask(&["--pid", &pid, "--dir", project]);
    assert_eq!(there.json["agents"][0]["port"], record.port, "{:#}", there.json);
}

#[tokio::test]
async fn reports_an_editor_that_has_ended() {
    let clinic = Clinic::with(&[("gemini", "0.61.0")]);
    let mut process = Process::open();
    let editor = Editor::with_plugin(&clinic.home, &process, &[&clinic.home.project]);
    until("a host", || clinic.home.hosts().first().cloned()).await;
    clinic.record().await;
    assert_eq!(clinic.ask(&[]).ids(0), Vec::<String>::new());
    drop(editor);
    process.dies();
    until("the files to go", || find::all_files(&clinic.home.surroundings()).is_empty().then_some(())).await;
    let verdict = clinic.is("editor-gone", "start the editor again");
    let what = verdict.json["agents"][0]["causes"][0]["what"].as_str().unwrap();
    assert!(what.contains("Neovim"), "{what}");
}
