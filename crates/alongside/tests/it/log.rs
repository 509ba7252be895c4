//! The log of a host, and `alongside log`.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;

use insta::assert_snapshot;

use crate::support::{Home, mode_of, propose, serving, soon, until, write_file};

#[tokio::test]
async fn a_host_logs_where_it_can_be_read_and_never_the_token() {
    let home = Home::new();
    let nothing = home.run(&["log"]);
    assert_eq!(nothing.status.code(), Some(1));
    let file = home.file("a.txt", "a\n");
    let mut desk = home.start(home.alongside(&["review"]).env("ALONGSIDE_LOG_LEVEL", "trace"));
    let agent = home.agent().await;
    let token = home.record().auth_token.unwrap();
    let diff = propose(&agent, &file, "A\n").await;
    desk.answers("(1/1) keep", "a").await;
    soon("the outcome", diff.outcome()).await;
    // The last line so far is that the agent has received the outcome.
    let log = until("the receipt in the log", || {
        let log = home.run(&["log", "-n", "1000"]).out;
        log.contains("the agent has the outcome").then_some(log)
    });
    let log = log.await;
    assert!(log.contains("a desk joins") && log.contains("a proposal"), "{log}");
    let secret = token.split('.').next().unwrap();
    assert!(!log.contains(secret), "{log}");
    assert!(!log.contains("\"A\""), "file contents stay out: {log}");
    let directory = home.path("home/.local/state/alongside/log");
    assert_eq!(home.run(&["log", "--path"]).out.trim(), directory.to_str().unwrap());
    assert_eq!((mode_of(&directory), mode_of(directory.join("host.log"))), (0o700, 0o600));
    assert_eq!(home.run(&["log", "-n", "1"]).out.lines().count(), 1);
    let last = home.run(&["log", "-n", "1"]).out;
    let mut followed = home.start(&mut home.alongside(&["log", "--follow", "-n", "1"]));
    followed.shows(last.trim_end()).await;
    desk.types("q");
    followed.shows("a desk parts").await;
}

/// Sends a number of requests without a token on one connection, each with this additional header line.
fn refused(port: u16, times: usize, header: &str) {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let request = format!("GET /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{header}\r\n");
    let mut answers = BufReader::new(stream.try_clone().unwrap());
    for _ in 0..times {
        stream.write_all(request.as_bytes()).unwrap();
        let mut length = 0;
        loop {
            let mut line = String::new();
            answers.read_line(&mut line).unwrap();
            if let Some(bytes) = line.to_ascii_lowercase().strip_prefix("content-length: ") {
                length = bytes.trim().parse().unwrap();
            }
            if line == "\r\n" {
                break;
            }
        }
        answers.read_exact(&mut vec![0; length]).unwrap();
    }
}

/// Waits for more than one line with these words in the log. Returns the lines.
async fn logged_of(home: &Home, words: &str) -> Vec<String> {
    let lines = || {
        let log = home.run(&["log", "-n", "10000"]).out;
        log.lines().filter(|line| line.contains(words)).map(str::to_owned).collect::<Vec<_>>()
    };
    until("a second line in the log", || Some(lines()).filter(|lines| lines.len() > 1)).await
}

#[tokio::test]
async fn refusals_are_counted_and_do_not_fill_the_log() {
    let (home, mut desk) = serving().await;
    let port = home.record().port;
    for _ in 0..5 {
        refused(port, 100, "");
    }
    refused(port, 2, "Origin: http://a.page\r\n");
    desk.leaves();
    let lines = logged_of(&home, "refused").await;
    let no_token = "a bearer token is required; it stands in the discovery file";
    assert!(lines.len() == 2 && lines[0].ends_with(&format!("reasons={no_token}: 1")), "{lines:#?}");
    let reasons = format!("reasons={no_token}: 499, web pages are not served here: 2");
    assert!(lines[1].ends_with(&reasons), "{lines:#?}");
}

#[tokio::test]
async fn closed_connections_of_strangers_are_counted_by_reason() {
    let (home, mut desk) = serving().await;
    let port = home.record().port;
    // More connections than the companion keeps open.
    let mut strangers: Vec<_> = (0..300).map(|_| TcpStream::connect(("127.0.0.1", port)).unwrap()).collect();
    for closed in &mut strangers[..20] {
        // The connection ends or is reset.
        let _ = closed.read(&mut [0]);
    }
    desk.leaves();
    let lines = logged_of(&home, "without the token").await;
    drop(strangers);
    assert!(lines[0].contains("closed connections") && lines[0].ends_with("too many: 1"), "{lines:#?}");
    let more = lines[1].split_once("closed more connections without the token reasons=there were too many: ");
    assert!(more.is_some_and(|(_, times)| times.parse::<u32>().is_ok_and(|times| times > 18)), "{lines:#?}");
}

#[tokio::test]
async fn log_follow_continues_in_a_new_file() {
    let home = Home::new();
    let directory = home.directory("home/.local/state/alongside/log");
    let (now, before) = (directory.join("host.log"), directory.join("host.log.1"));
    fs::write(&before, "one\n").unwrap();
    fs::write(&now, "two\n").unwrap();
    let all = home.run(&["log"]).out;
    assert_eq!(all, "one\ntwo\n");
    let mut followed = home.start(&mut home.alongside(&["log", "--follow", "-n", "1"]));
    followed.shows("two").await;
    fs::write(directory.join("begun"), "three\n").unwrap();
    fs::File::options().append(true).open(&now).unwrap().write_all(b"late\n").unwrap();
    fs::rename(&now, &before).unwrap();
    fs::rename(directory.join("begun"), &now).unwrap();
    let said = followed.shows("three").await;
    assert!(said.contains("late") && !said.contains("one"), "{said}");
}

#[tokio::test]
async fn a_host_that_cannot_log_serves_logs_elsewhere_and_says_so() {
    let home = Home::new();
    write_file(&home.path("home/.local/state/alongside/log"), "in the way");
    let mut desk = home.review(&[]);
    desk.shows("Problem: ").await;
    let said = home.stable(desk.shows("instead").await);
    until("the log", || home.run(&["log"]).out.contains("a desk joins").then_some(())).await;
    assert_snapshot!(said + "\n" + &home.prints(&["log --path"]), @"
    this companion cannot log in [HOME]/.local/state/alongside/log/host.log:
      ↪ [HOME]/.local/state/alongside/log is not a directory
      It logs in [RUN]/alongside/log instead
    $ alongside log --path
    [HOME]/.local/state/alongside/log
    [RUN]/alongside/log
    ");
    let file = home.file("a.txt", "a\n");
    let (_agent, _diff) = home.proposes(&file, "A\n").await;
    desk.shows("(1/1) keep").await;
}

#[tokio::test]
async fn a_host_that_cannot_log_anywhere_still_serves() {
    let home = Home::new();
    write_file(&home.path("home/.local/state/alongside/log"), "in the way");
    write_file(&home.path("run/alongside/log"), "in the way");
    let mut desk = home.review(&[]);
    desk.shows("It logs nowhere.").await;
}
