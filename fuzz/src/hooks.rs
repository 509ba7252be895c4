//! Hooks of agents: after a decision, a tool writes the text that the person accepted, or does not run.

use alongside_contract::agents::AGENTS;
use alongside_contract::hook::{AnswerFormat, Arguments, Hook, Tool, ToolArguments};
use alongside_desk::Verdict;
use alongside_hook::{self as hook, Answer, Change, HookInput, TextFile, ToolCall};
use serde_json::{Map, Value, json};

/// The values of `edit_mode` for a cell of a notebook; the last one is unknown.
const EDIT_MODES: [&str; 4] = ["replace", "insert", "delete", "none"];

/// Returns every tool of every agent, in the order of the table. A seed chooses a tool by its position.
fn tools() -> Vec<(&'static Hook, &'static Tool)> {
    let hooks = AGENTS.iter().filter_map(|agent| agent.hook.as_ref());
    hooks.flat_map(|hook| hook.tools.iter().map(move |tool| (hook, tool))).collect()
}

/// Checks one tool call. The input is choices, the file, the person's text, and two arguments of the tool,
/// separated by bytes 0xff. The whole input is also parsed as the input of each hook.
pub fn check(data: &[u8]) {
    check_any_input(data);
    let mut parts = data.splitn(5, |byte| *byte == 0xff).map(|part| std::str::from_utf8(part).ok());
    let (Some(choices), Some(Some(file)), Some(Some(typed)), Some(Some(first)), Some(Some(second))) =
        (parts.next(), parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return;
    };
    // The characters of the choices are ASCII in the seeds, so that a person can read them.
    let choices = choices.unwrap_or_default().as_bytes();
    check_patches(file, typed);
    let choice = |at: usize| choices.get(at).copied().map_or(0, usize::from);
    // The seeds count the tools from `F` on. A new agent at the end of the table changes no position. A new
    // tool of another agent changes the positions of the tools after it, and so breaks their seeds.
    let tools = tools();
    let (hook, tool) = tools[(choice(0) + 256 - usize::from(b'F')) % 256 % tools.len()];
    let path = match choice(2) & 9 {
        0 => "/f",
        8 => "/latin",
        _ => "/new",
    };
    let (all, mode, is_markdown) =
        (choice(2) & 2 == 2, EDIT_MODES[choice(3) % EDIT_MODES.len()], choice(2) & 4 == 4);
    let arguments = match &tool.arguments {
        ToolArguments::Patch { patch } => json!({ *patch: first }),
        ToolArguments::File(names) => json!({ names.path: path, names.content: first }),
        ToolArguments::Edits(names) => match names.list {
            Some(list) => json!({ names.path: path, list: [
                { names.old: first, names.new: second, names.all: all },
                { names.old: second, names.new: first },
            ] }),
            None => json!({
                names.path: path, names.old: first, names.new: second,
                "replace_all": all, "allow_multiple": all, "expected_replacements": 1,
            }),
        },
        ToolArguments::Cell => json!({
            "notebook_path": path, "cell_id": (!first.is_empty()).then_some(first), "new_source": second,
            "edit_mode": mode, "cell_type": if is_markdown { "markdown" } else { "code" },
        }),
    };
    let events: Vec<_> = hook.events().collect();
    let input = input(tool.name, events[choice(1) % events.len()].name, &arguments);
    let read = |path: &str| match path {
        path if path.contains("new") => TextFile::Absent,
        path if path.contains("bin") => TextFile::Unreadable("it is too large".into()),
        path if path.contains("latin") => TextFile::NotUtf8(file.to_owned()),
        _ => TextFile::Text(file.to_owned()),
    };
    let Ok(call) = ToolCall::read(hook, &input) else { return };
    let Ok(changes) = call.changes(read) else { return };
    let is_notebook = matches!(tool.arguments, ToolArguments::Cell);
    let is_patch = matches!(tool.arguments, ToolArguments::Patch { .. });
    if is_notebook {
        check_one_cell_changed(file, &changes[0].proposed, second);
    }
    let own: Vec<_> = changes.iter().map(|change| Some(change.proposed.clone())).collect();
    assert!(changes_after(hook, &input, &call, &own, &read).is_some(), "the agent's own text is allowed");

    // The person accepts a file as proposed, with their own text or with a longer text, or rejects it.
    let longer = || match is_notebook {
        true => notebook_of(hook, &input, typed, &read),
        false => Some(format!("{file}{typed}")),
    };
    let texts: Option<Vec<_>> = changes
        .iter()
        .enumerate()
        .map(|(at, change)| match choice(4) >> (at % 3 * 2) & 3 {
            0 => Some(Some(change.proposed.clone())),
            1 => Some(Some(typed.to_owned())),
            2 => longer().map(Some),
            _ => Some(None),
        })
        .collect();
    let Some(texts) = texts else { return };
    let Some(written) = changes_after(hook, &input, &call, &texts, &read) else { return };
    for (change, text) in changes.iter().zip(&texts) {
        let result = written.iter().find(|result| result.path == change.path);
        match (text, result.map(|result| result.proposed.as_str())) {
            (Some(text), Some(result)) if is_patch => assert_patched(file, text, result),
            (Some(text), Some(result)) if is_notebook => {
                let value = |text: &str| serde_json::from_str::<Value>(text).ok();
                assert!(result == text || value(text).is_some(), "the texts differ, and cannot be parsed");
                assert_eq!(value(result), value(text));
            }
            (Some(text), Some(result)) => assert_eq!(result, text),
            (text, result) => assert_eq!(text.as_deref(), result, "{}", change.path),
        }
    }
}

/// Checks `data` as the input of every hook, with files of every kind.
fn check_any_input(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for hook in AGENTS.iter().filter_map(|agent| agent.hook.as_ref()) {
        let Ok(input) = HookInput::read(hook, data) else { continue };
        assert!(parse_answer(hook, &input, &hook::refusal(input.event_or_first(hook), &text)).is_none());
        let Ok(call) = ToolCall::read(hook, &input) else { continue };
        let texts = ["", "a\nb\na\n", "a\r\nb\r\n", "a\r\nb\n", r#"{"cells": [{"id": "a", "source": []}]}"#];
        let files = texts.map(|text| TextFile::Text(text.into()));
        let lossy = TextFile::NotUtf8("a\u{fffd}\nb\r\n".into());
        let others = [TextFile::Absent, lossy, TextFile::Unreadable("it is too large".into())];
        for file in files.into_iter().chain(others) {
            let read = |_: &str| file.clone();
            let Ok(changes) = call.changes(read) else { continue };
            for text in [Some(text.to_string()), Some(String::new()), None] {
                let texts = vec![text; changes.len()];
                let _ = changes_after(hook, &input, &call, &texts, &read);
            }
        }
    }
}

fn input(tool: &str, event: &str, arguments: &Value) -> HookInput {
    let tool_input = arguments.as_object().cloned().unwrap_or_default();
    HookInput {
        hook_event_name: event.to_owned(),
        tool_name: tool.to_owned(),
        tool_input,
        ..HookInput::default()
    }
}

/// Returns the changes that the tool makes after the person's decisions: each text is accepted, and a change
/// without a text is rejected. `None` if the tool does not run. Checks the hook's answer to every other
/// verdict.
fn changes_after(
    hook: &'static Hook,
    input: &HookInput,
    call: &ToolCall,
    texts: &[Option<String>],
    read: &dyn Fn(&str) -> TextFile,
) -> Option<Vec<Change>> {
    let changes = call.changes(read).expect("the files are as before");
    assert!(!changes.is_empty(), "a call changes something");
    let answered = |verdicts: &[Verdict]| {
        parse_answer(hook, input, &hook::answer(hook, input, call, &changes, verdicts, read))
    };
    let verdicts =
        |verdict: &dyn Fn(&Option<String>) -> Verdict| texts.iter().map(verdict).collect::<Vec<_>>();
    let (message, draft) = (|| "the \"reason\"\n".repeat(texts.len()), Some("/draft".into()));
    for end in [
        Verdict::Rejected { message: message() },
        Verdict::Refused { message: message() },
        Verdict::Undecided { message: message(), draft },
        Verdict::StillOpen,
    ] {
        assert!(answered(&verdicts(&|_| end.clone())).is_none(), "the person has accepted nothing");
    }
    for message in [None, Some(message())] {
        let decided = verdicts(&|text| match text {
            Some(text) => Verdict::Accepted { text: text.as_str().into(), message: message.clone() },
            None => Verdict::Rejected { message: "no".into() },
        });
        let is_own = changes.iter().zip(texts).all(|(change, text)| text.as_ref() == Some(&change.proposed));
        let arguments = match (answered(&decided), is_own) {
            (Some(arguments), true) => {
                let own = match input.event_or_first(hook).arguments {
                    Arguments::Taken => Some(input.tool_input.clone()),
                    Arguments::Ignored => None,
                };
                assert_eq!(arguments, own, "the agent's own text stays as it is");
                continue;
            }
            (None, own) => {
                assert!(!own, "the agent's own text is allowed");
                return None;
            }
            (Some(arguments), false) => arguments.expect("the agent writes another text"),
        };
        let event = input.event_or_first(hook);
        assert_eq!(event.arguments, Arguments::Taken);
        let again = HookInput { tool_input: arguments, ..input.clone() };
        let call = ToolCall::read(hook, &again).expect("the agent knows its own tool");
        let changes = call.changes(read).expect("the tool accepts these arguments");
        if message.is_some() {
            return Some(changes);
        }
    }
    Some(changes)
}

/// Returns the arguments in an answer, with which the tool runs; the inner `None` if the answer has none. The
/// outer `None` if the tool does not run.
fn parse_answer(
    hook: &'static Hook,
    input: &HookInput,
    answer: &Answer,
) -> Option<Option<Map<String, Value>>> {
    let Answer::Line(line) = answer else { return Some(None) };
    assert!(!line.contains(['\n', '\r']), "an answer is one line: {line}");
    let answer: Value = serde_json::from_str(line).expect("an answer is JSON");
    let output = &answer["hookSpecificOutput"];
    let (decision, arguments) = match input.event_or_first(hook).answer {
        AnswerFormat::Decision => (&answer["decision"], &output["tool_input"]),
        AnswerFormat::Behavior => (&output["decision"]["behavior"], &output["decision"]["updatedInput"]),
        AnswerFormat::PermissionDecision => (&output["permissionDecision"], &output["updatedInput"]),
    };
    if decision == "deny" {
        assert!(arguments.is_null(), "{line}");
        return None;
    }
    Some(arguments.as_object().cloned())
}

/// Checks that a patch with each kind of section writes the text of the person, whatever the file holds.
fn check_patches(file: &str, text: &str) {
    let (hook, tool) = *tools()
        .iter()
        .find(|(_, tool)| matches!(tool.arguments, ToolArguments::Patch { .. }))
        .expect("the table has a tool that takes patches");
    let ToolArguments::Patch { patch } = tool.arguments else { return };
    let read = |_: &str| TextFile::Text(file.to_owned());
    for section in [
        "*** Add File: f\n+x",
        "*** Delete File: f",
        "*** Update File: f\n@@\n+x",
        "*** Update File: f\n*** Move to: g\n@@\n+x",
    ] {
        let command = format!("*** Begin Patch\n{section}\n*** End Patch");
        let input = input(tool.name, hook.before_tool.name, &json!({ patch: command }));
        let call = ToolCall::read(hook, &input).expect("this is a patch");
        let Ok(changes) = call.changes(read) else {
            assert!(file.contains('\r'), "the patch applies to every text");
            continue;
        };
        let Some(written) = changes_after(hook, &input, &call, &[Some(text.to_owned())], &read) else {
            assert!(text.contains('\r') || file.contains('\r'), "a patch can write every text");
            continue;
        };
        let result =
            written.iter().find(|result| result.path == changes[0].path).expect("the file is written");
        assert_patched(file, text, &result.proposed);
    }
}

/// Asserts that `written` is `text` in the form that Codex gives it. Codex ends the last line, and uses the
/// line ending of the file, or `\n`.
fn assert_patched(file: &str, text: &str, written: &str) {
    let is_ended = text.is_empty() || text.ends_with('\n');
    let end = written.strip_prefix(text).expect("the text is written");
    assert!(end.is_empty() == is_ended && matches!(end, "" | "\n" | "\r\n"), "{written:?}");
    assert!(file.contains('\r') || !written.contains('\r'), "{written:?}");
}

/// Returns the text of the notebook that the same call makes with another source.
fn notebook_of(
    hook: &'static Hook,
    input: &HookInput,
    source: &str,
    read: &dyn Fn(&str) -> TextFile,
) -> Option<String> {
    let mut input = input.clone();
    input.tool_input.insert("new_source".to_owned(), source.into());
    let changes = ToolCall::read(hook, &input).ok()?.changes(read).ok()?;
    Some(changes.into_iter().next()?.proposed)
}

/// Checks that an edit of a notebook keeps the JSON, and changes at most the source of one cell, or adds or
/// removes one cell.
fn check_one_cell_changed(old: &str, new: &str, source: &str) {
    // JSON may have numbers that this parser rejects because they are out of range.
    let Ok(mut old) = serde_json::from_str::<Value>(old) else { return };
    let mut new: Value = serde_json::from_str(new).expect("a notebook stays JSON");
    let cells = |notebook: &mut Value| Some(std::mem::take(notebook.get_mut("cells")?.as_array_mut()?));
    let (Some(mut old_cells), Some(mut new_cells)) = (cells(&mut old), cells(&mut new)) else { return };
    assert_eq!(old, new, "everything else stays");
    if old_cells.len() == new_cells.len() {
        let both = old_cells.iter_mut().zip(&mut new_cells);
        let changed: Vec<_> = both.filter(|(old, new)| old != new).collect();
        assert!(changed.len() <= 1, "one cell changes: {changed:?}");
        for (old, new) in changed {
            let (Some(old), Some(new)) = (old.as_object_mut(), new.as_object_mut()) else { continue };
            assert!(old.remove("source").is_some(), "the source is replaced, and none is added");
            let lines = new.remove("source").unwrap_or_default();
            let lines: Vec<&str> = lines.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            assert_eq!((&*old, lines.concat().as_str()), (&*new, source));
        }
        return;
    }
    let is_longer = new_cells.len() > old_cells.len();
    let (long, short) = if is_longer { (new_cells, old_cells) } else { (old_cells, new_cells) };
    assert_eq!(long.len(), short.len() + 1);
    let is_without = |at: usize| long[..at] == short[..at] && long[at + 1..] == short[at..];
    assert!((0..long.len()).any(is_without), "the other cells stay");
}
