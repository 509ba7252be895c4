//! Idle processes: they wake only to keep the streams of agents alive.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use rustix::fs::inotify::{self, CreateFlags};
use serde_json::json;

use crate::editor::{Editor, Process};
use crate::support::{DEADLINE, Home, until};

/// Returns how often each thread of these processes has gone to sleep, and so has woken.
fn sleeps(pids: &[u32]) -> HashMap<String, String> {
    let threads = pids.iter().flat_map(|pid| std::fs::read_dir(format!("/proc/{pid}/task")).unwrap());
    let counted =
        |status: String| Some(status.lines().find(|line| line.starts_with("voluntary"))?.to_owned());
    threads
        .filter_map(|thread| {
            let path = thread.ok()?.path().join("status");
            // A thread may have ended since the directory was read.
            Some((path.display().to_string(), counted(std::fs::read_to_string(path).ok()?)?))
        })
        .collect()
}

/// Returns the number of inotify instances of a process.
fn watches(pid: u32) -> usize {
    let open = std::fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
    let links = open.filter_map(|file| std::fs::read_link(file.path()).ok());
    links.filter(|link| link.to_string_lossy().contains("inotify")).count()
}

/// Waits until no thread of these processes has woken for this time. The last action of the test may wake
/// them once.
async fn assert_no_wakeup(pids: &[u32], quiet: Duration) {
    let patience = DEADLINE + 3 * quiet;
    let (mut end, mut since, mut before) = (Instant::now() + patience, Instant::now(), sleeps(pids));
    while since.elapsed() < quiet {
        tokio::time::sleep(Duration::from_millis(200)).await;
        let now = sleeps(pids);
        if now != before {
            // Other programs of this user hold all inotify instances, and the processes poll until one is
            // free.
            if inotify::init(CreateFlags::CLOEXEC).is_err() {
                end = Instant::now() + patience;
            }
            let watches = || pids.iter().map(|pid| watches(*pid)).collect::<Vec<_>>();
            assert!(
                Instant::now() < end,
                "a thread keeps waking: {before:?}, then {now:?}; without a watch a process polls, and these \
                 hold so many: {:?}",
                watches()
            );
            (since, before) = (Instant::now(), now);
        }
    }
}

/// Waits for the host of a desk. Returns both process IDs.
async fn with_its_host(home: &Home, desk: u32) -> [u32; 2] {
    [desk, until("a host", || home.hosts().first().map(|host| host.0)).await]
}

/// Returns an editor that has reported an open file.
fn editor(home: &Home, process: &Process) -> Editor {
    let file = home.file("src/a.txt", "a\n");
    let mut editor = Editor::with_plugin(home, process, &[&home.project]);
    editor.says("alongside/didChangeContext", json!({"active": {"path": file}}));
    editor
}

/// The three parts run at the same time, because each waits for seconds.
#[tokio::test]
async fn idle_processes_do_not_wake() {
    tokio::join!(
        server_and_host_do_not_wake_without_an_agent(),
        server_and_host_do_not_wake_between_keep_alives(),
        an_idle_desk_does_not_wake()
    );
}

async fn server_and_host_do_not_wake_without_an_agent() {
    let (home, process) = (Home::new(), Process::open());
    let editor = editor(&home, &process);
    // The time is longer than any interval at which the program has ever polled.
    assert_no_wakeup(&with_its_host(&home, editor.server()).await, Duration::from_secs(12)).await;
}

async fn server_and_host_do_not_wake_between_keep_alives() {
    let (home, process) = (Home::new(), Process::open());
    let editor = editor(&home, &process);
    let _agent = home.agent().await;
    // Keep-alives come every 15 s, and the processes may not wake every few seconds.
    assert_no_wakeup(&with_its_host(&home, editor.server()).await, Duration::from_secs(4)).await;
}

async fn an_idle_desk_does_not_wake() {
    let home = Home::new();
    let desk = home.review(&[]);
    assert_no_wakeup(&with_its_host(&home, desk.pid()).await, Duration::from_secs(12)).await;
}
