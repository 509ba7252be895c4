//! The package for Emacs: where it goes, and what is left of it.

use std::fs;

use crate::support::Home;

const EMACS: &str = "echo 'GNU Emacs 30.2'\n";

fn package(configuration: &str) -> String {
    format!("{configuration}/elpa/alongside-{}", env!("CARGO_PKG_VERSION"))
}

#[test]
fn emacs_gets_a_package_once_and_loses_it() {
    let home = Home::with_program("emacs", EMACS);
    let before = home.everything();
    let said = home.succeeds(&["install", "emacs", "--yes"]);
    let package = package(".emacs.d");
    assert!(said.contains("Emacs 30.2 (") && said.contains(&format!("~/{package}")), "{said}");
    let stamp = home.reads(&format!("{package}/alongside-installed.el"));
    assert!(stamp.contains(env!("CARGO_BIN_EXE_alongside")), "{stamp}");

    let installed = home.everything();
    assert!(home.succeeds(&["install", "emacs"]).contains("nothing to do"));
    assert_eq!(home.everything(), installed);
    assert!(home.list().contains("Emacs 30.2"));
    home.succeeds(&["uninstall", "emacs", "--yes"]);
    assert_eq!(home.everything(), before);
    assert!(!home.in_home(".emacs.d").exists(), "the new directories are removed, too");
}

#[test]
fn the_package_goes_where_emacs_reads_its_configuration() {
    let xdg = Home::with_program("emacs", EMACS);
    fs::create_dir_all(xdg.in_home(".config/emacs")).unwrap();
    xdg.succeeds(&["install", "emacs", "--yes"]);
    assert!(xdg.in_home(&package(".config/emacs")).join("alongside.el").exists());

    let both = Home::with_program("emacs", EMACS);
    fs::create_dir_all(both.in_home(".config/emacs")).unwrap();
    both.writes(".emacs", "");
    both.succeeds(&["install", "emacs", "--yes"]);
    assert!(both.in_home(&package(".emacs.d")).join("alongside.el").exists());
}

#[test]
fn a_package_of_another_installer_is_left_alone() {
    let home = Home::with_program("emacs", EMACS);
    home.writes(".emacs.d/elpa/alongside-20261101.1200/alongside.el", "");
    let before = home.everything();
    let said = home.succeeds(&["install", "emacs", "--yes"]);
    assert!(said.contains("not from `alongside install`"), "{said}");
    assert_eq!(home.everything(), before);
}

#[test]
fn an_emacs_that_is_too_old_is_refused() {
    let home = Home::with_program("emacs", "echo 'GNU Emacs 28.2'\n");
    let refused = home.does(&["install", "emacs", "--yes"]);
    assert!(refused.said().contains("Emacs 28.2, which is too old"), "{}", refused.said());
}
