//! The answer of a hook in the format of its agent. Each format was tested with its agent, because an agent
//! that does not understand an answer continues as if there were no hook.

use alongside_contract::hook::{AnswerFormat, Arguments, Hook, HookEvent};
use alongside_desk::Verdict;
use serde_json::{Map, Value, json};

use crate::change::{Change, TextFile};
use crate::input::HookInput;
use crate::tool_call::ToolCall;

/// The longest reason, in characters.
const MAX_REASON: usize = 18_000;
/// The longest text beside an acceptance, in characters: Claude Code shows its model at most about 10,000.
const MAX_CONTEXT: usize = 9_000;
/// The longest text that the model is asked to write, in characters.
const MAX_QUOTED: usize = 6_000;

/// The output of the hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// No output: the agent continues as if there were no hook.
    Silence,
    /// This line of output.
    Line(String),
}

/// Returns the answer after the verdicts on all changes of a call, in their order. `read` returns the files
/// as they are now.
pub fn answer(
    hook: &'static Hook,
    input: &HookInput,
    call: &ToolCall,
    changes: &[Change],
    verdicts: &[Verdict],
    mut read: impl FnMut(&str) -> TextFile,
) -> Answer {
    let event = input.event_or_first(hook);
    let mut messages = Vec::new();
    let mut texts = Vec::new();
    for (change, verdict) in changes.iter().zip(verdicts) {
        let named = |message: &str| match changes.len() {
            1 => message.to_owned(),
            _ => format!("{}: {message}", change.path),
        };
        match verdict {
            Verdict::NotReviewed if verdicts.iter().all(|verdict| *verdict == Verdict::NotReviewed) => {
                return Answer::Silence;
            }
            Verdict::NotReviewed => {
                return refusal(event, &named("Nothing was written: this file is not reviewed now."));
            }
            Verdict::StillOpen => return refusal(event, STILL_OPEN),
            Verdict::Undecided { message, draft } => {
                let draft = draft
                    .as_ref()
                    .map(|draft| format!(" A text that the person typed is in {}.", draft.display()));
                let message = format!("{message} Nothing was written.{}", draft.unwrap_or_default());
                return refusal(event, &named(&message));
            }
            Verdict::Refused { message } => return refusal(event, &named(message)),
            Verdict::Rejected { message } => {
                messages.push(named(message));
                texts.push(None);
            }
            Verdict::Accepted { text, message } => {
                messages.extend(message.as_deref().map(named));
                texts.push(Some(&**text));
            }
        }
    }
    let message = messages.join("\n");
    if texts.iter().all(Option::is_none) {
        return refusal(event, &message);
    }
    // The file may have changed since the proposal, but the tool must write the text that the person
    // accepted.
    let now = call.changes(&mut read).unwrap_or_default();
    // Desks watch the new path of a file that moves. A text that was written to its old path would be lost
    // unnoticed.
    let is_outdated = |(at, change): (usize, &Change)| {
        let is_same = now.get(at).is_some_and(|now| now.proposed == change.proposed);
        change.removes().is_some() && texts.get(at).is_some_and(Option::is_some) && !is_same
    };
    if changes.iter().enumerate().any(is_outdated) {
        return refusal(event, &format!("{message}\nNothing was written: {CHANGED_MEANWHILE}"));
    }
    let writes = |text: &Option<&str>, change: &Change| *text == Some(change.proposed.as_str());
    let is_changed = now.len() != texts.len() || !texts.iter().zip(&now).all(|(text, now)| writes(text, now));
    match (event.arguments, is_changed) {
        (Arguments::Ignored, false) => allowed(hook, event, None, &message),
        // Another hook may answer with arguments, and agents ignore an acceptance without arguments.
        (Arguments::Taken, false) => allowed(hook, event, Some(input.tool_input.clone()), &message),
        (Arguments::Taken, true) => {
            let arguments = call.rewritten_arguments(input, &texts, &mut read);
            let arguments = arguments
                .and_then(|arguments| check_arguments(hook, input, arguments, (changes, &texts), &mut read));
            match arguments {
                Ok(arguments) => allowed(hook, event, Some(arguments), &message),
                Err(why) => {
                    let request = request_text(call, &texts, &mut read);
                    refusal(event, &format!("{message}\nNothing was written: {why}.{request}"))
                }
            }
        }
        (Arguments::Ignored, true) => {
            let request = request_text(call, &texts, &mut read);
            refusal(event, &format!("{message}\nNothing was written yet.{request}"))
        }
    }
}

/// Checks that the tool writes these texts with these arguments, each for the change in the same place, and
/// nothing else.
fn check_arguments(
    hook: &'static Hook,
    input: &HookInput,
    arguments: Map<String, Value>,
    (changes, texts): (&[Change], &[Option<&str>]),
    read: impl FnMut(&str) -> TextFile,
) -> Result<Map<String, Value>, String> {
    let again = HookInput { tool_input: arguments.clone(), ..input.clone() };
    let call = ToolCall::read(hook, &again);
    // A patch adds a final newline to every file.
    let is_patch = matches!(call, Ok(ToolCall::Patch(_)));
    let is_same = |made: &str, text: &str| {
        let end = made.strip_prefix(text);
        let is_ended = text.is_empty() || text.ends_with('\n');
        end.is_some_and(|end| end.is_empty() || is_patch && !is_ended && matches!(end, "\n" | "\r\n"))
    };
    let made = call.and_then(|call| call.changes(read)).unwrap_or_default();
    let wanted: Vec<_> =
        changes.iter().zip(texts).filter_map(|(change, text)| Some((change, (*text)?))).collect();
    let is_wanted = |one: &Change| {
        let is_written =
            |(change, text): &(&Change, &str)| change.path == one.path && is_same(&one.proposed, text);
        let is_moved = |(change, _): &(&Change, &str)| change.removes() == Some(&*one.path);
        wanted.iter().any(is_written) || one.proposed.is_empty() && wanted.iter().any(is_moved)
    };
    let is_made = |(change, text): &(&Change, &str)| {
        made.iter().any(|one| one.path == change.path && is_same(&one.proposed, text))
    };
    match made.iter().all(is_wanted) && wanted.iter().all(is_made) {
        true => Ok(arguments),
        false => Err("this tool cannot write the text that the person accepted".to_owned()),
    }
}

const CHANGED_MEANWHILE: &str = "the file that moves, or another one of the patch, has changed during the \
                                 review. Read it again, and propose the change again.";

const STILL_OPEN: &str = "The review of this change is still open, and nothing was written. Call the tool \
                          again with the same arguments, and do nothing else before: the next call gets its \
                          outcome.";

/// Returns the answer at an event that keeps the tool from running.
pub fn refusal(event: &HookEvent, reason: &str) -> Answer {
    let reason = shorten(reason, MAX_REASON);
    line(match event.answer {
        AnswerFormat::Decision => json!({"decision": "deny", "reason": reason}),
        AnswerFormat::Behavior => {
            let decision = json!({"behavior": "deny", "message": reason});
            json!({"hookSpecificOutput": {"hookEventName": event.name, "decision": decision}})
        }
        AnswerFormat::PermissionDecision => json!({"hookSpecificOutput": {
            "hookEventName": event.name, "permissionDecision": "deny", "permissionDecisionReason": reason,
        }}),
    })
}

/// Returns the answer with which the tool runs. An empty message is left out.
fn allowed(hook: &Hook, event: &HookEvent, arguments: Option<Map<String, Value>>, message: &str) -> Answer {
    let is_heard = hook.hears_acceptances && !message.is_empty();
    let message = is_heard.then(|| shorten(message, MAX_CONTEXT));
    let arguments = arguments.map(Value::Object);
    match (event.answer, arguments) {
        (AnswerFormat::Decision, None) => Answer::Silence,
        (AnswerFormat::Decision, Some(arguments)) => line(json!({
            "decision": "allow", "hookSpecificOutput": {"hookEventName": event.name, "tool_input": arguments},
        })),
        (AnswerFormat::Behavior, arguments) => {
            let mut decision = json!({"behavior": "allow"});
            insert(&mut decision, "updatedInput", arguments);
            line(json!({"hookSpecificOutput": {"hookEventName": event.name, "decision": decision}}))
        }
        (AnswerFormat::PermissionDecision, None) if message.is_none() => Answer::Silence,
        (AnswerFormat::PermissionDecision, arguments) => {
            let mut output = json!({"hookEventName": event.name});
            // Agents treat an acceptance without arguments as an error, or ignore it.
            insert(&mut output, "permissionDecision", arguments.is_some().then(|| "allow".into()));
            insert(&mut output, "updatedInput", arguments);
            insert(&mut output, "additionalContext", message.map(Into::into));
            line(json!({"hookSpecificOutput": output}))
        }
    }
}

fn insert(into: &mut Value, name: &str, value: Option<Value>) {
    if let (Some(object), Some(value)) = (into.as_object_mut(), value) {
        object.insert(name.to_owned(), value);
    }
}

fn line(value: Value) -> Answer {
    Answer::Line(value.to_string())
}

/// Asks the model to propose the person's text, where the hook cannot pass the text to the tool.
fn request_text(call: &ToolCall, texts: &[Option<&str>], read: impl FnMut(&str) -> TextFile) -> String {
    let [Some(text)] = texts else { return " Propose only the changes that the person kept.".into() };
    let quoted = match call.smallest_edit(text, read) {
        Some((old, new)) => format!(
            " Call the tool again so that it makes exactly this change, which the person has accepted. \
             Replace\n{}\nby\n{}",
            fenced(&old),
            fenced(&new)
        ),
        None => format!(
            " Call the tool again with exactly this text, which the person has accepted:\n{}",
            fenced(text)
        ),
    };
    match quoted.chars().count() > MAX_QUOTED {
        true => " Call the tool again with only the changes that the person kept.".into(),
        false => quoted,
    }
}

fn fenced(text: &str) -> String {
    let end = if text.ends_with('\n') { "" } else { "\n" };
    format!("```\n{text}{end}```")
}

fn shorten(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests;
