//! Vim: the plugin is installed as a package in the user's directory, which Vim loads by itself. The user's
//! vimrc is not changed.

use std::future::ready;
use std::path::PathBuf;

use alongside_editors::VIM;

use super::editor::{Editor, TerminalVariable};
use super::installation::Installation;
use super::package;
use super::plan::AdapterState;
use super::user_environment::UserEnvironment;

pub(super) const EDITOR: Editor = Editor {
    id: "vim",
    name: "Vim",
    commands: &["vim"],
    // Debian names the program after its interface, such as `vim.gtk3`.
    process_prefix: Some("vim."),
    terminal: TerminalVariable::Own("VIM_TERMINAL"),
    oldest: "9.1",
    restart: "Restart Vim",
    state: |_, user, installed| state(user, installed),
    plan: |request| Box::pin(ready(package::plan(request.user, &files(request.user), request.installed))),
    remove: package::stays,
    package_of: Some(|installed| package::directory_of(installed, STAMP)),
    missing_program: |_| None,
    own_directory: None,
    directories_made_by_queries: None,
    extensions: None,
};

/// The path of the package below the directory of the user's configuration.
const PACKAGE: &str = "pack/alongside/start/alongside";

/// A file of the package that only an installation by `alongside install` has.
const STAMP: &str = "plugin/alongside_installed.vim";

/// Returns the directory of the user's configuration, as Vim chooses it.
fn configuration(user: &UserEnvironment) -> PathBuf {
    let traditional = user.home.join(".vim");
    let xdg = user.directory("XDG_CONFIG_HOME", ".config").join("vim");
    let is_traditional = user.home.join(".vimrc").exists() || traditional.join("vimrc").exists();
    if !is_traditional && xdg.join("vimrc").exists() { xdg } else { traditional }
}

/// Returns every file of an installation, with its text.
fn files(user: &UserEnvironment) -> Vec<(PathBuf, String)> {
    let package = configuration(user).join(PACKAGE);
    let mut files = package::files_of(&package, VIM);
    files.push((package.join(STAMP), stamp(&user.program)));
    files
}

/// Returns the text of [`STAMP`], which tells the plugin the path of the program that installed it. Vim may
/// have another PATH.
fn stamp(program: &str) -> String {
    let quoted = program.replace('\'', "''");
    format!(
        "\" Written by `alongside install vim`, which takes it out again.\n\
         if !exists('g:alongside_program')\n  \
           let g:alongside_program = '{quoted}'\n\
         endif\n"
    )
}

fn state(user: &UserEnvironment, installed: Option<&Installation>) -> anyhow::Result<AdapterState> {
    let package = configuration(user).join(PACKAGE);
    let is_ours = installed.is_some() || package.join(STAMP).exists();
    if package.is_symlink() || !is_ours && package.join("plugin/alongside.vim").exists() {
        return Ok(AdapterState::ByHand { at: package });
    }
    package::state(&package, &files(user), installed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_escaped_in_its_string() {
        assert!(stamp("/a 'b").contains("let g:alongside_program = '/a ''b'"), "{}", stamp("/a 'b"));
    }
}
