//! Rules: a change that a rule accepts returns at once, and is in the list and the log of changes. No other
//! change is accepted without a decision.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::hook::{Hook, decides, refused};
use crate::support::{Home, until, write_file};

const RULES: &str = "\
[reviews]
rules = [
  { path = \"docs/**\", then = \"accept\" },
  { path = \"docs/law/**\", then = \"ask\" },
  { path = \"vendor/**\", agent = \"codex\", then = \"defer\" },
]
";

/// Runs the hook of an agent before it writes a file. Returns the answer.
async fn write(home: &Home, agent: &str, file: &str, content: &str) -> Value {
    begin(home, agent, file, content).await.answer().await
}

/// Starts the hook of an agent before it writes a file.
async fn begin(home: &Home, agent: &str, file: &str, content: &str) -> Hook {
    let (tool, call) = match agent {
        "codex" => {
            let patch = format!("*** Begin Patch\n*** Add File: {file}\n+{content}*** End Patch");
            ("apply_patch", json!({ "command": patch }))
        }
        _ => ("Write", json!({ "file_path": file, "content": content })),
    };
    Hook::before(home, &[agent], &home.project, tool, call).await
}

/// Whether an answer allows the tool call.
fn is_allowed(answer: &Value) -> bool {
    answer["hookSpecificOutput"]["permissionDecision"] == "allow"
}

#[tokio::test]
async fn a_change_accepted_by_a_rule_is_listed_and_logged() {
    let home = Home::with_settings(RULES);
    home.directory("project/docs/law");
    let log = home.path("log");
    let mut desk = home.review(&["--log", log.to_str().unwrap()]);
    desk.shows("alongside serves").await;
    let file = home.file("docs/a.md", "one\ntwo\n");
    assert!(is_allowed(&write(&home, "claude", &file, "one\n2\n").await));
    desk.shows("Accepted without you: docs/a.md (edit, +1 -1) by Claude Code").await;
    desk.types_and_shows("L 1", "@@ -2,1 +2,1 @@\n-two\n+2").await;
    let logged = || std::fs::read_to_string(&log).unwrap_or_default();
    until("the log", || logged().contains("a rule has accepted this").then_some(())).await;

    // The later rule asks, and changes without a rule ask too.
    for below in ["docs/law/a.md", "a.txt", "docs/CLAUDE.md", "docs/.git/config"] {
        let hook = begin(&home, "claude", &home.in_project(below), "x\n").await;
        desk.answers("keep this change", "r").await;
        assert!(refused(&hook.answer().await).contains("rejected all of it"), "{below}");
    }
    // For this agent, the rule defers the change: the hook is silent, as without a companion.
    assert_eq!(write(&home, "codex", &home.in_project("vendor/a"), "x\n").await, Value::Null);
    let hook = begin(&home, "claude", &home.in_project("vendor/a"), "x\n").await;
    decides(&mut desk, "r").await;
    refused(&hook.answer().await);
}

/// No companion serves the other file, and the agent is outside every project.
#[tokio::test]
async fn an_accepted_file_of_a_refused_patch_is_listed_as_not_written() {
    let home = Home::with_settings(RULES);
    home.directory("project/docs");
    let outside = home.directory("outside");
    let mut desk = home.serving().await;
    let (inside, other) = (home.in_project("docs/a.md"), outside.join("b.md"));
    let patch = format!(
        "*** Begin Patch\n*** Add File: {inside}\n+x\n*** Add File: {}\n+y\n*** End Patch",
        other.display()
    );
    let hook = Hook::before(&home, &["codex"], &outside, "apply_patch", json!({ "command": patch })).await;
    let reason = refused(&hook.answer().await);
    assert!(reason.contains("outside the project"), "{reason}");
    desk.shows("docs/a.md").await;
    desk.shows("not written, because its patch was broken off").await;
}

#[tokio::test]
async fn an_acceptance_ahead_ends_with_its_agent() {
    let home = Home::new();
    let mut desk = home.serving().await;
    // Like agents, the test runs the hook in a shell. The test is the agent's process.
    let file = home.file("docs/a.md", "one\n");
    let hook = begin(&home, "claude", &file, "2\n").await;
    desk.answers("keep this change", "F").await;
    desk.answers("for docs/a.md, or for docs/ with all folders below", "d").await;
    desk.answers("docs/: what Claude Code still proposes is accepted, until it ends.", "r").await;
    refused(&hook.answer().await);
    assert!(is_allowed(&write(&home, "claude", &home.in_project("docs/b.md"), "x\n").await));
    desk.shows("docs/b.md (create, +1 -0) by Claude Code, accepted ahead for docs/.").await;
    desk.types_and_shows("F -", "Nothing is accepted ahead any more.").await;
    let hook = begin(&home, "claude", &home.in_project("docs/b.md"), "y\n").await;
    decides(&mut desk, "r").await;
    refused(&hook.answer().await);
}

/// The rules of a project within the project can require more decisions.
#[tokio::test]
async fn a_repository_within_the_project_asks_for_its_own_files() {
    let home = Home::with_settings("[reviews]\nrules = [{ path = \"docs/**\", then = \"accept\" }]\n");
    for (below, rules) in [
        ("docs/nested", "[[reviews.rules]]\npath = \"*.md\"\nthen = \"ask\"\n"),
        ("docs/broken", "[[reviews.rules]]\npath = \"*.md\"\n"),
    ] {
        home.directory(&format!("project/{below}/.git"));
        home.file(&format!("{below}/.alongside.toml"), rules);
    }
    home.file("docs/plain/.alongside.toml", "[[reviews.rules]]\npath = \"*.md\"\nthen = \"ask\"\n");
    let mut desk = home.serving().await;
    for below in ["docs/a.md", "docs/nested/deep/a.txt", "docs/plain/a.md"] {
        let answer = write(&home, "claude", &home.in_project(below), "x\n").await;
        assert!(is_allowed(&answer), "{below}: {answer}");
    }
    for below in ["docs/nested/a.md", "docs/nested/deep/a.md", "docs/broken/a.txt"] {
        let hook = begin(&home, "claude", &home.in_project(below), "x\n").await;
        decides(&mut desk, "r").await;
        assert!(refused(&hook.answer().await).contains("rejected all of it"), "{below}");
    }
}

#[test]
fn the_doctor_explains_which_rule_holds() {
    let home = Home::with_settings(RULES);
    home.directory("project/.git");
    write_file(
        &home.project.join(".alongside.toml"),
        "[[reviews.rules]]\npath = \"docs/plan.md\"\nthen = \"ask\"\n",
    );
    std::os::unix::fs::symlink("../src", home.directory("project/docs").join("link")).unwrap();
    let paths =
        ["docs/a.md", "docs/law/a.md", "docs/plan.md", "docs/link/a.rs", "src/a.rs", "CLAUDE.md", "vendor/a"];
    let commands = paths.iter().map(|path| format!("doctor --path {path}"));
    let commands: Vec<_> = commands.chain(["doctor codex --path vendor/a".to_owned()]).collect();
    assert_snapshot!(home.prints(&commands));
}

/// The doctor gives the answer of the hook, from the file on disk and from the running companion.
#[tokio::test]
async fn the_doctor_says_what_becomes_of_a_file_as_it_is() {
    let home = Home::with_settings("[reviews]\nrules = [{ path = \"**\", then = \"accept\" }]\n");
    home.directory("project/.git");
    home.file("crlf.txt", "a\r\n");
    home.file("latin.txt", "");
    std::fs::write(home.project.join("latin.txt"), b"\xe9\n").unwrap();
    home.file("one.txt", "x\n");
    std::fs::hard_link(home.project.join("one.txt"), home.project.join("other.txt")).unwrap();
    std::fs::write(home.path("outside.txt"), "x\n").unwrap();
    home.file("nested/.alongside.toml", "[[reviews.rules]]\npath = \"*.md\"\nthen = \"ask\"\n");
    home.directory("project/nested/.git");
    let _desk = home.serving().await;
    let mut said = String::new();
    for file in ["a.txt", "crlf.txt", "latin.txt", "other.txt", "../outside.txt", "nested/a.md"] {
        said += &home.prints(&[&format!("doctor --path {file}")]);
    }
    said += &home.prints(&["doctor codex gemini --json --path ../outside.txt"]);
    // The running companion keeps its settings after their file has changed.
    home.settings("[reviews]\nenabled = false\n");
    let settings = std::fs::File::options().write(true).open(home.path("home/.config/alongside/config.toml"));
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(60);
    settings.unwrap().set_modified(later).unwrap();
    said += &home.prints(&["doctor --path a.txt"]);
    assert_snapshot!(said);
}

#[test]
fn a_broken_rule_is_named_with_its_line_and_accepts_nothing() {
    let (home, mut said) = (Home::new(), String::new());
    for rules in [
        "rules = [{ path = \"docs/**\", then = \"acept\" }]",
        "rules = [\n  { path = \"a{\", then = \"accept\" },\n]",
        "rules = [{ path = \"docs\" }]",
        "rules = [{ then = \"accept\" }]",
        "rules = [{ path = \"docs\", agents = \"codex\", then = \"accept\" }]",
        "rules = [{ path = \"docs\", agent = \"claud\", then = \"accept\" }]",
        "rules = [{ path = \"docs\", kind = \"write\", then = \"accept\" }]",
        "rules = [{ path = \"docs\", kind = [], then = \"accept\" }]",
        "rules = \"docs\"",
        "rules = [{ path = \"secret/[a\", then = \"ask\" }]",
        "rules = [\n  { path = \"a\", then = \"accept\" },\n  { path = \"/usr/bin/**\", then = \"ask\" },\n]",
        "rules = [{ path = \"C:/Users/me/**\", then = \"ask\" }]",
    ] {
        home.settings(&format!("[reviews]\n{rules}\n"));
        said += &home.prints(&["review"]);
    }
    assert_snapshot!(said);
}
