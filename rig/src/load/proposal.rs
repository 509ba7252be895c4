//! A proposal, and the decision that it must get. The text of a proposal names its agent and the decision, so
//! that each outcome can be compared with its proposal.

use std::fmt::Write as _;

/// The decision that a proposal must get.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// The person accepts the proposal.
    Accepted,
    /// The person edits the text and accepts it.
    Edited,
    /// The person rejects the proposal.
    Rejected,
    /// The agent closes the diff, as when the person answers the agent's own prompt.
    TakenBack,
}

const FATES: [(Fate, &str); 4] = [
    (Fate::Accepted, "accept"),
    (Fate::Edited, "edit"),
    (Fate::Rejected, "reject"),
    (Fate::TakenBack, "nobody"),
];

/// Returns the text of a proposal, of about so many bytes. The text names the agent and the fate.
pub(super) fn text(fate: Fate, agent: usize, number: u64, bytes: usize) -> String {
    let word = FATES.iter().find(|(known, _)| *known == fate).map_or("", |(_, word)| word);
    let mut text = format!("{word} {agent} {number}\n");
    let mut line = 0;
    while text.len() < bytes {
        line += 1;
        let _ = writeln!(text, "{agent}.{number}.{line} and so on, to the end of the line");
    }
    text
}

/// Returns the fate that a text names.
pub(super) fn fate(text: &str) -> Option<Fate> {
    let word = text.split(' ').next()?;
    FATES.iter().find(|(_, name)| *name == word).map(|(fate, _)| *fate)
}

/// Returns the text after a person's edit.
pub(super) fn edited(text: &str) -> String {
    let first = text.lines().next().unwrap_or_default();
    format!("{text}changed by hand: {first}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_names_its_fate_its_agent_and_its_number() {
        for (expected, _) in FATES {
            let small = text(expected, 7, 8, 0);
            assert_eq!(fate(&small), Some(expected));
            assert_ne!(small, text(expected, 7, 9, 0));
            assert_ne!(edited(&small), edited(&text(expected, 8, 8, 0)));
            assert!((5000..5100).contains(&text(expected, 7, 8, 5000).len()));
        }
    }
}
