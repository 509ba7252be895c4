//! `alongside demo` without a terminal: its transcript, and the removal of its files.

use crate::support::{Home, files_below, finish, write_program};

#[test]
fn the_demo_acts_as_both_sides_and_leaves_no_file() {
    let home = Home::new();
    let run = home.run(&["demo"]);
    let transcript = run.out;
    assert_eq!(run.status.code(), Some(0), "{transcript}{}", run.err);
    let start = transcript.find("alongside-demo-").expect("the scratch project is named");
    let name = &transcript[start..start + "alongside-demo-".len() + 6];
    let stable = transcript.replace(home.path("").to_str().unwrap(), "/").replace(name, "alongside-demo");
    insta::assert_snapshot!(stable);
    assert_eq!(files_below(home.path("tmp")), Vec::<std::path::PathBuf>::new());
    assert_eq!(files_below(home.path("home")), Vec::<std::path::PathBuf>::new());
}

#[test]
fn the_demo_suggests_an_installed_agent() {
    let home = Home::new();
    let bin = home.directory("bin");
    write_program(&bin.join("codex"), "#!/bin/sh\n");
    let path = std::env::var("PATH").unwrap_or_default();
    let mut demo = home.alongside(&["demo"]);
    let run = finish(demo.env("PATH", format!("{}:{path}", bin.display())));
    assert!(run.out.ends_with("in a project of yours: alongside run -- codex\n"), "{}", run.all_output());
}
