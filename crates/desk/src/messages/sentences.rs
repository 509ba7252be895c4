//! Sentences of texts from elsewhere: with a capital letter and a full stop.

use crate::harmless;

/// Returns a text with a capital letter at its start.
pub fn capital(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    first + chars.as_str()
}

/// Makes an escaped sentence of a text: with a capital letter, and a full stop if none ends it.
pub fn sentence(text: &str) -> String {
    let text = capital(&harmless::name(text));
    if text.ends_with(['.', '!', '?']) { text } else { format!("{text}.") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_has_a_capital_letter_and_one_full_stop() {
        for (text, expected) in [("é is\x1b read", "É is\\x1b read."), ("Really?", "Really?"), ("", ".")] {
            assert_eq!(sentence(text), expected);
        }
    }
}
