//! The help of every command, and the version.

use std::path::Path;
use std::process::Command;

use regex::Regex;

use crate::support::Home;

#[test]
fn help_of_every_command() {
    let home = Home::new();
    let commands =
        "review run env status stdio drafts demo log comments lsp host check doctor install uninstall";
    for command in std::iter::once("").chain(commands.split(' ')) {
        let args: Vec<_> = [command, "--help"].into_iter().filter(|arg| !arg.is_empty()).collect();
        let output = home.run(&args);
        assert_eq!(output.status.code(), Some(0), "{command}");
        let name = if command.is_empty() { "alongside" } else { command };
        insta::assert_snapshot!(format!("help of {name}"), output.out);
    }
    insta::assert_snapshot!("without arguments", home.prints(&["run", "uninstall"]));
}

#[test]
fn version_names_the_commit_and_its_date_in_a_checkout() {
    let said = Home::new().run(&["--version"]).out;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let git = Command::new("git").arg("-C").arg(&root).args(["rev-parse", "HEAD"]).output();
    let is_checkout = root.join(".git").exists() && git.is_ok_and(|git| git.status.success());
    let commit = if is_checkout { r" \([0-9a-f]{9} 20\d\d-\d\d-\d\d\)" } else { "" };
    let version = regex::escape(env!("CARGO_PKG_VERSION"));
    let expected = Regex::new(&format!("^alongside {version}{commit}\n$")).unwrap();
    assert!(expected.is_match(&said), "{said}");
}
