//! `alongside uninstall` without a name, and the remainders of `uninstall --all`.

use super::machine::{NEOVIM, OLD_HELIX};
use crate::support::Home;

#[tokio::test]
async fn the_installed_are_chosen_by_number() {
    let home = Home::with_program("nvim", NEOVIM);
    home.program("hx", OLD_HELIX);
    let before = home.everything();
    home.succeeds(&["install", "helix", "--yes"]);
    let with_helix = home.everything();
    home.succeeds(&["install", "neovim", "--yes"]);
    let installed = home.everything();
    let everything = "everything, and the files of alongside itself\r\nNumber (Enter for none): ";
    let question = format!("which one?\r\n  1  Helix\r\n  2  Neovim\r\n  3  {everything}");
    for (answer, code) in [("\n", 1), ("\x04", 1), ("\x03", 130)] {
        let mut uninstall = home.asks(&["uninstall"]);
        uninstall.shows(&question).await;
        uninstall.presses(answer);
        uninstall.shows("nothing is changed").await;
        assert_eq!(uninstall.ends().code(), Some(code), "{answer:?}");
    }
    assert_eq!(home.everything(), installed);

    let mut uninstall = home.asks(&["uninstall"]);
    uninstall.shows(&question).await;
    uninstall.presses("2\n");
    uninstall.shows("Remove this? [y/N] ").await;
    uninstall.presses("y\n");
    uninstall.shows("Done.").await;
    assert!(uninstall.ends().success());
    let ledger = home.in_home(".local/state/alongside/installed.json");
    let without_ledger = |mut files: std::collections::BTreeMap<_, _>| {
        files.remove(&ledger);
        files
    };
    assert_eq!(without_ledger(home.everything()), without_ledger(with_helix));

    let log = home.writes(".local/state/alongside/log/host.2026-01-01", "a line\n");
    let mut uninstall = home.asks(&["uninstall"]);
    uninstall.shows(&format!("  1  Helix\r\n  2  {everything}")).await;
    uninstall.presses("2\n");
    uninstall.shows("Remove this? [y/N] ").await;
    uninstall.presses("y\n");
    uninstall.shows("Done.").await;
    assert!(uninstall.ends().success());
    assert!(!log.exists());
    assert_eq!(home.everything(), before);

    let mut uninstall = home.asks(&["uninstall"]);
    uninstall.shows("`alongside install` has installed nothing").await;
    assert_eq!(uninstall.ends().code(), Some(1));
}

#[test]
fn without_a_terminal_a_name_is_required() {
    let home = Home::with_program("nvim", NEOVIM);
    home.succeeds(&["install", "neovim", "--yes"]);
    let installed = home.everything();
    for args in [&["uninstall"][..], &["uninstall", "--yes"]] {
        let output = home.does(args);
        let said = output.said();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("required arguments were not provided:\n  <WHAT>"), "{said}");
        assert!(said.contains("or remove everything with `alongside uninstall --all`"), "{said}");
        assert!(said.contains("Usage: alongside uninstall [OPTIONS] [WHAT]"), "{said}");
    }
    assert_eq!(home.everything(), installed);
}
