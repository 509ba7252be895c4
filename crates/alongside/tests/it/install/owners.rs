//! `sudo alongside` and files of another user: the files keep their owner, or nothing is changed.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, chown};
use std::path::Path;

use insta::assert_snapshot;

use crate::support::{Home, finish, mode_of, set_mode, write_file};

/// The user ID and the group ID of the other user.
const THEIRS: (u32, u32) = (65_534, 65_533);

/// Whether the test runs as root, without which it is skipped.
fn is_root() -> bool {
    let is_root = rustix::process::geteuid().is_root();
    if !is_root {
        alongside_testing::skip("only root can give files to another user");
    }
    is_root
}

/// Makes the other user the owner of a file.
fn give_away(path: &Path) {
    chown(path, Some(THEIRS.0), Some(THEIRS.1)).unwrap();
}

/// Whether the other user owns a file.
fn is_theirs(path: &Path) -> bool {
    let found = path.symlink_metadata().unwrap();
    (found.uid(), found.gid()) == THEIRS
}

#[test]
fn files_that_root_changes_for_another_user_keep_their_owner() {
    if !is_root() {
        return;
    }
    let (old, new) = (Home::new(), Home::new());
    let settings = old.project.join(".gemini/settings.json");
    write_file(&settings, "{\n  \"x\": 1\n}\n");
    set_mode(&settings, 0o640);
    for path in [&settings, settings.parent().unwrap(), &old.project, &new.project] {
        give_away(path);
    }
    let install = ["install", "gemini", "--project", "--hook", "--yes"];
    for home in [&old, &new] {
        home.succeeds(&install);
        let directory = home.project.join(".gemini");
        let entries = fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().path());
        let entries: Vec<_> = entries.chain([directory.clone()]).collect();
        assert!(entries.iter().all(|path| is_theirs(path)), "{entries:?}");
    }
    let copy = settings.with_extension("json.before-alongside");
    for path in [&settings, &copy] {
        assert_eq!(mode_of(path), 0o640, "{path:?}");
    }
    old.succeeds(&["uninstall", "gemini", "--yes"]);
    assert!(is_theirs(&settings) && !copy.exists());
}

#[test]
fn a_settings_file_of_another_user_stays_theirs() {
    if !is_root() {
        return;
    }
    let home = Home::new();
    let settings = home.writes(".claude/settings.json", "{}\n");
    give_away(&settings);
    home.succeeds(&["install", "claude", "--hook", "--yes"]);
    assert!(home.reads(".claude/settings.json").contains("hook claude") && is_theirs(&settings));
}

#[test]
fn root_changes_nothing_in_another_users_home() {
    if !is_root() {
        return;
    }
    let home = Home::new();
    home.writes(".claude/settings.json", "{}\n");
    give_away(&home.path("home"));
    let before = home.all_files();
    home.run_recorded(&["install claude --hook --yes", "install claude --project --hook --yes"]);
    home.run_recorded(&["uninstall --all --yes"]);
    assert_eq!(home.all_files(), before);
    assert_snapshot!(home.transcript());
}

#[test]
fn a_file_of_another_user_is_not_taken_over() {
    if !is_root() {
        return;
    }
    // Replacing the file would make a user its owner who may write to the directory, but not to the file.
    let home = Home::new();
    let settings = home.writes(".claude/settings.json", "{}\n");
    for below in ["", "home", "tmp", "run", "project", "home/.claude"] {
        give_away(&home.path(below));
    }
    let program = home.path("alongside");
    fs::copy(env!("CARGO_BIN_EXE_alongside"), &program).unwrap();
    let mut command = home.command("setpriv");
    command.args(["--reuid=65534", "--regid=65533", "--clear-groups"]).arg(&program);
    command.args(["install", "claude", "--hook", "--yes"]);
    assert_snapshot!(home.stable(finish(command)));
    assert_eq!(settings.metadata().unwrap().uid(), 0);
    assert_eq!(home.reads(".claude/settings.json"), "{}\n");
}

/// If root owned that directory, the user could not reach any companion.
#[test]
fn root_makes_nothing_in_the_runtime_directory_of_another_user() {
    if !is_root() {
        return;
    }
    let home = Home::new();
    let run = home.path("run");
    give_away(&run);
    for command in ["status", "doctor", "env", "log", "review"] {
        home.run(&[command]);
        assert_eq!(fs::read_dir(&run).unwrap().count(), 0, "{command}");
    }
}
