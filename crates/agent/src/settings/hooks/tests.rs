//! Adds our hook to settings as people have them, and takes it out again.

use std::collections::HashMap;

use super::*;

const COMMAND: &str = "/usr/bin/alongside hook claude";

fn agent(id: &str) -> &'static HookAgent {
    HookAgent::named(id).unwrap()
}

fn with(text: &str) -> String {
    with_hook(Some(text), agent("claude"), COMMAND).unwrap()
}

fn without(text: &str) -> String {
    without_hook(text, agent("claude"), None).unwrap()
}

#[test]
fn a_new_file_holds_only_the_hook() {
    let text = with_hook(None, agent("claude"), COMMAND).unwrap();
    let expected = r#"{
  "hooks": {
    "PreToolUse": [
      {
        "matcher": "Edit|Write|MultiEdit|NotebookEdit",
        "hooks": [
          {
            "type": "command",
            "command": "/usr/bin/alongside hook claude",
            "timeout": 3600
          }
        ]
      }
    ]
  }
}
"#;
    assert_eq!(text, expected);
    assert_eq!(with(&text), text, "the second time changes nothing");
    assert_eq!(with(""), text, "an empty file holds nothing");
    assert!(is_empty(&without(&text)), "{}", without(&text));
}

#[test]
fn each_agent_gets_its_events_and_its_unit() {
    for hook in alongside_contract::hook::HOOK_AGENTS {
        let command = command("'/a b/alongside'", hook);
        let text = with_hook(None, hook, &command).unwrap();
        let found = find_hook(&text, hook).unwrap();
        assert_eq!(found.len(), hook.events.len(), "{text}");
        for (found, event) in found.iter().zip(hook.events) {
            assert_eq!(*found, FoundHook::wanted(event, hook, &command));
            assert_eq!((found.limit(hook), found.program(hook)), (hook.limit, Some("'/a b/alongside'")));
            assert!(found.has_tools_of(event));
        }
        let other = agent(if hook.id == "claude" { "codex" } else { "claude" });
        assert_eq!(find_hook(&text, other).unwrap(), [], "it is another agent's");
        assert_eq!(text.contains("\"name\": \"alongside\""), hook.id == "gemini", "{text}");
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

    // Later changes of the person stay, too.
    let later = text.replace("\"x\"", "\"y\"");
    assert_eq!(
        without_hook(&later, agent("claude"), Some(theirs)).unwrap(),
        theirs.replace("\"x\"", "\"y\"")
    );
    assert_eq!(without(theirs), theirs, "there is nothing of ours");
}

#[test]
fn an_older_entry_is_replaced_where_it_is() {
    let old = with("{}\n").replace("/usr/bin/", "/old/").replace("3600", "60");
    let other = "{ \"matcher\": \"Bash\", \"hooks\": [] }";
    let behind = old.replace("\n    ]\n  }\n}\n", &format!(",\n      {other}\n    ]\n  }}\n}}\n"));
    assert_ne!(behind, old);
    assert_eq!(find_hook(&behind, agent("claude")).unwrap()[0].timeout, Some(60));
    let now = with(&behind);
    assert_eq!(now, behind.replace("/old/", "/usr/bin/").replace("60", "3600"));

    // A second one goes, also one that shares its group with a hook of the person's.
    let shared = r#"{"hooks": {"PreToolUse": [{"matcher": "Write", "hooks": [{"command": "mine"},
        {"command": "alongside hook claude"}]}],
        "Stop": [{"hooks": [{"command": "alongside hook claude"}]}]}}"#;
    let now = with(shared);
    assert_eq!(with(&now), now);
    let found = find_hook(&now, agent("claude")).unwrap();
    assert_eq!(found, [FoundHook::wanted(&agent("claude").events[0], agent("claude"), COMMAND)], "{now}");
    assert!(now.contains("mine") && !now.contains("Stop"), "{now}");
}

#[test]
fn objects_that_were_there_before_stay() {
    for before in ["{\n  \"hooks\": {}\n}\n", "{\n  \"hooks\": {\n    \"PreToolUse\": []\n  }\n}\n"] {
        let back = without_hook(&with(before), agent("claude"), Some(before)).unwrap();
        assert_eq!(read::object(&back).unwrap(), read::object(before).unwrap(), "{back}");
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
        ("alongside hook claude; rm x", false),
        ("alongside", false),
        (" hook claude", false),
        ("", false),
    ] {
        assert_eq!(is_ours(command, agent("claude")), expected, "{command}");
    }
}

#[test]
fn settings_that_are_no_such_object_are_refused() {
    for text in ["[]", "{", "{\"hooks\": []}", "{\"hooks\": {\"PreToolUse\": {}}}"] {
        assert!(with_hook(Some(text), agent("claude"), COMMAND).is_err(), "{text}");
    }
    assert_eq!(find_hook("{\"hooks\": [1], \"x\": null}", agent("claude")).unwrap(), []);
}

#[test]
fn an_agent_waits_as_long_as_its_unit_says() {
    let found = |timeout: Option<u64>| FoundHook {
        event: "x".into(),
        matcher: None,
        command: String::new(),
        timeout,
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
fn a_switch_of_the_agent_is_seen() {
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
        assert_eq!(switched_off_by(text, agent(id)), by, "{text}");
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
