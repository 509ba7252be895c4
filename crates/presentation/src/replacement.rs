//! The form in which a plugin and its relay exchange a text: the lines that differ from a text that both
//! have.

use std::sync::Arc;

use alongside_desk::{Change, Lines, Range, Text, replacement};
use serde::{Deserialize, Serialize};

/// Lines of a text, and the text that replaces them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replacement {
    /// The replaced lines; lines beyond the end are ignored.
    pub lines: Lines,
    /// The new text.
    pub text: String,
}

impl Replacement {
    /// Returns the replacement that makes `new` of `old`; `None` if they are equal.
    pub fn between(old: &str, new: &str) -> Option<Self> {
        let Change { range, text } = replacement(old, new)?;
        let lines = match range {
            // The last line may have no end.
            Some(Range { start, end }) => {
                start.line as usize..end.line as usize + usize::from(end.character > 0)
            }
            None => 0..Text::new(old).len(),
        };
        Some(Self { lines: lines.into(), text })
    }

    /// Returns a text with the replacement.
    pub fn applied(&self, text: impl Into<Arc<str>>) -> String {
        let (text, Lines { start, end }) = (Text::new(text), self.lines);
        [text.lines(0..start), &self.text, text.lines(end..text.len())].concat()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_replacement_makes_the_new_text(old in "[ab\u{e9}\n\r]{0,12}", new in "[ab\u{e9}\n\r]{0,12}") {
            let difference = Replacement::between(&old, &new);
            let made = difference.map_or(old.clone(), |difference| difference.applied(&*old));
            prop_assert_eq!(made, new);
        }

        #[test]
        fn lines_beyond_the_end_are_not_there(text in "[a\n]{0,6}", start: usize, end: usize) {
            let made = Replacement { lines: Lines { start, end }, text: "x".into() }.applied(&*text);
            prop_assert!(made.contains('x'));
        }
    }
}
