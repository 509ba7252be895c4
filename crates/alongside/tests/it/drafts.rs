//! `alongside drafts`: `clear` deletes nothing without a yes, and `save` writes only to the file that the
//! person names.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, chown, symlink};
use std::path::PathBuf;

use alongside_companion::AppDirs;
use alongside_companion::drafts::Drafts;
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::support::{Home, set_mode, write_file};

/// Returns a home with two drafts, and their paths.
fn home_with_drafts() -> (Home, Vec<PathBuf>) {
    let home = Home::new();
    let mut dirs = AppDirs::below(&home.path("home"));
    dirs.state = home.path("home/.local/state/alongside");
    let drafts = Drafts::open(&dirs);
    let keep = |file: &str| drafts.keep(file, "Gemini CLI", "it ended", "typed\n").unwrap();
    let paths = vec![keep("/p/a.txt"), keep("/p/b.txt")];
    (home, paths)
}

#[test]
fn an_editor_gets_the_drafts_as_json() {
    let (home, paths) = home_with_drafts();
    let said = home.run(&["drafts", "list", "--json"]).out;
    let drafts: Vec<Value> = serde_json::from_str(&said).unwrap();
    assert_eq!(drafts.len(), 2);
    let draft = drafts.iter().find(|draft| draft["file"] == "/p/a.txt").unwrap();
    assert_eq!((&draft["agent"], &draft["state"]), (&json!("Gemini CLI"), &json!("it ended")));
    assert_eq!(draft["path"], json!(paths[0]));
    assert!(draft["savedAtMs"].is_u64() && draft["reasons"] == "", "{draft}");
    assert_eq!(draft["isOnlyDropped"], false);
    home.run(&["drafts", "clear", "--yes"]);
    assert_eq!(home.run(&["drafts", "list", "--json"]).out.trim(), "[]");
}

/// Whether all drafts exist.
fn exist(drafts: &[PathBuf]) -> bool {
    drafts.iter().all(|draft| draft.exists())
}

#[test]
fn without_a_terminal_clear_deletes_only_with_yes() {
    let (home, drafts) = home_with_drafts();
    assert_snapshot!(home.prints(&["drafts clear"]), @"
    $ alongside drafts clear
    1. /p/b.txt (Gemini CLI, [AGO]): it ended
    2. /p/a.txt (Gemini CLI, [AGO]): it ended
    --- errors:
    alongside: nothing is deleted: standard input is no terminal; use --yes to agree
    --- exit code 2
    ");
    assert!(exist(&drafts));
    assert_snapshot!(home.prints(&["drafts clear --yes", "drafts clear"]), @"
    $ alongside drafts clear --yes
    Deleted 2 drafts.
    $ alongside drafts clear
    There are no drafts.
    ");
    assert!(!drafts.iter().any(|draft| draft.exists()));
}

#[tokio::test]
async fn at_a_terminal_clear_lists_the_drafts_and_asks() {
    let (home, drafts) = home_with_drafts();
    for (answer, code) in [("\n", 1), ("n\n", 1), ("\x03", 130)] {
        let mut clear = home.at_terminal(&["drafts", "clear"]);
        let seen = clear.shows("Delete these 2 drafts for good? [y/N] ").await;
        assert!(seen.contains("1. /p/b.txt (Gemini CLI, ") && seen.contains("2. /p/a.txt"), "{seen}");
        clear.presses_and_shows(answer, "nothing is deleted").await;
        assert_eq!(clear.ends().code(), Some(code), "{answer:?}");
        assert!(exist(&drafts), "{answer:?}");
    }
    let mut clear = home.at_terminal(&["drafts", "clear"]);
    clear.shows("[y/N] ").await;
    clear.presses_and_shows("y\n", "Deleted 2 drafts.").await;
    assert_eq!(clear.ends().code(), Some(0));
    assert!(!drafts.iter().any(|draft| draft.exists()));
}

#[test]
fn save_follows_no_link() {
    let (home, _) = home_with_drafts();
    let profile = home.path("home/.bash_profile");
    symlink(&profile, home.project.join("link")).unwrap();
    symlink(home.path("home"), home.project.join("directory")).unwrap();
    let saves = ["link", "link --force", "directory/.bash_profile --force", "directory/.bash_profile"]
        .map(|file| format!("drafts save 1 {file}"));
    let refused = home.prints(&saves);
    assert!(!profile.exists());
    write_file(&profile, "mine\n");
    assert_eq!(home.prints(&saves), refused);
    assert_eq!(fs::read_to_string(&profile).unwrap(), "mine\n");
    assert_snapshot!(refused);
}

#[test]
fn save_replaces_a_file_atomically_and_keeps_mode_and_owner() {
    let (home, _) = home_with_drafts();
    let file = home.project.join("a.txt");
    write_file(&file, "before\n");
    set_mode(&file, 0o640);
    let is_root = rustix::process::geteuid().is_root();
    if is_root {
        chown(&file, Some(65_534), Some(65_533)).unwrap();
        chown(&home.project, Some(65_534), Some(65_533)).unwrap();
    }
    let old = file.metadata().unwrap();
    assert_snapshot!(home.prints(&["drafts save 1 a.txt"]), @"
    $ alongside drafts save 1 a.txt
    --- errors:
    alongside: a.txt exists
      hint: name another file, or use --force to overwrite it
    --- exit code 1
    ");
    let mut reader = fs::File::open(&file).unwrap();
    let saved = |args: &[&str]| assert_eq!(home.run(args).status.code(), Some(0));
    saved(&["drafts", "save", "1", "a.txt", "--force"]);
    let new = file.metadata().unwrap();
    assert_eq!((new.mode(), new.uid(), new.gid()), (old.mode(), old.uid(), old.gid()));
    assert_eq!(fs::read_to_string(&file).unwrap(), "typed\n");
    assert_eq!(std::io::read_to_string(&mut reader).unwrap(), "before\n", "the old file stays whole");
    saved(&["drafts", "save", "1", "new.txt"]);
    let new = home.project.join("new.txt").metadata().unwrap();
    assert_eq!((new.uid(), new.gid()), (old.uid(), old.gid()), "root writes for the directory's owner");
}
