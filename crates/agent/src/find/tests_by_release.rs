//! Tests of the search by release: what each release does with the same files and variables.

use alongside_contract::agent::FamilyAgent;
use alongside_contract::behaviour::Release;

use super::tests::{DEAD, World};
use super::*;

fn replayed(world: &World, command: &str, release: Release) -> Trace {
    replay(FamilyAgent::of_command(command).unwrap(), Some(release), &world.here, false)
}

/// Returns the port of the record that a release uses.
fn port(world: &World, command: &str, release: Release) -> Option<u16> {
    replayed(world, command, release).record().map(|record| record.port)
}

/// Returns the addresses that a release dials, as `host:port`.
fn dialled(trace: &Trace) -> Vec<String> {
    let name = |attempt: &Attempt| match &attempt.to {
        To::Http { host, port, .. } => format!("{host}:{port}"),
        To::Stdio { command } => command.clone(),
    };
    trace.attempts.iter().map(name).collect()
}

impl World {
    /// Writes a record with an editor, of a companion of this project.
    fn introduced(&self, path: &str, port: u16) {
        let json = serde_json::json!({
            "port": port, "workspacePath": self.project, "authToken": format!("t{port}"),
            "ideInfo": { "name": "helix", "displayName": "Helix" }, "ppid": std::process::id() });
        self.write(path, &json.to_string());
    }

    fn set(&mut self, name: &str, value: &str) {
        self.here.variables.insert(name.into(), value.into());
    }
}

#[test]
fn before_0_31_only_a_file_of_the_editors_own_process_is_read() {
    let world = World::new();
    let editor = editor_pid(&world.here).unwrap();
    world.introduced(&format!("tmp/gemini/ide/gemini-ide-server-{}-1001.json", std::process::id()), 1001);
    assert_eq!(port(&world, "gemini", (0, 61, 0)), Some(1001));
    let trace = replayed(&world, "gemini", (0, 30, 1));
    assert_eq!((trace.taken, trace.end), (None, Some(End::NothingFound)));
    world.introduced(&format!("tmp/gemini/ide/gemini-ide-server-{editor}-1002.json"), 1002);
    assert_eq!(
        port(&world, "gemini", (0, 30, 1)),
        Some(1002),
        "nor does the variable of the process count yet"
    );
}

#[test]
fn the_file_that_overrides_all_moved_with_0_27() {
    let mut world = World::new();
    world.here.variables.clear();
    let editor = editor_pid(&world.here).unwrap();
    world.introduced(&format!("tmp/gemini/ide/gemini-ide-server-{editor}-1001.json"), 1001);
    world.record_for(&format!("tmp/gemini-ide-server-{editor}.json"), 1002, "/elsewhere");
    world.record_for(&format!("tmp/gemini/ide/gemini-ide-server-{editor}.json"), 1003, "/elsewhere");
    assert_eq!(port(&world, "gemini", (0, 26, 0)), Some(1002));
    assert_eq!(port(&world, "gemini", (0, 27, 0)), Some(1003));
    assert_eq!(port(&world, "gemini", (0, 61, 0)), Some(1003));
    let trace = replayed(&world, "gemini", (0, 61, 0));
    assert_eq!(trace.end, Some(End::UnknownEditor), "it does not say which editor it is of");
}

#[test]
fn a_release_before_ide_mode_does_not_search() {
    let world = World::new();
    world.introduced("tmp/gemini/ide/gemini-ide-server-4242-1001.json", 1001);
    assert_eq!(replayed(&world, "gemini", (0, 1, 9)).end, Some(End::NoIdeMode));
}

#[test]
fn before_0_7_only_the_terminal_of_vs_code_is_accepted() {
    let mut world = World::new();
    let editor = editor_pid(&world.here).unwrap();
    world.introduced(&format!("tmp/gemini/ide/gemini-ide-server-{editor}-1001.json"), 1001);
    assert_eq!(replayed(&world, "gemini", (0, 6, 1)).end, Some(End::UnknownEditor));
    assert_eq!(replayed(&world, "gemini", (0, 7, 0)).end, None);
    world.set("TERM_PROGRAM", "vscode");
    let trace = replayed(&world, "gemini", (0, 6, 1));
    assert_eq!(dialled(&trace), ["localhost:1001"]);
    world.set("TERM_PROGRAM", "Zed");
    world.record(&format!("tmp/gemini/ide/gemini-ide-server-{editor}-1001.json"), 1001);
    assert_eq!(replayed(&world, "gemini", (0, 34, 0)).end, Some(End::UnknownEditor));
    assert_eq!(replayed(&world, "gemini", (0, 35, 0)).end, None);
}

#[test]
fn token_is_sent_since_0_6_and_from_variable_since_0_20_1() {
    let mut world = World::new();
    world.set("TERM_PROGRAM", "vscode");
    world.set("GEMINI_CLI_IDE_AUTH_TOKEN", "of the variable");
    world.set("GEMINI_CLI_IDE_SERVER_PORT", "1001");
    let project = world.project.clone();
    world.set("GEMINI_CLI_IDE_WORKSPACE_PATH", &project);
    let token =
        |world: &World, release| replayed(world, "gemini", release).attempts[0].token().map(str::to_owned);
    assert_eq!(token(&world, (0, 20, 0)), None);
    assert_eq!(token(&world, (0, 20, 1)).as_deref(), Some("of the variable"));
    let editor = editor_pid(&world.here).unwrap();
    world.introduced(&format!("tmp/gemini/ide/gemini-ide-server-{editor}-1002.json"), 1002);
    assert_eq!(token(&world, (0, 5, 5)), None);
    assert_eq!(token(&world, (0, 8, 2)).as_deref(), Some("t1002"));
    let trace = replayed(&world, "gemini", (0, 30, 1));
    assert_eq!(dialled(&trace), ["127.0.0.1:1002", "127.0.0.1:1001"], "the variable's port after the file's");
    assert_eq!(trace.attempts[1].token(), Some("t1002"), "with the token of the file");
    assert!(!format!("{trace:?}").contains("t1002"), "no token in what can be logged");
}

#[test]
fn since_0_58_a_record_of_another_workspace_hides_the_variables() {
    let mut world = World::new();
    world.record_for("tmp/gemini/ide/gemini-ide-server-4242-1001.json", 1001, "/elsewhere");
    world.set("TERM_PROGRAM", "vscode");
    world.set("GEMINI_CLI_IDE_SERVER_PORT", "1002");
    let project = world.project.clone();
    world.set("GEMINI_CLI_IDE_WORKSPACE_PATH", &project);
    assert_eq!(dialled(&replayed(&world, "gemini", (0, 55, 0))), ["127.0.0.1:1002"]);
    let trace = replayed(&world, "gemini", (0, 58, 0));
    assert!(matches!(trace.end, Some(End::OtherWorkspace { path: Some(_), .. })), "{:?}", trace.end);
}

#[test]
fn before_0_58_an_unreadable_file_ends_the_search() {
    let world = World::new();
    world.introduced("tmp/gemini/ide/gemini-ide-server-4242-1001.json", 1001);
    std::fs::create_dir(world.temp.path().join("tmp/gemini/ide/gemini-ide-server-7-1002.json")).unwrap();
    assert_eq!(port(&world, "gemini", (0, 58, 0)), Some(1001));
    let trace = replayed(&world, "gemini", (0, 55, 0));
    assert_eq!(trace.end, Some(End::NothingFound));
    let reasons: Vec<_> = trace.files.iter().filter_map(|seen| seen.passed_over.as_ref()).collect();
    assert!(reasons.iter().any(|reason| matches!(reason, SkipReason::Neighbour { .. })), "{reasons:?}");
}

#[test]
fn in_a_container_each_release_dials_its_own_hosts() {
    let mut world = World::new();
    let editor = editor_pid(&world.here).unwrap();
    world.introduced(&format!("tmp/gemini/ide/gemini-ide-server-{editor}-1001.json"), 1001);
    let of = |world: &World, command: &str, release| {
        dialled(&replay(FamilyAgent::of_command(command).unwrap(), Some(release), &world.here, true))
    };
    for release in [(0, 8, 2), (0, 26, 0), (0, 30, 0)] {
        assert_eq!(of(&world, "gemini", release), ["host.docker.internal:1001"]);
    }
    world.set("SSH_CONNECTION", "x");
    assert_eq!(of(&world, "gemini", (0, 26, 0)), ["host.docker.internal:1001"]);
    assert_eq!(of(&world, "gemini", (0, 27, 0)), ["127.0.0.1:1001"]);

    world.introduced("home/.qwen/ide/2001.lock", 2001);
    assert_eq!(of(&world, "qwen", (0, 12, 0)), ["127.0.0.1:2001", "host.docker.internal:2001"]);
    world.set("QWEN_CODE_IDE_SERVER_PORT", "2001");
    assert_eq!(of(&world, "qwen", (0, 5, 2)), ["host.docker.internal:2001"]);
}

#[test]
fn a_proxy_matters_unless_the_release_exempts_the_host() {
    let mut world = World::new();
    let editor = editor_pid(&world.here).unwrap();
    world.introduced(&format!("tmp/gemini/ide/gemini-ide-server-{editor}-1001.json"), 1001);
    world.set("HTTP_PROXY", "http://proxy:3128");
    let gemini = FamilyAgent::of_command("gemini").unwrap();
    let proxied = |world: &World, release, in_container| {
        let trace = replay(gemini, Some(release), &world.here, in_container);
        matches!(trace.attempts[0].to, To::Http { proxy: Some("HTTP_PROXY"), .. })
    };
    assert!(!proxied(&world, (0, 8, 2), false), "localhost is excepted");
    assert!(proxied(&world, (0, 8, 2), true) && proxied(&world, (0, 26, 0), true));
    assert!(!proxied(&world, (0, 27, 0), true), "whatever is dialled is excepted");
    for list in ["host.docker.internal", "*.internal", ".docker.internal:80", "a,*"] {
        world.set("NO_PROXY", list);
        assert!(!proxied(&world, (0, 26, 0), true), "{list}");
    }
}

#[test]
fn qwen_reads_its_locks_since_0_5_1_and_scans_them_since_0_12() {
    let mut world = World::new();
    world.introduced("home/.qwen/ide/2001.lock", 2001);
    let releases = [(0, 5, 0), (0, 5, 2), (0, 10, 1), (0, 12, 0), (0, 24, 4)];
    let found = |world: &World| releases.map(|release| port(world, "qwen", release));
    assert_eq!(found(&world), [None, None, None, Some(2001), Some(2001)]);
    world.set("QWEN_CODE_IDE_SERVER_PORT", "2001");
    assert_eq!(found(&world), [None, Some(2001), Some(2001), Some(2001), Some(2001)]);
    world.set("QWEN_CODE_IDE_SERVER_PORT", "2002");
    assert_eq!(found(&world), [None, None, None, None, Some(2001)], "0.12 scans only without the variable");
    world.here.variables.remove("QWEN_CODE_IDE_SERVER_PORT");
    let editor = editor_pid(&world.here).unwrap();
    world.introduced(&format!("tmp/gemini/ide/qwen-code-ide-server-{editor}-2003.json"), 2003);
    assert_eq!(port(&world, "qwen", (0, 5, 0)), Some(2003));
    world.record_for(&format!("tmp/qwen-code-ide-server-{editor}.json"), 2004, "/elsewhere");
    assert_eq!(found(&world)[1..], [Some(2004), Some(2004), Some(2004), Some(2001)], "unchecked before 0.21");
    let trace = replayed(&world, "qwen", (0, 12, 0));
    let step = trace.steps.iter().find(|step| step.what.ends_with(&format!("-{editor}.json"))).unwrap();
    assert_eq!(step.why, "usable: port 2004, a token, workspace /elsewhere");
}

#[test]
fn qwen_ignores_locks_of_ended_editors_since_0_15() {
    let world = World::new();
    let json = format!(r#"{{"port":2001,"workspacePath":{:?},"ppid":{DEAD}}}"#, world.project);
    world.write("home/.qwen/ide/2001.lock", &json);
    assert_eq!(port(&world, "qwen", (0, 12, 0)), Some(2001));
    assert_eq!(port(&world, "qwen", (0, 15, 6)), None);
    let both = format!(r#"{{"port":2001,"workspacePath":"{0}:{0}"}}"#, world.project);
    world.write("home/.qwen/ide/2001.lock", &both);
    let trace = replayed(&world, "qwen", (0, 24, 4));
    assert!(
        matches!(trace.files[0].passed_over, Some(SkipReason::WorkspaceGone { .. })),
        "{:?}",
        trace.files
    );
}

#[test]
fn since_0_15_qwen_dials_the_other_locks_that_fit() {
    let world = World::new();
    world.introduced("home/.qwen/ide/2001.lock", 2001);
    world.introduced("home/.qwen/ide/2002.lock", 2002);
    assert_eq!(dialled(&replayed(&world, "qwen", (0, 12, 0))).len(), 1);
    let mut both = dialled(&replayed(&world, "qwen", (0, 24, 4)));
    both.sort();
    assert_eq!(both, ["127.0.0.1:2001", "127.0.0.1:2002"]);
}

#[test]
fn the_trace_lists_each_step_and_where_it_fails() {
    let world = World::new();
    world.record_for("tmp/gemini/ide/gemini-ide-server-4242-1001.json", 1001, "");
    let trace = replayed(&world, "gemini", (0, 61, 0));
    let fails: Vec<_> = trace.steps.iter().filter(|step| step.result == StepResult::Fails).collect();
    assert_eq!(fails.len(), 1, "{:#?}", trace.steps);
    assert_eq!(trace.end, Some(End::UnknownEditor));
    assert_eq!(trace.steps.last(), Some(fails[0]));
    assert!(trace.steps[0].what.starts_with("GEMINI_CLI_IDE_PID=4242"), "{:#?}", trace.steps);
    assert!(trace.steps.iter().any(
        |step| step.what.ends_with("gemini-ide-server-4242.json") && step.why == "there is no such file"
    ));
}
