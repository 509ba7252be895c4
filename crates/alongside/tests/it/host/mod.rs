//! The host of a project as a real process: its start, its desks, crashes and its end. Unit tests cover the
//! rules of its lifecycle.

mod control;
mod crashes;
mod editors;

use alongside_desk::socket::{ClientInfo, EditorProcess, Hello, Options, PROTOCOL, Role, Terms};
use insta::assert_snapshot;
use tokio::net::UnixStream;

use crate::editor::{Editor, Process};
use crate::support::{Home, files_below, finish, mode_of, propose, serving, set_mode, until};

/// Returns the first message of a desk.
fn hello(editor: Option<EditorProcess>) -> Hello {
    let terms = Terms { protocol: PROTOCOL, role: Role::Desk, editor, roots: Vec::new(), ..Terms::default() };
    Hello {
        process_id: Some(std::process::id()),
        client_info: ClientInfo { name: "test".into(), version: "1".into() },
        initialization_options: Options { alongside: terms },
    }
}

/// Connects to the host of a home.
async fn dial(home: &Home) -> UnixStream {
    let (_, name) = until("a host", || home.hosts().into_iter().next()).await;
    UnixStream::connect(home.path(&format!("run/alongside/{name}.sock"))).await.unwrap()
}

/// Whether the process has ended, though its parent may not have waited for it.
fn is_dead(pid: u32) -> bool {
    match std::fs::read_to_string(format!("/proc/{pid}/stat")) {
        Ok(stat) => stat.rsplit(") ").next().is_some_and(|state| state.starts_with('Z')),
        Err(_) => true,
    }
}

#[tokio::test]
async fn desks_that_start_at_once_share_one_host() {
    let home = Home::new();
    let mut desks: Vec<_> = (0..6).map(|_| home.review(&[])).collect();
    for desk in &mut desks {
        desk.shows("alongside serves").await;
    }
    assert_eq!(home.hosts().len(), 1);
    let host = home.hosts()[0].0;
    for desk in &mut desks {
        desk.leaves();
    }
    until("the host to end", || is_dead(host).then_some(())).await;
    assert_eq!(home.hosts(), []);
}

#[tokio::test]
async fn a_desk_joins_the_host_focused_last_or_the_chosen_one() {
    let home = Home::new();
    let [one, two] =
        ["one", "two"].map(|name| home.directory(&format!("project/{name}")).display().to_string());
    let mut first = home.review(&["one"]);
    first.shows(&format!("alongside serves {one} ")).await;
    let (chosen, _) = home.hosts()[0];
    let mut second = home.review(&["two"]);
    second.shows(&format!("alongside serves {two} ")).await;
    until("the person to have turned to each host", || {
        home.host_entries().all(|entry| entry["focusedAt"].as_u64() > Some(0)).then_some(())
    })
    .await;
    let mut above = home.review(&[]);
    above.shows(&format!("alongside serves {two} and {} ", home.project.display())).await;
    let mut asked = home.review(&["two", "--host", &chosen.to_string()]);
    asked.shows(&format!("alongside serves {one} ")).await;
    assert_eq!(home.hosts().len(), 2);
    assert_snapshot!(home.prints(&["review --host nonsense"]), @r#"
    $ alongside review --host nonsense
    --- errors:
    alongside: there is no host "nonsense"
      hint: `alongside status` lists the hosts and their processes
    --- exit code 1
    "#);
}

#[tokio::test]
async fn the_socket_directory_is_private_and_owned_by_the_user() {
    use std::os::unix::fs::symlink;
    let (home, _desk) = serving().await;
    assert_eq!(mode_of(home.path("run/alongside")), 0o700);

    // In a shared temporary directory, another user may have created the directory first.
    let home = Home::new();
    let elsewhere = home.directory("elsewhere");
    set_mode(&elsewhere, 0o777);
    let uid = rustix::process::geteuid().as_raw();
    let made = home.path(&format!("tmp/alongside-{uid}"));
    symlink(&elsewhere, &made).unwrap();
    let mut command = home.alongside(&["review"]);
    let output = finish(command.env("ALONGSIDE_RUNTIME_DIR", &made));
    assert_snapshot!(home.stable(output), @"
    --- errors:
    alongside: cannot make the private directory [TMP]/alongside-[UID]: [TMP]/alongside-[UID] is a
      ↪ symbolic link, and somebody else may have put it there
      hint: set ALONGSIDE_RUNTIME_DIR to a private directory of yours, whose path is short
    --- exit code 1
    ");
    assert_eq!(files_below(&elsewhere), Vec::<std::path::PathBuf>::new());
}

#[tokio::test]
async fn without_a_terminal_the_desk_names_alternatives() {
    let home = Home::new();
    let refused = home.stable(home.run(&[]));
    assert_eq!(home.stable(home.run(&[home.project.to_str().unwrap()])), refused);
    assert_snapshot!(refused, @"
    --- errors:
    alongside: the desk needs a terminal that it can draw on
      hint: use `alongside review` to review line by line (--json in scripts), or `alongside status`
      ↪ to see what runs
    --- exit code 2
    ");
    assert_eq!(home.hosts(), [], "nothing was started");
    let mut dumb = home.at_terminal(&[]);
    dumb.shows("the desk needs a terminal that it can draw on").await;
    assert_eq!(dumb.ends().code(), Some(2));
    assert_snapshot!(home.prints(&["--theme dark review"]));
}

#[test]
fn a_mistyped_command_is_named() {
    let home = Home::new();
    let mistyped = home.prints(&["doctro", "doctro gemini"]);
    // If there is a directory of that name, it is the project. A word that resembles no command is taken for
    // a directory.
    home.directory("project/doctro");
    assert_snapshot!(mistyped + &home.prints(&["doctro", "web"]));
}

/// Returns the private memory of a process in MiB.
#[cfg(target_os = "linux")]
fn own_memory(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() / 1024
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn host_and_server_free_the_memory_of_a_large_proposal() {
    let (home, file) = Home::with_file("a.txt", "a\n");
    let process = Process::open();
    let mut editor = Editor::with_plugin(&home, &process, &[&home.project]);
    let agent = home.agent().await;
    let large = "a line of a large file\n".repeat(450_000);
    let diff = propose(&agent, &file, &large).await;
    editor.hears("alongside/didOpenReview", |_| true);
    agent.close_diff(&file, true).await.unwrap();
    editor.hears("alongside/didCloseReview", |_| true);
    drop(diff);
    // The host keeps the text of 10 MiB, for an agent that closes its diff twice.
    for (name, pid, most) in [("the host", home.hosts()[0].0, 18), ("the server", editor.server(), 8)] {
        until(&format!("the memory of {name}"), || (own_memory(pid) < most).then_some(())).await;
    }
}

#[tokio::test]
async fn a_project_path_that_is_not_utf8_is_refused() {
    use std::os::unix::ffi::OsStrExt as _;
    let home = Home::new();
    let project = home.project.join(std::ffi::OsStr::from_bytes(b"pr\xffject"));
    std::fs::create_dir(&project).unwrap();
    let refused = finish(home.alongside(&["review"]).current_dir(&project));
    assert_snapshot!(home.stable(refused), @"
    --- errors:
    alongside: cannot start the companion: cannot use [PROJECT]/pr�ject as a workspace: its path is
      ↪ not UTF-8, which agents cannot be told: rename it, or open a link to it
    --- exit code 1
    ");
    assert_eq!(home.hosts(), []);
    // Nor does a host without an entry remain.
    until("every process to end", || home.processes().is_empty().then_some(())).await;
    let config = home.path("home").join(std::ffi::OsStr::from_bytes(b"s\xff.toml"));
    std::fs::write(&config, "").unwrap();
    assert_snapshot!(home.stable(finish(home.alongside(&["review", "--config"]).arg(&config))), @"
    --- errors:
    alongside: the path [HOME]/s�.toml is not UTF-8
      hint: give that file another name
    --- exit code 1
    ");
}
