//! Looking for words in a page.

use std::ops::Range;

use regex::{Regex, RegexBuilder};

/// What is searched for: as it is written, but without a capital letter in it either case will do.
#[derive(Debug, Clone)]
pub(crate) struct Needle {
    regex: Regex,
}

impl Needle {
    /// `None` for nothing, and for more than one would want to look for.
    pub(crate) fn new(text: &str) -> Option<Self> {
        if text.is_empty() {
            return None;
        }
        let any_case = !text.chars().any(char::is_uppercase);
        let regex = RegexBuilder::new(&regex::escape(text)).case_insensitive(any_case).build().ok()?;
        Some(Self { regex })
    }

    /// Where it is in a text, in bytes.
    pub(crate) fn places<'a>(&'a self, text: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
        self.regex.find_iter(text).map(|found| found.range())
    }
}
