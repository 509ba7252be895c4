//! The hooks of others that run at the same events as ours. Before a tool, an agent with several hooks takes
//! the arguments from one of them, and the order in its settings does not determine which.

use alongside_contract::agent::HookAgent;
use alongside_contract::hook::{Arguments, EntryShape, Hook, HookEvent};
use alongside_contract::settings::Release;
use regex::Regex;
use serde_json::Value;

use super::command_line::{hook_of, line_of};
use super::registration::OurHook;
use crate::settings::json::{self, Reader};

/// Returns the commands of others in the text of a file that run at the events of a hook of ours: before
/// tools that write files, if their answer may change the text, or at a prompt and at the end of a turn. Each
/// command is listed once, in the order of the file.
///
/// # Errors
/// If the agent cannot read the text.
pub fn other_hooks(
    text: &str,
    agent: HookAgent,
    hook: OurHook,
    release: Option<Release>,
) -> Result<Vec<String>, String> {
    if json::is_blank(text) {
        return Ok(Vec::new());
    }
    let content = Reader::of_hooks(&agent.hook.file).object(text)?;
    let is_meant = |event: &&str| match hook {
        OurHook::Write => agent.hook.event(event).is_some_and(takes_arguments),
        OurHook::Turn => true,
    };
    let entries = hook.registrations(agent, release);
    let mut found: Vec<String> = Vec::new();
    for event in entries.iter().map(|entry| entry.event).filter(is_meant) {
        let EntryShape::Groups { .. } = agent.hook.entries;
        for group in list(content.get("hooks").and_then(|hooks| hooks.get(event))) {
            if hook == OurHook::Write && !may_match(group.get("matcher"), agent.hook) {
                continue;
            }
            let commands = list(group.get("hooks")).filter_map(name);
            for command in commands.filter(|name| hook_of(name, agent).is_none()) {
                if !found.contains(&command) {
                    found.push(command);
                }
            }
        }
    }
    Ok(found)
}

fn takes_arguments(event: &HookEvent) -> bool {
    match event.arguments {
        Arguments::Taken => true,
        Arguments::Ignored => false,
    }
}

fn list(value: Option<&Value>) -> impl Iterator<Item = &Value> {
    value.and_then(Value::as_array).into_iter().flatten()
}

/// Returns the command of a hook, or the value that identifies a hook of another type.
fn name(hook: &Value) -> Option<String> {
    let name = ["command", "url", "prompt", "type"].into_iter().find_map(|key| hook.get(key)?.as_str())?;
    let arguments = hook.get("args").and_then(Value::as_array).filter(|_| hook.get("command").is_some());
    let words = arguments.map(|words| words.iter().filter_map(|word| word.as_str().map(ToOwned::to_owned)));
    Some(words.map_or_else(|| name.to_owned(), |words| line_of(name, &words.collect::<Vec<_>>())))
}

/// Whether a pattern may match one of the agent's tools that write files. Patterns are those of JavaScript or
/// Rust; a pattern that cannot be parsed here may match any tool.
fn may_match(matcher: Option<&Value>, hook: &Hook) -> bool {
    match matcher.and_then(Value::as_str) {
        None | Some("" | "*") => true,
        Some(pattern) => match Regex::new(pattern) {
            Ok(pattern) => hook.tools.iter().any(|tool| pattern.is_match(tool.name)),
            Err(_) => true,
        },
    }
}
