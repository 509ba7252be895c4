//! The effects of settings: where agents find the companion, which files it tells them of, and which agents
//! it serves.

use alongside_agent::find::{self, Surroundings};
use alongside_agent::{Endpoint, Identity, Session};
use serde_json::json;

use crate::editor::Editor;
use crate::support::{Home, finish, found, mode_of, soon, until};

/// Returns the port of the companion that Gemini CLI finds from the project with this temporary directory.
async fn found_in(home: &Home, tmp: &str) -> u16 {
    let here = Surroundings { tmp: home.path(tmp), ..home.surroundings() };
    until(&format!("a companion to be found in {tmp}"), || found("gemini", &here)).await.record.port
}

#[tokio::test]
async fn discovery_tmp_adds_a_temporary_directory() {
    let home = Home::new();
    home.directory("other");
    home.settings(&format!("[discovery]\ntmp = ['{}']\n", home.path("other").display()));
    let mut desk = home.review(&[]);
    assert_eq!(found_in(&home, "tmp").await, found_in(&home, "other").await);
    desk.leaves();
    let here = Surroundings { tmp: home.path("other"), ..home.surroundings() };
    until("the files to go", || find::all_records(&here).is_empty().then_some(())).await;
}

#[tokio::test]
async fn the_temporary_directory_is_tmpdir_then_tmp_then_temp() {
    for (set, expected) in [
        (&[("TMP", "one"), ("TEMP", "two")][..], "one"),
        (&[("TMPDIR", ""), ("TEMP", "two")], "two"),
        (&[("TMPDIR", "three/"), ("TMP", "one")], "three"),
    ] {
        let home = Home::new();
        ["one", "two", "three"].iter().for_each(|name| std::fs::create_dir(home.path(name)).unwrap());
        let mut command = home.alongside(&["review"]);
        command.env_remove("TMPDIR");
        for (name, value) in set {
            let empty = value.is_empty();
            command.env(name, if empty { "".into() } else { format!("{}/{value}", home.path("").display()) });
        }
        let _desk = home.start(&mut command);
        found_in(&home, expected).await;
        assert!(!home.path("tmp/gemini").exists());
    }
}

#[tokio::test]
async fn without_aliases_only_the_own_process_is_published() {
    for (aliases, fits) in [(true, (|files| files > 1) as fn(usize) -> bool), (false, |files| files == 1)] {
        let home = Home::with_settings(&format!("[discovery]\naliases = {aliases}\n"));
        let mut desk = home.review(&[]);
        // At this point, the companion has written every discovery file.
        desk.shows("alongside serves").await;
        let names = std::fs::read_dir(home.path("tmp/gemini/ide")).unwrap();
        let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let names: Vec<_> = names.filter(|name| name.starts_with("gemini-ide-server-")).collect();
        assert!(fits(names.len()), "aliases = {aliases}: {names:?}");
        let own = format!("gemini-ide-server-{}-", desk.pid());
        assert!(names.iter().any(|name| name.starts_with(&own)), "{own} in {names:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn git_ignored_files_are_told_only_if_set() {
    for (include, told) in [(false, vec!["a.txt"]), (true, vec!["a.log", "a.txt"])] {
        let home = Home::with_settings(&format!("[context]\ninclude-git-ignored = {include}\n"));
        std::fs::create_dir(home.project.join(".git")).unwrap();
        home.file(".gitignore", "*.log\n");
        let files = ["a.log", "a.txt"].map(|name| json!({ "path": home.file(name, "") }));
        let (_process, mut editor) = Editor::opened(&home);
        editor.says("alongside/didChangeContext", json!({ "openFiles": files }));
        let status = editor.hears("alongside/didChangeStatus", |status| status["context"] != json!([]));
        let names = status["context"].as_array().unwrap().iter().map(|file| file["path"].as_str().unwrap());
        let names: Vec<_> = names.map(|path| path.rsplit('/').next().unwrap()).collect();
        assert_eq!(names, told, "include-git-ignored = {include}");
        editor.quits();
    }
}

#[tokio::test]
async fn tokenless_agents_are_served_only_if_set() {
    for allowed in [false, true] {
        let home = Home::new();
        if allowed {
            home.settings("[server]\nallow-tokenless-agents = true\n");
        }
        let _desk = home.review(&[]);
        let port = found_in(&home, "tmp").await;
        let who = || Identity::new("gemini-cli-mcp-client", "0.4.0");
        let connecting = Session::connect(Endpoint::local(port), None, who());
        assert_eq!(soon("an answer", connecting).await.is_ok(), allowed);
        let wrong = Session::connect(Endpoint::local(port), Some("wrong"), who());
        assert!(soon("an answer", wrong).await.is_err(), "a wrong token is none");
    }
}

#[tokio::test]
async fn an_agents_name_is_harmless_in_desk_status_and_log() {
    const NAME: &str = "evil\u{1b}[2J\u{1b}]0;title\u{7}\u{202e}eman\u{2066}\r\nAccept: yes\u{9b}31m";
    let home = Home::new();
    let (file, log) = (home.file("a.txt", "a\n"), home.path("home/log"));
    let mut desk = home.start(&mut home.alongside(&["review", "--log", log.to_str().unwrap()]));
    let port = found_in(&home, "tmp").await;
    let token = home.record().auth_token.unwrap();
    // An agent whose token names no family is shown under its own name for itself.
    let token = alongside_contract::token::split(&token).0.to_owned();
    let who = Identity::new(NAME, "1\u{1b}[31m\u{202e}");
    let connecting = Session::connect(Endpoint::local(port), Some(&token), who);
    let agent = soon("an answer", connecting).await.unwrap();
    let _diff = crate::support::propose(&agent, &file, "A\n").await;
    desk.shows("(1/1) keep").await;
    desk.types_and_shows("l", "Agents connected: ").await;
    desk.shows("[y,n,s").await;
    let status = finish(home.alongside(&["status"]));
    // The host writes lines to its log up to a second later.
    let logged = || Some(std::fs::read_to_string(&log).unwrap()).filter(|text| text.contains("evil"));
    let shown =
        [("the desk", desk.out.text()), ("status", status.out), ("the log", until("the log", logged).await)];
    for (who, text) in shown {
        assert!(text.contains("evil"), "{who}: {text:?}");
        assert!(!text.contains("\nAccept"), "{who}: {text:?}");
        let acts = |c: char| (c.is_control() && c != '\n') || "\u{202e}\u{2066}".contains(c);
        assert!(!text.chars().any(acts), "{who}: {text:?}");
    }
    assert_eq!(mode_of(&log), 0o600);
}
