//! Tests of modes, owners, locks and unfinished files.

use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

use std::fs::{self, File};
use std::io;
use std::path::Path;

use super::*;

#[test]
fn directories_and_files_are_private() {
    let tmp = tempfile::tempdir().unwrap();
    fs::create_dir(tmp.path().join("gemini")).unwrap();
    fs::set_permissions(tmp.path().join("gemini"), fs::Permissions::from_mode(0o755)).unwrap();
    directory(tmp.path(), Path::new("gemini/ide"), PathTrust::Shared).unwrap();
    for below in ["gemini", "gemini/ide"] {
        assert_eq!(fs::metadata(tmp.path().join(below)).unwrap().mode() & 0o777, 0o700);
    }
    let file = tmp.path().join("gemini/ide/x.json");
    write(&file, b"1").unwrap();
    let reading = fs::File::open(&file).unwrap();
    write(&file, b"2").unwrap();
    assert_eq!(fs::read(&file).unwrap(), b"2");
    let read = io::read_to_string(reading).unwrap();
    assert_eq!(read, "1", "a reader of the old file goes on reading it");
    assert_eq!(fs::metadata(&file).unwrap().mode() & 0o777, 0o600);
}

#[test]
fn a_removed_lock_file_is_locked_again_by_one_process_only() {
    let tmp = tempfile::tempdir().unwrap();
    let path = tmp.path().join("x.lock");
    let first = try_lock(&path).unwrap().unwrap();
    assert_eq!(first.metadata().unwrap().mode() & 0o777, 0o600);
    assert!(leads_to(&path, &first) && try_lock(&path).unwrap().is_none());
    // Another process has opened the file before its holder removes it.
    let waiting = File::open(&path).unwrap();
    fs::remove_file(&path).unwrap();
    drop(first);
    let second = try_lock(&path).unwrap().unwrap();
    assert!(waiting.try_lock().is_ok() && !leads_to(&path, &waiting) && leads_to(&path, &second));
    assert!(try_lock(&path).unwrap().is_none());
}

#[test]
fn unfinished_files_of_dead_writers_are_removed() {
    let tmp = tempfile::tempdir().unwrap();
    let [old, new] = [".alongside-old", ".alongside-new"].map(|name| tmp.path().join(name));
    // No process has this number.
    let dead = tmp.path().join(format!(".alongside-{}-0", i32::MAX));
    let alive = tmp.path().join(format!(".alongside-{}-0", std::process::id()));
    for path in [&dead, &alive] {
        File::create(path).unwrap();
    }
    let long_ago = std::time::SystemTime::now() - 2 * WRITE_TIMEOUT;
    File::create(&old).unwrap().set_modified(long_ago).unwrap();
    File::create(&new).unwrap();
    File::create(tmp.path().join("mine")).unwrap().set_modified(long_ago).unwrap();
    remove_unfinished(tmp.path());
    assert!(!old.exists() && new.exists() && tmp.path().join("mine").exists());
    assert!(!dead.exists() && alive.exists());
}

#[test]
fn a_symlink_is_refused_in_tmp_and_allowed_in_home() {
    let tmp = tempfile::tempdir().unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    symlink(elsewhere.path(), tmp.path().join("gemini")).unwrap();
    let refused = directory(tmp.path(), Path::new("gemini/ide"), PathTrust::Shared).unwrap_err();
    assert!(refused.to_string().contains("symbolic link"), "{refused}");
    assert!(!elsewhere.path().join("ide").exists());
    directory(tmp.path(), Path::new("gemini/ide"), PathTrust::Own).unwrap();
}

#[test]
fn a_directory_of_another_user_is_refused() {
    let tmp = tempfile::tempdir().unwrap();
    // Only root can give a directory to another user. For other users, root's `/usr` is such a directory.
    let (base, below) = match rustix::process::geteuid().is_root() {
        true => {
            fs::create_dir(tmp.path().join("gemini")).unwrap();
            std::os::unix::fs::chown(tmp.path().join("gemini"), Some(65534), None).unwrap();
            (tmp.path(), "gemini/ide")
        }
        false => (Path::new("/"), "usr"),
    };
    let refused = directory(base, Path::new(below), PathTrust::Shared).unwrap_err();
    assert!(refused.to_string().contains("another user"), "{refused}");
}

#[test]
fn a_base_that_does_not_exist_is_named() {
    let refused =
        directory(Path::new("/nonexistent/tmp"), Path::new("gemini"), PathTrust::Shared).unwrap_err();
    assert!(refused.to_string().contains("/nonexistent/tmp"), "{refused}");
}

#[test]
fn root_creates_nothing_in_another_users_home() {
    let home = tempfile::tempdir().unwrap();
    let state = home.path().join("state");
    let make = || directory(&state, Path::new("alongside"), PathTrust::Own);
    if !rustix::process::geteuid().is_root() {
        alongside_testing::skip("only root can give a home to another user");
        return;
    }
    std::os::unix::fs::chown(home.path(), Some(65_534), None).unwrap();
    let refused = make().unwrap_err().to_string();
    assert!(refused.ends_with("belongs to another user") && !state.exists(), "{refused}");
    std::os::unix::fs::chown(home.path(), Some(0), None).unwrap();
    make().unwrap();
}
