//! Processes without free descriptors, and suspended processes: they do not poll in a loop, lose nothing, and
//! continue afterwards.

use std::time::Duration;

use alongside_agent::Outcome;
use insta::assert_snapshot;
use rustix::process::Signal;

use crate::support::{Home, accepted, files_below, finish, proposed, send, soon, until};

/// The limit of descriptors that leaves only the standard ones, so that no file can be opened.
const NO_FILES: usize = 3;

/// Sets the soft limit of a process's descriptors. The test can raise it again, because the hard limit stays.
fn allow_files(home: &Home, pid: u32, limit: usize) {
    let said =
        home.command("prlimit").args(["--pid", &pid.to_string(), &format!("--nofile={limit}:")]).output();
    assert!(said.unwrap().status.success());
}

/// Returns the CPU time of a process, in ticks of 10 ms.
fn computed(pid: u32) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let fields: Vec<&str> = stat.rsplit(") ").next().unwrap().split(' ').collect();
    fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
}

#[tokio::test]
async fn a_host_without_descriptors_serves_its_desks() {
    let home = Home::new();
    let (mut desk, _agent, diff) = home
        .proposal(&home.file("a.txt", "a\n"), "A\n", home.review_with_editor("sed -i s/A/precious/"))
        .await;
    desk.shows("(1/1) keep").await;
    let host = home.hosts_pid().unwrap();
    allow_files(&home, host, NO_FILES);
    desk.types_and_shows("e", "could not be saved in").await;
    // The host cannot accept this connection.
    let mut second = home.review(&[]);
    let (before, began) = (computed(host), std::time::Instant::now());
    tokio::time::sleep(Duration::from_secs(2)).await;
    let share = u128::from(computed(host) - before) * 10 * 100 / began.elapsed().as_millis();
    assert!(share < 50, "it spins: {share} % of a core");
    allow_files(&home, host, 1024);
    second.shows("+precious").await;
    desk.shows("are saved now").await;
    second.types("a");
    assert_eq!(soon("the outcome", diff.outcome()).await, accepted("precious\n"));
}

#[tokio::test]
async fn a_desk_without_descriptors_restarts_its_host_later() {
    let (home, mut desk, _agent, diff) = proposed("a.txt", "a\n", "A\n").await;
    desk.shows("(1/1) keep").await;
    let pid = desk.pid();
    allow_files(&home, pid, NO_FILES);
    home.kill_hosts();
    desk.shows("the companion was interrupted").await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    allow_files(&home, pid, 1024);
    desk.shows("its open reviews are rejected").await;
    assert_eq!(soon("the outcome", diff.outcome()).await, Outcome::Rejected);
}

#[tokio::test]
async fn a_suspended_host_postpones_its_deadlines() {
    let (home, mut desk, _agent, diff) = proposed("a.txt", "a\n", "A\n").await;
    desk.shows("(1/1) keep").await;
    let host = home.hosts_pid().unwrap();
    // A desk whose connection ends has 30 s to come back. The host adds the time of its suspension.
    send(host, Signal::STOP);
    desk.signal(Signal::KILL);
    desk.ends();
    // The time is longer than the pause that the host treats as a suspension.
    tokio::time::sleep(Duration::from_secs(6)).await;
    send(host, Signal::CONT);
    let mut next = home.review(&[]);
    next.answers("(1/1) keep", "a").await;
    assert_eq!(soon("the outcome", diff.outcome()).await, accepted("A\n"));
    assert_eq!(home.hosts_pid(), Some(host));
    until("the host to log it", || {
        // The host creates its log with the first lines, up to a second after the start.
        let log = files_below(home.path("home/.local/state/alongside/log"));
        let said = log.iter().filter_map(|file| std::fs::read_to_string(file).ok()).collect::<String>();
        said.contains("the process or the machine was suspended").then_some(())
    })
    .await;
}

#[tokio::test]
async fn ctrl_c_ends_a_desk_whose_host_freezes_before_its_reply() {
    let (home, mut desk, _agent, _diff) = proposed("a.txt", "a\n", "A\n").await;
    desk.shows("(1/1) keep").await;
    let host = home.hosts_pid().unwrap();
    send(host, Signal::STOP);
    // The desk repeats the line of a pipe right before the request.
    desk.types_and_shows("n", "]? n\n").await;
    desk.signal(Signal::INT);
    assert_eq!(desk.ends().code(), Some(130));
    send(host, Signal::KILL);
}

#[tokio::test]
async fn a_frozen_host_blocks_nobody() {
    let home = Home::new();
    let mut desk = home.review(&[]);
    desk.shows("Waiting for proposals").await;
    let host = home.hosts_pid().unwrap();
    send(host, Signal::STOP);
    let mut next = home.start(&mut home.alongside(&["review"]));
    let listens = format!("/proc/{}/status", next.pid());
    until("the desk to listen to signals", || {
        let status = std::fs::read_to_string(&listens).ok()?;
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"))?;
        // SIGHUP is the last signal for which the desk installs a handler.
        let hangup = 1 << (Signal::HUP.as_raw() - 1);
        (u64::from_str_radix(caught.trim(), 16).ok()? & hangup != 0).then_some(())
    })
    .await;
    // The commands run at the same time, because each of them waits for some seconds.
    let stop = home.alongside(&["host", "--stop"]);
    let refused = std::thread::spawn(|| finish(stop));
    for left in [&next, &desk] {
        left.signal(Signal::TERM);
    }
    for left in [&mut next, &mut desk] {
        assert_eq!(left.ends().code(), Some(143));
    }
    home.name_number("process ", host, "HOST");
    assert_snapshot!(home.stable(refused.join().unwrap()), @"
    --- errors:
    alongside: the host [HOST] (process [HOST]) has not answered for 20 s
      hint: continue it with `kill -CONT` if it is stopped; else end it with `kill -KILL`, and the
      ↪ next host frees the agents that wait
    --- exit code 1
    ");
    send(host, Signal::KILL);
}
