//! The answer of hooks as an agent takes it, by the rules that were measured with the agents. It shares no
//! code with the program, which writes such answers.

use std::process::ExitStatus;

use alongside_contract::hook::{AnswerFormat, Arguments, HookEvent};
use serde_json::{Map, Value};

/// The exit code of a refusal whose reason is on standard error.
const REFUSAL: i32 = 2;

/// The answer of a hook.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Answer {
    /// The tool does not run.
    Refusal(String),
    /// The tool runs, with these arguments instead of its own, if there are any.
    Yes(Option<Map<String, Value>>),
    /// Nothing.
    Silence,
    /// It failed: the agent has its own rule for that.
    Failure(String),
}

/// The answer of a hook that ended by itself.
pub(super) fn read(event: &HookEvent, status: ExitStatus, output: &str, error: &str) -> Answer {
    match status.code() {
        Some(0) => {}
        Some(REFUSAL) if !error.trim().is_empty() => return Answer::Refusal(error.trim().to_owned()),
        _ => return Answer::Failure(format!("{status}: {error}")),
    }
    if output.trim().is_empty() {
        return Answer::Silence;
    }
    match serde_json::from_str::<Value>(output) {
        Ok(answer) => read_json(event, &answer),
        Err(error) => Answer::Failure(format!("{error} in {output:?}")),
    }
}

fn read_json(event: &HookEvent, answer: &Value) -> Answer {
    let own = &answer["hookSpecificOutput"];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let object = |value: &Value| value.as_object().cloned();
    let (word, reason, arguments) = match event.answer {
        AnswerFormat::Decision => (&answer["decision"], &answer["reason"], object(&own["tool_input"])),
        AnswerFormat::PermissionDecision => {
            (&own["permissionDecision"], &own["permissionDecisionReason"], object(&own["updatedInput"]))
        }
        AnswerFormat::Behavior => {
            let decision = &own["decision"];
            (&decision["behavior"], &decision["message"], object(&decision["updatedInput"]))
        }
    };
    match word.as_str() {
        Some("deny" | "block") => Answer::Refusal(text(reason)),
        Some("allow") => Answer::Yes(arguments),
        Some(_) => Answer::Failure(format!("an unknown answer: {answer}")),
        None if arguments.is_some() => Answer::Yes(arguments),
        None => Answer::Silence,
    }
}

/// The arguments with which the tool runs after a yes of ours and of another hook. `has_last_word` says whose
/// arguments the agent takes where both give some.
pub(super) fn arguments(
    event: &HookEvent,
    own: Map<String, Value>,
    ours: Option<Map<String, Value>>,
    other: Option<Map<String, Value>>,
    has_last_word: bool,
) -> Map<String, Value> {
    match event.arguments {
        Arguments::Taken => {}
        Arguments::Ignored => return own,
    }
    let taken = if has_last_word { other.or(ours) } else { ours.or(other) };
    taken.unwrap_or(own)
}
