//! Hooks of agents: a tool writes the text that the person accepted, or it does not run.

use alongside_contract::agents::AGENTS;
use alongside_contract::hook::{AnswerFormat, Arguments, Hook, Tool, ToolArguments};
use alongside_desk::Verdict;
use alongside_hook::{self as hook, Answer, Change, HookInput, TextFile, ToolCall};
use serde_json::{Map, Value, json};

const MODES: [&str; 4] = ["replace", "insert", "delete", "none"];

/// Every tool of every agent, in the order of the table: a seed chooses one by its place.
fn tools() -> Vec<(&'static Hook, &'static Tool)> {
    let hooks = AGENTS.iter().filter_map(|agent| agent.hook.as_ref());
    hooks.flat_map(|hook| hook.tools.iter().map(move |tool| (hook, tool))).collect()
}

/// The input is choices, the file, the person's text, and two arguments of the tool, separated by bytes 0xff.
/// Every input is also read as that of a hook.
pub fn holds(data: &[u8]) {
    anything(data);
    let mut parts = data.splitn(5, |byte| *byte == 0xff).map(|part| std::str::from_utf8(part).ok());
    let (Some(acts), Some(Some(file)), Some(Some(mine)), Some(Some(first)), Some(Some(second))) =
        (parts.next(), parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return;
    };
    // The characters of the choices are ASCII in the seeds, so that a person can read them.
    let acts = acts.unwrap_or_default().as_bytes();
    patches_leave(file, mine);
    let act = |at: usize| acts.get(at).copied().map_or(0, usize::from);
    // The seeds count the tools from `F` on. An agent at the end of the table moves none of them; a new tool
    // of an older agent moves those behind it, and their seeds.
    let tools = tools();
    let (hook, tool) = tools[(act(0) + 256 - usize::from(b'F')) % 256 % tools.len()];
    let path = match act(2) & 9 {
        0 => "/f",
        8 => "/latin",
        _ => "/new",
    };
    let (all, mode, is_markdown) = (act(2) & 2 == 2, MODES[act(3) % MODES.len()], act(2) & 4 == 4);
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
    let input = input(tool.name, events[act(1) % events.len()].name, &arguments);
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
        one_cell_changes(file, &changes[0].proposed, second);
    }
    let own: Vec<_> = changes.iter().map(|change| Some(change.proposed.clone())).collect();
    assert!(made(hook, &input, &call, &own, &read).is_some(), "the agent's own text is allowed");

    // The person accepts a file as proposed, with this text or with a longer one, or rejects it.
    let longer = || match is_notebook {
        true => notebook_of(hook, &input, mine, &read),
        false => Some(format!("{file}{mine}")),
    };
    let texts: Option<Vec<_>> = changes
        .iter()
        .enumerate()
        .map(|(at, change)| match act(4) >> (at % 3 * 2) & 3 {
            0 => Some(Some(change.proposed.clone())),
            1 => Some(Some(mine.to_owned())),
            2 => longer().map(Some),
            _ => Some(None),
        })
        .collect();
    let Some(texts) = texts else { return };
    let Some(made) = made(hook, &input, &call, &texts, &read) else { return };
    for (change, text) in changes.iter().zip(&texts) {
        let made = made.iter().find(|made| made.path == change.path).map(|made| made.proposed.as_str());
        match (text, made) {
            (Some(text), Some(made)) if is_patch => assert_patched(file, text, made),
            (Some(text), Some(made)) if is_notebook => {
                let value = |text: &str| serde_json::from_str::<Value>(text).ok();
                assert!(made == text || value(text).is_some(), "nobody can tell that the two are equal");
                assert_eq!(value(made), value(text));
            }
            (Some(text), Some(made)) => assert_eq!(made, text),
            (text, made) => assert_eq!(text.as_deref(), made, "{}", change.path),
        }
    }
}

/// An input of anybody, for every agent and whatever the files are.
fn anything(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for hook in AGENTS.iter().filter_map(|agent| agent.hook.as_ref()) {
        let Ok(input) = HookInput::read(hook, data) else { continue };
        assert!(heard(hook, &input, &hook::refusal(input.event_or_first(hook), &text)).is_none());
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
                let _ = made(hook, &input, &call, &texts, &read);
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

/// The changes that the tool makes once the person has accepted these texts, and rejected the changes
/// without one; `None` if the tool does not run.
fn made(
    hook: &'static Hook,
    input: &HookInput,
    call: &ToolCall,
    texts: &[Option<String>],
    read: &dyn Fn(&str) -> TextFile,
) -> Option<Vec<Change>> {
    let changes = call.changes(read).expect("the files are as before");
    assert!(!changes.is_empty(), "a call changes something");
    let answered =
        |verdicts: &[Verdict]| heard(hook, input, &hook::answer(hook, input, call, &changes, verdicts, read));
    let verdicts =
        |verdict: &dyn Fn(&Option<String>) -> Verdict| texts.iter().map(verdict).collect::<Vec<_>>();
    let (message, draft) = (|| "the \"reason\"\n".repeat(texts.len()), Some("/draft".into()));
    for end in [
        Verdict::Rejected { message: message() },
        Verdict::Refused { message: message() },
        Verdict::Undecided { message: message(), draft },
        Verdict::StillOpen,
    ] {
        assert!(answered(&verdicts(&|_| end.clone())).is_none(), "nobody has accepted anything");
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
        let made = call.changes(read).expect("the tool can do this");
        if message.is_some() {
            return Some(made);
        }
    }
    Some(changes)
}

/// The arguments with which the tool runs, if the answer tells any; `None` if the tool does not run.
fn heard(hook: &'static Hook, input: &HookInput, answer: &Answer) -> Option<Option<Map<String, Value>>> {
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

/// A patch leaves the text of the person in each kind of section, whatever the file holds.
fn patches_leave(file: &str, text: &str) {
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
        let Some(made) = made(hook, &input, &call, &[Some(text.to_owned())], &read) else {
            assert!(text.contains('\r') || file.contains('\r'), "a patch can write every text");
            continue;
        };
        let made = made.iter().find(|made| made.path == changes[0].path).expect("the file is written");
        assert_patched(file, text, &made.proposed);
    }
}

/// Codex ends the last line, and keeps the line ends of a file or writes `\n`.
fn assert_patched(file: &str, text: &str, made: &str) {
    let is_ended = text.is_empty() || text.ends_with('\n');
    let end = made.strip_prefix(text).expect("the text is written");
    assert!(end.is_empty() == is_ended && matches!(end, "" | "\n" | "\r\n"), "{made:?}");
    assert!(file.contains('\r') || !made.contains('\r'), "{made:?}");
}

/// The notebook that the same call makes with another source.
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

/// A notebook stays JSON, and an edit leaves all of it but one cell, and all of that but its source.
fn one_cell_changes(old: &str, new: &str, source: &str) {
    // JSON may hold numbers that no program takes.
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
