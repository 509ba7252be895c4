//! The agents' reading of hooks' answers, by the rules that were measured with each agent. This code is
//! independent of the program's, which writes such answers.

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
    /// The tool runs, with these arguments instead of the model's, if there are any.
    Yes(Option<Map<String, Value>>),
    /// The hook gave no answer.
    Silence,
    /// The hook failed, for which each agent has a rule.
    Failure(String),
}

/// Reads the answer of a hook that ended by itself.
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

/// Returns the arguments of the tool after alongside's hook and another hook have allowed the call. If both
/// give arguments, `other_wins` decides.
pub(super) fn arguments(
    event: &HookEvent,
    own: Map<String, Value>,
    ours: Option<Map<String, Value>>,
    other: Option<Map<String, Value>>,
    other_wins: bool,
) -> Map<String, Value> {
    match event.arguments {
        Arguments::Taken => {}
        Arguments::Ignored => return own,
    }
    let changed = if other_wins { other.or(ours) } else { ours.or(other) };
    changed.unwrap_or(own)
}
