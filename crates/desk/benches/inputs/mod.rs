//! Made-up texts for the benches of all crates: the same in every run and on every machine.

#![allow(dead_code, reason = "each bench uses a part of it")]

use std::fmt;

use alongside_desk::{Agent, Hunk, HunkState, Lines, Review, ReviewId};

/// The size of a text, and the number of changes in it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Case {
    pub(crate) text: Size,
    pub(crate) edits: usize,
}

/// The size of a text.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Size {
    /// Source code, in bytes.
    Bytes(usize),
    /// Short lines, most of which occur many times.
    Lines(usize),
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.text {
            Size::Bytes(bytes) if bytes >= 1 << 20 => write!(f, "{} MB", bytes >> 20)?,
            Size::Bytes(bytes) => write!(f, "{} KB", bytes >> 10)?,
            Size::Lines(lines) => write!(f, "{lines} lines")?,
        }
        write!(f, ", {} edits", self.edits)
    }
}

impl Case {
    pub(crate) const fn bytes(bytes: usize, edits: usize) -> Self {
        Self { text: Size::Bytes(bytes), edits }
    }

    pub(crate) const fn lines(lines: usize, edits: usize) -> Self {
        Self { text: Size::Lines(lines), edits }
    }

    /// Returns the text on disk and the proposed text.
    pub(crate) fn texts(&self) -> (String, String) {
        let old = match self.text {
            Size::Bytes(bytes) => source(bytes),
            Size::Lines(lines) => (0..lines).map(|line| format!("{}\n", line % 1000)).collect(),
        };
        let new = edited(&old, self.edits);
        (old, new)
    }
}

/// Returns fewer inputs in a test without optimisation, which only shows that the benches run.
pub(crate) fn few_in_tests<T>(all: &[T]) -> &[T] {
    if cfg!(debug_assertions) { &all[..1] } else { all }
}

/// Pseudo-random numbers, without a pattern that a comparison could use.
struct Random(u64);

impl Random {
    fn throw(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % sides as u64) as usize
    }
}

/// Returns at most `bytes` bytes of source code: short functions, with the empty lines and braces that files
/// have.
pub(crate) fn source(bytes: usize) -> String {
    const NAMES: [&str; 8] = ["basket", "price", "tax", "count", "customer", "order", "item", "total"];
    let mut dice = Random(0x5eed);
    let mut text = String::with_capacity(bytes + 128);
    while text.len() < bytes {
        let mut name = || format!("{}_{}", NAMES[dice.throw(8)], dice.throw(1000));
        text += &format!("/// Says what the {} is.\npub fn {}(first: usize) -> usize {{\n", name(), name());
        for _ in 0..6 {
            text += &format!("    let {} = {}.checked_add(first) + {};\n", name(), name(), name());
        }
        text += &format!("    {}\n}}\n\n", name());
    }
    // Only whole lines, because a missing last line ending is another case.
    text.truncate(text[..bytes].rfind('\n').map_or(bytes, |end| end + 1));
    text
}

/// Returns a text with `edits` changes, far apart: in turn a changed word, an added line, two removed lines.
pub(crate) fn edited(text: &str, edits: usize) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let apart = lines.len() / edits.max(1);
    assert!(apart >= 4, "there is no room for {edits} edits in {} lines", lines.len());
    let mut new = String::with_capacity(text.len() + 32 * edits);
    for (number, line) in lines.iter().enumerate() {
        let (edit, within) = (number / apart, number % apart);
        match (edit % 3, within) {
            _ if edit >= edits => new += line,
            (0, 1) => {
                new += &line.trim_end().rsplit_once(' ').map_or_else(
                    || format!("{} changed_{edit}\n", line.trim_end()),
                    |(most, _)| format!("{most} changed_{edit}\n"),
                )
            }
            (1, 1) => new += &format!("{line}    let added_{edit} = first;\n"),
            (2, 1 | 2) => {}
            _ => new += line,
        }
    }
    new
}

/// Returns a review of `lines` lines of source code with `edits` changed lines.
pub(crate) fn review(lines: usize, edits: usize) -> Review {
    let original = source(lines * 48);
    let original: String = original.split_inclusive('\n').take(lines).collect();
    let lines = original.lines().count();
    let apart = lines / edits;
    let mut hunks = Vec::new();
    let mut proposed = String::with_capacity(original.len() + 32 * edits);
    for (number, line) in original.split_inclusive('\n').enumerate() {
        if number % apart == apart / 2 && hunks.len() < edits {
            let lines = Lines { start: number, end: number + 1 };
            let state = HunkState::Kept;
            hunks.push(Hunk {
                original: lines,
                proposed: lines,
                current: lines,
                state,
                words: None,
                limit: None,
                reason: None,
            });
            proposed += &format!("    let changed_{number} = first;\n");
        } else {
            proposed += line;
        }
    }
    let proposed: std::sync::Arc<str> = proposed.into();
    Review {
        id: ReviewId(1),
        agent: Agent {
            number: 1,
            name: "bench".into(),
            version: "1".into(),
            since: 0,
            listening: true,
            asks_itself: false,
            takes_files: false,
            by_hook: false,
        },
        file: "/project/src/basket.rs".into(),
        original: Some(original.into()),
        current: proposed.clone(),
        proposed,
        revision: 1,
        hunks,
        ..Review::default()
    }
}
