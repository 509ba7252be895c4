//! `alongside uninstall` without a name, and the files that `uninstall --all` removes.

use std::fs;

use insta::assert_snapshot;

use super::PACKAGE;
use super::machine::{NEOVIM, OLD_HELIX};
use crate::support::Home;

#[tokio::test]
async fn installed_adapters_are_chosen_by_number() {
    let home = Home::with_program("nvim", NEOVIM);
    home.program("hx", OLD_HELIX);
    let before = home.all_files();
    home.succeeds(&["install", "helix", "--yes"]);
    let with_helix = home.all_files();
    home.succeeds(&["install", "neovim", "--yes"]);
    let installed = home.all_files();
    let everything = "everything, and the files of alongside itself\r\nNumber (Enter for none): ";
    let question = format!("which one?\r\n  1  Helix\r\n  2  Neovim\r\n  3  {everything}");
    for (answer, code) in [("\n", 1), ("\x04", 1), ("\x03", 130)] {
        let mut uninstall = home.start_at_terminal(&["uninstall"]);
        uninstall.shows(&question).await;
        uninstall.presses_and_shows(answer, "nothing is changed").await;
        assert_eq!(uninstall.ends().code(), Some(code), "{answer:?}");
    }
    assert_eq!(home.all_files(), installed);

    let mut uninstall = home.start_at_terminal(&["uninstall"]);
    uninstall.shows(&question).await;
    uninstall.presses_and_shows("2\n", "Remove this? [y/N] ").await;
    uninstall.presses_and_shows("y\n", "Done.").await;
    assert!(uninstall.ends().success());
    let ledger = home.in_home(".local/state/alongside/installed.json");
    let without_ledger = |mut files: std::collections::BTreeMap<_, _>| {
        files.remove(&ledger);
        files
    };
    assert_eq!(without_ledger(home.all_files()), without_ledger(with_helix));

    let log = home.writes(".local/state/alongside/log/host.2026-01-01", "a line\n");
    let mut uninstall = home.start_at_terminal(&["uninstall"]);
    uninstall.shows(&format!("  1  Helix\r\n  2  {everything}")).await;
    uninstall.presses_and_shows("2\n", "Remove this? [y/N] ").await;
    uninstall.presses_and_shows("y\n", "Done.").await;
    assert!(uninstall.ends().success());
    assert!(!log.exists());
    assert_eq!(home.all_files(), before);

    let mut uninstall = home.start_at_terminal(&["uninstall"]);
    uninstall.shows("`alongside install` has installed nothing").await;
    assert_eq!(uninstall.ends().code(), Some(1));
}

#[test]
fn without_a_terminal_a_name_is_required() {
    let home = Home::with_program("nvim", NEOVIM);
    home.succeeds(&["install", "neovim", "--yes"]);
    let installed = home.all_files();
    let refused = home.output_of(&["uninstall"]);
    assert_eq!(home.output_of(&["uninstall", "--yes"]), refused);
    assert_snapshot!(refused);
    assert_eq!(home.all_files(), installed);
}

#[test]
fn uninstall_removes_the_empty_directories_of_alongside() {
    let home = Home::with_program("nvim", NEOVIM);
    let (notes, state) =
        (home.in_home(".local/state/nvim/alongside"), home.in_home(".local/state/alongside"));
    home.succeeds(&["install", "neovim", "--yes"]);
    fs::create_dir_all(&notes).unwrap();
    home.succeeds(&["uninstall", "neovim", "--yes"]);
    assert!(!notes.exists() && notes.parent().unwrap().exists());

    for empty in [&notes, &state.join("log"), &state.join("drafts")] {
        fs::create_dir_all(empty).unwrap();
    }
    home.run_recorded(&["uninstall --all --dry-run"]);
    assert!(notes.exists() && state.join("log").exists());
    home.run_recorded(&["uninstall --all --yes"]);
    assert!(!notes.exists() && !state.exists());

    home.writes(".local/state/nvim/alongside/left.json", "[]");
    home.run_recorded(&["uninstall --all --yes"]);
    assert!(!notes.exists());
    assert_snapshot!(home.transcript(), @"
    $ alongside uninstall --all --dry-run
    There is nothing to remove.
    $ alongside uninstall --all --yes
    There is nothing to remove.
    $ alongside uninstall --all --yes
    Files of alongside itself:
      remove   ~/.local/state/nvim/alongside
    Done.
    ");
}

#[test]
fn uninstall_keeps_and_names_foreign_files_in_the_package() {
    let home = Home::with_program("nvim", NEOVIM);
    home.succeeds(&["install", "neovim", "--yes"]);
    let mine = home.writes(&format!("{PACKAGE}/lua/mine.lua"), "-- mine\n");
    home.writes(&format!("{PACKAGE}/README.md"), "changed\n");
    home.run_recorded(&["uninstall --all --yes"]);
    assert!(mine.exists());
    assert!(!home.in_home(&format!("{PACKAGE}/plugin")).exists());
    for number in 0..6 {
        home.writes(&format!("{PACKAGE}/mine/{number}.lua"), "");
    }
    fs::remove_file(home.in_home(&format!("{PACKAGE}/README.md"))).unwrap();
    home.succeeds(&["install", "neovim", "--yes"]);
    home.run_recorded(&["uninstall neovim --yes"]);
    assert_snapshot!(home.transcript());
}

/// Two kinds of empty directories are hard to attribute. Helix creates its own when `install` asks it for its
/// servers, and the last of several companions does not know which program created those of the agents. The
/// directories above them are shared with other programs, and stay.
#[test]
fn uninstall_leaves_no_empty_directory() {
    /// Returns all directories below a directory.
    fn directories(below: &std::path::Path) -> Vec<std::path::PathBuf> {
        let inner =
            fs::read_dir(below).unwrap().flatten().map(|entry| entry.path()).filter(|path| path.is_dir());
        inner.flat_map(|path| [vec![path.clone()], directories(&path)].concat()).collect()
    }
    let home = Home::new();
    let made = "/bin/mkdir -p \"$HOME/.config/helix\" \"$HOME/.cache/helix\"\n";
    home.program("hx", &format!("{made}{OLD_HELIX}"));
    for base in [".config", ".cache", ".local/state"] {
        home.directory(&format!("home/{base}"));
    }
    let before = directories(&home.in_home(""));
    home.succeeds(&["install", "helix", "--yes"]);
    for agent in [".claude/ide", ".qwen/ide"] {
        home.directory(&format!("home/{agent}"));
    }
    home.succeeds(&["uninstall", "--all", "--yes"]);
    assert_eq!(directories(&home.in_home("")), before);
    home.succeeds(&["install", "helix", "--yes"]);
    let own = home.writes(".config/helix/themes/mine.toml", "");
    home.succeeds(&["uninstall", "--all", "--yes"]);
    assert!(own.exists());
}
