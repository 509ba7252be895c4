//! No descriptors left, and processes that are stopped: nothing spins, nothing is lost, and it goes on
//! afterwards.

use std::time::Duration;

use alongside_agent::Outcome;
use rustix::process::{Pid, Signal, kill_process};

use super::hosts_pid;
use crate::support::{Home, files_below, propose, soon, until};

/// None can be opened then: these are the standard ones.
const NONE: usize = 3;

/// Lets a process have so many descriptors; the hard limit stays, so that it can be raised again.
fn allow_files(home: &Home, pid: u32, limit: usize) {
    let said =
        home.command("prlimit").args(["--pid", &pid.to_string(), &format!("--nofile={limit}:")]).output();
    assert!(said.unwrap().status.success());
}

/// How long a process has computed, in ticks of 10 ms.
fn computed(pid: u32) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let fields: Vec<&str> = stat.rsplit(") ").next().unwrap().split(' ').collect();
    fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
}

#[tokio::test]
async fn a_host_without_descriptors_serves_whom_it_has_and_catches_up() {
    let home = Home::new();
    let file = home.file("a.txt", "a\n");
    let mut desk = home.start(home.alongside(&["review"]).env("EDITOR", "sed -i s/A/precious/"));
    let agent = home.agent().await;
    let diff = propose(&agent, &file, "A\n").await;
    desk.shows("(1/1) keep").await;
    let host = hosts_pid(&home).unwrap();
    allow_files(&home, host, NONE);
    desk.types("e");
    desk.shows("could not be saved in").await;
    // Somebody knocks who cannot be let in.
    let mut second = home.review(&[]);
    let (before, began) = (computed(host), std::time::Instant::now());
    tokio::time::sleep(Duration::from_secs(2)).await;
    let share = u128::from(computed(host) - before) * 10 * 100 / began.elapsed().as_millis();
    assert!(share < 50, "it spins: {share} % of a core");
    allow_files(&home, host, 1024);
    second.shows("+precious").await;
    desk.shows("is saved now").await;
    second.types("a");
    assert_eq!(soon("the outcome", diff.outcome()).await, Outcome::Accepted { content: "precious\n".into() });
}

#[tokio::test]
async fn a_desk_without_descriptors_starts_its_host_again_once_it_has_some() {
    let home = Home::new();
    let file = home.file("a.txt", "a\n");
    let mut desk = home.review(&[]);
    let agent = home.agent().await;
    let diff = propose(&agent, &file, "A\n").await;
    desk.shows("(1/1) keep").await;
    let pid = desk.pid();
    allow_files(&home, pid, NONE);
    home.kill_hosts();
    desk.shows("the companion was interrupted").await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    allow_files(&home, pid, 1024);
    desk.shows("what waited is rejected").await;
    assert_eq!(soon("the outcome", diff.outcome()).await, Outcome::Rejected);
}

#[tokio::test]
async fn a_host_that_was_stopped_goes_on_as_if_nothing_had_been() {
    let home = Home::new();
    let file = home.file("a.txt", "a\n");
    let mut desk = home.review(&[]);
    let agent = home.agent().await;
    let diff = propose(&agent, &file, "A\n").await;
    desk.shows("(1/1) keep").await;
    let host = hosts_pid(&home).unwrap();
    let process = Pid::from_raw(host.cast_signed()).unwrap();
    // The desk vanishes, and has half a minute to come back; the host does not see most of it.
    kill_process(process, Signal::STOP).unwrap();
    desk.signal(Signal::KILL);
    desk.ends();
    // Longer than counts as a sleep.
    tokio::time::sleep(Duration::from_secs(6)).await;
    kill_process(process, Signal::CONT).unwrap();
    let mut next = home.review(&[]);
    next.answers("(1/1) keep", "a").await;
    assert_eq!(soon("the outcome", diff.outcome()).await, Outcome::Accepted { content: "A\n".into() });
    assert_eq!(hosts_pid(&home), Some(host));
    let log = files_below(&home.path("home/.local/state/alongside/log"));
    until("the host to say so", || {
        let said = log.iter().filter_map(|file| std::fs::read_to_string(file).ok()).collect::<String>();
        said.contains("nothing could be done for a while").then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_host_that_does_nothing_holds_nobody_up() {
    let home = Home::new();
    let mut desk = home.review(&[]);
    desk.shows("Waiting for proposals").await;
    let host = hosts_pid(&home).unwrap();
    let process = Pid::from_raw(host.cast_signed()).unwrap();
    kill_process(process, Signal::STOP).unwrap();
    let mut next = home.start(&mut home.alongside(&["review"]));
    let listens = format!("/proc/{}/status", next.pid());
    until("the desk to listen to signals", || {
        let status = std::fs::read_to_string(&listens).ok()?;
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"))?;
        // To the end of the terminal last.
        let hangup = 1 << (Signal::HUP.as_raw() - 1);
        (u64::from_str_radix(caught.trim(), 16).ok()? & hangup != 0).then_some(())
    })
    .await;
    for left in [&mut next, &mut desk] {
        left.signal(Signal::TERM);
        assert_eq!(left.ends().code(), Some(143));
    }
    let refused = home.run(&["host", "--stop"]);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(
        !refused.status.success() && said.contains(&format!("process {host}) has not answered")),
        "{said}"
    );
    kill_process(process, Signal::KILL).unwrap();
}
