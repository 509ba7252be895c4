//! The package for Emacs: where it goes, and what is left of it.

use std::fs;

use insta::assert_snapshot;

use crate::support::Home;

const EMACS: &str = "echo 'GNU Emacs 30.2'\n";

fn package(configuration: &str) -> String {
    format!("{configuration}/elpa/alongside-{}", env!("CARGO_PKG_VERSION"))
}

#[test]
fn emacs_gets_a_package_once_and_loses_it() {
    let home = Home::with_program("emacs", EMACS);
    let before = home.everything();
    home.plays(&["install emacs --yes"]);
    let stamp = home.reads(&format!("{}/alongside-installed.el", package(".emacs.d")));
    assert!(stamp.contains(env!("CARGO_BIN_EXE_alongside")), "{stamp}");

    let installed = home.everything();
    home.plays(&["install emacs"]);
    assert_eq!(home.everything(), installed);
    home.lists("Emacs");
    home.plays(&["uninstall emacs --yes"]);
    assert_eq!(home.everything(), before);
    assert!(!home.in_home(".emacs.d").exists(), "the new directories are removed, too");
    assert_snapshot!(home.played());
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
    assert_snapshot!(home.says(&["install", "emacs", "--yes"]), @"
    Emacs has alongside already, but not from `alongside install`:
      ↪ ~/.emacs.d/elpa/alongside-20261101.1200
    Nothing is changed. Remove that first to install this.
    ");
    assert_eq!(home.everything(), before);
}

#[test]
fn an_emacs_that_is_too_old_is_refused() {
    let home = Home::with_program("emacs", "echo 'GNU Emacs 28.2'\n");
    assert_snapshot!(home.says(&["install", "emacs", "--yes"]), @"
    --- errors:
    alongside: [BIN]/emacs is Emacs 28.2, which is too old
      hint: update to Emacs 29.1 or newer, or use `alongside` in a terminal beside it
    --- exit code 1
    ");
}
