//! What a host writes down, and `alongside log`.

use alongside_agent::find;

use crate::support::{Home, propose, soon};

#[tokio::test]
async fn a_host_logs_where_it_can_be_read_and_never_the_token() {
    use std::os::unix::fs::MetadataExt;
    let home = Home::new();
    let nothing = home.run(&["log"]);
    assert_eq!(nothing.status.code(), Some(1));
    let file = home.file("a.txt", "a\n");
    let mut desk = home.start(home.alongside(&["review"]).env("ALONGSIDE_LOG_LEVEL", "trace"));
    let agent = home.agent().await;
    let token = find::all_records(&home.surroundings())[0].1.auth_token.clone().unwrap();
    let diff = propose(&agent, &file, "A\n").await;
    desk.answers("(1/1) keep", "a").await;
    soon("the outcome", diff.outcome()).await;
    let log = String::from_utf8(home.run(&["log", "-n", "1000"]).stdout).unwrap();
    assert!(log.contains("a desk joins") && log.contains("a proposal"), "{log}");
    let secret = token.split('.').next().unwrap();
    assert!(!log.contains(secret), "{log}");
    assert!(!log.contains("\"A\""), "nor what is in files: {log}");
    let directory = home.path("home/.local/state/alongside/log");
    assert_eq!(
        String::from_utf8(home.run(&["log", "--path"]).stdout).unwrap().trim(),
        directory.to_str().unwrap()
    );
    assert_eq!(directory.metadata().unwrap().mode() & 0o777, 0o700);
    assert_eq!(String::from_utf8(home.run(&["log", "-n", "1"]).stdout).unwrap().lines().count(), 1);
    let last = String::from_utf8(home.run(&["log", "-n", "1"]).stdout).unwrap();
    let mut followed = home.start(&mut home.alongside(&["log", "--follow", "-n", "1"]));
    followed.shows(last.trim_end()).await;
    desk.types("q");
    followed.shows("a desk parts").await;
}
