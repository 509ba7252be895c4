//! The script of the fake model: the turns that follow each prompt of a person.

use serde_json::Value;

/// One answer of the model.
#[derive(Clone, Debug, PartialEq)]
pub enum Turn {
    /// Call one tool of the agent.
    Call {
        /// The tool's name, as the agent declares it (`write_file`, `replace`, `edit` …).
        tool: String,
        /// Its arguments, a JSON object.
        arguments: Value,
    },
    /// Say a text, which ends the turn.
    Say(String),
}

impl Turn {
    /// A call of `tool`.
    pub fn call(tool: &str, arguments: Value) -> Self {
        Self::Call { tool: tool.to_owned(), arguments }
    }

    /// A text.
    pub fn say(text: &str) -> Self {
        Self::Say(text.to_owned())
    }
}

/// The speaker of a [`Message`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaker {
    /// The person, or the agent in the person's name.
    Person,
    /// The model itself: text or tool calls.
    Model,
    /// The agent, reporting what a tool returned.
    Tool,
}

/// One message of the transcript that an agent shows to the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The speaker.
    pub speaker: Speaker,
    /// Its text parts; for a tool, what it returned.
    pub texts: Vec<String>,
}

/// Prompts and the turns that answer them.
#[derive(Clone, Debug, Default)]
pub struct Script {
    scenes: Vec<(String, Vec<Turn>)>,
}

impl Script {
    /// An empty script.
    pub fn new() -> Self {
        Self::default()
    }

    /// When the person's last message ends with `prompt`, the model answers with `turns`, one per request.
    #[must_use]
    pub fn on(mut self, prompt: &str, turns: impl IntoIterator<Item = Turn>) -> Self {
        self.scenes.push((prompt.to_owned(), turns.into_iter().collect()));
        self
    }

    /// The turn that follows `transcript`; "OK" for everything outside the script.
    pub(super) fn next(&self, transcript: &[Message]) -> Turn {
        let Some((_, turns)) = self.scenes.iter().find(|(prompt, _)| is_asked(transcript, prompt)) else {
            return Turn::say("OK");
        };
        let spoken = transcript.iter().rev().take_while(|m| !is_word_of_person(m));
        let spoken = spoken.filter(|m| m.speaker == Speaker::Model).count();
        turns.get(spoken).cloned().unwrap_or_else(|| Turn::say("The script ends here."))
    }
}

/// The last message in which the person says something.
pub(super) fn last_word_of_person(transcript: &[Message]) -> Option<&Message> {
    transcript.iter().rev().find(|message| is_word_of_person(message))
}

/// Agents put what they add (context, reminders) before what was typed, so the prompt is always the end.
pub(super) fn is_asked(transcript: &[Message], prompt: &str) -> bool {
    last_word_of_person(transcript)
        .and_then(|message| message.texts.last())
        .is_some_and(|text| text.trim_end().ends_with(prompt))
}

fn is_word_of_person(message: &Message) -> bool {
    message.speaker == Speaker::Person && message.texts.iter().any(|text| !text.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn said(speaker: Speaker, text: &str) -> Message {
        Message { speaker, texts: vec![text.to_owned()] }
    }

    #[test]
    fn model_answers_from_the_shown_transcript() {
        let write = Turn::call("write_file", json!({}));
        let script = Script::new().on("change it", [write.clone(), Turn::say("done")]);
        let asked = vec![said(Speaker::Person, "<context/>\n\nchange it")];
        let mut called = asked.clone();
        called.extend([said(Speaker::Model, ""), said(Speaker::Tool, "written")]);

        assert_eq!(script.next(&asked), write);
        assert_eq!(script.next(&asked), write, "a request sent twice is answered twice");
        assert_eq!(script.next(&called), Turn::say("done"));
    }

    #[test]
    fn side_request_gets_a_harmless_answer() {
        let script = Script::new().on("change it", [Turn::call("write_file", json!({}))]);
        let side = [
            said(Speaker::Person, "change it"),
            said(Speaker::Model, "done"),
            said(Speaker::Person, "Suggest what the user types next."),
        ];
        assert_eq!(script.next(&side), Turn::say("OK"));
    }
}
