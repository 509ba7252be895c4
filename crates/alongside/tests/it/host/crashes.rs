//! Hosts and desks that are killed.

use std::time::{Duration, Instant};

use alongside_agent::{Outcome, find};
use insta::assert_snapshot;
use rustix::process::{Pid, Signal, kill_process};

use super::is_dead;
use crate::hook::{decides, refused, write};
use crate::support::{DEADLINE, Home, serving, soon, until};

/// Whether a host has this number of desks.
fn has_desks(home: &Home, host: u32, desks: u64) -> bool {
    let status: serde_json::Value =
        serde_json::from_str(&home.run(&["status", "--json"]).out).unwrap_or_default();
    let companions = status["companions"].as_array().cloned().unwrap_or_default();
    companions.iter().any(|one| one["pid"] == host && one["desks"] == desks)
}

#[tokio::test]
async fn killing_desk_and_host_mid_edit_loses_nothing() {
    let home = Home::new();
    let (mut first, _agent, diff) = home
        .proposal(&home.file("a.txt", "a\n"), "A\n", home.review_with_editor("sed -i s/A/precious/"))
        .await;
    first.answers_and_shows("(1/1) keep", "e", "+precious").await;
    first.signal(Signal::KILL);
    first.ends();
    // The next desk shows the edit.
    let mut second = home.review(&[]);
    second.shows("+precious").await;
    let open = home.prints(&["drafts"]);
    home.kill_hosts();
    second.shows("a.txt: rejected, because the companion was interrupted.").await;
    assert_eq!(soon("the outcome", diff.outcome()).await, Outcome::Rejected);
    assert_snapshot!(open + &home.prints(&["drafts", "drafts show 1"]));
}

#[tokio::test]
async fn status_says_how_long_a_host_waits_for_a_killed_desk() {
    let (home, mut desk) = serving().await;
    let status = home.run(&["status"]).out;
    assert!(status.contains("  desks: 1 ") && !status.contains("waits"), "{status}");
    desk.signal(Signal::KILL);
    desk.ends();
    let waits = |status: &String| status.contains("waits");
    let status = until("the wait in the status", || Some(home.prints(&["status"])).filter(waits));
    assert_snapshot!(status.await);
    let json = home.run(&["status", "--json"]).json();
    assert!(json["companions"][0]["secondsLeft"].as_u64().is_some_and(|left| left <= 30), "{json}");
}

/// Returns the processes of a home that are hosts or starting hosts.
fn host_processes(home: &Home) -> Vec<Pid> {
    let is_host = |process: &Pid| {
        let line = std::fs::read(format!("/proc/{}/cmdline", process.as_raw_pid())).unwrap_or_default();
        line.split(|byte| *byte == 0).any(|word| word == b"--serve")
    };
    home.processes().into_iter().filter(is_host).collect()
}

/// Returns the session of a process if the session leader is visible. In a container, the leader may be a
/// process outside.
fn session(process: Pid) -> Option<Pid> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The fields after the name: state, parent, group, session.
    let session = stat.rsplit(')').next()?.split_whitespace().nth(3)?;
    Pid::from_raw(session.parse().ok()?)
}

/// Returns a home whose only desk was killed as soon as it had started a host, and the host, which is stopped
/// before a program can find it.
fn orphaned_at_its_start() -> (Home, Pid) {
    let end = Instant::now() + DEADLINE;
    loop {
        let home = Home::new();
        let mut desk = home.review(&[]);
        let host = loop {
            assert!(Instant::now() < end, "waited in vain for a host that is stopped in time");
            // If the host were in the process group of its desk, the end of the desk would hang it up.
            let has_left_the_group = |host: &Pid| session(*host) == Some(*host);
            if let Some(host) = host_processes(&home).into_iter().find(has_left_the_group) {
                break host;
            }
        };
        kill_process(host, Signal::STOP).unwrap();
        desk.signal(Signal::KILL);
        desk.ends();
        // Try again if the host has published itself before it was stopped.
        if home.host_entries().next().is_none() {
            return (home, host);
        }
    }
}

#[tokio::test]
async fn the_next_desk_joins_a_host_whose_desk_was_killed_at_start() {
    let (home, host) = orphaned_at_its_start();
    // The project of this desk lies in that of the host, and shares the host. A desk that did not wait for
    // the host would start one of another name at once.
    home.directory("project/inner");
    let mut desk = home.review(&["inner"]);
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(host_processes(&home), [host]);
    kill_process(host, Signal::CONT).unwrap();
    desk.shows("alongside serves").await;
    let pids: Vec<_> = home.hosts().into_iter().map(|(pid, _)| pid).collect();
    assert_eq!(pids, [host.as_raw_pid().cast_unsigned()]);
    desk.leaves();
    until("the host to end with its last desk", || is_dead(pids[0]).then_some(())).await;
}

#[tokio::test]
async fn a_host_that_keeps_crashing_is_given_up() {
    let (home, mut desk) = serving().await;
    let mut killed = Vec::new();
    for _ in 0..6 {
        let host = until("the next host", || {
            home.hosts().into_iter().map(|(pid, _)| pid).find(|pid| !killed.contains(pid) && !is_dead(*pid))
        })
        .await;
        // A crash counts only if the desk had joined the host.
        until("the host to let the desk in", || has_desks(&home, host, 1).then_some(())).await;
        killed.push(host);
        home.kill_hosts();
    }
    desk.shows("the companion crashes again and again").await;
    assert_eq!(desk.ends().code(), Some(1));
}

/// The first desk to come back may leave before the others do. If it is the only one with the project of a
/// hook, that hook would find no host and let its change through.
#[tokio::test]
async fn a_restarted_host_waits_for_the_desks_of_the_killed_one() {
    let home = Home::new();
    home.directory("project/inner");
    let file = home.file("a.txt", "a\n");
    let mut first = home.review(&["inner"]);
    first.shows("alongside serves").await;
    // The project of this desk contains the other one.
    let mut second = home.serving().await;
    let killed = home.hosts()[0].0;
    second.signal(Signal::STOP);
    home.kill_hosts();
    let host = until("the next host", || {
        home.hosts().into_iter().map(|(pid, _)| pid).find(|pid| *pid != killed && !is_dead(*pid))
    })
    .await;
    until("the first desk at it", || has_desks(&home, host, 1).then_some(())).await;
    first.leaves();
    let hook = write(&home, &file, "A\n").await;
    second.signal(Signal::CONT);
    decides(&mut second, "r").await;
    assert!(refused(&hook.answer().await).contains("rejected all of it"));
    assert_eq!(home.hosts()[0].0, host);
    second.leaves();
    until("the host to end with its last desk", || is_dead(host).then_some(())).await;
}

#[tokio::test]
async fn a_lost_port_is_reported_with_its_agents() {
    let home = Home::new();
    let mut desk = home.review(&[]);
    let _agent = home.agent().await;
    desk.shows("Gemini CLI is connected.").await;
    let port = home.record().port;
    // A running desk would hold the port.
    desk.signal(Signal::KILL);
    desk.ends();
    home.kill_hosts();
    let _thief = until("the port to be free", || std::net::TcpListener::bind(("127.0.0.1", port)).ok()).await;
    let mut desk = home.review(&[]);
    home.name_number("port ", port, "LOST");
    desk.shows("Problem: ").await;
    assert_snapshot!(home.stable(desk.shows("/ide enable").await), @"
    the companion was interrupted and it could not get its port [LOST] back: Gemini CLI cannot reach
      ↪ it any more
      `/ide enable
    ");
    let now = until("new files", || {
        find::all_records(&home.surroundings())
            .into_iter()
            .map(|(_, record)| record.port)
            .find(|now| *now != port)
    });
    assert_ne!(now.await, port);
}

#[tokio::test]
async fn run_keeps_the_host_after_the_last_desk_and_starts_it_again() {
    let home = Home::new();
    let mut ran = home.start(&mut home.alongside(&["run", "sh", "-c", "echo ready; read line"]));
    ran.shows("ready").await;
    let mut desk = home.serving().await;
    desk.leaves();
    let host = home.hosts()[0].0;
    assert!(!is_dead(host) && home.is_found_as(ran.pid()));
    home.kill_hosts();
    let next = until("the next host", || {
        home.hosts().into_iter().map(|(pid, _)| pid).find(|pid| *pid != host && !is_dead(*pid))
    })
    .await;
    ran.types("enough");
    assert_eq!(ran.ends().code(), Some(0));
    until("the host to end with the agent", || is_dead(next).then_some(())).await;
}
