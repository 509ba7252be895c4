//! The input of a hook at a person's prompt or at the end of a turn. Some such events neither begin nor end a
//! turn.

use alongside_contract::turns::{Begins, Moment, Turns};
use serde_json::{Map, Value};

/// An event of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnInput {
    /// The part of the turn.
    pub moment: Moment,
    /// The session's identifier, which the agent has chosen.
    pub session: String,
    /// The turn's identifier, which the agent has chosen; empty if the agent sends none.
    pub turn: String,
    /// The directory in which the agent works.
    pub cwd: String,
}

impl TurnInput {
    /// Parses the input of a hook. `None` if it cannot be parsed, or the event neither begins nor ends a
    /// turn.
    pub fn read(turns: &Turns, input: &[u8]) -> Option<Self> {
        let fields: Map<String, Value> = serde_json::from_slice(input).ok()?;
        let text = |name: &str| fields.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let has = |name: &str| fields.get(name).is_some_and(|value| !value.is_null() && value != "");
        if turns.subagent.is_some_and(has) {
            return None;
        }
        let event = text("hook_event_name");
        let moment = if event == turns.prompt {
            let is_from_person = match turns.begins {
                Begins::Always => true,
                Begins::WithField(field) => has(field),
                Begins::UnlessTagged(tag) => !text("prompt").trim_start().starts_with(tag),
            };
            if is_from_person { Moment::Prompt } else { Moment::Continued }
        } else if turns.ends.contains(&&*event) && !runs_subagent(turns, &fields) {
            Moment::End
        } else {
            return None;
        };
        let turn = turns.turn.map(text).unwrap_or_default();
        Some(Self { moment, session: text("session_id"), turn, cwd: text("cwd") })
    }
}

/// Whether a subagent still works in the background. Its agent continues once the subagent has ended.
fn runs_subagent(turns: &Turns, fields: &Map<String, Value>) -> bool {
    let tasks = turns.tasks.and_then(|name| fields.get(name)).and_then(Value::as_array);
    let runs = |task: &Value| {
        task.get("agent_type").is_some_and(Value::is_string)
            && task.get("status").is_some_and(|it| it == "running")
    };
    tasks.is_some_and(|tasks| tasks.iter().any(runs))
}

#[cfg(test)]
mod tests {
    use alongside_contract::agent::Agent;

    use super::*;

    fn moment(agent: &str, input: &str) -> Option<Moment> {
        let turns = Agent::named(agent).unwrap().turns.as_ref().unwrap();
        TurnInput::read(turns, input.as_bytes()).map(|input| input.moment)
    }

    #[test]
    fn a_prompt_begins_a_turn_and_its_stop_ends_it() {
        let prompt = r#"{"session_id":"s","turn_id":"t","cwd":"/p","prompt":"hi",
            "hook_event_name":"UserPromptSubmit"}"#;
        let turns = Agent::named("codex").unwrap().turns.as_ref().unwrap();
        let read = TurnInput::read(turns, prompt.as_bytes()).unwrap();
        let expected = ("s", "t", "/p", Moment::Prompt);
        assert_eq!((&*read.session, &*read.turn, &*read.cwd, read.moment), expected);
        let stop = r#"{"hook_event_name":"Stop","session_id":"s","turn_id":"t"}"#;
        assert_eq!(moment("codex", stop), Some(Moment::End));
        assert_eq!(
            moment("gemini", r#"{"hook_event_name":"BeforeAgent","prompt":"x"}"#),
            Some(Moment::Prompt)
        );
        assert_eq!(moment("gemini", r#"{"hook_event_name":"AfterAgent"}"#), Some(Moment::End));
        assert_eq!(moment("claude", r#"{"hook_event_name":"StopFailure"}"#), Some(Moment::End));
    }

    #[test]
    fn not_every_prompt_event_begins_a_turn() {
        let notification =
            r#"{"hook_event_name":"UserPromptSubmit","prompt":"<task-notification>\n<task-id>"}"#;
        assert_eq!(moment("claude", notification), Some(Moment::Continued));
        let after_tool = r#"{"hook_event_name":"UserPromptSubmit","prompt":"","prompt_id":"1"}"#;
        assert_eq!(moment("qwen", after_tool), Some(Moment::Continued));
        let typed = r#"{"hook_event_name":"UserPromptSubmit","prompt":"hi","submitted_prompt":"hi"}"#;
        assert_eq!(moment("qwen", typed), Some(Moment::Prompt));
    }

    #[test]
    fn events_of_subagents_neither_begin_nor_end_a_turn() {
        for agent in ["claude", "codex", "qwen"] {
            let prompt = r#"{"hook_event_name":"UserPromptSubmit","prompt":"x",
                "submitted_prompt":"x","agent_id":"a"}"#;
            assert_eq!(moment(agent, prompt), None, "{agent}");
            let stop = r#"{"hook_event_name":"SubagentStop","agent_id":"a"}"#;
            assert_eq!(moment(agent, stop), None, "{agent}");
        }
        let stop = |tasks: &str| format!(r#"{{"hook_event_name":"Stop","background_tasks":[{tasks}]}}"#);
        let running = stop(r#"{"id":"a","type":"subagent","status":"running","agent_type":"general"}"#);
        assert_eq!(moment("claude", &running), None, "the agent goes on");
        for over in
            ["", r#"{"status":"completed","agent_type":"general"}"#, r#"{"type":"shell","status":"running"}"#]
        {
            assert_eq!(moment("claude", &stop(over)), Some(Moment::End), "{over}");
        }
    }

    #[test]
    fn other_inputs_are_no_event_of_a_turn() {
        for input in
            ["", "{}", "[]", "nonsense", r#"{"hook_event_name":7}"#, r#"{"hook_event_name":"PreToolUse"}"#]
        {
            assert_eq!(moment("claude", input), None, "{input}");
        }
    }
}
