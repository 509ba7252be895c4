//! Tests of the search: the files that each family takes, their order, and the files that are passed over.

use std::collections::HashMap;
#[cfg(unix)]
use std::path::Path;

use alongside_contract::agent::FamilyAgent;

use super::*;

/// A PID that no process has.
pub(super) const DEAD: u32 = 99_999_999;

pub(super) struct World {
    pub(super) temp: tempfile::TempDir,
    pub(super) here: Surroundings,
    pub(super) project: String,
}

impl World {
    pub(super) fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let cwd = temp.path().join("project/src");
        std::fs::create_dir_all(&cwd).unwrap();
        let here = Surroundings {
            tmp: temp.path().join("tmp"),
            home: temp.path().join("home"),
            variables: HashMap::from([("GEMINI_CLI_IDE_PID".into(), "4242".into())]),
            cwd,
            pid: std::process::id(),
        };
        let project = temp.path().join("project").to_str().unwrap().to_owned();
        Self { temp, here, project }
    }

    pub(super) fn write(&self, path: &str, json: &str) {
        let path = self.temp.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, json).unwrap();
    }

    /// Writes a record of a companion of this project.
    pub(super) fn record(&self, path: &str, port: u16) {
        self.record_for(path, port, &self.project);
    }

    pub(super) fn record_for(&self, path: &str, port: u16, workspace: &str) {
        let json =
            serde_json::json!({ "port": port, "workspacePath": workspace, "authToken": format!("t{port}") });
        self.write(path, &json.to_string());
    }

    fn ports(&self, command: &str) -> Vec<(u16, Why)> {
        let search = candidates(FamilyAgent::of_command(command).unwrap(), &self.here);
        search.found.iter().map(|found| (found.record.port, found.why)).collect()
    }
}

#[test]
fn gemini_takes_any_pid_whose_workspace_holds_the_directory() {
    let mut world = World::new();
    let alive = std::process::id();
    world.record(&format!("tmp/gemini/ide/gemini-ide-server-{DEAD}-1001.json"), 1001);
    world.record(&format!("tmp/gemini/ide/gemini-ide-server-{alive}-1002.json"), 1002);
    world.record("tmp/gemini/ide/gemini-ide-server-4242-1003.json", 1003);
    world.record_for("tmp/gemini/ide/gemini-ide-server-4242-1004.json", 1004, "/elsewhere");
    world.record("tmp/gemini-ide-server-4242.json", 1005);
    assert_eq!(
        world.ports("gemini"),
        [(1003, Why::EditorPid), (1002, Why::Workspace), (1001, Why::Workspace)]
    );

    world.here.variables.insert("GEMINI_CLI_IDE_SERVER_PORT".into(), "1001".into());
    assert_eq!(world.ports("gemini")[0], (1001, Why::Workspace));
}

#[test]
fn gemini_lets_a_file_without_port_override_all_others() {
    let world = World::new();
    world.record("tmp/gemini/ide/gemini-ide-server-4242-1003.json", 1003);
    world.record_for("tmp/gemini/ide/gemini-ide-server-4242.json", 1004, "/elsewhere");
    assert_eq!(world.ports("gemini"), [(1004, Why::Override), (1003, Why::EditorPid)]);
}

#[test]
fn qwen_prefers_port_then_legacy_files_then_newest_lock() {
    let mut world = World::new();
    for (port, age) in [(2001, 30), (2002, 10), (2003, 20)] {
        let lock = format!("home/.qwen/ide/{port}.lock");
        world.record(&lock, port);
        let when = std::time::SystemTime::now() - std::time::Duration::from_secs(age);
        std::fs::File::options()
            .write(true)
            .open(world.temp.path().join(lock))
            .unwrap()
            .set_modified(when)
            .unwrap();
    }
    world.record_for("home/.qwen/ide/2004.lock", 2004, "/elsewhere");
    let newest_first = [(2002, Why::Workspace), (2003, Why::Workspace), (2001, Why::Workspace)];
    assert_eq!(world.ports("qwen"), newest_first);

    world.here.variables.insert("QWEN_CODE_IDE_SERVER_PORT".into(), "2001".into());
    world.record("tmp/qwen-code-ide-server-2001.json", 2005);
    let editor = editor_pid(&world.here).unwrap();
    world.record(&format!("tmp/qwen-code-ide-server-{editor}.json"), 2006);
    assert_eq!(
        world.ports("qwen"),
        [
            (2001, Why::PortVariable),
            (2006, Why::EditorPid),
            (2005, Why::PortVariable),
            (2002, Why::Workspace),
            (2003, Why::Workspace)
        ]
    );
}

#[test]
fn qwen_skips_locks_whose_editor_has_ended() {
    let world = World::new();
    let json = format!(r#"{{"port":2001,"workspacePath":{:?},"ppid":{DEAD}}}"#, world.project);
    world.write("home/.qwen/ide/2001.lock", &json);
    let search = candidates(FamilyAgent::of_command("qwen").unwrap(), &world.here);
    assert!(search.found.is_empty());
    assert!(matches!(search.skipped[..], [Skipped { reason: SkipReason::EditorGone { pid: DEAD }, .. }]));
}

#[test]
fn qwen_home_moves_the_locks() {
    let mut world = World::new();
    world.here.variables.insert("QWEN_HOME".into(), world.temp.path().join("q").to_str().unwrap().into());
    world.record("home/.qwen/ide/2001.lock", 2001);
    world.record("q/ide/2002.lock", 2002);
    assert_eq!(world.ports("qwen"), [(2002, Why::Workspace)]);
}

#[test]
fn a_family_without_files_uses_its_variables() {
    let mut world = World::new();
    world.here.variables.insert("BOB_SHELL_CLI_IDE_SERVER_PORT".into(), "3001".into());
    assert_eq!(world.ports("bob"), []);
    world.here.variables.insert("BOB_SHELL_CLI_IDE_WORKSPACE_PATH".into(), world.project.clone());
    assert_eq!(world.ports("bob"), [(3001, Why::Variables)]);
}

#[test]
fn unusable_files_are_reported_and_do_not_hide_others() {
    let world = World::new();
    world.record("tmp/gemini/ide/gemini-ide-server-1-1001.json", 1001);
    world.write("tmp/gemini/ide/gemini-ide-server-2-1002.json", "{ not json");
    world.write("tmp/gemini/ide/gemini-ide-server-3-1003.json", r#"{"port":"many"}"#);
    world.write("tmp/gemini/ide/readme.txt", "hello");
    world.record_for("tmp/gemini/ide/gemini-ide-server-4-1004.json", 1004, "");
    std::fs::create_dir(world.temp.path().join("tmp/gemini/ide/gemini-ide-server-5-1005.json")).unwrap();
    let search = candidates(FamilyAgent::of_command("gemini").unwrap(), &world.here);
    assert_eq!(search.found.len(), 1);
    let mut reasons: Vec<String> = search.skipped.iter().map(|skipped| skipped.reason.to_string()).collect();
    reasons.sort();
    assert_eq!(reasons.len(), 4, "{reasons:?}");
    assert!(reasons[0].starts_with("it is not a discovery record"));
    assert!(reasons[2].starts_with("it is not a small regular file"));
    assert!(reasons[3].starts_with("its workspace \"\""));
}

#[test]
fn all_records_lists_each_companion_once_wherever_its_files_are() {
    let world = World::new();
    world.record_for("tmp/gemini/ide/gemini-ide-server-7-1001.json", 1001, "/elsewhere");
    world.record_for("tmp/gemini-ide-server-7.json", 1001, "/elsewhere");
    world.record("home/.qwen/ide/2001.lock", 2001);
    world.record("tmp/qwen/ide/qwen-code-ide-server-7-2001.json", 2001);
    world.record("home/.ola/ide/2002.lock", 2002);
    world.write("tmp/llxprt/ide/llxprt-ide-server-7-3001.json", "nonsense");
    let records = all_records(&world.here);
    assert_eq!(records.iter().map(|(_, record)| record.port).collect::<Vec<_>>(), [1001, 2001, 2002]);
    assert!(records[0].0.starts_with(world.temp.path().join("tmp/gemini/ide")));
}

#[test]
fn neither_tokens_nor_values_of_variables_can_be_logged() {
    let mut world = World::new();
    world.here.variables.insert("GEMINI_CLI_IDE_AUTH_TOKEN".into(), "s3cret".into());
    world.record("tmp/gemini/ide/gemini-ide-server-4242-1003.json", 1003);
    let search = candidates(FamilyAgent::of_command("gemini").unwrap(), &world.here);
    assert!(!format!("{search:?}{:?}", world.here).contains("t1003"));
    assert!(!format!("{:?}", world.here).contains("s3cret"));
}

#[cfg(unix)]
#[test]
fn a_file_of_another_user_is_skipped() {
    // Only root can change a file's owner. Other users take a file of root's.
    let world = World::new();
    world.record("tmp/gemini/ide/gemini-ide-server-4242-1003.json", 1003);
    let path = world.temp.path().join("tmp/gemini/ide/gemini-ide-server-4242-1003.json");
    let path = if std::os::unix::fs::chown(&path, Some(12_345), None).is_ok() {
        path.as_path()
    } else {
        Path::new("/etc/hosts")
    };
    assert!(matches!(record_files::read(path, record_files::Owners::OnlyUs), Err(SkipReason::NotOurs)));
}
