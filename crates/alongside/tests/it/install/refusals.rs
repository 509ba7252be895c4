//! Editors for which nothing is installed: they are too old, or have the adapter of another installer.

use insta::assert_snapshot;

use super::{emacs::EMACS, kakoune::KAKOUNE, vim::VIM, vscode::CODE};
use crate::support::Home;

#[test]
fn an_adapter_of_another_installer_is_left_alone() {
    let extensions = r#"[{"identifier":{"id":"alongside.alongside"},"version":"9.0.0"}]"#;
    let mut transcript = String::new();
    for (program, script, file, text) in [
        ("code", CODE, ".vscode/extensions/extensions.json", extensions),
        ("emacs", EMACS, ".emacs.d/elpa/alongside-20261101.1200/alongside.el", ""),
        ("kak", KAKOUNE, ".config/kak/kakrc", "source ~/src/alongside/editors/kakoune/alongside.kak\n"),
        ("vim", VIM, ".vim/pack/alongside/start/alongside/plugin/alongside.vim", ""),
    ] {
        let home = Home::with_program(program, script);
        home.writes(file, text);
        home.changes_nothing(&[format!("install {program} --yes")]);
        transcript += &home.transcript();
    }
    assert_snapshot!(transcript);
}

#[test]
fn a_release_that_is_too_old_is_refused() {
    let home = Home::new();
    home.program("code", "printf '1.90.2\\nabcdef\\nx64\\n'");
    home.program("emacs", "echo 'GNU Emacs 28.2'\n");
    home.program("vim", "echo 'VIM - Vi IMproved 9.0 (2022 Jun 28)'\n");
    home.run_recorded(&["install code --yes", "install emacs --yes", "install vim --yes"]);
    assert_snapshot!(home.transcript());
}
