//! Tests of the files that the publisher writes and removes, and of names that companions share.

#[cfg(unix)]
mod absent_agents;
#[cfg(unix)]
mod racing;
mod shared_names;

use std::fs;
use std::path::Path;

use super::*;
use alongside_contract::discovery;
use alongside_contract::family::Fields;
use alongside_platform::paths::to_bytes;

use crate::discovery::sweep;
#[cfg(unix)]
use crate::persistence::private_files::FOREIGN_OWNER;

/// Creates a directory for the files. Returns it with the roots of a workspace in it.
fn directories() -> (tempfile::TempDir, [PathBuf; 1]) {
    let directory = tempfile::tempdir().unwrap();
    let project = directory.path().join("project");
    fs::create_dir(&project).unwrap();
    (directory, [project])
}

fn publisher(directory: &Path, port: u16) -> Publisher {
    fs::create_dir_all(directory.join("tmp")).unwrap();
    fs::create_dir_all(directory.join("home")).unwrap();
    let editor =
        Editor { name: "alongside".into(), display_name: "Alongside".into(), pid: std::process::id() };
    let endpoint = Endpoint::at(port, &format!("token-{port}"));
    Publisher::new(AppDirs::below(directory), vec![editor], true, endpoint, None)
}

fn publisher_of_roots(port: u16) -> (tempfile::TempDir, [PathBuf; 1], Publisher) {
    let (directory, roots) = directories();
    let publisher = publisher(directory.path(), port);
    (directory, roots, publisher)
}

/// Gives the user the command of an agent.
fn install(directory: &Path, command: &str) {
    fs::create_dir_all(directory.join("bin")).unwrap();
    let program = directory.join("bin").join(format!("{command}{}", std::env::consts::EXE_SUFFIX));
    fs::copy(std::env::current_exe().unwrap(), program).unwrap();
}

/// Returns the paths of all files where agents search, whoever wrote them, with slashes on every system.
fn names(directory: &Path) -> Vec<String> {
    let files = ["tmp", "home"].map(|below| alongside_testing::files_below(directory.join(below))).concat();
    let name = |path: PathBuf| {
        let below = to_bytes(path.strip_prefix(directory).unwrap());
        format!("/{}", String::from_utf8(below).unwrap())
    };
    let mut names: Vec<_> = files.into_iter().map(name).collect();
    names.sort();
    names
}

fn read_ours(path: &Path) -> Option<RecordFile> {
    let directory = alongside_platform::directory::Directory::open(path.parent()?).ok()?;
    record_file::read_ours(&Arc::new(directory), path.file_name()?)
}

#[test]
fn every_row_of_every_family_is_written_and_removed() {
    let (directory, roots, mut publisher) = publisher_of_roots(4711);
    install(directory.path(), "ola");
    publisher.aliases = false;
    assert_eq!(publisher.publish(&roots, true).problems, []);
    let pid = publisher.editors[0].pid;
    let mut expected = vec![
        format!("/tmp/gemini/ide/gemini-ide-server-{pid}-4711.json"),
        format!("/tmp/gemini-ide-server-{pid}.json"),
        "/home/.qwen/ide/4711.lock".into(),
        format!("/tmp/qwen/ide/qwen-code-ide-server-{pid}-4711.json"),
        format!("/tmp/gemini/ide/qwen-code-ide-server-{pid}-4711.json"),
        format!("/tmp/qwen-code-ide-server-{pid}.json"),
        "/tmp/qwen-code-ide-server-4711.json".into(),
        format!("/tmp/llxprt/ide/llxprt-ide-server-{pid}-4711.json"),
        format!("/tmp/llxprt-ide-server-{pid}.json"),
        "/home/.ola/ide/4711.lock".into(),
    ];
    expected.sort();
    assert_eq!(names(directory.path()), expected);
    publisher.withdraw();
    assert_eq!(names(directory.path()), [""; 0]);
    let left = ["tmp", "home"].map(|below| fs::read_dir(directory.path().join(below)).unwrap().count());
    assert_eq!(left, [0, 0], "no directory is left either");
}

#[test]
fn directories_in_use_or_not_created_by_us_stay() {
    let directory = tempfile::tempdir().unwrap();
    let [mut one, mut other] = [1, 2].map(|port| publisher(directory.path(), port));
    let path = |below: &str| directory.path().join(below);
    install(directory.path(), "ola");
    fs::create_dir_all(path("home/.qwen")).unwrap();
    fs::create_dir_all(path("tmp/llxprt/ide")).unwrap();
    fs::write(path("tmp/llxprt/theirs"), "").unwrap();
    let roots = [path("home")];
    assert_eq!([&mut one, &mut other].map(|each| each.publish(&roots, true).problems), [vec![], vec![]]);
    one.withdraw();
    assert!(path("tmp/gemini/ide").exists() && path("home/.ola/ide").exists());
    other.withdraw();
    assert!(!path("tmp/gemini").exists() && !path("tmp/llxprt/ide").exists());
    assert!(path("tmp/llxprt/theirs").exists());
    assert!(path("home/.qwen/ide").exists(), "`other` has not created it");
    fs::remove_dir_all(path("home/.qwen/ide")).unwrap();
    assert_eq!(one.publish(&roots, true).problems, []);
    one.withdraw();
    assert!(path("home/.qwen").exists() && !path("home/.qwen/ide").exists());
    // The next sweep removes the directories of killed companions.
    fs::create_dir_all(path("tmp/gemini/ide")).unwrap();
    crate::remove_stale_files(&other.dirs);
    assert!(!path("tmp/gemini").exists());
}

#[cfg(unix)]
#[test]
fn a_directory_of_another_user_is_a_problem_with_a_hint() {
    let problem = not_discoverable(&["Gemini CLI"], &format!("/tmp/gemini {FOREIGN_OWNER}"));
    assert!(problem.hint.unwrap().contains("rmdir"));
    if !rustix::process::geteuid().is_root() {
        return alongside_testing::skip("only root can act as another user");
    }
    let directory = tempfile::tempdir().unwrap();
    let mut publisher = publisher(directory.path(), 1);
    let theirs = directory.path().join("tmp/gemini");
    fs::create_dir(&theirs).unwrap();
    std::os::unix::fs::chown(&theirs, Some(65_534), None).unwrap();
    let problems = publisher.publish(&[directory.path().join("home")], true).problems;
    assert!(problems.iter().any(|problem| problem.to_string().contains("rmdir")), "{problems:?}");
    publisher.withdraw();
    assert!(theirs.exists(), "the directory of another user stays");
}

#[cfg(target_os = "linux")]
#[test]
fn equal_files_are_links_and_the_focus_renews_them() {
    use std::os::unix::fs::MetadataExt as _;
    let (_directory, roots, mut publisher) = publisher_of_roots(4711);
    let mut files = |focused| {
        assert_eq!(publisher.publish(&roots, focused).problems, []);
        let files = publisher.written.iter().map(|found| {
            assert!(found.is_on_disk(), "{}", found.path.display());
            (serde_json::to_vec(&found.record).unwrap(), found.path.metadata().unwrap().ino())
        });
        files.collect::<std::collections::BTreeSet<_>>()
    };
    let first = files(false);
    let contents: std::collections::BTreeSet<_> = first.iter().map(|(content, _)| content).collect();
    assert_eq!(first.len(), contents.len(), "one file for each content");
    assert_eq!(files(false), first, "existing files stay");
    let second = files(true);
    assert_eq!(second.len(), first.len());
    assert!(second.iter().all(|file| !first.contains(file)), "each of them is new");
    assert!(publisher.written.len() > 2 * first.len());
}

#[test]
fn both_directories_of_locks_get_a_lock() {
    let (directory, roots, mut publisher) = publisher_of_roots(7);
    ["claude", "opencode"].iter().for_each(|command| install(directory.path(), command));
    let moved = directory.path().join("home/moved");
    publisher.dirs.bases.insert("CLAUDE_CONFIG_DIR".into(), moved);
    publisher.publish(&roots, true);
    let locks = |names: Vec<String>| names.into_iter().filter(|name| name.ends_with("/ide/7.lock"));
    let found: Vec<_> = locks(names(directory.path())).collect();
    for expected in ["/home/.claude/ide/7.lock", "/home/moved/ide/7.lock"] {
        assert!(found.iter().any(|name| name == expected), "{found:?}");
    }
    publisher.withdraw();
    assert_eq!(locks(names(directory.path())).count(), 0);
}

#[test]
fn ancestors_get_aliases_in_rows_that_name_a_pid() {
    let (directory, roots, mut publisher) = publisher_of_roots(4711);
    publisher.publish(&roots, true);
    let Some(parent) = ancestors::of(publisher.editors[0].pid).first().copied() else {
        panic!("the test has no parent process to be found under");
    };
    let names = names(directory.path());
    assert!(names.contains(&format!("/tmp/gemini/ide/gemini-ide-server-{parent}-4711.json")), "{names:?}");
    assert!(names.contains(&format!("/tmp/qwen-code-ide-server-{parent}.json")), "{names:?}");
    let mut locks = names.iter().filter(|name| name.ends_with(".lock"));
    assert!(
        locks.all(|name| name.ends_with("/4711.lock")),
        "a name without a process has no alias: {names:?}"
    );
}

#[test]
fn a_root_that_holds_home_gets_no_alias() {
    let directory = tempfile::tempdir().unwrap();
    let mut publisher = publisher(directory.path(), 4711);
    for root in [directory.path().join("home"), directory.path().to_owned(), "/".into()] {
        publisher.publish(&[root], true);
        let pids: Vec<_> =
            names(directory.path()).into_iter().filter(|name| name.contains("gemini-ide")).collect();
        assert!(pids.iter().all(|name| name.contains(&publisher.editors[0].pid.to_string())), "{pids:?}");
    }
}

#[cfg(unix)]
#[test]
fn files_hold_literal_and_real_paths_of_current_roots() {
    let (directory, roots) = directories();
    let link = directory.path().join("link");
    std::os::unix::fs::symlink(&roots[0], &link).unwrap();
    let mut publisher = publisher(directory.path(), 7);
    let lock = directory.path().join("home/.qwen/ide/7.lock");
    let paths = || read_ours(&lock).unwrap().record.workspace_path;
    let real = roots[0].canonical().unwrap();
    publisher.publish(std::slice::from_ref(&link), true);
    assert_eq!(paths(), format!("{}:{}", link.display(), real.display()));
    publisher.publish(&[], false);
    assert_eq!(paths(), "");
}

#[test]
fn a_root_with_the_delimiter_is_a_problem_of_that_root_only() {
    let directory = tempfile::tempdir().unwrap();
    // No directory of Windows has a line end in its name.
    let good = directory.path().join(if cfg!(unix) { "a b\nü" } else { "a bü" });
    let name = format!("a{}b", discovery::delimiter());
    let bad = directory.path().join(&name);
    [&good, &bad].iter().for_each(|path| fs::create_dir(path).unwrap());
    let mut publisher = publisher(directory.path(), 7);
    let problems = publisher.publish(&[good.clone(), bad], true).problems;
    assert!(problems.iter().any(|problem| problem.what.contains(&name)), "{problems:?}");
    let record = read_ours(&directory.path().join("home/.qwen/ide/7.lock")).unwrap().record;
    assert_eq!(Path::new(&record.workspace_path), good.canonical().unwrap());
}

#[test]
fn an_unwritable_directory_names_the_affected_agents() {
    let (directory, roots, mut publisher) = publisher_of_roots(7);
    fs::write(directory.path().join("tmp/gemini"), "a file in the way").unwrap();
    let problems = publisher.publish(&roots, true).problems;
    let words = problems.iter().map(ToString::to_string).collect::<String>();
    assert_eq!(problems.len(), 1, "{words}");
    for part in ["will not find this companion", "Gemini CLI 0.5.3 and newer", "alongside env"] {
        assert!(words.contains(part), "{words}");
    }
    assert!(directory.path().join("home/.qwen/ide/7.lock").exists());
}

#[test]
fn only_files_of_our_dead_companions_are_swept() {
    let directory = tempfile::tempdir().unwrap();
    let mut dead = publisher(directory.path(), 1);
    dead.publish(&[directory.path().join("x")], true);
    let foreign = directory.path().join("tmp/gemini/ide/gemini-ide-server-1-1.json");
    fs::write(&foreign, r#"{"port":1,"workspacePath":"/x"}"#).unwrap();
    sweep::sweep(&dead.dirs, "another");
    assert_eq!(names(directory.path()), ["/tmp/gemini/ide/gemini-ide-server-1-1.json"]);
}

/// A companion in another network namespace cannot be asked whether it runs.
#[cfg(target_os = "linux")]
#[test]
fn files_that_name_a_process_of_another_network_stay() {
    use std::io::Read as _;

    let script = "echo ready; read -r end";
    let mut elsewhere = std::process::Command::new("unshare");
    elsewhere.args(["--map-root-user", "--net", "sh", "-c", script]);
    elsewhere.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
    let started = elsewhere.stderr(std::process::Stdio::null()).spawn();
    let Ok(mut elsewhere) = started else { return alongside_testing::skip("unshare is not installed") };
    let mut ready = [0; 5];
    if elsewhere.stdout.take().is_none_or(|mut stdout| stdout.read_exact(&mut ready).is_err()) {
        let _ = elsewhere.wait();
        return alongside_testing::skip("this machine allows no network of its own");
    }
    let directory = tempfile::tempdir().unwrap();
    let mut silent = publisher(directory.path(), 1);
    silent.publish(&[directory.path().join("x")], true);
    let file = directory.path().join(format!("tmp/gemini/ide/gemini-ide-server-{}-1.json", elsewhere.id()));
    let own_file = record_file::list_ours(&silent.dirs).swap_remove(0).path;
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::copy(&own_file, &file).unwrap();
    let mut text: serde_json::Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    text.as_object_mut().unwrap().remove("ppid");
    fs::write(&file, text.to_string()).unwrap();
    sweep::sweep(&silent.dirs, "another");
    assert!(file.exists() && !own_file.exists(), "{}", own_file.display());
    drop(elsewhere.stdin.take());
    elsewhere.wait().unwrap();
    sweep::sweep(&silent.dirs, "another");
    assert!(!file.exists(), "its process has ended");
}

#[test]
fn the_record_holds_every_field() {
    let (_directory, roots, mut publisher) = publisher_of_roots(4711);
    publisher.stdio = Some(alongside_contract::discovery::Stdio {
        command: "alongside".into(),
        args: vec!["stdio".into()],
    });
    publisher.publish(&roots, true);
    let root = roots[0].canonical().unwrap();
    for found in record_file::list_ours(&publisher.dirs) {
        let json: serde_json::Value = serde_json::from_slice(&fs::read(&found.path).unwrap()).unwrap();
        assert_eq!(json["port"], 4711, "{}", found.path.display());
        assert_eq!(json["workspacePath"], root.to_str().unwrap());
        let token = json["authToken"].as_str().unwrap();
        let (secret, agent) = alongside_contract::token::split(token);
        assert_eq!(secret, "token-4711");
        let name = found.path.file_name().unwrap().to_str().unwrap();
        let mut rows = agent.unwrap().family.discovery_files().iter().filter(|row| row.matches(name));
        let row = rows.find(|row| {
            let mut searched = publisher.dirs.resolve(row.directory).into_iter();
            searched.any(|searched| found.path.parent() == Some(&searched.path()))
        });
        let row = row.unwrap_or_else(|| panic!("{token} in {}", found.path.display()));
        assert_eq!(json["ideInfo"], serde_json::json!({ "name": "alongside", "displayName": "Alongside" }));
        assert_eq!(json["ppid"], std::process::id());
        assert_eq!(json["stdio"], serde_json::json!({ "command": "alongside", "args": ["stdio"] }));
        assert_eq!(json["writer"], "alongside");
        let with_parent = row.fields == Fields::WithParent;
        assert_eq!(json.get("ideName").is_some(), with_parent, "{}", found.path.display());
    }
}

#[cfg(unix)]
#[test]
fn special_files_under_our_names_do_not_block() {
    let (directory, roots, mut publisher) = publisher_of_roots(4711);
    let ide = directory.path().join("tmp/gemini/ide");
    fs::create_dir_all(&ide).unwrap();
    crate::make_pipe(&ide.join("gemini-ide-server-1-1.json"));
    crate::make_pipe(
        &directory.path().join(format!("tmp/gemini-ide-server-{}.json", publisher.editors[0].pid)),
    );
    fs::create_dir(ide.join("gemini-ide-server-1-2.json")).unwrap();
    fs::File::create(ide.join("gemini-ide-server-1-3.json")).unwrap().set_len(1 << 40).unwrap();
    std::os::unix::fs::symlink("/dev/zero", ide.join("gemini-ide-server-1-4.json")).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(ide.join("gemini-ide-server-1-5.json")).unwrap();
    let (send_result, result) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        sweep::sweep(&publisher.dirs, &publisher.endpoint.token);
        publisher.publish(&roots, true);
        publisher.publish(&roots, false);
        let own = format!("gemini/ide/gemini-ide-server-{}-4711.json", publisher.editors[0].pid);
        let is_written = publisher.dirs.tmp[0].join(own).is_file();
        publisher.withdraw();
        send_result.send(is_written).unwrap();
    });
    let is_written =
        result.recv_timeout(std::time::Duration::from_secs(20)).expect("the publisher does not block");
    assert!(is_written, "its own file is written");
    assert!(ide.join("gemini-ide-server-1-1.json").exists(), "files of others stay");
}
