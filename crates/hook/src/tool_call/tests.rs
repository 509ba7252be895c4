//! Tests the tool calls of each agent, the texts that they write, and the arguments that write a given text.

use alongside_contract::agent::HookAgent;
use alongside_contract::agents::with_hook;
use serde_json::json;

use super::*;
use crate::FILE;

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
fn the_text_of_each_tool_of_each_agent_is_computed() {
    let edit = json!({"file_path": FILE, "old_string": "b\n", "new_string": "c\n"});
    let write = json!({"file_path": FILE, "content": "a\nc\n"});
    let edits = json!({"file_path": FILE, "edits": [
        {"old_string": "b\n", "new_string": "d\n"}, {"old_string": "d", "new_string": "c"},
    ]});
    let patch = format!("*** Begin Patch\n*** Update File: {FILE}\n@@\n a\n-b\n+c\n*** End Patch");
    let patch = json!({ "command": patch });
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
        assert_eq!(made, [(FILE, "a\nc\n")], "{agent} {tool}");
        // With other arguments, the same tool writes the text of the person.
        let input = input(tool, arguments.clone());
        let arguments = call.rewritten_arguments(&input, &[Some("mine\nb\n")], text("a\nb\n")).unwrap();
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
fn the_files_of_a_call_that_cannot_be_parsed_are_listed() {
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
fn an_edit_of_an_empty_string_creates_a_file() {
    let edit = json!({"file_path": FILE, "old_string": "", "new_string": "new\n"});
    let call = call("claude", "Edit", edit.clone()).unwrap();
    assert_eq!(call.changes(|_| TextFile::Absent).unwrap()[0].proposed, "new\n");
    let rewritten_arguments =
        call.rewritten_arguments(&input("Edit", edit), &[Some("other\n")], |_| TextFile::Absent).unwrap();
    assert_eq!(
        (&rewritten_arguments["old_string"], &rewritten_arguments["new_string"]),
        (&json!(""), &json!("other\n"))
    );
}

#[test]
fn a_rewritten_patch_has_only_the_files_that_the_person_kept() {
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
    let rewritten = call.rewritten_arguments(&input, &[None, Some(""), Some("c\n")], read).unwrap();
    let expected = "*** Begin Patch\n*** Delete File: old\n*** Update File: f\n*** Move to: g\n@@\n-a\n+c\n\
                    *** End Patch\n";
    assert_eq!(rewritten["command"], expected);
    let restored = call.rewritten_arguments(&input, &[None, Some("z\n"), None], read).unwrap();
    assert_eq!(restored["command"], "*** Begin Patch\n*** Update File: old\n@@\n-a\n+z\n*** End Patch\n");
}

#[test]
fn a_patch_that_does_not_apply_exactly_is_refused() {
    for command in ["*** Begin Patch\n*** Update File: f\n@@\n-b \n+c\n*** End Patch", "nonsense"] {
        let unclear = call("codex", "apply_patch", json!({ "command": command }))
            .and_then(|call| call.changes(text("b\n")).map(drop));
        assert!(matches!(unclear, Err(NoChange::Refused { .. })), "{command}");
    }
}

#[test]
fn a_path_that_the_agent_would_interpret_is_refused() {
    for path in ["", "~/.bashrc", " /etc/passwd", "/a\n", "/a\0"] {
        let wrong = call("claude", "Write", json!({"file_path": path, "content": ""}));
        assert!(matches!(wrong, Err(NoChange::Refused { .. })), "{path:?}");
    }
    let moved = "*** Begin Patch\n*** Update File: f\n*** Move to: ~/g\n@@\n-a\n+b\n*** End Patch";
    let moved = call("codex", "apply_patch", json!({ "command": moved })).unwrap().changes(text("a\n"));
    assert!(matches!(moved, Err(NoChange::Refused { .. })));
}

/// It joins such a path to its directory. If `replace` finds no file there, it searches other directories.
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

/// Returns the text that a tool writes into a file.
fn text_written(agent: &str, tool: &str, arguments: Value, file: &'static str) -> Result<String, NoChange> {
    Ok(change_of(agent, tool, arguments, file)?.proposed)
}

fn change_of(agent: &str, tool: &str, arguments: Value, file: &'static str) -> Result<Change, NoChange> {
    Ok(call(agent, tool, arguments)?.changes(text(file))?.remove(0))
}

/// Returns the arguments of a tool that replaces a string.
fn edit_of(old: &str, new: &str) -> Value {
    json!({"file_path": FILE, "old_string": old, "new_string": new})
}

fn file_of(content: &str) -> Value {
    json!({"file_path": FILE, "content": content})
}

#[test]
fn each_tool_writes_line_ends_by_its_own_rule() {
    let write = file_of("x\ny\n");
    for (agent, tool, file, expected) in [
        ("claude", "Write", "a\r\nb\r\n", "x\ny\n"),
        ("gemini", "write_file", "a\r\nb\r\n", "x\r\ny\r\n"),
        ("gemini", "write_file", "a\r\nb\n", "x\r\ny\r\n"),
        ("gemini", "write_file", "a\rb\n", "x\ny\n"),
        ("qwen", "write_file", "a\nb\r\n", "x\r\ny\r\n"),
        ("qwen", "write_file", "", "x\ny\n"),
    ] {
        assert_eq!(text_written(agent, tool, write.clone(), file).unwrap(), expected, "{agent}: {file:?}");
    }
    assert_eq!(text_written("qwen", "write_file", file_of("x\r\ny\n"), "a\nb\n").unwrap(), "x\r\ny\n");
    assert_eq!(text_written("qwen", "write_file", file_of("x\r\ny\n"), "a\r\n").unwrap(), "x\r\ny\r\n");
    let edit = edit_of("a", "x");
    for (agent, tool, file, expected) in [
        ("claude", "Edit", "a\r\nb\r\nc\n", "x\r\nb\r\nc\r\n"),
        ("claude", "Edit", "a\r\nb\nc\n", "x\nb\nc\n"),
        ("claude", "Edit", "a\r\nb\n", "x\nb\n"),
        ("claude", "Edit", "a\rb\n", "x\rb\n"),
        ("gemini", "replace", "a\nb\r\nc\n", "x\r\nb\r\nc\r\n"),
        ("gemini", "replace", "a\rb\n", "x\rb\n"),
        ("qwen", "edit", "a\nb\r\nc\n", "x\r\nb\r\nc\r\n"),
    ] {
        assert_eq!(text_written(agent, tool, edit.clone(), file).unwrap(), expected, "{agent}: {file:?}");
    }
    assert_eq!(text_written("qwen", "edit", edit_of("a", "x\r\ny"), "a\r\n").unwrap(), "x\r\ny\r\n");
    assert_eq!(text_written("claude", "Edit", edit_of("a", "x\r\ny"), "a\nb\n").unwrap(), "x\r\ny\nb\n");
}

/// Claude Code counts line ends only in the first 4,096 UTF-16 units.
#[test]
fn the_line_ends_of_the_beginning_of_a_file_decide() {
    let edit =
        |first: &str, file: String| text_written("claude", "Edit", edit_of(first, "x"), file.leak()).unwrap();
    let crlf = "\r\n".repeat(9_000);
    assert_eq!(
        edit("a", format!("a\n{}{crlf}", "é".repeat(4_094))),
        format!("x\n{}{}", "é".repeat(4_094), crlf.replace('\r', ""))
    );
    assert_eq!(edit("a", format!("a\n{}{crlf}", "é".repeat(4_000))).matches('\r').count(), 9_001);
    assert_eq!(edit("a", format!("a\n{}\r\n\r\n", "🦀".repeat(2_047))).matches('\r').count(), 0);
}

#[test]
fn replacing_a_whole_text_by_nothing_keeps_line_ends_by_rule() {
    assert_eq!(text_written("gemini", "replace", edit_of("a\n", ""), "a\n").unwrap(), "\n");
    assert_eq!(text_written("gemini", "replace", edit_of("a", ""), "a").unwrap(), "");
    assert_eq!(text_written("gemini", "replace", edit_of("a\n", ""), "a\r\n").unwrap(), "\r\n");
    assert_eq!(text_written("claude", "Edit", edit_of("a\n", ""), "a\n").unwrap(), "");
    let new = call("gemini", "replace", edit_of("", "a\r\nb\n")).unwrap();
    assert_eq!(new.changes(|_| TextFile::Absent).unwrap()[0].proposed, "a\r\nb\n");
}

#[test]
fn a_byte_order_mark_stays_where_the_tool_keeps_it() {
    let file = "\u{feff}a\n";
    for (agent, tool, content, expected) in [
        ("claude", "Write", "b\n", "\u{feff}b\n"),
        ("claude", "Write", "\u{feff}b\n", "\u{feff}b\n"),
        ("claude", "Write", "", ""),
        ("qwen", "write_file", "b\n", "\u{feff}b\n"),
        ("qwen", "write_file", "", "\u{feff}"),
        ("gemini", "write_file", "b\n", "b\n"),
    ] {
        assert_eq!(text_written(agent, tool, file_of(content), file).unwrap(), expected, "{agent}");
    }
    let edit = edit_of("a\n", "b\n");
    for (agent, tool) in [("claude", "Edit"), ("gemini", "replace"), ("qwen", "edit")] {
        assert_eq!(text_written(agent, tool, edit.clone(), file).unwrap(), "\u{feff}b\n", "{agent}");
        let call = call(agent, tool, edit.clone()).unwrap();
        let input = input(tool, edit.clone());
        let mine = call.rewritten_arguments(&input, &[Some("\u{feff}mine\n")], text(file)).unwrap();
        assert_eq!(mine["new_string"], "mine\n", "{agent}: it may not see the mark");
        let marked = text_written(agent, tool, edit_of("\u{feff}a\n", "b\n"), file);
        assert!(matches!(marked, Err(NoChange::Refused { .. })), "{agent}: it may not find the mark");
    }
}

/// Such a difference is in no hunk, because desks compare the texts with the same line ends.
#[test]
fn other_line_endings_and_another_bom_are_in_the_remark() {
    let remark = |agent, tool, arguments, file| change_of(agent, tool, arguments, file).unwrap().remark;
    let crlf = "a\r\nb\r\n";
    let becomes_lf = Some("This ends every line of the file in LF; it has CRLF.".to_owned());
    assert_eq!(remark("claude", "Write", file_of("a\nc\n"), crlf), becomes_lf);
    let add = json!({"command": "*** Begin Patch\n*** Add File: f\n+a\n*** End Patch"});
    assert_eq!(remark("codex", "apply_patch", add, crlf), becomes_lf);
    assert_eq!(remark("gemini", "write_file", file_of("a\nc\n"), crlf), None);
    let becomes_crlf = Some("This ends every line of the file in CRLF; it has LF.".to_owned());
    assert_eq!(remark("claude", "Write", file_of("a\r\nc\r\n"), "a\n"), becomes_crlf);
    let mark = Some("This removes the byte-order mark at the beginning of the file.".to_owned());
    assert_eq!(remark("gemini", "write_file", file_of("b\n"), "\u{feff}a\n"), mark);
    let mark = Some("This adds a byte-order mark at the beginning of the file.".to_owned());
    assert_eq!(remark("claude", "Write", file_of("\u{feff}b\n"), "a\n"), mark);
}

/// Whether Gemini CLI resolves them depends on the model, which its hook does not receive.
#[test]
fn escapes_that_gemini_may_resolve_are_in_the_remark() {
    let remark = |ending: &str, content: &str| {
        let write = json!({"file_path": format!("{FILE}{ending}"), "content": content});
        change_of("gemini", "write_file", write, "old\n").unwrap().remark.unwrap_or_default()
    };
    for content in [r#"print("a\n")"#, r#"say(\"a\")"#, r"\\", "a \\\n b", r"don\'t", r"\t", r"\`"] {
        assert!(remark(".py", content).contains("without their backslash"), "{content}");
        assert_eq!(remark(".json", content), "");
        assert_eq!(remark(".IPYNB", content), "");
    }
    for content in [r"\d \w \ x", "/", "n"] {
        assert_eq!(remark(".py", content), "", "{content}");
    }
    let other = change_of("qwen", "write_file", file_of(r"a\n"), "old\n").unwrap();
    assert_eq!(other.remark, None);
}
