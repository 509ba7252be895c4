//! Installs the package for Vim, and removes it.

use insta::assert_snapshot;

use crate::support::Home;

/// A script that answers as Vim 9.2 does.
pub(super) const VIM: &str = "echo 'VIM - Vi IMproved 9.2 (2026 Feb 14)'\n";
/// The directory of the package, below a directory of Vim's configuration.
const PACKAGE: &str = "pack/alongside/start/alongside";

#[test]
fn install_adds_one_package_to_vim_and_uninstall_removes_it() {
    let home = Home::with_program("vim", VIM);
    let stamp = format!(".vim/{PACKAGE}/plugin/alongside_installed.vim");
    assert_snapshot!(home.installs_and_removes_a_package(("vim", "Vim"), ".vim", &stamp, || {
        let tags = home.reads(&format!(".vim/{PACKAGE}/doc/tags"));
        assert!(tags.contains(":Alongside-doctor\talongside.txt"), "{tags}");
    }));
}

#[test]
fn the_package_goes_where_vim_reads_its_configuration() {
    let xdg = Home::with_program("vim", VIM);
    xdg.writes(".config/vim/vimrc", "");
    xdg.succeeds(&["install", "vim", "--yes"]);
    assert!(xdg.in_home(".config/vim").join(PACKAGE).join("plugin/alongside.vim").exists());

    let both = Home::with_program("vim", VIM);
    both.writes(".config/vim/vimrc", "");
    both.writes(".vimrc", "");
    both.succeeds(&["install", "vim", "--yes"]);
    assert!(both.in_home(".vim").join(PACKAGE).join("plugin/alongside.vim").exists());
}
