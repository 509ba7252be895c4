//! The agents' tools that write files: the arguments for a given change, and the result of given arguments.
//! This code is independent of the program's, which computes the same.

use alongside_contract::hook::{Hook, Tool, ToolArguments};
use serde_json::{Map, Value, json};

use super::patches;
use super::players::LastLineEnd;

/// Returns the tools that the rounds play: all except tools for notebooks and tools with lists of
/// replacements.
pub(super) fn tools(hook: &'static Hook) -> Vec<&'static Tool> {
    let is_played = |tool: &&Tool| match &tool.arguments {
        ToolArguments::File(_) | ToolArguments::Patch { .. } => true,
        ToolArguments::Edits(edits) => edits.list.is_none(),
        ToolArguments::Cell => false,
    };
    hook.tools.iter().filter(is_played).collect()
}

/// Returns the arguments by which a model writes a text to a file that has the text `before`.
pub(super) fn arguments(tool: &Tool, path: &str, before: Option<&str>, text: &str) -> Map<String, Value> {
    let arguments = match &tool.arguments {
        ToolArguments::File(file) => json!({ file.path: path, file.content: text }),
        ToolArguments::Edits(edits) => {
            let (old, new) = old_and_new(before.unwrap_or_default(), text);
            json!({ edits.path: path, edits.old: old, edits.new: new })
        }
        ToolArguments::Patch { patch } => json!({ *patch: patches::between(path, before, text) }),
        ToolArguments::Cell => json!({}),
    };
    arguments.as_object().cloned().unwrap_or_default()
}

/// Returns the arguments by which a model replaces a string by another; `None` for a tool without
/// replacements.
pub(super) fn replacement_arguments(
    tool: &Tool,
    path: &str,
    old: &str,
    new: &str,
) -> Option<Map<String, Value>> {
    let ToolArguments::Edits(edits) = &tool.arguments else { return None };
    json!({ edits.path: path, edits.old: old, edits.new: new }).as_object().cloned()
}

/// Returns the path in a call's arguments.
pub(super) fn path(tool: &Tool, arguments: &Map<String, Value>) -> Option<String> {
    let text = |name: &str| arguments.get(name)?.as_str().map(str::to_owned);
    match &tool.arguments {
        ToolArguments::File(file) => text(file.path),
        ToolArguments::Edits(edits) => text(edits.path),
        ToolArguments::Patch { patch } => patches::path(&text(patch)?).map(str::to_owned),
        ToolArguments::Cell => None,
    }
}

/// Applies a tool to a file with the text `present`. Returns the new text.
///
/// # Errors
///
/// Fails as the tool does, with an error for the model.
pub(super) fn apply(
    tool: &Tool,
    arguments: &Map<String, Value>,
    present: Option<&str>,
    last_line_end: LastLineEnd,
) -> Result<String, String> {
    let text = |name: &str| {
        let text = arguments.get(name).and_then(Value::as_str);
        text.ok_or_else(|| format!("the argument {name} is missing"))
    };
    match &tool.arguments {
        ToolArguments::File(file) => text(file.content).map(str::to_owned),
        ToolArguments::Edits(edits) => replace(present, text(edits.old)?, text(edits.new)?, last_line_end),
        ToolArguments::Patch { patch } => patches::apply(text(patch)?, present),
        ToolArguments::Cell => Err("the rounds play no notebooks".into()),
    }
}

/// Returns the old and the new lines in which two texts differ. If the old lines are not unique, returns both
/// whole texts.
fn old_and_new(before: &str, text: &str) -> (String, String) {
    let (_, old, new) = patches::difference(before, text);
    match !old.is_empty() && before.matches(old).count() == 1 {
        true => (old.to_owned(), new.to_owned()),
        false => (before.to_owned(), text.to_owned()),
    }
}

fn replace(present: Option<&str>, old: &str, new: &str, rule: LastLineEnd) -> Result<String, String> {
    let present = match present {
        None | Some("") if old.is_empty() => return Ok(new.to_owned()),
        None => return Err("there is no such file".into()),
        Some(present) => present,
    };
    match present.matches(old).count() {
        _ if old.is_empty() => return Err("the file exists".into()),
        0 => return Err("the string to replace is not in the file".into()),
        1 => {}
        _ => return Err("the string to replace occurs several times".into()),
    }
    Ok(match rule {
        LastLineEnd::AsReplaced => {
            let line = format!("{old}\n");
            let deletes_line = new.is_empty() && !old.ends_with('\n') && present.contains(&line);
            present.replacen(if deletes_line { &line } else { old }, new, 1)
        }
        LastLineEnd::Kept => {
            let mut text = present.replacen(old, new, 1);
            match (present.ends_with('\n'), text.ends_with('\n')) {
                _ if text.is_empty() => {}
                (true, false) => text.push('\n'),
                (false, true) => drop(text.pop()),
                _ => {}
            }
            text
        }
    })
}

#[cfg(test)]
mod tests {
    use alongside_contract::agents::with_hook;

    use super::*;

    #[test]
    fn every_tool_writes_the_text_of_its_arguments() {
        let mut played = 0;
        for tool in with_hook().flat_map(|agent| tools(agent.hook)) {
            for (before, text) in [
                (None, "one\ntwo\n"),
                (Some("one\ntwo\nthree\nfour\n"), "one\n2\nthree\n4\n"),
                (Some("one\ntwo\n"), "one\ntwo\nthree\n"),
                (Some("same\nsame\nold\nsame\n"), "same\nsame\nnew\nsame\n"),
            ] {
                let made = arguments(tool, "/p/f.txt", before, text);
                assert_eq!(path(tool, &made).as_deref(), Some("/p/f.txt"), "{made:?}");
                let applied = apply(tool, &made, before, LastLineEnd::AsReplaced);
                assert_eq!(applied.as_deref(), Ok(text), "{made:?}");
            }
            played += 1;
        }
        assert!(played >= 7, "{played}");
    }

    #[test]
    fn each_rule_for_line_endings_is_kept() {
        let delete_line = |rule| replace(Some("one\ntwo\n"), "two", "", rule);
        assert_eq!(delete_line(LastLineEnd::AsReplaced).as_deref(), Ok("one\n"));
        assert_eq!(delete_line(LastLineEnd::Kept).as_deref(), Ok("one\n\n"));
        assert_eq!(replace(Some("a\nb"), "b", "c\n", LastLineEnd::Kept).as_deref(), Ok("a\nc"));
        assert!(replace(Some("a a"), "a", "b", LastLineEnd::Kept).is_err());
    }
}
