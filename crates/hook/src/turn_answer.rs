//! The answer of a hook at a person's prompt, which gives the agent's model a text beside the prompt.

use alongside_contract::turns::{PromptAnswer, Turns};
use serde_json::{Value, json};

/// Returns the answer with this text, in the form in which the agent reads it from its hook's output.
pub fn prompt_answer(turns: &Turns, text: &str) -> String {
    answer(turns.answer, turns.prompt, text).to_string()
}

fn answer(form: PromptAnswer, event: &str, text: &str) -> Value {
    match form {
        PromptAnswer::HookSpecific => {
            json!({ "hookSpecificOutput": { "hookEventName": event, "additionalContext": text } })
        }
        PromptAnswer::Flat => json!({ "additionalContext": text }),
    }
}

#[cfg(test)]
mod tests {
    use alongside_contract::agents::with_turns;

    use super::*;

    #[test]
    fn each_agent_gets_the_text_in_its_own_form() {
        for agent in with_turns() {
            let turns = agent.turns.as_ref().unwrap();
            let line = prompt_answer(turns, "a \"b\"\n\u{1b}");
            assert!(!line.contains('\n') && !line.contains('\u{1b}'), "{line}");
            let read: Value = serde_json::from_str(&line).unwrap();
            let inner = &read["hookSpecificOutput"];
            assert_eq!(inner["hookEventName"], turns.prompt, "{}", agent.id);
            assert_eq!(inner["additionalContext"], "a \"b\"\n\u{1b}", "{}", agent.id);
        }
        assert_eq!(answer(PromptAnswer::Flat, "x", "t"), json!({ "additionalContext": "t" }));
    }
}
