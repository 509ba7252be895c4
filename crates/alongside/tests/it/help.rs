//! The help of every command.

use crate::support::Home;

#[test]
fn help_of_every_command() {
    let home = Home::new();
    for command in [
        "",
        "review",
        "run",
        "env",
        "status",
        "stdio",
        "drafts",
        "demo",
        "log",
        "lsp",
        "host",
        "check",
        "doctor",
        "install",
        "uninstall",
    ] {
        let args: Vec<_> = [command, "--help"].into_iter().filter(|arg| !arg.is_empty()).collect();
        let output = home.run(&args);
        assert_eq!(output.status.code(), Some(0), "{command}");
        let name = if command.is_empty() { "alongside" } else { command };
        insta::assert_snapshot!(format!("help of {name}"), output.out);
    }
    insta::assert_snapshot!("without arguments", home.prints(&["run", "uninstall"]));
    let version = home.run(&["--version"]);
    assert_eq!(version.out, concat!("alongside ", env!("CARGO_PKG_VERSION"), "\n"));
}
