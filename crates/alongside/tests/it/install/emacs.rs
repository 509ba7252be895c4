//! Installs the package for Emacs, and removes it.

use std::fs;

use insta::assert_snapshot;

use crate::support::Home;

/// A script that answers as Emacs 30.2 does.
pub(super) const EMACS: &str = "echo 'GNU Emacs 30.2'\n";

/// Returns the directory of the package below a directory of configuration.
fn package(configuration: &str) -> String {
    format!("{configuration}/elpa/alongside-{}", env!("CARGO_PKG_VERSION"))
}

#[test]
fn install_adds_one_package_to_emacs_and_uninstall_removes_it() {
    let home = Home::with_program("emacs", EMACS);
    let stamp = format!("{}/alongside-installed.el", package(".emacs.d"));
    assert_snapshot!(home.installs_and_removes_a_package(("emacs", "Emacs"), ".emacs.d", &stamp, || {}));
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
