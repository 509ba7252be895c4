//! The host of a project: who starts it, who joins it, what it survives, and when it ends. The rules of its
//! life have tests of their own beside them; here they are seen at work on real processes.

use std::process::Stdio;

use alongside_agent::{Outcome, find};
use alongside_desk::socket::{
    ClientInfo, Hello, JoinError, Joined, Mismatch, Options, Owner, PROTOCOL, Role, Terms, join,
};
use alongside_desk::{Change, Closing, Decision, Event, Request, Review};
use rustix::process::Signal;
use tokio::net::{UnixListener, UnixStream};

use crate::editor::Process as Editor;
use crate::support::{Home, files_below, propose, soon, until};

fn hello(owner: Option<Owner>) -> Hello {
    let terms = Terms { protocol: PROTOCOL, role: Role::Desk, owner };
    Hello {
        process_id: Some(std::process::id()),
        client_info: ClientInfo { name: "test".into(), version: "1".into() },
        initialization_options: Options { alongside: terms },
    }
}

async fn dial(home: &Home) -> UnixStream {
    let (_, name) = until("a host", || home.hosts().into_iter().next()).await;
    UnixStream::connect(home.path(&format!("run/alongside/{name}.sock"))).await.unwrap()
}

async fn join_as(home: &Home, owner: Option<Owner>) -> Joined {
    soon("joining", join(dial(home).await, &hello(owner))).await.unwrap()
}

async fn opened(joined: &mut Joined) -> Review {
    let told = async {
        loop {
            if let Event::Opened(review) = joined.desk.next().await.unwrap() {
                return review;
            }
        }
    };
    soon("the review", told).await
}

async fn closing(joined: &mut Joined) -> Closing {
    let told = async {
        loop {
            if let Event::Closed(closed) = joined.desk.next().await.unwrap() {
                return closed.closing;
            }
        }
    };
    soon("the end of the review", told).await
}

/// Whether agents find the companion under this process.
fn is_found_as(home: &Home, pid: u32) -> bool {
    let name = format!("gemini-ide-server-{pid}-");
    files_below(&home.path("tmp")).iter().any(|file| file.to_string_lossy().contains(&name))
}

/// Whether this is the host of so many desks.
fn has_desks(home: &Home, host: u32, desks: u64) -> bool {
    let status = home.run(&["status", "--json"]).stdout;
    let status: serde_json::Value = serde_json::from_slice(&status).unwrap_or_default();
    let companions = status["companions"].as_array().cloned().unwrap_or_default();
    companions.iter().any(|one| one["pid"] == host && one["desks"] == desks)
}

fn port(home: &Home) -> u16 {
    find::all_records(&home.surroundings())[0].1.port
}

#[tokio::test]
async fn those_who_start_at_once_end_up_with_one_host() {
    let home = Home::new();
    let mut desks: Vec<_> = (0..6).map(|_| home.review(&[])).collect();
    for desk in &mut desks {
        desk.shows("alongside serves").await;
    }
    assert_eq!(home.hosts().len(), 1);
    let host = home.hosts()[0].0;
    for desk in &mut desks {
        desk.types("q");
        assert_eq!(desk.ends().code(), Some(0));
    }
    until("the host to end", || is_dead(host).then_some(())).await;
    assert_eq!(home.hosts(), []);
}

/// Whether there is no such process, or only what the system remembers of it.
fn is_dead(pid: u32) -> bool {
    match std::fs::read_to_string(format!("/proc/{pid}/stat")) {
        Ok(stat) => stat.rsplit(") ").next().is_some_and(|state| state.starts_with('Z')),
        Err(_) => true,
    }
}

#[tokio::test]
async fn a_desk_killed_in_mid_edit_and_then_the_host_lose_nothing_and_wedge_nobody() {
    let home = Home::new();
    let file = home.file("a.txt", "a\n");
    let mut first = home.start(home.alongside(&["review"]).env("EDITOR", "sed -i s/A/precious/"));
    let agent = home.agent().await;
    let diff = propose(&agent, &file, "A\n").await;
    first.answers("(1/1) keep", "e").await;
    first.shows("+precious").await;
    first.signal(Signal::KILL);
    first.ends();
    // The edit is there for whoever comes next.
    let mut second = home.review(&[]);
    second.shows("+precious").await;
    home.kill_hosts();
    second.shows("a.txt: rejected, because the companion was interrupted.").await;
    assert_eq!(soon("the outcome", diff.outcome()).await, Outcome::Rejected);
    let drafts = String::from_utf8(home.run(&["drafts"]).stdout).unwrap();
    assert!(drafts.contains("a.txt"), "{drafts}");
    let kept = files_below(&home.path("home/.local/state/alongside/drafts"));
    let texts: Vec<_> = kept.iter().filter_map(|path| std::fs::read_to_string(path).ok()).collect();
    assert!(texts.contains(&"precious\n".to_owned()), "{texts:?}");
}

#[tokio::test]
async fn a_host_that_crashes_again_and_again_is_given_up() {
    let home = Home::new();
    let mut desk = home.review(&[]);
    desk.shows("alongside serves").await;
    let mut killed = Vec::new();
    for _ in 0..6 {
        let host = until("the next host", || {
            home.hosts().into_iter().map(|(pid, _)| pid).find(|pid| !killed.contains(pid) && !is_dead(*pid))
        })
        .await;
        // It is one when it has let the desk in.
        until("the host to let the desk in", || has_desks(&home, host, 1).then_some(())).await;
        killed.push(host);
        home.kill_hosts();
    }
    desk.shows("the companion crashes again and again").await;
    assert_eq!(desk.ends().code(), Some(1));
}

#[tokio::test]
async fn a_port_that_is_lost_is_said_with_the_agents_it_was_lost_for() {
    let home = Home::new();
    let mut desk = home.review(&[]);
    let _agent = home.agent().await;
    desk.shows("Gemini CLI is connected.").await;
    let port = port(&home);
    // A desk that lives holds it.
    desk.signal(Signal::KILL);
    desk.ends();
    home.kill_hosts();
    let _thief = until("the port to be free", || std::net::TcpListener::bind(("127.0.0.1", port)).ok()).await;
    let mut desk = home.review(&[]);
    let said = desk.shows(&port.to_string()).await + &desk.shows("/ide enable").await;
    assert!(said.contains("Gemini CLI"), "{said}");
    let now = until("new files", || {
        find::all_records(&home.surroundings())
            .into_iter()
            .map(|(_, record)| record.port)
            .find(|now| *now != port)
    });
    assert_ne!(now.await, port);
}

#[tokio::test]
async fn an_editor_takes_over_and_goes_and_the_desk_inherits() {
    let home = Home::new();
    let file = home.file("a.txt", "a\n");
    let mut desk = home.review(&[]);
    let agent = home.agent().await;
    let desk_pid = desk.pid();
    assert!(is_found_as(&home, desk_pid));
    let mut editor = Editor::open();
    let pid = editor.pid();
    let mut relay = join_as(&home, Some(editor.owner())).await;
    until("the editor's files", || (is_found_as(&home, pid) && !is_found_as(&home, desk_pid)).then_some(()))
        .await;
    let diff = propose(&agent, &file, "A\n").await;
    let review = opened(&mut relay).await;
    let edit = vec![Change { range: None, text: "typed in the editor\n".into() }];
    relay.desk.request(Request::EditReview { id: review.id, revision: 1, changes: edit }).await.unwrap();
    desk.shows("+typed in the editor").await;
    // Its process ends before its connection does.
    editor.dies();
    assert_eq!(closing(&mut relay).await, Closing::EditorGone);
    desk.shows("a.txt: rejected, because the editor is gone. Your edits are in ").await;
    assert_eq!(soon("the outcome", diff.outcome()).await, Outcome::Rejected);
    until("the desk's files", || (is_found_as(&home, desk_pid) && !is_found_as(&home, pid)).then_some(()))
        .await;
}

#[tokio::test]
async fn an_editor_that_is_reopened_takes_over_what_came_in_between() {
    let home = Home::new();
    let file = home.file("a.txt", "a\n");
    let mut desk = home.review(&[]);
    let agent = home.agent().await;
    let port = port(&home);
    let editor = Editor::open();
    let relay = join_as(&home, Some(editor.owner())).await;
    desk.types("q");
    assert_eq!(desk.ends().code(), Some(0));
    until("the editor's files", || is_found_as(&home, editor.pid()).then_some(())).await;
    relay.desk.leave().await;
    until("the files to go", || find::all_records(&home.surroundings()).is_empty().then_some(())).await;
    let status = String::from_utf8(home.run(&["status"]).stdout).unwrap();
    assert!(status.contains("  waits for The Editor, which has ended\n"), "{status}");
    // The stream lives; what is proposed now waits.
    let diff = propose(&agent, &file, "A\n").await;
    let reopened = Editor::open();
    let mut relay = join_as(&home, Some(reopened.owner())).await;
    let review = opened(&mut relay).await;
    until("the files to be back", || is_found_as(&home, reopened.pid()).then_some(())).await;
    assert_eq!(self::port(&home), port);
    let accept =
        Request::DecideReview { id: review.id, revision: review.revision, decision: Decision::Accept };
    relay.desk.request(accept).await.unwrap();
    assert_eq!(soon("the outcome", diff.outcome()).await, Outcome::Accepted { content: "A\n".into() });
}

#[tokio::test]
async fn an_editors_host_is_joined_by_a_desk_of_the_project() {
    let home = Home::new();
    let mut desk = home.review(&[]);
    desk.shows("alongside serves").await;
    let editor = Editor::open();
    let _relay = join_as(&home, Some(editor.owner())).await;
    desk.types("q");
    desk.ends();
    let mut other = home.review(&[]);
    other.shows("alongside serves").await;
    assert_eq!(home.hosts().len(), 1);
}

#[tokio::test]
async fn of_several_hosts_the_one_turned_to_last_is_joined_and_another_can_be_chosen() {
    let home = Home::new();
    std::fs::create_dir(home.project.join("sub")).unwrap();
    let mut below = home.review(&["sub"]);
    let sub = home.project.join("sub").display().to_string();
    below.shows(&format!("alongside serves {sub} ")).await;
    let (chosen, _) = home.hosts()[0];
    let mut above = home.review(&[]);
    above.shows("alongside serves").await;
    let mut last = home.review(&["sub"]);
    let said = last.shows("(port ").await;
    assert!(!said.contains(&sub), "the project's was turned to last: {said}");
    let mut asked = home.review(&["sub", "--host", &chosen.to_string()]);
    asked.shows(&format!("alongside serves {sub} ")).await;
    let refused = home.run(&["review", "--host", "nonsense"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("there is no host \"nonsense\""));
}

#[tokio::test]
async fn a_host_hands_over_and_keeps_port_and_token() {
    let home = Home::new();
    let file = home.file("a.txt", "a\n");
    let mut desk = home.start(home.alongside(&["review"]).env("EDITOR", "sed -i s/A/precious/"));
    let agent = home.agent().await;
    let diff = propose(&agent, &file, "A\n").await;
    desk.answers("(1/1) keep", "e").await;
    desk.shows("+precious").await;
    let (before, records) = (home.hosts(), find::all_records(&home.surroundings()));
    let replaced = home.run(&["host", "--replace"]);
    assert_eq!(replaced.status.code(), Some(0), "{}", String::from_utf8_lossy(&replaced.stderr));
    let after = home.hosts();
    assert_eq!(after[0].1, before[0].1);
    assert_ne!(after[0].0, before[0].0);
    let now = find::all_records(&home.surroundings());
    assert_eq!((now[0].1.port, &now[0].1.auth_token), (records[0].1.port, &records[0].1.auth_token));
    desk.shows("replaced by a newer one").await;
    assert_eq!(soon("the outcome", diff.outcome()).await, Outcome::Rejected);
    let again = propose(&agent, &file, "B\n").await;
    desk.answers("(1/1) keep", "a").await;
    assert_eq!(soon("the outcome", again.outcome()).await, Outcome::Accepted { content: "B\n".into() });
    assert!(String::from_utf8_lossy(&home.run(&["drafts"]).stdout).contains("a.txt"));
}

#[tokio::test]
async fn a_host_can_be_stopped_by_name() {
    let home = Home::new();
    let file = home.file("a.txt", "a\n");
    let mut desk = home.review(&[]);
    let agent = home.agent().await;
    let diff = propose(&agent, &file, "A\n").await;
    desk.shows("(1/1) keep").await;
    let host = home.hosts()[0].0;
    let stopped = home.run(&["host", "--stop", &host.to_string()]);
    assert_eq!(stopped.status.code(), Some(0), "{}", String::from_utf8_lossy(&stopped.stderr));
    assert_eq!(soon("the outcome", diff.outcome()).await, Outcome::Rejected);
    assert_eq!(desk.ends().code(), Some(1));
    assert!(find::all_records(&home.surroundings()).is_empty());
    until("the host to end", || is_dead(host).then_some(())).await;
    let none = home.run(&["host", "--stop"]);
    assert!(String::from_utf8_lossy(&none.stderr).contains("no host serves"));
}

#[tokio::test]
async fn a_desk_of_another_protocol_is_told_what_to_do() {
    let home = Home::new();
    let mut desk = home.review(&[]);
    desk.shows("alongside serves").await;
    let mut newer = hello(None);
    newer.initialization_options.alongside.protocol = PROTOCOL + 1;
    let refused = soon("the refusal", join(dial(&home).await, &newer)).await;
    let Err(JoinError::Mismatch { message, host }) = refused else { panic!("{refused:?}") };
    assert!(message.contains("`alongside host --replace`"), "{message}");
    assert_eq!(host, Mismatch { protocol: PROTOCOL, version: env!("CARGO_PKG_VERSION").into() });
}

#[tokio::test]
async fn a_host_of_another_protocol_is_not_joined_nor_started_beside() {
    let home = Home::new();
    let directory = home.path("run/alongside");
    std::fs::create_dir(&directory).unwrap();
    std::fs::set_permissions(&directory, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    let entry = serde_json::json!({ "name": "old", "pid": 1, "version": "0.0.1", "roots": [home.project], "focusedAt": 1 });
    std::fs::write(directory.join("old.json"), entry.to_string()).unwrap();
    let listener = UnixListener::bind(directory.join("old.sock")).unwrap();
    let host = tokio::spawn(async move {
        use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut asked = Vec::new();
        let is_whole = |asked: &[u8]| {
            let asked = String::from_utf8_lossy(asked);
            let Some((head, body)) = asked.split_once("\r\n\r\n") else { return false };
            let length = head.split_once("Content-Length: ").and_then(|(_, length)| length.parse().ok());
            length.is_some_and(|length: usize| body.len() >= length)
        };
        while !is_whole(&asked) {
            assert!(stream.read_buf(&mut asked).await.unwrap() > 0);
        }
        let answer = serde_json::json!({ "jsonrpc": "2.0", "id": 0, "error": {
            "code": -32099, "message": "the old one's words", "data": { "protocol": 0, "version": "0.0.1" } } });
        let answer = answer.to_string();
        stream
            .write_all(format!("Content-Length: {}\r\n\r\n{answer}", answer.len()).as_bytes())
            .await
            .unwrap();
    });
    let refused = tokio::task::spawn_blocking(move || (home.run(&["review"]), home)).await.unwrap();
    host.await.unwrap();
    let (output, home) = refused;
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("alongside host --replace"), "the newer one names the command: {said}");
    assert!(said.contains("0.0.1"), "{said}");
    assert_eq!(home.hosts().len(), 1, "no other was started");
    std::fs::remove_dir_all(directory).unwrap();
}

#[tokio::test]
async fn the_directory_of_sockets_is_private_and_nobody_elses() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
    let home = Home::new();
    let mut desk = home.review(&[]);
    desk.shows("alongside serves").await;
    assert_eq!(home.path("run/alongside").metadata().unwrap().mode() & 0o777, 0o700);

    // Without a runtime directory it lies in the temporary one, where others could have made it before.
    let home = Home::new();
    let elsewhere = home.path("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    std::fs::set_permissions(&elsewhere, std::fs::Permissions::from_mode(0o777)).unwrap();
    let uid = rustix::process::geteuid().as_raw();
    symlink(&elsewhere, home.path(&format!("tmp/alongside-{uid}"))).unwrap();
    let mut command = home.alongside(&["review"]);
    let output = crate::support::finish(command.env_remove("XDG_RUNTIME_DIR").stdin(Stdio::null()));
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("is a symbolic link") && said.contains("XDG_RUNTIME_DIR"), "{said}");
    assert_eq!(files_below(&elsewhere), Vec::<std::path::PathBuf>::new());
}

#[tokio::test]
async fn run_keeps_the_host_after_the_last_desk_and_starts_it_again() {
    let home = Home::new();
    let mut ran = home.start(&mut home.alongside(&["run", "sh", "-c", "echo ready; read line"]));
    ran.shows("ready").await;
    let mut desk = home.review(&[]);
    desk.shows("alongside serves").await;
    desk.types("q");
    assert_eq!(desk.ends().code(), Some(0));
    let host = home.hosts()[0].0;
    assert!(!is_dead(host) && is_found_as(&home, ran.pid()));
    home.kill_hosts();
    let next = until("the next host", || {
        home.hosts().into_iter().map(|(pid, _)| pid).find(|pid| *pid != host && !is_dead(*pid))
    })
    .await;
    ran.types("enough");
    assert_eq!(ran.ends().code(), Some(0));
    until("it to end with the agent", || is_dead(next).then_some(())).await;
}

#[tokio::test]
async fn without_a_terminal_the_desk_names_what_works_instead() {
    let home = Home::new();
    for mut command in [home.alongside(&[]), home.alongside(&[home.project.to_str().unwrap()])] {
        let output = crate::support::finish(command.stdin(Stdio::null()));
        assert_eq!(output.status.code(), Some(2));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains("`alongside review`") && said.contains("`alongside status`"), "{said}");
    }
    assert_eq!(home.hosts(), [], "nothing was started");
    let mut dumb = home.at_terminal(&[]);
    dumb.shows("the desk needs a terminal that it can draw on").await;
    assert_eq!(dumb.ends().code(), Some(2));
    let misplaced = home.run(&["--theme", "dark", "review"]);
    assert_eq!(misplaced.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&misplaced.stderr).contains("precede a command"));
}

#[tokio::test]
async fn a_host_that_is_stopped_does_not_take_what_is_being_typed_with_it() {
    let home = Home::new();
    let file = home.file("a.txt", "a\n");
    let editor = "edit() { echo early > \"$1\"; echo open; \
                  while [ ! -e \"$HOME/go\" ]; do sleep 0.02; done; echo late > \"$1\"; }; edit";
    let mut desk = home.start(home.alongside(&["review"]).env("EDITOR", editor));
    let agent = home.agent().await;
    let diff = propose(&agent, &file, "A\n").await;
    desk.answers("(1/1) keep", "e").await;
    desk.shows("open").await;
    assert_eq!(home.run(&["host", "--stop"]).status.code(), Some(0));
    assert_eq!(soon("the outcome", diff.outcome()).await, Outcome::Rejected);
    std::fs::write(home.path("home/go"), "").unwrap();
    desk.shows("what you typed is in ").await;
    desk.shows("(see: alongside drafts)").await;
    desk.shows("The companion has stopped").await;
    assert_eq!(desk.ends().code(), Some(1));
    let kept = files_below(&home.path("home/.local/state/alongside/drafts"));
    let texts: Vec<_> = kept.iter().filter_map(|path| std::fs::read_to_string(path).ok()).collect();
    assert!(texts.contains(&"late\n".to_owned()), "{texts:?}");
    assert_eq!(home.run(&["host"]).status.code(), Some(1), "it has to be said what to do");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_host_is_started_so_that_it_gives_memory_back() {
    let home = Home::new();
    let mut desk = home.review(&[]);
    let _agent = home.agent().await;
    let (host, _) = home.hosts()[0];
    // As glibc reads it; the figures are those of `cargo xtask load`.
    let environment = std::fs::read(format!("/proc/{host}/environ")).unwrap();
    let is_set = |wanted: &str| environment.split(|byte| *byte == 0).any(|set| set == wanted.as_bytes());
    assert!(is_set("MALLOC_ARENA_MAX=2") && is_set("MALLOC_MMAP_THRESHOLD_=131072"));
    desk.signal(Signal::INT);
    desk.ends();
}

#[tokio::test]
async fn a_project_whose_path_is_no_text_is_refused_and_leaves_no_host() {
    use std::os::unix::ffi::OsStrExt as _;
    let home = Home::new();
    let project = home.project.join(std::ffi::OsStr::from_bytes(b"pr\xffject"));
    std::fs::create_dir(&project).unwrap();
    let refused = home.alongside(&["review"]).current_dir(&project).output().unwrap();
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(!refused.status.success());
    assert!(said.contains("its path is not UTF-8") && said.contains("rename it"), "{said}");
    assert_eq!(home.hosts(), []);
    // Nor one that nobody can find.
    until("every process to end", || crate::coming_back::everybody(&home).is_empty().then_some(())).await;
    let config = home.path("home").join(std::ffi::OsStr::from_bytes(b"s\xff.toml"));
    std::fs::write(&config, "").unwrap();
    let refused = home.alongside(&["review", "--config"]).arg(&config).output().unwrap();
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(said.contains("is not UTF-8") && said.contains("another name"), "{said}");
}
