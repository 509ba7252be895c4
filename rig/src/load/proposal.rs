//! A proposal, and the decision that it must get. Its text names its agent and the decision, so that whoever
//! reads an outcome knows whose it is.

use std::fmt::Write as _;

/// The decision that a proposal must get.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// The person accepts it.
    Accepted,
    /// The person changes it and accepts that.
    Edited,
    /// The person rejects it.
    Rejected,
    /// The agent takes it back: its own prompt was answered.
    TakenBack,
}

const FATES: [(Fate, &str); 4] = [
    (Fate::Accepted, "accept"),
    (Fate::Edited, "edit"),
    (Fate::Rejected, "reject"),
    (Fate::TakenBack, "nobody"),
];

/// The text of a proposal, of about so many bytes: it says whose it is, and what the person is to do with it.
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

/// The decision that the text names.
pub(super) fn fate(text: &str) -> Option<Fate> {
    let word = text.split(' ').next()?;
    FATES.iter().find(|(_, name)| *name == word).map(|(fate, _)| *fate)
}

/// The text after a person's edits.
pub(super) fn edited(text: &str) -> String {
    let first = text.lines().next().unwrap_or_default();
    format!("{text}changed by hand: {first}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proposal_says_what_becomes_of_it_and_whose_it_is() {
        for (fate_of_it, _) in FATES {
            let small = text(fate_of_it, 7, 8, 0);
            assert_eq!(fate(&small), Some(fate_of_it));
            assert_ne!(small, text(fate_of_it, 7, 9, 0));
            assert_ne!(edited(&small), edited(&text(fate_of_it, 8, 8, 0)));
            assert!((5000..5100).contains(&text(fate_of_it, 7, 8, 5000).len()));
        }
    }
}
