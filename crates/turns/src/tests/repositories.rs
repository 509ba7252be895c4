//! Tests repositories of each kind that git supports.

use std::fs;

use alongside_companion::turns::source::TurnSource as _;

use super::fixture::{Project, everything, file, git_in, rows};
use crate::Recorded;

#[test]
fn a_repository_without_a_commit_has_a_baseline_too() {
    let Some(project) = Project::with_init(&["init", "-q"]) else { return };
    project.write("a", "1\n");
    let look = project.look();
    assert_eq!(
        (rows(&look), &*look.baseline.name),
        (vec!["A a".to_owned()], "the repository without a commit")
    );
    project.prompt();
    project.write("b", "2\n");
    assert_eq!(rows(&project.look()), ["A b"]);
}

#[test]
fn a_change_of_the_hash_format_begins_a_new_store() {
    let Some(project) = Project::with_init(&["init", "-q", "--object-format=sha256"]) else { return };
    project.write("a", "1\n");
    project.commit();
    project.prompt();
    project.write("a", "2\n");
    assert_eq!(rows(&project.look()), ["M a"]);
    assert_eq!(project.texts(&project.look(), "a").before.as_deref(), Some(b"1\n".as_slice()));
    fs::remove_dir_all(project.path(".git")).unwrap();
    project.git(&["init", "-q"]);
    project.prompt();
    assert!(project.look().files.is_empty());
}

#[test]
fn each_working_tree_has_a_store_and_a_bare_repository_has_none() {
    let Some(project) = Project::new() else { return };
    let second = project.beside("second");
    project.git(&["worktree", "add", "-q", second.to_str().unwrap()]);
    let other = project.at(&second);
    other.prompt();
    project.prompt();
    other.write("a", "1\n");
    assert_eq!(rows(&other.look()), ["M a"]);
    assert!(project.look().files.is_empty());
    let bare = project.beside("bare.git");
    project.git(&["clone", "-q", "--bare", ".", bare.to_str().unwrap()]);
    let bare = project.at(&bare);
    assert_eq!(bare.event(alongside_contract::turns::Moment::Prompt, "s"), Ok(Recorded::Nothing));
    assert!(bare.store.look(&bare.top, None).is_err());
    let within = project.at(&project.path(".git"));
    assert_eq!(within.event(alongside_contract::turns::Moment::Prompt, "s"), Ok(Recorded::Nothing));
    // A linked working tree of a bare repository is a working tree.
    let third = project.beside("third");
    git_in(&bare.top, &["worktree", "add", "-q", third.to_str().unwrap()]);
    let third = project.at(&third);
    third.prompt();
    third.write("b/c", "1\n");
    assert_eq!(rows(&third.look()), ["M b/c"]);
}

#[test]
fn shallow_partial_and_shared_clones_find_their_objects() {
    let Some(project) = Project::new() else { return };
    project.write("a", "2\n");
    project.commit();
    project.git(&["config", "uploadpack.allowFilter", "true"]);
    let from = format!("file://{}", project.top.display());
    for (name, options) in [
        ("shallow", &["--depth=1"][..]),
        ("partial", &["--filter=blob:none"][..]),
        ("treeless", &["--filter=tree:0"][..]),
        ("shared", &["--shared"][..]),
    ] {
        let place = project.beside(name);
        let source = if name == "shared" { project.top.to_str().unwrap() } else { &from };
        let args = [&["clone", "-q"][..], options, &[source, place.to_str().unwrap()]].concat();
        project.git(&args);
        let clone = project.at(&place);
        clone.prompt();
        clone.write("a", "3\n");
        let look = clone.look();
        assert_eq!(rows(&look), ["M a"], "{name}");
        assert_eq!(clone.texts(&look, "a").before.as_deref(), Some(b"2\n".as_slice()), "{name}");
        if name != "shallow" && name != "treeless" {
            let since = clone.since("HEAD~1");
            let row = file(&since, "a");
            // A partial clone lacks this text, and git fetches nothing.
            assert_eq!(row.told.without_text.is_some(), name == "partial", "{name}");
        }
    }
    let chained = project.beside("chained");
    let shared = project.beside("shared");
    git_in(&shared, &["clone", "-q", "--shared", ".", chained.to_str().unwrap()]);
    let chained = project.at(&chained);
    chained.prompt();
    chained.write("b/c", "x\n");
    assert_eq!(chained.texts(&chained.look(), "b/c").before.as_deref(), Some(b"c\n".as_slice()));
}

#[test]
fn files_outside_of_a_sparse_checkout_are_unchanged_until_written() {
    let Some(project) = Project::new() else { return };
    for (name, index) in [("sparse", "false"), ("sparse-index", "true")] {
        let place = project.beside(name);
        project.git(&["clone", "-q", ".", place.to_str().unwrap()]);
        git_in(&place, &["config", "index.sparse", index]);
        git_in(&place, &["sparse-checkout", "set", "--cone", "none"]);
        let sparse = project.at(&place);
        assert!(!sparse.path("b").exists());
        assert!(sparse.look().files.is_empty(), "{name}: {:?}", rows(&sparse.look()));
        sparse.prompt();
        assert!(sparse.look().files.is_empty(), "{name}");
        sparse.write("b/c", "written all the same\n");
        assert_eq!(rows(&sparse.look()), ["A b/c"], "{name}");
    }
}

#[test]
fn split_indexes_and_flags_of_entries_hide_no_change() {
    let Some(project) = Project::new() else { return };
    project.git(&["update-index", "--split-index"]);
    project.git(&["update-index", "--assume-unchanged", "a"]);
    project.git(&["update-index", "--skip-worktree", "b/c"]);
    project.write("a", "hidden\n");
    project.write("later", "x\n");
    project.git(&["add", "-N", "later"]);
    assert_eq!(rows(&project.since("HEAD")), ["M a", "A later"]);
    project.prompt();
    project.write("a", "again\n");
    project.write("b/c", "again\n");
    assert_eq!(rows(&project.look()), ["M a", "M b/c"]);
}

#[test]
fn a_turn_within_a_merge_conflict_is_recorded() {
    let Some(project) = Project::new() else { return };
    project.git(&["checkout", "-q", "-b", "other"]);
    project.write("a", "other\n");
    project.commit();
    project.git(&["checkout", "-q", "main"]);
    project.write("a", "main\n");
    project.commit();
    let mut merge = std::process::Command::new("git");
    merge
        .args(["-c", "user.name=a", "-c", "user.email=a@b", "merge", "-q", "other"])
        .current_dir(&project.top);
    assert!(!merge.output().unwrap().status.success());
    project.prompt();
    project.write("a", "solved\n");
    assert_eq!(rows(&project.look()), ["M a"]);
}

#[test]
fn submodules_and_nested_repositories_are_listed_without_text() {
    let Some(project) = Project::new() else { return };
    let library = project.beside("library");
    fs::create_dir(&library).unwrap();
    git_in(&library, &["init", "-q"]);
    fs::write(library.join("l"), "1\n").unwrap();
    git_in(&library, &["add", "-A"]);
    git_in(&library, &["commit", "-q", "-m", "x"]);
    project.git(&["submodule", "--quiet", "add", library.to_str().unwrap(), "sub"]);
    project.commit();
    for nested in ["nested", "empty"] {
        fs::create_dir(project.path(nested)).unwrap();
        git_in(&project.path(nested), &["init", "-q"]);
        project.write(&format!("{nested}/file"), "1\n");
    }
    git_in(&project.path("nested"), &["add", "-A"]);
    git_in(&project.path("nested"), &["commit", "-q", "-m", "x"]);
    assert_eq!(rows(&project.since("HEAD")), ["A- empty", "A- nested"]);
    std::thread::sleep(std::time::Duration::from_millis(50));
    project.prompt();
    assert!(project.look().files.is_empty(), "{:?}", rows(&project.look()));
    project.write("sub/l", "changed\n");
    project.write("empty/file", "changed\n");
    git_in(&project.path("nested"), &["commit", "-q", "--allow-empty", "-m", "y"]);
    project.write("a", "1\n");
    assert_eq!(rows(&project.look()), ["M a", "M- empty", "M- nested", "M- sub"]);
    git_in(&project.path("sub"), &["commit", "-q", "--allow-empty", "-m", "y"]);
    assert_eq!(rows(&project.since("HEAD")), ["M a", "A- empty", "A- nested", "M- sub"]);
}

#[test]
fn attributes_and_settings_do_not_change_texts() {
    let Some(project) = Project::new() else { return };
    project.git(&["config", "core.autocrlf", "true"]);
    project.write(
        ".gitattributes",
        "* text=auto\n*.id ident\n*.utf working-tree-encoding=UTF-16LE\n*.bat eol=crlf\n",
    );
    // This filter keeps the size of a file.
    project.git(&["config", "filter.turned.clean", "tr a-m n-z"]);
    project.write(".git/info/attributes", "*.turned filter=turned\n");
    project.write("x.turned", "abc\n");
    project.write("windows", "1\r\n2\r\n");
    project.write("x.bat", "1\r\n");
    project.write("v.id", "$Id$\n");
    project.commit();
    // The checkout writes bytes that differ from the blobs.
    fs::remove_file(project.path("v.id")).unwrap();
    fs::remove_file(project.path("windows")).unwrap();
    project.git(&["checkout", "-q", "--", "."]);
    assert!(project.read("v.id").unwrap().len() > 6, "git has expanded it");
    // Git reads all files again that have changed in the second of its index, so the index gets a later time.
    std::thread::sleep(std::time::Duration::from_millis(1100));
    let index = fs::File::options().append(true).open(project.path(".git/index")).unwrap();
    index.set_modified(std::time::SystemTime::now()).unwrap();
    assert!(project.look().files.is_empty(), "{:?}", rows(&project.look()));
    project.prompt();
    assert!(project.look().files.is_empty(), "{:?}", rows(&project.look()));
    project.write("windows", "1\n2\n");
    project.write("v.id", "$Id: other $\n");
    project.write("x.turned", "abd\n");
    let look = project.look();
    assert_eq!(rows(&look), ["M v.id", "M windows", "M x.turned"]);
    assert_eq!(project.texts(&look, "x.turned").before.as_deref(), Some(b"abc\n".as_slice()));
    assert_eq!(project.texts(&look, "windows").before.as_deref(), Some(b"1\r\n2\r\n".as_slice()));
    for undone in project.undo(&look, &["windows", "v.id"]) {
        assert_eq!(undone.refused, None);
    }
    assert_eq!(project.read("windows").unwrap(), b"1\r\n2\r\n");
}

#[test]
fn a_file_whose_object_was_removed_is_listed_without_text() {
    let Some(project) = Project::new() else { return };
    project.write("staged", "only in the index\n");
    project.git(&["add", "staged"]);
    std::thread::sleep(std::time::Duration::from_millis(1100));
    project.git(&["update-index", "--refresh"]);
    project.prompt();
    project.write("staged", "2\n");
    project.write("a", "2\n");
    project.git(&["rm", "-q", "-f", "--cached", "staged"]);
    project.git(&["prune", "--expire=now"]);
    let look = project.look();
    assert_eq!(rows(&look), ["M a", "M- staged"]);
    let why = file(&look, "staged").told.without_text.clone();
    assert_eq!(why.as_deref(), Some("git no longer has the text of before"));
    assert!(project.undo(&look, &["staged"])[0].refused.as_deref().unwrap().contains("no longer"));
}

#[test]
fn a_directory_without_a_repository_has_no_baseline_before_a_turn() {
    let Some(project) = Project::plain() else { return };
    project.write("a", "1\n");
    assert!(project.store.look(&project.top, None).unwrap_err().contains("no turn has left a baseline"));
    assert_eq!(everything(&project.top).len(), 1);
    assert!(project.store.look(&project.beside("home"), None).is_err());
}

#[test]
fn a_rename_is_marked_if_it_is_in_the_index_of_git() {
    let Some(project) = Project::new() else { return };
    project.prompt();
    project.git(&["mv", "a", "moved"]);
    fs::rename(project.path("b/c"), project.path("elsewhere")).unwrap();
    let before = everything(&project.path(".git"));
    let staged = |name| file(&project.look(), name).told.staged;
    assert_eq!((staged("moved"), staged("elsewhere")), (true, false));
    assert_eq!(everything(&project.path(".git")), before);
    // With an unreadable index, the rename counts as staged.
    fs::write(project.path(".git/index"), "no index").unwrap();
    assert!(staged("elsewhere"));
    fs::remove_file(project.path(".git/index")).unwrap();
    assert!(!staged("moved"));
}
