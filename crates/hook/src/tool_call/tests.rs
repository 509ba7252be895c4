//! Tool calls of each agent, the texts that they write, and the way back.

use alongside_contract::agent::HookAgent;
use alongside_contract::agents::with_hook;
use serde_json::json;

use super::*;

fn hook(agent: &str) -> &'static Hook {
    HookAgent::named(agent).unwrap().hook
}

fn call(agent: &str, tool: &str, arguments: Value) -> Result<ToolCall, NoChange> {
    ToolCall::read(hook(agent), &input(tool, arguments))
}

fn input(tool: &str, arguments: Value) -> HookInput {
    let tool_input = arguments.as_object().unwrap().clone();
    HookInput { tool_name: tool.into(), tool_input, ..HookInput::default() }
}

fn text(text: &'static str) -> impl FnMut(&str) -> TextFile {
    move |_| TextFile::Text(text.into())
}

#[test]
fn every_agents_tools_become_the_text_that_they_write() {
    let edit = json!({"file_path": "/f", "old_string": "b\n", "new_string": "c\n"});
    let write = json!({"file_path": "/f", "content": "a\nc\n"});
    let edits = json!({"file_path": "/f", "edits": [
        {"old_string": "b\n", "new_string": "d\n"}, {"old_string": "d", "new_string": "c"},
    ]});
    let patch = json!({"command": "*** Begin Patch\n*** Update File: /f\n@@\n a\n-b\n+c\n*** End Patch"});
    for (agent, tool, arguments) in [
        ("claude", "Write", &write),
        ("claude", "Edit", &edit),
        ("claude", "MultiEdit", &edits),
        ("gemini", "write_file", &write),
        ("gemini", "replace", &edit),
        ("qwen", "write_file", &write),
        ("qwen", "edit", &edit),
        ("codex", "apply_patch", &patch),
    ] {
        let call = call(agent, tool, arguments.clone()).unwrap();
        let changes = call.changes(text("a\nb\n")).unwrap();
        let made: Vec<_> = changes.iter().map(|change| (&*change.path, &*change.proposed)).collect();
        assert_eq!(made, [("/f", "a\nc\n")], "{agent} {tool}");
        // The same tool with other arguments writes the text of the person.
        let input = input(tool, arguments.clone());
        let arguments = call.rewritten(&input, &[Some("mine\nb\n")], text("a\nb\n")).unwrap();
        let again = ToolCall::read(hook(agent), &HookInput { tool_input: arguments, ..input });
        let changes = again.unwrap().changes(text("a\nb\n")).unwrap();
        assert_eq!(changes[0].proposed, "mine\nb\n", "{agent} {tool}");
    }
    assert_eq!(call("claude", "Bash", json!({"command": "ls"})), Err(NoChange::NotATool));
}

#[test]
fn every_tool_that_starts_a_hook_is_read() {
    for agent in with_hook() {
        for tool in agent.hook.events().flat_map(|event| event.matcher.split(['^', '$', '(', ')', '|'])) {
            let read = ToolCall::read(agent.hook, &input(tool, json!({})));
            assert!(tool.is_empty() || read != Err(NoChange::NotATool), "{}: {tool}", agent.id);
        }
    }
}

#[test]
fn a_call_that_cannot_be_read_still_names_its_files() {
    let home = Some(Path::new("/home/me"));
    let files = |agent: &str, tool: &str, arguments: Value| {
        let files = ToolCall::files(hook(agent), &input(tool, arguments), home).into_iter();
        files.map(|path| path.to_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(files("claude", "Edit", json!({"file_path": " /p/f "})), ["/p/f"]);
    assert_eq!(files("claude", "Write", json!({"file_path": "~/p/f"})), ["~/p/f", "/home/me/p/f"]);
    assert_eq!(files("qwen", "notebook_edit", json!({"notebook_path": "f.ipynb"})), ["f.ipynb"]);
    let decoded = files("gemini", "replace", json!({"file_path": "@p%2Ff%"}));
    assert_eq!(decoded, ["@p%2Ff%", "@p/f%", "p%2Ff%", "p/f%"]);
    let patch =
        "*** Begin Patch\n *** Update File: a b\r\n***Delete File: no\n*** Add File:c\n*** Move to: d";
    assert_eq!(files("codex", "apply_patch", json!({ "command": patch })), ["a b", "c", "d"]);
    for (tool, arguments) in [("Bash", json!({"file_path": "/p/f"})), ("Edit", json!({}))] {
        assert_eq!(files("claude", tool, arguments), Vec::<String>::new());
    }
}

#[test]
fn a_new_file_is_a_change_of_nothing() {
    let edit = json!({"file_path": "/f", "old_string": "", "new_string": "new\n"});
    let call = call("claude", "Edit", edit.clone()).unwrap();
    assert_eq!(call.changes(|_| TextFile::Absent).unwrap()[0].proposed, "new\n");
    let rewritten = call.rewritten(&input("Edit", edit), &[Some("other\n")], |_| TextFile::Absent).unwrap();
    assert_eq!((&rewritten["old_string"], &rewritten["new_string"]), (&json!(""), &json!("other\n")));
}

#[test]
fn a_patch_of_several_files_keeps_only_those_that_the_person_kept() {
    let command = "*** Begin Patch\n*** Add File: new\n+n\n*** Delete File: old\n*** Update File: f\n\
                   *** Move to: g\n@@\n-a\n+b\n*** End Patch";
    let arguments = json!({ "command": command });
    let call = call("codex", "apply_patch", arguments.clone()).unwrap();
    let read = |path: &str| match path {
        "new" => TextFile::Absent,
        _ => TextFile::Text("a\n".into()),
    };
    let changes = call.changes(read).unwrap();
    let made: Vec<_> = changes.iter().map(|change| (&*change.path, &*change.proposed)).collect();
    assert_eq!(made, [("new", "n\n"), ("old", ""), ("g", "b\n")]);
    assert_eq!(changes[1].remark.as_deref(), Some("This deletes the file."));
    let input = input("apply_patch", arguments);
    let rewritten = call.rewritten(&input, &[None, Some(""), Some("c\n")], read).unwrap();
    let expected = "*** Begin Patch\n*** Delete File: old\n*** Update File: f\n*** Move to: g\n@@\n-a\n+c\n\
                    *** End Patch\n";
    assert_eq!(rewritten["command"], expected);
    let restored = call.rewritten(&input, &[None, Some("z\n"), None], read).unwrap();
    assert_eq!(restored["command"], "*** Begin Patch\n*** Update File: old\n@@\n-a\n+z\n*** End Patch\n");
}

#[test]
fn a_patch_that_does_not_apply_exactly_is_not_guessed() {
    for command in ["*** Begin Patch\n*** Update File: f\n@@\n-b \n+c\n*** End Patch", "nonsense"] {
        let unclear = call("codex", "apply_patch", json!({ "command": command }))
            .and_then(|call| call.changes(text("b\n")).map(drop));
        assert!(matches!(unclear, Err(NoChange::Unclear { .. })), "{command}");
    }
}

#[test]
fn a_path_that_the_agent_reads_otherwise_is_refused() {
    for path in ["", "~/.bashrc", " /etc/passwd", "/a\n", "/a\0"] {
        let wrong = call("claude", "Write", json!({"file_path": path, "content": ""}));
        assert!(matches!(wrong, Err(NoChange::Refused { .. })), "{path:?}");
    }
    let moved = "*** Begin Patch\n*** Update File: f\n*** Move to: ~/g\n@@\n-a\n+b\n*** End Patch";
    let moved = call("codex", "apply_patch", json!({ "command": moved })).unwrap().changes(text("a\n"));
    assert!(matches!(moved, Err(NoChange::Refused { .. })));
}

/// It joins such a path to its directory. Where `replace` finds nothing there, it looks in others.
#[test]
fn gemini_resolves_a_relative_path_below_its_directory() {
    let write = |path: &str| call("gemini", "write_file", json!({"file_path": path, "content": "x\n"}));
    let replace = |old: &str| {
        let input = json!({"file_path": "src/a.txt", "old_string": old, "new_string": "x"});
        call("gemini", "replace", input).unwrap()
    };
    for change in [
        write("src/a.txt").unwrap().changes(|_| TextFile::Absent),
        replace("a").changes(text("a\n")),
        replace("").changes(text("")),
    ] {
        assert_eq!(change.unwrap()[0].path, "src/a.txt");
    }
    let absent = replace("").changes(|_| TextFile::Absent);
    assert!(matches!(absent, Err(NoChange::Refused { .. })), "{absent:?}");
    for path in ["@src/a.txt", "@/a.txt", "../a.txt", "src/../a.txt", "a%2Fb.txt"] {
        assert!(matches!(write(path), Err(NoChange::Refused { .. })), "{path:?}");
    }
    let other = call("qwen", "write_file", json!({"file_path": "src/a.txt", "content": ""}));
    assert!(matches!(other, Err(NoChange::Refused { .. })));
}
