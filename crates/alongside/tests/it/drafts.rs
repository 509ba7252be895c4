//! `alongside drafts clear` deletes nothing without a yes.

use std::path::PathBuf;

use alongside_companion::AppDirs;
use alongside_companion::drafts::Drafts;

use crate::support::Home;

/// A home with two drafts.
fn home_with_drafts() -> (Home, Vec<PathBuf>) {
    let home = Home::new();
    let mut dirs = AppDirs::below(&home.path("home"));
    dirs.state = home.path("home/.local/state/alongside");
    let drafts = Drafts::open(&dirs);
    let keep = |file: &str| drafts.keep(file, "Gemini CLI", "it ended", "typed\n").unwrap();
    let paths = vec![keep("/p/a.txt"), keep("/p/b.txt")];
    (home, paths)
}

fn exist(drafts: &[PathBuf]) -> bool {
    drafts.iter().all(|draft| draft.exists())
}

#[test]
fn without_a_terminal_clear_deletes_only_with_yes() {
    let (home, drafts) = home_with_drafts();
    let refused = home.run(&["drafts", "clear"]);
    assert_eq!(refused.status.code(), Some(2), "{}", refused.said());
    let why = "nothing is deleted: there is no terminal to ask at; use --yes to agree";
    assert!(refused.err.contains(why), "{}", refused.err);
    assert!(exist(&drafts));
    let agreed = home.run(&["drafts", "clear", "--yes"]);
    assert_eq!((agreed.out.as_str(), agreed.status.code()), ("Deleted 2 drafts.\n", Some(0)));
    assert!(!drafts.iter().any(|draft| draft.exists()));
    let none = home.run(&["drafts", "clear"]);
    assert_eq!((none.out.as_str(), none.status.code()), ("There are no drafts.\n", Some(0)));
}

#[tokio::test]
async fn at_a_terminal_clear_lists_the_drafts_and_asks() {
    let (home, drafts) = home_with_drafts();
    for (answer, code) in [("\n", 1), ("n\n", 1), ("\x03", 130)] {
        let mut clear = home.at_terminal(&["drafts", "clear"]);
        let seen = clear.shows("Delete these 2 drafts for good? [y/N] ").await;
        assert!(seen.contains("1. /p/b.txt (Gemini CLI, ") && seen.contains("2. /p/a.txt"), "{seen}");
        clear.presses(answer);
        clear.shows("nothing is deleted").await;
        assert_eq!(clear.ends().code(), Some(code), "{answer:?}");
        assert!(exist(&drafts), "{answer:?}");
    }
    let mut clear = home.at_terminal(&["drafts", "clear"]);
    clear.shows("[y/N] ").await;
    clear.presses("y\n");
    clear.shows("Deleted 2 drafts.").await;
    assert_eq!(clear.ends().code(), Some(0));
    assert!(!drafts.iter().any(|draft| draft.exists()));
}
