//! The script of the fake model: the replies that follow each prompt of a person.

use serde_json::Value;

/// A reply of the model.
#[derive(Clone, Debug, PartialEq)]
pub enum ModelReply {
    /// A call of a tool of the agent.
    Call {
        /// The name of the tool, as the agent declares it (`write_file`, `replace`, `edit` …).
        tool: String,
        /// The arguments, a JSON object.
        arguments: Value,
    },
    /// A text, which ends the agent's turn.
    Say(String),
}

impl ModelReply {
    /// Creates a call of `tool`.
    pub fn call(tool: &str, arguments: Value) -> Self {
        Self::Call { tool: tool.to_owned(), arguments }
    }

    /// Creates a reply with a text.
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
    /// The agent, with the result of a tool.
    Tool,
}

/// One message of the transcript that an agent shows to the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The speaker.
    pub speaker: Speaker,
    /// The text parts; for a tool, its result.
    pub texts: Vec<String>,
}

/// Prompts, each with the replies that follow.
#[derive(Clone, Debug, Default)]
pub struct Script {
    replies: Vec<(String, Vec<ModelReply>)>,
}

impl Script {
    /// Creates an empty script.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a prompt: if the person's last message ends with `prompt`, the model gives `replies`, one per
    /// request.
    #[must_use]
    pub fn on(mut self, prompt: &str, replies: impl IntoIterator<Item = ModelReply>) -> Self {
        self.replies.push((prompt.to_owned(), replies.into_iter().collect()));
        self
    }

    /// Returns the reply that follows `transcript`; "OK" for a prompt that is not in the script.
    pub(super) fn next(&self, transcript: &[Message]) -> ModelReply {
        let Some((_, replies)) = self.replies.iter().find(|(prompt, _)| ends_with_prompt(transcript, prompt))
        else {
            return ModelReply::say("OK");
        };
        let since_prompt = transcript.iter().rev().take_while(|message| !is_from_person(message));
        let reply_count = since_prompt.filter(|message| message.speaker == Speaker::Model).count();
        replies.get(reply_count).cloned().unwrap_or_else(|| ModelReply::say("The script ends here."))
    }
}

/// Returns the last message with a text of the person.
pub(super) fn last_message_of_person(transcript: &[Message]) -> Option<&Message> {
    transcript.iter().rev().find(|message| is_from_person(message))
}

/// Whether the person's last message ends with `prompt`. Agents add context and reminders before the typed
/// text, so the prompt is always at the end.
pub(super) fn ends_with_prompt(transcript: &[Message], prompt: &str) -> bool {
    last_message_of_person(transcript)
        .and_then(|message| message.texts.last())
        .is_some_and(|text| text.trim_end().ends_with(prompt))
}

fn is_from_person(message: &Message) -> bool {
    message.speaker == Speaker::Person && message.texts.iter().any(|text| !text.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn message(speaker: Speaker, text: &str) -> Message {
        Message { speaker, texts: vec![text.to_owned()] }
    }

    #[test]
    fn model_replies_from_the_transcript_alone() {
        let write = ModelReply::call("write_file", json!({}));
        let script = Script::new().on("change it", [write.clone(), ModelReply::say("done")]);
        let prompted = vec![message(Speaker::Person, "<context/>\n\nchange it")];
        let mut called = prompted.clone();
        called.extend([message(Speaker::Model, ""), message(Speaker::Tool, "written")]);

        assert_eq!(script.next(&prompted), write);
        assert_eq!(script.next(&prompted), write, "a request sent twice is answered twice");
        assert_eq!(script.next(&called), ModelReply::say("done"));
    }

    /// An agent makes a side request for itself, such as for a suggestion.
    #[test]
    fn side_request_gets_a_reply_outside_the_script() {
        let script = Script::new().on("change it", [ModelReply::call("write_file", json!({}))]);
        let side = [
            message(Speaker::Person, "change it"),
            message(Speaker::Model, "done"),
            message(Speaker::Person, "Suggest what the user types next."),
        ];
        assert_eq!(script.next(&side), ModelReply::say("OK"));
    }
}
