//! The next call of a model after a refusal that asks for another call. A model understands the reason; here,
//! the code searches for the program's words.

/// The call that a refusal asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Retry {
    /// The same call.
    Same,
    /// A call that writes this text.
    Text(String),
    /// A call that replaces this string by another.
    Replace { old: String, new: String },
}

const FENCE: &str = "```\n";

impl Retry {
    /// Reads the call that a refusal asks for; `None` if it asks for none.
    pub(super) fn read(reason: &str) -> Option<Self> {
        if reason.contains("Call the tool again with the same arguments") {
            return Some(Self::Same);
        }
        let quoted: Vec<&str> = reason.split(FENCE).collect();
        // The last fence has no line ending, so the split does not remove it.
        let text = |part: &str| part.trim_end_matches("```").to_owned();
        match quoted[..] {
            [asks, whole] if asks.contains("exactly this text") => Some(Self::Text(text(whole))),
            [asks, old, _, new] if asks.contains("exactly this change") => {
                Some(Self::Replace { old: text(old), new: text(new) })
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_request_to_call_again_is_understood() {
        let read = |reason: &str| Retry::read(reason);
        assert_eq!(
            read("It is open. Call the tool again with the same arguments, please."),
            Some(Retry::Same)
        );
        let text = "Call the tool again with exactly this text, which:\n```\none\ntwo\n```";
        assert_eq!(read(text), Some(Retry::Text("one\ntwo\n".into())));
        let change = "It makes exactly this change. Replace\n```\none\n```\nby\n```\n1\n2\n```";
        let replace = Retry::Replace { old: "one\n".into(), new: "1\n2\n".into() };
        assert_eq!(read(change), Some(replace));
        assert_eq!(read("The person rejected all of it."), None);
    }
}
