//! The secrecy of tokens: a token is only in private files and the environment of agents, and in no output,
//! report, argument or log.

use rustix::process::{Pid, Signal};

use crate::support::{Home, files_below, propose, send, until};

/// Returns the arguments of every process of a home.
fn arguments(home: &Home) -> String {
    let line = |pid: Pid| std::fs::read(format!("/proc/{}/cmdline", pid.as_raw_nonzero())).ok();
    let lines: Vec<_> = home.processes().into_iter().filter_map(line).collect();
    String::from_utf8_lossy(&lines.join(&b'\n')).replace('\0', " ")
}

#[tokio::test(flavor = "multi_thread")]
async fn the_token_is_in_no_output_report_argument_or_log() {
    let (home, file) = Home::with_file("a.txt", "a\n");
    let mut desk = home.start(home.alongside(&["review"]).env("ALONGSIDE_LOG_LEVEL", "trace"));
    let agent = home.agent().await;
    let token = home.record().auth_token.unwrap();
    let secret = token.split('.').next().unwrap();
    assert!(secret.len() >= 64, "a short secret would prove nothing");
    let _diff = propose(&agent, &file, "A\n").await;
    desk.shows("(1/1) keep").await;

    let junit = home.path("check.xml");
    let check = ["check", "--only", "access,diffs.immediate", "--json", "--junit", junit.to_str().unwrap()];
    for args in [
        &["status"][..],
        &["status", "--json"],
        &["doctor", "--verbose"],
        &["doctor", "--json"],
        &["check", "--only", "access", "--details"],
        &check,
        &["log", "-n", "100000"],
        &["drafts"],
    ] {
        let said = home.run(args).all_output();
        assert!(!said.is_empty() || args == ["drafts"], "{args:?} says nothing");
        assert!(!said.contains(secret), "{args:?}: {said:?}");
    }
    let report = std::fs::read_to_string(&junit).expect("the report is written");
    assert!(report.contains("access.") && !report.contains(secret), "{report}");
    assert!(!desk.out.text().contains(secret));
    let arguments = arguments(&home);
    assert!(arguments.contains("review"), "the desk's process is listed: {arguments}");
    assert!(!arguments.contains(secret), "{arguments}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crash_leaves_neither_a_core_nor_the_token() {
    let (home, file) = Home::with_file("a.txt", "a\n");
    // Allow core files, as the shells of many developers do.
    let script = "ulimit -c \"$(ulimit -H -c)\"; exec \"$0\" review";
    let mut command = home.command("sh");
    command.args(["-c", script, env!("CARGO_BIN_EXE_alongside")]);
    command.env("ALONGSIDE_LOG_LEVEL", "trace").env("RUST_BACKTRACE", "full");
    let mut desk = home.start(&mut command);
    let agent = home.agent().await;
    let token = home.record().auth_token.unwrap();
    let secret = token.split('.').next().unwrap();
    let _diff = propose(&agent, &file, "A\n").await;
    desk.shows("(1/1) keep").await;
    let (host, _) = home.hosts()[0];
    for pid in [host, desk.pid()] {
        let limits = std::fs::read_to_string(format!("/proc/{pid}/limits")).unwrap();
        let core = limits.lines().find(|line| line.starts_with("Max core file size")).unwrap();
        assert_eq!(core.split_whitespace().nth(4), Some("0"), "{core}");
    }
    send(host, Signal::ABORT);
    until("another host", || home.hosts().iter().any(|(pid, _)| *pid != host).then_some(())).await;
    desk.signal(Signal::ABORT);
    desk.ends();
    for said in [desk.out.text(), desk.err.text()] {
        assert!(!said.contains(secret), "{said}");
    }
    // Only discovery files and the journal hold the token.
    let known = ["json", "lock"];
    let holds = |path: &std::path::Path| {
        let text = std::fs::read(path).unwrap_or_default();
        text.windows(secret.len()).any(|part| part == secret.as_bytes())
    };
    let files = files_below(home.path(""));
    let cores =
        files.iter().filter(|path| path.extension().is_none_or(|kind| !known.iter().any(|k| kind == *k)));
    let given_away: Vec<_> = cores.filter(|path| holds(path)).collect();
    assert!(given_away.is_empty(), "{given_away:?}");
}
