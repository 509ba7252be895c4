//! Emacs: the adapter is installed as a package in the user's package directory, which Emacs activates by
//! itself. The user's configuration is not changed.

use std::future::ready;
use std::path::PathBuf;

use alongside_editors::EMACS;

use super::editor::{Editor, TerminalVariable};
use super::installation::Installation;
use super::package;
use super::plan::AdapterState;
use super::user_environment::UserEnvironment;

pub(super) const EDITOR: Editor = Editor {
    id: "emacs",
    name: "Emacs",
    commands: &["emacs"],
    // Debian names the program after its interface, such as `emacs-nox`.
    process_prefix: Some("emacs-"),
    terminal: TerminalVariable::Own("INSIDE_EMACS"),
    oldest: "29.1",
    restart: "Restart Emacs",
    state: |_, user, installed| state(user, installed),
    plan: |request| Box::pin(ready(package::plan(request.user, &files(request.user), request.installed))),
    remove: package::stays,
    package_of: Some(|installed| package::directory_of(installed, STAMP)),
    missing_program: |_| None,
    own_directory: None,
    directories_made_by_queries: None,
    extensions: None,
};

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A file of the package that no other installation has.
const STAMP: &str = "alongside-installed.el";

/// Returns the directory of the user's configuration, as Emacs chooses it.
fn configuration(user: &UserEnvironment) -> PathBuf {
    let traditional = user.home.join(".emacs.d");
    let xdg = user.directory("XDG_CONFIG_HOME", ".config").join("emacs");
    let is_traditional = [".emacs.d", ".emacs.el", ".emacs"].iter().any(|name| user.home.join(name).exists());
    if !is_traditional && xdg.exists() { xdg } else { traditional }
}

fn package(user: &UserEnvironment) -> PathBuf {
    configuration(user).join("elpa").join(format!("alongside-{VERSION}"))
}

/// Returns every file of an installation, with its text.
fn files(user: &UserEnvironment) -> Vec<(PathBuf, String)> {
    let package = package(user);
    let file = |name: &str, text: String| (package.join(name), text);
    vec![
        file("alongside.el", EMACS.to_owned()),
        file("alongside-pkg.el", description()),
        file("alongside-autoloads.el", autoloads()),
        file(STAMP, stamp(&user.program)),
    ]
}

/// Returns the description by which `package.el` knows the package.
fn description() -> String {
    let summary = EMACS.lines().next().and_then(|line| line.split(" --- ").nth(1)).unwrap_or_default();
    let summary = summary.split("  -*-").next().unwrap_or_default();
    format!(
        ";;; -*- no-byte-compile: t; lexical-binding: nil -*-\n(define-package \"alongside\" \"{VERSION}\" \
         \"{summary}\"\n  '((emacs \"29.1\")))\n"
    )
}

/// Returns the file that Emacs loads when it starts.
fn autoloads() -> String {
    let commands = ["alongside-review", "alongside-doctor", "alongside-status", "alongside-run-agent"];
    let commands: String =
        commands.iter().map(|name| format!("(autoload '{name} \"alongside\" nil t)\n")).collect();
    format!(
        ";;; alongside-autoloads.el --- Written by `alongside install emacs'  -*- lexical-binding: t -*-\n\
         ;; `alongside uninstall emacs' takes it out again.\n\
         (add-to-list 'load-path (directory-file-name (file-name-directory load-file-name)))\n\
         {commands}\
         (autoload 'alongside-mode \"alongside\" nil t)\n\
         (add-hook 'after-init-hook #'alongside-mode 90)\n\
         (with-eval-after-load 'alongside (require 'alongside-installed))\n"
    )
}

/// Returns the text of [`STAMP`], which tells the adapter the path of the program that installed it. Emacs
/// may have another PATH.
fn stamp(program: &str) -> String {
    let quoted = program.replace('\\', "\\\\").replace('"', "\\\"");
    format!(
        ";;; alongside-installed.el --- Who installed alongside  -*- lexical-binding: t -*-\n\
         (when (and (boundp 'alongside-program) (equal alongside-program \"alongside\"))\n  \
         (setq alongside-program \"{quoted}\"))\n(provide 'alongside-installed)\n"
    )
}

fn state(user: &UserEnvironment, installed: Option<&Installation>) -> anyhow::Result<AdapterState> {
    match by_hand(user, installed) {
        Some(at) => Ok(AdapterState::ByHand { at }),
        None => package::state(&package(user), &files(user), installed),
    }
}

/// Returns the directory of a package that `alongside install` did not install: `package.el` or another
/// package manager did.
fn by_hand(user: &UserEnvironment, installed: Option<&Installation>) -> Option<PathBuf> {
    let configuration = configuration(user);
    let our_package = installed.and_then(|installed| package::directory_of(installed, STAMP));
    let elpa = std::fs::read_dir(configuration.join("elpa")).into_iter().flatten().flatten();
    let mut packages: Vec<PathBuf> = elpa.map(|entry| entry.path()).collect();
    packages.sort();
    packages
        .extend(["straight/repos/alongside", "elpaca/repos/alongside"].map(|path| configuration.join(path)));
    packages.into_iter().find(|path| {
        let is_there =
            path.join("alongside.el").is_file() || path.join("editors/emacs/alongside.el").is_file();
        is_there && Some(path) != our_package.as_ref() && !path.join(STAMP).exists()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_package_has_the_version_of_the_program() {
        assert!(EMACS.contains(&format!("\n;; Version: {VERSION}\n")), "alongside.el has another version");
        assert!(description().contains("\"Review the changes that coding agents propose\""));
    }

    #[test]
    fn a_path_is_escaped_in_its_string() {
        let text = stamp("/a \"b\\c");
        assert!(text.contains(r#"(setq alongside-program "/a \"b\\c")"#), "{text}");
    }
}
