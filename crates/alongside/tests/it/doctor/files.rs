//! Causes in discovery files.

use std::fs;
use std::os::unix::fs::chown;
use std::time::{Duration, SystemTime};

use insta::assert_snapshot;

use super::support::{DEAD, TestMachine, causes, dead_port, listener, without_tools};
use crate::support::{files_below, finish, set_mode, write_program};

/// Starts a server that never answers. Returns its port.
fn silent_listener() -> u16 {
    listener(|_| None)
}

#[test]
fn reports_no_companion_and_files_of_one_that_is_gone() {
    let machine = TestMachine::with(&["gemini 0.61.0", "qwen 0.24.4"]);
    machine.record_causes("");
    let (port, editor) = (dead_port(), std::process::id());
    let mut record = machine.theirs(port);
    record["stdio"] = serde_json::json!({ "command": "/opt/theirs", "args": ["stdio"] });
    let file = machine.gemini_file(DEAD, port, &record);
    machine.record_causes("gemini # with a file of one that is gone, which the agent may start");
    fs::remove_file(file).unwrap();
    machine.home.name_number("process ", editor, "EDITOR");
    machine.gemini_file(editor, port, &machine.theirs(port));
    assert_snapshot!(machine.transcript_with("gemini # where its editor runs"));
}

#[tokio::test]
async fn reports_files_that_hide_a_companion() {
    let (mut machine, _desk, _record) = TestMachine::serving(&["gemini 0.61.0"]).await;
    let port = dead_port();
    machine.set("GEMINI_CLI_IDE_PID", DEAD);
    let file = machine.gemini_file(DEAD, port, &machine.theirs(port));
    machine.record_causes("# with a file of a companion that is gone");
    fs::remove_file(file).unwrap();
    machine.set("GEMINI_CLI_IDE_PID", 4242);
    let mut elsewhere = machine.theirs(silent_listener());
    elsewhere["workspacePath"] = "/elsewhere".into();
    for (record, what) in [(elsewhere, "another project"), (machine.theirs(port), "no companion")] {
        machine.write("tmp/gemini/ide/gemini-ide-server-4242.json", &record.to_string());
        machine.record_causes(&format!("# with a file that overrides others and leads to {what}"));
    }
    assert_snapshot!(machine.home.transcript());
}

#[tokio::test]
async fn reports_files_that_cannot_be_read() {
    let machine = TestMachine::with(&["gemini 0.61.0", "gemini 0.55.0"]);
    machine.home.name_number("-ide-server-", "7-1001", "STAGED");
    let file = machine.write("tmp/gemini/ide/gemini-ide-server-7-1001.json", "{ \"port\": 10");
    machine.record_causes("gemini # with a malformed file");
    let (_desk, _) = machine.companion().await;
    machine.record_causes("gemini # with a companion beside it");
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    assert_snapshot!(machine.transcript_with("gemini # with a directory in the place of the file"));
}

/// Containers that share a disk have networks of their own.
#[tokio::test]
async fn a_companion_in_another_network_is_named_and_its_files_stay() {
    let (machine, _desk, _record) = TestMachine::serving(&["gemini 0.61.0"]).await;
    let path = format!("{}:{}", machine.path_variable(), std::env::var("PATH").unwrap());
    let apart = |args: &[&str]| {
        let mut command = machine.home.command("unshare");
        command.args(["--map-root-user", "--net"]).args(args).env("PATH", &path);
        command
    };
    if !apart(&["true"]).output().is_ok_and(|ran| ran.status.success()) {
        return alongside_testing::skip("this machine allows no network of its own");
    }
    let alongside = |args: &[&str]| finish(apart(&[&[env!("CARGO_BIN_EXE_alongside")], args].concat()));
    let files = files_below(machine.home.path("tmp"));
    let status = alongside(&["status", "--files"]);
    assert!(status.out.contains("it runs in another network namespace"), "{}", status.all_output());
    assert!(!status.out.contains("stale"), "{}", status.out);
    assert_eq!(alongside(&["status", "--json"]).json()["companions"][0]["otherNetwork"], true);
    let doctor = alongside(&["doctor", "gemini", "--container", "no", "--json"]);
    let causes = causes(&doctor.json());
    for cause in [
        "
  fails other-network: the companion that wrote ",
        "
  note companion-in-another-network: the companion on port ",
    ] {
        assert_eq!(causes.matches(cause).count(), 1, "{causes}");
    }
    assert!(!causes.contains("stale"), "{causes}");
    let fixed = alongside(&["doctor", "--fix"]);
    assert!(fixed.out.contains("nothing to remove"), "{}", fixed.all_output());
    assert_eq!(files_below(machine.home.path("tmp")), files);
    let here = finish(machine.home.alongside(&["status", "--json"])).json();
    let here = &here["companions"][0];
    assert_eq!((&here["answers"], here.get("otherNetwork")), (&true.into(), None));
}

#[tokio::test]
async fn the_files_belong_to_another_user() {
    let (machine, _desk, _record) = TestMachine::serving(&["gemini 0.61.0"]).await;
    for file in files_below(machine.home.path("tmp/gemini")) {
        // Only root can change a file's owner.
        if chown(&file, Some(12_345), None).is_err() {
            return alongside_testing::skip("only root can give a file away");
        }
    }
    assert_snapshot!(machine.transcript_with(""), @"
    $ alongside doctor --json | causes
    gemini 0.61.0 does not connect
      fails other-user: [TMP]/gemini/ide/gemini-ide-server-[PID]-[PORT].json belongs to another user,
      ↪ so the agent ignores it
          start the editor and the agent as the same user
    --- exit code 1
    ");
}

#[tokio::test]
async fn a_file_of_another_user_leads_the_agent_astray() {
    let (machine, _desk, _record) = TestMachine::serving(&["qwen 0.24.4"]).await;
    machine.home.name_number("-ide-server-", machine.editor(), "EDITOR");
    let file = format!("tmp/qwen-code-ide-server-{}.json", machine.editor());
    let planted = machine.write(&file, &machine.theirs(listener(without_tools)).to_string());
    if chown(&planted, Some(12_345), None).is_err() {
        return alongside_testing::skip("only root can give a file away");
    }
    machine.record_causes("");
    // In a shared directory only the owner may remove a file.
    let shared = machine.home.path("tmp");
    set_mode(&shared, 0o1777);
    chown(&shared, Some(12_345), None).unwrap();
    assert_snapshot!(machine.transcript_with("# in a shared directory"));
}

#[test]
fn reports_locks_without_a_living_editor() {
    let machine = TestMachine::with(&["qwen 0.24.4"]);
    let port = silent_listener();
    let (mut dead, mut unknown) = (machine.theirs(port), machine.theirs(port));
    dead["ppid"] = DEAD.into();
    let lock = machine.qwen_file(port, &dead);
    machine.record_causes("# with a lock of a dead editor");
    assert!(lock.exists(), "the doctor removes nothing");
    unknown["workspacePath"] = format!("{0}:{0}", machine.home.project.display()).into();
    machine.qwen_file(port, &unknown);
    assert_snapshot!(machine.transcript_with("# with a lock of no editor, for two directories"));
}

#[test]
fn reports_records_that_lack_a_name_or_a_folder() {
    let machine = TestMachine::with(&["gemini 0.61.0", "gemini 0.55.0", "qwen 0.24.4"]);
    let port = silent_listener();
    let (mut nameless, mut empty) = (machine.theirs(port), machine.theirs(port));
    empty["workspacePath"] = "".into();
    machine.gemini_file(1, port, &empty);
    let lock = machine.qwen_file(port, &empty);
    machine.record_causes("# where the editor has no folder open");
    fs::remove_file(lock).unwrap();
    nameless.as_object_mut().unwrap().remove("ideInfo");
    machine.gemini_file(1, port, &nameless);
    assert_snapshot!(machine.transcript_with("gemini # where the record does not name the editor"));
}

#[test]
fn reports_the_delimiter_in_the_path() {
    let mut machine = TestMachine::with(&["gemini 0.61.0"]);
    machine.home = machine.home.inside("a:b");
    fs::create_dir(&machine.home.project).unwrap();
    machine.record_causes("");
    let port = silent_listener();
    machine.gemini_file(1, port, &machine.theirs(port));
    assert_snapshot!(machine.transcript_with("# where another companion writes such a path"));
}

#[tokio::test]
async fn reports_a_release_that_needs_its_own_editor() {
    let machine = TestMachine::with(&["gemini 0.30.1", "qwen 0.10.1"]);
    let port = silent_listener();
    // The test's own process is a descendant of the shell, so no agent takes it for the editor.
    machine.gemini_file(std::process::id(), port, &machine.theirs(port));
    machine.qwen_file(port, &machine.theirs(port));
    assert_snapshot!(machine.transcript_with(""));
}

#[tokio::test]
async fn reports_a_host_without_files() {
    let (machine, _desk, _record) = TestMachine::serving(&["gemini 0.61.0"]).await;
    let (pid, name) = machine.home.hosts().remove(0);
    machine.home.name_number("process ", pid, "HOST");
    machine.home.name_number("--replace ", name, "NAME OF THE HOST");
    fs::remove_dir_all(machine.home.path("tmp/gemini")).unwrap();
    fs::remove_dir_all(machine.home.path("home/.qwen/ide")).unwrap();
    assert_snapshot!(machine.transcript_with(""), @"
    $ alongside doctor --json | causes
    gemini 0.61.0 does not connect
      fails files-gone: alongside (process [HOST]) serves this directory, but its discovery files are
      ↪ gone
          alongside host --replace [NAME OF THE HOST]
    --- exit code 1
    ");
}

#[tokio::test]
async fn reports_a_fork_that_has_never_run() {
    let (machine, _desk, _record) = TestMachine::serving(&[]).await;
    // The companion does not know that this agent is installed.
    write_program(&machine.home.path("bin/ola"), "#!/bin/sh\necho 1.0.0\n");
    machine.record_causes("");
    assert!(!machine.home.path("home/.ola").exists());
    assert_snapshot!(machine.home.transcript(), @"
    $ alongside doctor --json | causes
    ola 1.0.0 does not connect
      fails never-started: alongside serves this directory, and writes its file as soon as [HOME]/.ola
      ↪ exists
          mkdir [HOME]/.ola
    --- exit code 1
    ");
}

#[tokio::test]
async fn a_stale_file_beside_is_a_note() {
    let machine = TestMachine::with(&["qwen 0.24.4"]);
    let mut desk = machine.reviews_in_another_terminal(&[]);
    desk.shows("alongside serves").await;
    machine.record().await;
    let port = dead_port();
    let mut theirs = machine.theirs(port);
    theirs["ppid"] = std::process::id().into();
    let file = machine.qwen_file(port, &theirs);
    let later = SystemTime::now() + Duration::from_secs(60);
    fs::File::options().write(true).open(file).unwrap().set_modified(later).unwrap();
    assert_snapshot!(machine.transcript_with(""), @"
    $ alongside doctor --json | causes
    qwen 0.24.4 connects (port [OURS])
      note stale-file-beside: the companion that wrote [HOME]/.qwen/ide/[STAGED].lock is gone; the
      ↪ agent tries it first, in vain
          rm [HOME]/.qwen/ide/[STAGED].lock
    ");
}

#[tokio::test]
async fn several_companions_are_a_note() {
    let (machine, _desk, _record) = TestMachine::serving(&["qwen 0.24.4"]).await;
    let port = silent_listener();
    let mut theirs = machine.theirs(port);
    theirs["ppid"] = std::process::id().into();
    let file = machine.qwen_file(port, &theirs);
    let earlier = SystemTime::now() - Duration::from_secs(3600);
    fs::File::options().write(true).open(file).unwrap().set_modified(earlier).unwrap();
    assert_snapshot!(machine.transcript_with(""), @"
    $ alongside doctor --json | causes
    qwen 0.24.4 connects (port [OURS])
      note several-companions: several companions serve this directory: the agent takes alongside
      ↪ (port [OURS], [PROJECT]), not Theirs (port [THEIRS], [PROJECT])
    ");
}
