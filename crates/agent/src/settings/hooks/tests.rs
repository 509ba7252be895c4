//! Adds our hook to typical settings, and removes it again.

use std::collections::HashMap;
use std::time::Duration;

use alongside_contract::hook::HookFile;
use alongside_platform::Os;

use super::*;

mod guard;
mod turns;

/// The line of Claude Code's hook, without its guard.
const COMMAND: &str = "/usr/bin/alongside hook claude";

fn agent(id: &str) -> HookAgent {
    HookAgent::named(id).unwrap()
}

fn wanted(hook: OurHook, agent: HookAgent, command: &str) -> WantedHook {
    WantedHook { hook, agent, release: None, command: command.to_owned(), os: Os::Linux }
}

fn with_write(text: Option<&str>, agent: HookAgent, command: &str) -> Result<String, String> {
    with_hook(text, &wanted(OurHook::Write, agent, command))
}

fn command_line(os: Os, program: &str, agent: HookAgent) -> String {
    WantedHook::new(OurHook::Write, agent, None, os, program).command
}

fn is_write(command: &str, agent: HookAgent) -> bool {
    hook_of(command, agent) == Some(OurHook::Write)
}

/// Returns the registration of Claude Code's hook before a write.
fn before_write() -> Registration {
    OurHook::Write.registrations(agent("claude"), None).swap_remove(0)
}

fn wanted_of_claude() -> HookEntry {
    HookEntry::wanted(&before_write(), OurHook::Write, agent("claude"), COMMAND)
}

fn with(text: &str) -> String {
    with_write(Some(text), agent("claude"), COMMAND).unwrap()
}

/// Returns a line in the guard of a hook.
fn guarded(line: &str) -> String {
    let program = line.strip_suffix(" hook claude").unwrap();
    let guarded = command_line(Os::Linux, program, agent("claude"));
    assert!(guarded.contains(&format!("exec {line};")), "{guarded}");
    guarded
}

fn without(text: &str) -> String {
    without_hook(text, agent("claude"), None).unwrap()
}

#[test]
fn a_new_file_holds_only_the_hook() {
    let with = |text: &str| with_write(Some(text), agent("claude"), &guarded(COMMAND)).unwrap();
    let text = with_write(None, agent("claude"), &guarded(COMMAND)).unwrap();
    let expected = r#"{
  "hooks": {
    "PreToolUse": [
      {
        "matcher": "Edit|Write|MultiEdit|NotebookEdit",
        "hooks": [
          {
            "type": "command",
            "command": COMMAND,
            "timeout": 3600,
            "onFailure": "block"
          }
        ]
      }
    ]
  }
}
"#
    .replace("COMMAND", &Value::from(guarded(COMMAND)).to_string());
    assert_eq!(text, expected);
    assert_eq!(with(&text), text, "the second time changes nothing");
    assert_eq!(with(""), text, "an empty file holds nothing");
    assert!(is_empty(&without(&text)), "{}", without(&text));
}

#[test]
fn each_agent_gets_its_events_and_its_unit() {
    for one in alongside_contract::agents::with_hook() {
        let command = command_line(Os::Linux, "/a b/alongside", one);
        let text = with_write(None, one, &command).unwrap();
        let found = find_hook(&text, one).unwrap();
        assert_eq!(found.len(), one.hook.events().count(), "{text}");
        for (found, entry) in found.iter().zip(&OurHook::Write.registrations(one, None)) {
            assert_eq!(*found, HookEntry::wanted(entry, OurHook::Write, one, &command));
            let limit = one.hook.wait.limit;
            assert_eq!((found.limit(one), found.program(one)), (limit, Some("'/a b/alongside'")));
            assert!(found.covers_tools_of(entry));
        }
        let other = agent(if one.id == "claude" { "codex" } else { "claude" });
        assert_eq!(find_hook(&text, other).unwrap(), [], "it is another agent's");
        let EntryShape::Groups { is_named } = one.hook.entries;
        assert_eq!(text.contains("\"name\": \"alongside\""), is_named, "{text}");
    }
}

#[test]
fn hooks_and_comments_of_others_stay() {
    let theirs = r#"{
  // mine
  "model": "x",
  "hooks": {
    "PreToolUse": [
      {
        "matcher": "Bash", // every command
        "hooks": [{ "type": "command", "command": "/mine hook claude" }]
      }
    ],
    "Stop": []
  }
}
"#;
    let text = with(theirs);
    assert!(text.contains("// mine") && text.contains("// every command"), "{text}");
    assert_eq!(find_hook(&text, agent("claude")).unwrap().len(), 1, "{text}");
    assert_eq!(without(&text), theirs);

    // Later changes of the person stay too.
    let later = text.replace("\"x\"", "\"y\"");
    assert_eq!(
        without_hook(&later, agent("claude"), Some(theirs)).unwrap(),
        theirs.replace("\"x\"", "\"y\"")
    );
    assert_eq!(without(theirs), theirs, "there is nothing of ours");
}

#[test]
fn an_older_entry_is_replaced_in_its_place() {
    let old = with("{}\n").replace("/usr/bin/", "/old/").replace("3600", "60");
    let other = "{ \"matcher\": \"Bash\", \"hooks\": [] }";
    let behind = old.replace("\n    ]\n  }\n}\n", &format!(",\n      {other}\n    ]\n  }}\n}}\n"));
    assert_ne!(behind, old);
    assert_eq!(find_hook(&behind, agent("claude")).unwrap()[0].timeout, Some(60));
    let now = with(&behind);
    assert_eq!(now, behind.replace("/old/", "/usr/bin/").replace("60", "3600"));

    // A second entry is removed, also one that shares its group with a hook of the person.
    let shared = r#"{"hooks": {"PreToolUse": [{"matcher": "Write", "hooks": [{"command": "mine"},
        {"command": "alongside hook claude"}]}],
        "Stop": [{"hooks": [{"command": "alongside hook claude"}]}]}}"#;
    let now = with(shared);
    assert_eq!(with(&now), now);
    let found = find_hook(&now, agent("claude")).unwrap();
    assert_eq!(found, [wanted_of_claude()], "{now}");
    assert!(now.contains("mine") && !now.contains("Stop"), "{now}");
}

#[test]
fn objects_that_were_there_before_stay() {
    for before in ["{\n  \"hooks\": {}\n}\n", "{\n  \"hooks\": {\n    \"PreToolUse\": []\n  }\n}\n"] {
        let back = without_hook(&with(before), agent("claude"), Some(before)).unwrap();
        let value = |text: &str| json::Reader::ANY.object(text).unwrap();
        assert_eq!(value(&back), value(before), "{back}");
    }
}

#[test]
fn only_our_program_with_our_arguments_is_ours() {
    for (command, expected) in [
        ("alongside hook claude", true),
        ("/usr/bin/alongside hook claude ", true),
        ("'/a b/alongside' hook claude", true),
        ("\"C:\\Program Files\\alongside.exe\" hook claude", true),
        ("$HOME/.cargo/bin/alongside hook claude", true),
        ("alongside hook codex", false),
        ("/usr/bin/not-alongside hook claude", false),
        ("nice alongside hook claude --timeout 120", true),
        ("sh -c 'alongside hook claude'", true),
        ("alongside hook claude; rm x", false),
        ("alongside hook claude && rm x", false),
        ("alongside hook claude $(rm x)", false),
        ("true alongside hook claude", false),
        (": alongside hook claude", false),
        ("# alongside hook claude", false),
        ("echo /usr/bin/alongside hook claude", false),
        ("test -x /usr/bin/alongside hook claude", false),
        ("sh ./other.sh alongside hook claude", false),
        ("sh -c 'true alongside hook claude'", false),
        ("true; alongside hook claude", false),
        ("alongside hook claude >/dev/null", false),
        ("alongside hook claude </dev/null", false),
        ("alongside hook claude --help", false),
        ("alongside hook claude-other", false),
        ("alongside hook claude'", false),
        ("alongside", false),
        (" hook claude", false),
        ("", false),
    ] {
        assert_eq!(is_write(command, agent("claude")), expected, "{command}");
    }
}

#[test]
fn settings_that_are_not_an_object_are_refused() {
    for text in ["[]", "{", "{\"hooks\": []}", "{\"hooks\": {\"PreToolUse\": {}}}"] {
        assert!(with_write(Some(text), agent("claude"), COMMAND).is_err(), "{text}");
    }
    assert_eq!(find_hook("{\"hooks\": [1], \"x\": null}", agent("claude")).unwrap(), []);
}

#[test]
fn an_agent_waits_as_long_as_its_unit_says() {
    let found = |timeout: Option<u64>| HookEntry {
        hook: OurHook::Write,
        is_waiter: false,
        event: "x".into(),
        matcher: None,
        command: String::new(),
        has_argument_list: false,
        timeout,
        on_failure: None,
    };
    for (id, timeout, seconds) in [
        ("claude", Some(30), 30),
        ("claude", None, 60),
        ("codex", None, 600),
        ("gemini", Some(30_000), 30),
        ("gemini", None, 60),
        ("qwen", Some(30), 30),
        ("qwen", Some(3_600_000), 60),
    ] {
        let limit = found(timeout).limit(agent(id));
        assert_eq!(limit, Duration::from_secs(seconds), "{id} {timeout:?}");
    }
}

#[test]
fn a_switch_of_the_agent_is_recognised() {
    for (id, text, by) in [
        ("claude", "{\"disableAllHooks\": true}", Some("disableAllHooks")),
        ("claude", "{\"disableAllHooks\": false}", None),
        ("qwen", "{\"disableAllHooks\": true}", Some("disableAllHooks")),
        ("gemini", "{\"hooksConfig\": {\"enabled\": false}}", Some("hooksConfig.enabled")),
        ("gemini", "{\"hooksConfig\": {\"disabled\": [\"alongside\"]}}", Some("hooksConfig.disabled")),
        ("gemini", "{\"hooksConfig\": {\"disabled\": [\"other\"], \"enabled\": true}}", None),
        ("codex", "{\"disableAllHooks\": true}", None),
        ("claude", "{", None),
    ] {
        assert_eq!(switched_off_by(text, agent(id), OurHook::Write), by, "{text}");
    }
}

#[test]
fn a_project_has_files_of_its_own_except_in_home() {
    let directory = tempfile::tempdir().unwrap();
    let path = |below: &str| directory.path().join(below);
    std::fs::create_dir(path("home")).unwrap();
    std::fs::create_dir(path("project")).unwrap();
    let mut here = Surroundings {
        tmp: path("tmp"),
        home: path("home"),
        variables: HashMap::new(),
        cwd: path("project"),
        pid: std::process::id(),
    };
    for (id, user, project) in [
        ("claude", "home/.claude/settings.json", "project/.claude/settings.local.json"),
        ("codex", "home/.codex/hooks.json", "project/.codex/hooks.json"),
        ("gemini", "home/.gemini/settings.json", "project/.gemini/settings.json"),
        ("qwen", "home/.qwen/settings.json", "project/.qwen/settings.json"),
    ] {
        let at = |scope| file(agent(id), scope, None, &here);
        assert_eq!(at(HookScope::User), Some(path(user)));
        assert_eq!(at(HookScope::Project), Some(path(project)));
        assert_eq!(is_shared(agent(id)), id != "claude");
        assert!(all_files(agent(id), None, &here).contains(&(HookScope::Project, path(project))));
    }
    here.variables.insert("CODEX_HOME".into(), path("elsewhere").to_str().unwrap().to_owned());
    let codex = file(agent("codex"), HookScope::User, None, &here);
    assert_eq!(codex, Some(path("elsewhere/hooks.json")));
    here.cwd = path("home");
    for id in ["claude", "codex"] {
        assert_eq!(file(agent(id), HookScope::Project, None, &here), None);
        assert_eq!(all_files(agent(id), None, &here).len(), 1);
    }
}

#[test]
fn of_two_values_with_one_key_the_last_is_effective() {
    // Of a key that is there twice, the agent reads the last value: the hook is found, added and updated
    // there.
    let group = |command: &str| format!(r#"{{"matcher": "Bash", "hooks": [{{"command": "{command}"}}]}}"#);
    let (ours, other) = (group(COMMAND), group("other"));
    let is_read = |text: &str| {
        let content: Value = serde_json::from_str(text).unwrap();
        content["hooks"]["PreToolUse"].to_string().contains(COMMAND)
    };
    for (dead, alive) in [
        (r#"{"hooks": {"PreToolUse": [OURS]}, "hooks": {"PreToolUse": [OTHER]}}"#, false),
        (r#"{"hooks": {"PreToolUse": [OTHER]}, "hooks": {"PreToolUse": [OURS]}}"#, true),
        (r#"{"hooks": {"PreToolUse": [OURS]}, "hooks": {}}"#, false),
        (r#"{"hooks": {"PreToolUse": [OURS], "PreToolUse": [OTHER]}}"#, false),
        (r#"{"hooks": {"PreToolUse": [OTHER], "PreToolUse": [OURS]}}"#, true),
        (r#"{"hooks": {"PreToolUse": [{"hooks": [{"command": "COMMAND"}], "hooks": []}]}}"#, false),
        (r#"{"hooks": {"PreToolUse": [{"hooks": [{"command": "COMMAND", "command": "x"}]}]}}"#, false),
        (r#"{"hooks": {"PreToolUse": [{"hooks": [{"command": "x", "command": "COMMAND"}]}]}}"#, true),
    ] {
        let text = dead.replace("OURS", &ours).replace("OTHER", &other).replace("COMMAND", COMMAND);
        assert_eq!(is_read(&text), alive, "{text}");
        assert_eq!(!find_hook(&text, agent("claude")).unwrap().is_empty(), alive, "{text}");
        let now = with(&text);
        assert!(is_read(&now), "{now}");
        let found = find_hook(&now, agent("claude")).unwrap();
        assert_eq!(found, [wanted_of_claude()], "{now}");
        assert_eq!(with(&now), now);
        assert!(now.contains(r#""other""#) == text.contains(r#""other""#), "{now}");
        // A removal also removes the first one, which would become effective if someone deleted the last.
        let rest = without(&now);
        assert!(!rest.contains(COMMAND) || rest.contains(r#""command": "x""#), "{rest}");
        assert!(!is_read(&rest) && find_hook(&rest, agent("claude")).unwrap().is_empty(), "{rest}");
        assert!(rest.contains(r#""other""#) == text.contains(r#""other""#), "{rest}");
    }
}

#[test]
fn codex_gets_no_hook_in_a_file_that_it_refuses() {
    let twice = r#"{"hooks": {"Stop": [], "Stop": []}}"#;
    let why = with_write(Some(twice), agent("codex"), COMMAND).unwrap_err();
    assert!(why.contains("\"Stop\" twice"), "{why}");
    assert!(
        find_hook(twice, agent("codex")).is_err()
            && with_write(Some(twice), agent("claude"), COMMAND).is_ok()
    );
}

#[test]
fn a_byte_order_mark_stays_where_the_agent_reads_it() {
    let marked = "\u{feff}{\n  // mine\n  \"x\": 1\n}\n";
    for one in alongside_contract::agents::with_hook() {
        let command = command_line(Os::Linux, "alongside", one);
        let with = with_write(Some(marked), one, &command);
        let reads_mark = match &one.hook.file {
            HookFile::Settings(table) => table.reads_mark_since.is_some(),
            HookFile::Own(_) => false,
        };
        if !reads_mark {
            assert!(with.unwrap_err().contains("byte-order mark"), "{}", one.id);
            assert!(find_hook(marked, one).is_err());
            continue;
        }
        let with = with.unwrap();
        assert!(with.starts_with("\u{feff}{\n  // mine"), "{with}");
        assert_eq!(find_hook(&with, one).unwrap().len(), one.hook.events().count());
        assert_eq!(with_write(Some(&with), one, &command).unwrap(), with);
        assert_eq!(without_hook(&with, one, None).unwrap(), marked);
        assert_eq!(find_hook("\u{feff}\n", one).unwrap(), []);
    }
}

#[test]
fn an_entry_that_a_person_changed_stays_as_it_is() {
    let new = with("{}\n");
    let entry = |command: &str| new.replace(COMMAND, &command.replace('"', "\\\""));
    for command in [
        "nice /usr/bin/alongside hook claude",
        "A=b C='d e' /usr/bin/alongside hook claude --timeout 120",
        "alongside hook claude --timeout=120",
        "nice -n 5 alongside hook claude",
        "nice $HOME/bin/alongside hook claude 2>>/tmp/log",
        "sh -c 'exec alongside hook claude'",
        "bash -lc \"alongside hook claude --timeout 120\"",
        "/usr/bin/alongside hook claude 2>&1",
        "env A=b timeout 600 /usr/bin/alongside hook claude",
    ] {
        let text = entry(command);
        assert_eq!(with(&text), text, "{command}");
        let found = find_hook(&text, agent("claude")).unwrap();
        assert_eq!(found.iter().map(|hook| hook.command.as_str()).collect::<Vec<_>>(), [command]);
        assert!(is_empty(&without(&text)), "{command}");
    }
    // The path of our program is ours.
    let moved = entry("nice '/old place/alongside' hook claude --timeout 120");
    assert_eq!(with(&moved), entry("nice /usr/bin/alongside hook claude --timeout 120"));
    for (command, program) in [
        ("nice '/a b/alongside' hook claude --timeout 120", "'/a b/alongside'"),
        ("A='b c' alongside hook claude", "alongside"),
        ("sh -c 'exec /x/alongside hook claude'", "/x/alongside"),
    ] {
        assert_eq!(
            find_hook(&entry(command), agent("claude")).unwrap()[0].program(agent("claude")),
            Some(program)
        );
    }
}

#[test]
fn a_timeout_that_a_person_chose_stays_if_the_hook_can_finish() {
    let entry = |command: &str, timeout: u64| {
        with("{}\n").replace(COMMAND, command).replace("3600", &timeout.to_string())
    };
    let command = "/usr/bin/alongside hook claude --timeout 120";
    let time_budget = Duration::from_secs(100);
    let found = |text: &str| find_hook(text, agent("claude")).unwrap().swap_remove(0);
    assert_eq!(found(&entry(command, 120)).time_budget(agent("claude")), time_budget);
    assert_eq!(with(&entry(command, 120)), entry(command, 120));
    assert_eq!(with(&entry(command, 60)), entry(command, 3600), "the agent would go on without a review");
    assert_eq!(with(&entry("nice alongside hook claude", 60)), entry("nice alongside hook claude", 3600));
    assert_eq!(found(&entry(COMMAND, 60)).time_budget(agent("claude")), agent("claude").hook.wait.patience());
}
