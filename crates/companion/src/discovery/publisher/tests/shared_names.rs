//! Names that several companions share.

use super::*;

#[test]
fn a_name_that_another_companion_took_over_stays() {
    let (directory, roots) = directories();
    let (mut one, mut two) = (publisher(directory.path(), 1), publisher(directory.path(), 2));
    one.publish(&roots, true);
    two.publish(&roots, true);
    let shared = directory.path().join(format!("tmp/gemini-ide-server-{}.json", one.editors[0].pid));
    assert_eq!(read_ours(&shared).unwrap().record.port, 2);
    one.withdraw();
    assert_eq!(read_ours(&shared).unwrap().record.port, 2);
    two.withdraw();
    assert!(!shared.exists());
}

#[test]
fn the_last_focused_companion_of_equal_roots_has_the_aliases() {
    let (directory, roots) = directories();
    let (mut one, mut two) = (publisher(directory.path(), 1), publisher(directory.path(), 2));
    let parent = ancestors::of(one.editors[0].pid)[0];
    let holder = |file: String| read_ours(&directory.path().join(file)).map(|found| found.record.port);
    let alias = |port| format!("tmp/gemini/ide/gemini-ide-server-{parent}-{port}.json");
    let pid_only = || format!("tmp/gemini-ide-server-{parent}.json");
    one.publish(&roots, true);
    two.publish(&roots, true);
    assert_eq!((holder(alias(1)), holder(alias(2)), holder(pid_only())), (None, Some(2), Some(2)));
    one.publish(&roots, true);
    assert_eq!((holder(alias(1)), holder(alias(2)), holder(pid_only())), (Some(1), None, Some(1)));
}

#[test]
fn removed_and_free_names_come_back_without_the_focus() {
    let (directory, roots) = directories();
    let (mut one, mut two) = (publisher(directory.path(), 1), publisher(directory.path(), 2));
    let shared = directory.path().join(format!("tmp/gemini-ide-server-{}.json", one.editors[0].pid));
    let lock = directory.path().join("home/.qwen/ide/1.lock");
    let holder = || read_ours(&shared).map(|found| found.record.port);
    one.publish(&roots, true);
    two.publish(&roots, true);
    two.withdraw();
    fs::remove_file(&lock).unwrap();
    assert_eq!(holder(), None);
    one.publish(&roots, false);
    assert_eq!(holder(), Some(1));
    let written = fs::metadata(&lock).unwrap().modified().unwrap();
    one.publish(&roots, false);
    assert_eq!(
        fs::metadata(&lock).unwrap().modified().unwrap(),
        written,
        "an unchanged file is not written again"
    );
}
