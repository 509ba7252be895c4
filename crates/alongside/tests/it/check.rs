//! `alongside check`: alongside itself passes every check, with a test editor that a driver controls.

mod driven;

use std::path::Path;
use std::time::Duration;

use alongside_agent::find;
use alongside_contract::agent::FamilyAgent;
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::check::driven::Driven;
use crate::editor::{Editor, Process};
use crate::support::{Home, found, until};

/// The time limit of a whole run, in which one check alone takes more than a minute.
const RUN_LIMIT: Duration = Duration::from_secs(240);

/// Runs checks on a driven editor, asserts that there are `count` and that all pass, and returns the report.
async fn passes(home: &Home, driven: &Driven, args: &[&str], count: usize) -> Value {
    let mut command = home.alongside(&["check", "--json", "--drive", &driven.command()]);
    command.args(args).stdin(std::process::Stdio::null());
    let run = tokio::process::Command::from(command).kill_on_drop(true).output();
    let output = tokio::time::timeout(RUN_LIMIT, run).await.expect("the checks end").unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
    let checks = report["checks"].as_array().unwrap();
    let failed = checks.iter().filter(|check| check["verdict"] != "pass" && !is_busy(check));
    let failed: Vec<String> = failed
        .map(|it| format!("{}: {} {} {:#}", it["id"], it["verdict"], it["reason"], it["evidence"]))
        .collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    assert_eq!((output.status.code(), checks.len()), (Some(0), count));
    report
}

/// Whether a check has no verdict because this machine was too busy, which is no fault of alongside.
fn is_busy(check: &Value) -> bool {
    check["reason"].as_str().is_some_and(|why| why.starts_with("this machine was too busy to tell"))
}

/// Starts an editor in the project and waits until agents find its companion.
async fn open_editor(home: &Home) -> (Process, Editor) {
    let process = Process::open();
    let editor = Editor::with_plugin(home, &process, &[&home.project]);
    until("the companion", || found("gemini", &home.surroundings())).await;
    (process, editor)
}

#[tokio::test(flavor = "multi_thread")]
async fn alongside_passes_every_check() {
    let home = Home::new();
    let (process, editor) = open_editor(&home).await;
    let driven = Driven::by(&home, editor, process);
    let report = passes(&home, &driven, &[], alongside_conformance::CHECKS.len()).await;
    assert_eq!(report["conforms"], true);
    // The run leaves no file behind.
    let left = std::fs::read_dir(&home.project).unwrap().flatten().map(|entry| entry.file_name());
    assert_eq!(left.collect::<Vec<_>>(), Vec::<std::ffi::OsString>::new());
    let left = crate::support::files_below(home.path("tmp"));
    assert!(!left.iter().any(|path| path.to_string_lossy().contains("alongside-check-")), "{left:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_terminal_asks_a_person_for_each_action() {
    let home = Home::new();
    let (_process, mut editor) = open_editor(&home).await;
    let mut check = home.at_terminal(&["check", "--only", "diffs.rejected,diffs.immediate"]);
    check.answers_and_shows("Will you? [y/N]", "y", "1. Reject the proposal for").await;
    let asked = check.shows("[Enter done, s skip, c cannot]").await;
    assert!(asked.contains("1 of about 1"), "{asked}");
    // The other check closes its proposal without a decision, and the editor may not yet have received that.
    let is_asked = |review: &Value| {
        let path = Path::new(review["file"].as_str().unwrap());
        asked.contains(path.file_name().unwrap().to_str().unwrap())
    };
    let review = until("the proposal", || editor.any_review().filter(is_asked)).await;
    let decide = json!({ "id": review["id"], "revision": review["revision"], "decision": "reject" });
    editor.asks("alongside/decideReview", decide).unwrap();
    check.types_and_shows("", "2 pass of 2 checks").await;
    assert_eq!(check.ends().code(), Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_check_that_is_interrupted_closes_what_it_opened() {
    let home = Home::new();
    let (_process, mut editor) = open_editor(&home).await;
    let mut check = home.at_terminal(&["check", "--only", "diffs.rejected"]);
    check.answers_and_shows("Will you? [y/N]", "y", "1. Reject the proposal for").await;
    until("the proposal", || editor.any_review()).await;
    check.signal(rustix::process::Signal::INT);
    until("the proposal to be closed", || editor.any_review().is_none().then_some(())).await;
    check.shows("Interrupted; there is no verdict").await;
    assert_eq!(check.ends().code(), Some(1));
}

#[tokio::test(flavor = "multi_thread")]
async fn unattended_checks_are_not_observable_and_junit_says_so() {
    let home = Home::new();
    let (_process, _editor) = open_editor(&home).await;
    let junit = home.path("check.xml");
    let only = "diffs.accepted,diffs.immediate,stop";
    let ran = home.run(&["check", "--only", only, "--json", "--junit", junit.to_str().unwrap()]);
    let report = ran.json();
    let verdicts: Vec<_> = report["checks"].as_array().unwrap().iter().map(|it| &it["verdict"]).collect();
    assert_eq!(verdicts[..2], ["pass", "not observable"]);
    assert_eq!((ran.status.code(), &report["notObservable"]), (Some(0), &5.into()));
    let junit = std::fs::read_to_string(junit).unwrap();
    assert!(junit.contains("<testsuite name=\"diffs\" tests=\"2\" skipped=\"1\""), "{junit}");
    assert!(junit.contains("not observable: it needs somebody at the editor"), "{junit}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_report_goes_through_no_link_of_a_project() {
    let home = Home::new();
    let (_process, _editor) = open_editor(&home).await;
    let profile = home.path("home/.bash_profile");
    std::os::unix::fs::symlink(&profile, home.project.join("check.xml")).unwrap();
    let check = |file: &str| home.run(&["check", "--only", "stop", "--junit", file]);
    assert_snapshot!(home.stable(check("check.xml")), @"
    --- errors:
    alongside: cannot write check.xml: [PROJECT]/check.xml is a link to [HOME]/.bash_profile, which
      ↪ alongside does not follow here
      hint: name a file of yours, in a directory that is there
      hint: remove that link, or put in its place what it leads to
    --- exit code 2
    ");
    assert!(!profile.exists());
    assert_eq!(check("other.xml").status.code(), Some(0));
    assert!(std::fs::read_to_string(home.project.join("other.xml")).unwrap().contains("<testsuite"));
    // The person may name a link outside the project, such as /dev/stdout.
    assert!(check("/dev/stdout").out.contains("<testsuite"));
}

#[test]
fn without_a_companion_the_exit_code_is_2() {
    let home = Home::new();
    let gone = { std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port() };
    // The discovery file of a companion that is gone.
    let record = serde_json::json!({ "port": gone, "workspacePath": home.project });
    home.file("left.json", &record.to_string());
    let checks = ["check".into(), format!("check --port {gone}"), "check --file left.json".into()];
    assert_snapshot!(home.stable(home.prints(&checks)));
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_arguments_give_no_verdict() {
    let home = Home::new();
    let unknown = home.prints(&["check --only difs", "check --skip difs"]);
    let (_process, _editor) = open_editor(&home).await;
    let only = "check --only diffs.rejected";
    assert_snapshot!(unknown + &home.prints(&[format!("{only} --junit none/check.xml")]));
    // The text of this error differs between shells, and is not in the snapshot.
    let ran = home.run(&["check", "--only", "diffs.rejected", "--drive", "./no-such-driver"]);
    assert!(ran.err.contains("the command of --drive cannot be run"), "{}", ran.err);
    assert_eq!((ran.status.code(), &*ran.out), (Some(2), ""));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failing_driver_fails_the_run_an_incapable_one_does_not() {
    let home = Home::new();
    let (_process, _editor) = open_editor(&home).await;
    let only = ["check", "--only", "diffs.rejected,diffs.view-closed,diffs.immediate", "--drive"];
    let driven = |driver| home.run(&[&only[..], &[driver]].concat());
    assert_snapshot!(home.stable(driven("sh -c 'echo no $2 >&2; exit 5' --")));
    assert_eq!(driven("sh -c 'exit 3' --").status.code(), Some(0));
}

/// Starts a web server that refuses every request, as servers without POST do. Returns its port.
fn web_server() -> u16 {
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let mut request = [0; 4096];
            if matches!(std::io::Read::read(&mut stream, &mut request), Ok(1..)) {
                let answer = b"HTTP/1.1 501 Unsupported\r\nContent-Length: 3\r\n\r\nno\n";
                let _ = std::io::Write::write_all(&mut stream, answer);
            }
        }
    });
    port
}

#[tokio::test(flavor = "multi_thread")]
async fn another_program_or_a_wrong_token_gives_no_verdict() {
    let home = Home::new();
    let port = web_server().to_string();
    let other = home.prints(&[format!("check --port {port} --unattended")]);
    let (_process, _editor) = open_editor(&home).await;
    let port = home.record().port.to_string();
    let wrong = home.prints(&[format!("check --port {port} --token x --unattended")]);
    assert_snapshot!(home.stable(other + &wrong));
    let ran = home.run(&["check", "--port", &port, "--only", "access.wrong-token", "--unattended"]);
    assert_eq!(ran.status.code(), Some(0), "{}", ran.out);
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_checks_are_announced_and_skipped_without_wait() {
    let home = Home::new();
    let (_process, _editor) = open_editor(&home).await;
    let ran = home.run(&["check", "--only", "sessions.freed", "--wait", "9", "--json", "--unattended"]);
    let report = ran.json();
    let check = &report["checks"][0];
    let why = "it takes 66 s, and this run waits 9 s only (--wait)";
    assert_eq!((&check["verdict"], &check["reason"]), (&"skipped".into(), &why.into()));
    assert_eq!(ran.status.code(), Some(0));
    let mut check = home.at_terminal(&["check", "--only", "sessions.freed,discovery.json", "--unattended"]);
    check.shows("Checking: Being found").await;
    check.shows("Waiting for sessions.freed").await;
    check.signal(rustix::process::Signal::INT);
    check.shows("Interrupted; there is no verdict").await;
    assert_eq!(check.ends().code(), Some(1));
}

#[test]
fn the_list_holds_every_check() {
    let home = Home::new();
    let ran = home.run(&["check", "--list"]);
    assert_eq!(ran.out.lines().count(), alongside_conformance::CHECKS.len());
    for family in [&["claude"][..], &["--family", "claude"]] {
        let ran = home.run(&[&["check", "--list"][..], family].concat());
        assert_eq!(ran.out.lines().count(), alongside_conformance::CLAUDE_CHECKS.len(), "{family:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn alongside_passes_every_check_of_claude() {
    let home = Home::new();
    // A companion writes locks only if the user has Claude Code.
    home.directory("home/.claude");
    let (process, editor) = open_editor(&home).await;
    let claude = FamilyAgent::named("claude").unwrap();
    let is_found = |search| matches!(search, Some(find::LockSearch::Holding(locks)) if !locks.is_empty());
    until("the lock", || is_found(find::locks(claude, &home.surroundings())).then_some(())).await;
    let driven = Driven::by(&home, editor, process);
    let args = ["--family", "claude", "--strict"];
    passes(&home, &driven, &args, alongside_conformance::CLAUDE_CHECKS.len()).await;
}
