//! The hooks of others that run before the same tools as ours. An agent with several hooks takes the
//! arguments of one of them; the order in its settings does not tell which.

use alongside_contract::agent::HookAgent;
use alongside_contract::hook::{Arguments, EntryShape, Hook, HookEvent};
use regex::Regex;
use serde_json::Value;

use super::command_line::is_ours;
use crate::settings::json::{self, Reader};

/// The commands of others in the text of a file that run before tools which write files, and whose answer may
/// change the text. Each once, in the order of the file.
///
/// # Errors
/// When it is not what the agent reads.
pub fn other_hooks(text: &str, agent: HookAgent) -> Result<Vec<String>, String> {
    if json::is_blank(text) {
        return Ok(Vec::new());
    }
    let content = Reader::of_hooks(&agent.hook.file).object(text)?;
    let mut found: Vec<String> = Vec::new();
    for event in agent.hook.events().filter(|event| takes_arguments(event)) {
        let EntryShape::Groups { .. } = agent.hook.entries;
        for group in list(content.get("hooks").and_then(|hooks| hooks.get(event.name))) {
            if !may_match(group.get("matcher"), agent.hook) {
                continue;
            }
            let theirs = list(group.get("hooks")).filter_map(name).filter(|name| !is_ours(name, agent));
            for theirs in theirs {
                if !found.iter().any(|known| known == theirs) {
                    found.push(theirs.to_owned());
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

/// The command of a hook, or the other thing that it runs.
fn name(hook: &Value) -> Option<&str> {
    ["command", "url", "prompt", "type"].into_iter().find_map(|key| hook.get(key)?.as_str())
}

/// Whether a pattern may match one of the agent's tools that write files. Patterns are those of JavaScript or
/// Rust; one that cannot be read here may match any.
fn may_match(matcher: Option<&Value>, hook: &Hook) -> bool {
    match matcher.and_then(Value::as_str) {
        None | Some("" | "*") => true,
        Some(pattern) => match Regex::new(pattern) {
            Ok(pattern) => hook.tools.iter().any(|tool| pattern.is_match(tool.name)),
            Err(_) => true,
        },
    }
}
