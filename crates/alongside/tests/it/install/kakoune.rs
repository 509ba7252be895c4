//! Installs the script for Kakoune and its line in `kakrc`, and removes them.

use insta::assert_snapshot;

use crate::support::Home;

/// A script that answers `--version` as Kakoune does, which does not know the option.
pub(super) const KAKOUNE: &str = "echo 'Unknown option' >&2; exit 255\n";

#[test]
fn install_adds_one_script_to_kakoune_and_uninstall_removes_it() {
    let home = Home::with_program("kak", KAKOUNE);
    home.program("kak-lsp", "");
    home.writes(".config/kak/kakrc", "set-option global tabstop 4\n");
    let before = home.all_files();
    home.run_recorded(&["install kakoune --yes"]);
    let stamp = home.reads(".config/kak/alongside/installed.kak");
    assert!(stamp.contains(env!("CARGO_BIN_EXE_alongside")), "{stamp}");
    let kakrc = home.reads(".config/kak/kakrc");
    assert!(kakrc.starts_with("set-option global tabstop 4\n# alongside"), "{kakrc}");

    home.changes_nothing(&["install kak"]);
    home.writes(".config/kak/kakrc", &format!("{kakrc}set-option global indentwidth 4\n"));
    home.run_recorded(&["uninstall kakoune --yes"]);
    let left = "set-option global tabstop 4\nset-option global indentwidth 4\n";
    assert_eq!(home.reads(".config/kak/kakrc"), left);
    home.writes(".config/kak/kakrc", "set-option global tabstop 4\n");
    assert_eq!(home.all_files(), before);
    assert_snapshot!(home.transcript());
}

#[test]
fn uninstall_removes_a_kakrc_that_install_created() {
    let home = Home::with_program("kak", KAKOUNE);
    home.run_recorded(&["install kakoune --yes"]);
    assert!(home.reads(".config/kak/kakrc").contains("\nlsp-enable\n"));
    home.succeeds(&["uninstall", "kakoune", "--yes"]);
    assert!(!home.in_home(".config/kak").exists());
    assert_snapshot!(home.transcript());
}
